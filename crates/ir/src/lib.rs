//! The program: one meaning for every language, held by every machine.
//!
//! - [`Program`] is what front ends make and passes change. Its [`interpret::Interpreter`] is the definition of
//!   what a program means.
//! - [`form`] says which restricted forms a pass promises (predicated straight-line code, three-address code,
//!   single assignment), and verifies them.
//! - [`pipeline::Pipeline`] is a program fitted to the stages of a machine; [`dot`] draws it.
//! - [`mod@print`] and [`parse`] are its text, after every pass: what is printed parses back to the same thing.

pub mod dot;
pub mod evaluate;
mod expression;
pub mod form;
pub mod interpret;
pub mod parse;
pub mod pipeline;
pub mod print;
mod print_pipeline;
mod program;
mod statement;
mod types;
mod typing;
pub mod verify;
mod verify_pipeline;

pub use expression::{BinaryOperator, Constant, Expression, UnaryOperator, cast};
pub use program::{Export, Field, Initial, Program, Register, RegisterId, Variable, VariableId, VariableKind};
pub use statement::Statement;
pub use types::Type;
