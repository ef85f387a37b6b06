//! The front end of P4_16 (language specification 1.2.5).
//!
//! The lexer makes tokens of texts, by way of the preprocessor ([`preprocess`]); the parser makes a syntax tree of them,
//! the printer prints the tree again, and the checker finds out what every name, type and known value is ([`check`]).
//! Then [`lower`] writes it down in the IR, together with what the control plane may know of it. Each reports what it
//! finds at the place where the author wrote it.

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
