//! Reports that a person likes to read: one HTML file with its figures inside, which opens anywhere.

mod figures;
mod page;

pub use figures::{Bar, Curve, bars, curves};
pub use page::{Figure, Page, Table};
