//! Parts shared by the file formats that contain requests.

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

/// An item with its location in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed<T> {
    /// The location of the item.
    pub span: Span,
    /// The item.
    pub item: T,
}

/// The contents of a file, resolved for one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared<T> {
    /// The steps, in order.
    pub steps: Vec<Placed<T>>,
    /// Warnings about text that is valid but probably not intended.
    pub warnings: Diagnostics,
}
