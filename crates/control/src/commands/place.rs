//! The counter or meter that a number denotes.

use super::Session;
use crate::{Place, Size, Word};

impl Session<'_> {
    /// Returns the array element with this index, or the entry with this number.
    pub(crate) fn place(&mut self, size: Size, word: &Word) -> Option<Place> {
        match size {
            Size::Array(_) => self.number(word, "index").map(Place::Index),
            Size::Entries(table) => self.entry(table, word).map(Place::Entry),
        }
    }
}
