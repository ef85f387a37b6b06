//! The counter or meter that a number denotes.

use super::Session;
use crate::{ElementSelection, Size, Word};

impl Session<'_> {
    /// Returns the array element with this index, or the entry with this number.
    pub(crate) fn element_selection(&mut self, size: Size, word: &Word) -> Option<ElementSelection> {
        match size {
            Size::Array(_) => self.number(word, "index").map(ElementSelection::Index),
            Size::Entries(table) => self.entry(table, word).map(ElementSelection::Entry),
        }
    }
}
