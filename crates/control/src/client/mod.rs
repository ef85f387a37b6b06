//! What the files that make requests have in common.

mod literal;
mod matches;
mod nodes;
mod numbered;
mod resolve;
mod words;

use diagnostics::{Diagnostics, Span};

pub(crate) use literal::Literal;
pub(crate) use matches::{FieldText, Style};
pub(crate) use nodes::Nodes;
pub(crate) use numbered::Numbered;
pub(crate) use resolve::Resolver;
pub use words::Word;
pub(crate) use words::words;

/// Something with the place in a file that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// Where it comes from.
    pub span: Span,
    /// What it is.
    pub item: T,
}

/// A whole file, made ready for one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared<T> {
    /// What is to be done, in order.
    pub steps: Vec<Placed<T>>,
    /// What its author may not have meant.
    pub warnings: Diagnostics,
}
