//! Which counter or meter a number means.

use super::Session;
use crate::{Place, Size, Word};

impl Session<'_> {
    /// The index of an array, or the entry of a number.
    pub(crate) fn place(&mut self, size: Size, word: &Word) -> Option<Place> {
        match size {
            Size::Array(_) => self.number(word, "index").map(Place::Index),
            Size::Entries(table) => self.entry(table, word).map(Place::Entry),
        }
    }
}
