//! The front end of P4_16 (language specification 1.2.5).
//!
//! A program goes through four steps, each of which reports diagnostics at the place where the author wrote the cause:
//!
//! 1. [`preprocess`] carries out directives, expands macros and splits the text into [`token`]s;
//! 2. [`parse`] builds the syntax tree ([`ast`]), which [`print`](print()) prints again;
//! 3. [`check`] resolves names, computes the type of every expression and the values known at compile time
//!    ([`Checked`]), and reports whatever is not legal;
//! 4. [`lower`] translates the checked program into the IR, together with what the control plane may know of it
//!    ([`Lowered`]).
//!
//! The crate knows P4 and how the externs of architectures are expressed in the IR. It knows nothing of machines, and
//! learns everything about an architecture from its [`arch::Architecture`].
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! let mut sources = diagnostics::Sources::new();
//! let main = sources.add("sum.p4", "const bit<8> SUM = 40 + 2;");
//! let files: BTreeMap<String, String> = BTreeMap::new();
//! let read = p4::preprocess(&mut sources, main, &files, &p4::Options::default());
//! let (program, findings) = p4::parse(&read.tokens);
//! assert!(!findings.has_errors());
//! let (checked, findings) = p4::check(&program);
//! assert!(!findings.has_errors());
//! assert_eq!(p4::print_typed(&program, &checked), "const bit<8> SUM = 40 + 2;  // 40 + 2: int -> bit<8>\n");
//! ```

pub mod ast;
mod check;
mod findings;
mod keyword;
mod lexer;
mod limits;
mod lower;
mod parse;
mod print;
pub mod token;
pub mod types;

pub use check::{Called, Checked, Expressed, Nodes, Target, check};
pub use lexer::{Preprocessed, preprocess};
pub use lower::{Lowered, lower, lower_for};
pub use parse::{MOST_NESTING, parse};
pub use preprocessor::{Disk, Files, MacroUses, Options};
pub use print::{print, print_expression, print_typed};
