//! Names that a plan mentions.

use std::cell::RefCell;
use std::ops::Range;

/// A name or pattern in a plan, which must name something that the plan describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// What it must name, in a word, such as `host`.
    pub what: &'static str,
    /// The name or pattern.
    pub text: String,
    /// Where it stands, in bytes of the file.
    pub span: Range<usize>,
}

/// Every name that the sections of a plan have mentioned so far. Many sections are read before what they name is known, so
/// the names are checked at the end.
#[derive(Debug, Default)]
pub struct Mentions(RefCell<Vec<Mention>>);

impl Mentions {
    /// Notes a name that stands at a place.
    pub fn note(&self, what: &'static str, text: &str, span: &Range<usize>) {
        self.0.borrow_mut().push(Mention { what, text: text.to_owned(), span: span.clone() });
    }

    /// Returns the names that were noted since the last call, in the order of reading.
    pub fn take(&self) -> Vec<Mention> {
        self.0.take()
    }
}
