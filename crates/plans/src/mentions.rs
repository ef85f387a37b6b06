//! The names that a plan mentions, such as those of hosts.

use std::cell::RefCell;
use std::ops::Range;

/// A name or pattern in a plan, which must match something that the plan describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// The kind of thing that it must match, such as `host`.
    pub what: &'static str,
    /// The name or pattern.
    pub text: String,
    /// The place of the name in the file, in bytes.
    pub span: Range<usize>,
}

/// Every name that the sections of a plan have mentioned so far. Many sections are read before the things that they
/// name are known, so the names are checked at the end.
#[derive(Debug, Default)]
pub struct Mentions(RefCell<Vec<Mention>>);

impl Mentions {
    /// Records a name and its place in the file.
    pub fn note(&self, what: &'static str, text: &str, span: &Range<usize>) {
        self.0.borrow_mut().push(Mention { what, text: text.to_owned(), span: span.clone() });
    }

    /// Returns the names recorded since the last call, in the order in which they were read.
    pub fn take(&self) -> Vec<Mention> {
        self.0.take()
    }
}
