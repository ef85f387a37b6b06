//! The C preprocessor (C11 6.10 and translation phases 1 to 3 of 5.1.1.2), usable by every language with a C-like
//! lexical structure.
//!
//! The crate knows no particular language. A [`Language`] lists the operators, names the headers that come with the
//! language and limits the size of programs. [`preprocess`] turns the source texts of a program into a single list of
//! [`Piece`]s (preprocessing tokens) that contains neither directives nor macros; the front end converts these into its
//! own tokens.
//!
//! The preprocessor works on pieces rather than characters so that each piece keeps its location in the source. A piece
//! produced by a macro carries the location of the macro's use, and [`MacroUses`] knows where that macro is defined.
//!
//! # Example
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use diagnostics::Sources;
//! use preprocessor::{Complaint, Language, Limits, Options, preprocess};
//!
//! let language = Language {
//!     punctuators: &["+", "(", ")", ";"],
//!     fractions: false,
//!     strings_of_lines: false,
//!     characters: None,
//!     plain_macros: false,
//!     header: |_| None,
//!     no_such_file: |name, _| Complaint::new(format!("`{name}` does not exist"), "check the search paths"),
//!     how_to_include: "write `#include <name>`",
//!     limits: Limits { tokens: 1 << 20, includes: 100 },
//! };
//! let mut sources = Sources::new();
//! let main = sources.add("main.c", "#define TWICE(x) (x + x)\nTWICE(3);");
//! let files: BTreeMap<String, String> = BTreeMap::new();
//! let program = preprocess(&language, &mut sources, main, &files, &Options::default());
//!
//! let mut text = String::new();
//! program.pieces.iter().for_each(|piece| piece.spell(&mut text));
//! assert_eq!(text, "(3+3);");
//! ```

mod cursor;
mod files;
mod language;
mod lexer;
mod limits;
mod number;
mod piece;
mod preprocess;
mod read_once;
mod report;
mod token;

pub use cursor::{Cursor, Parsed, Reported, precedence};
pub use files::{Disk, Files, program_name};
pub use language::{Header, Language, Limits};
pub use limits::{MOST_FILE_BYTES, MOST_INCLUDE_DEPTH};
pub use number::Numeral;
pub use piece::{Complaint, Invalid, Piece, PieceKind};
pub use preprocess::{MacroUses, Options, Preprocessed, preprocess};
pub use read_once::ReadOnce;
pub use report::Report;
pub use token::{Literals, Token, TokenKind, tokens};
