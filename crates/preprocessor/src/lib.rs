//! C's preprocessor (C11 6.10 and the first phases of 5.1.1.2), for every language that is written like C.
//!
//! It knows no language: a [`Language`] tells it what its operators are, which headers it brings along and how large a
//! program may be. Out of the texts of a program, [`preprocess`] makes one list of [`Piece`]s without directives and
//! macros; the front end makes tokens of its own of them.
//!
//! Pieces, not characters, go in and come out, so that each keeps the place where its author wrote it; a piece out
//! of a macro has the place where the macro is used, and [`MacroUses`] knows where that macro is defined.

mod files;
mod language;
mod lexer;
mod limits;
mod piece;
mod preprocess;
mod read_once;

pub use files::{Disk, Files};
pub use language::{Header, Language, Limits};
pub use limits::{MOST_FILE_BYTES, MOST_INCLUDE_DEPTH};
pub use piece::{Complaint, Invalid, Piece, PieceKind};
pub use preprocess::{MacroUses, Options, Preprocessed, preprocess};
pub use read_once::ReadOnce;
