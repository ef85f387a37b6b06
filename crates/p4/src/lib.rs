//! The front end of P4_16 (language specification 1.2.5).
//!
//! The preprocessor makes tokens of texts ([`preprocess`]), the parser makes a syntax tree of them, the printer prints
//! the tree again, and the checker finds out what every name, type and known value is ([`check`]). Each reports what it
//! finds at the place where the author wrote it.

pub mod ast;
mod check;
mod files;
mod keyword;
mod lexer;
mod limits;
mod parse;
mod preprocessor;
mod print;
pub mod token;
pub mod types;

pub use check::{Called, Checked, Expressed, Target, check};
pub use files::{Disk, Files};
pub use parse::{MOST_NESTING, parse};
pub use preprocessor::{MacroUses, Options, Preprocessed, preprocess};
pub use print::{print, print_expression};
