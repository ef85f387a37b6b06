//! Lists of slots, linked by numbers within the slots.

use serde::{Deserialize, Serialize};

/// The number of no slot.
pub const NONE: u32 = u32::MAX;

/// The neighbours of a slot in one list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    before: u32,
    behind: u32,
}

impl Default for Links {
    fn default() -> Self {
        Self { before: NONE, behind: NONE }
    }
}

/// A list of slots from the oldest to the newest. A slot is in it at most once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct List {
    first: u32,
    last: u32,
}

impl Default for List {
    fn default() -> Self {
        Self { first: NONE, last: NONE }
    }
}

impl List {
    /// Returns the oldest slot.
    pub fn first(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// Appends a slot that is not in the list. `links` gives the links of a slot for this list.
    pub fn push<S>(&mut self, slots: &mut [S], slot: u32, links: impl Fn(&mut S) -> &mut Links) {
        *links(&mut slots[slot as usize]) = Links { before: self.last, behind: NONE };
        match self.last {
            NONE => self.first = slot,
            last => links(&mut slots[last as usize]).behind = slot,
        }
        self.last = slot;
    }

    /// Removes a slot that is in the list.
    pub fn remove<S>(&mut self, slots: &mut [S], slot: u32, links: impl Fn(&mut S) -> &mut Links) {
        let Links { before, behind } = std::mem::take(links(&mut slots[slot as usize]));
        match before {
            NONE => self.first = behind,
            before => links(&mut slots[before as usize]).behind = behind,
        }
        match behind {
            NONE => self.last = before,
            behind => links(&mut slots[behind as usize]).before = before,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(list: &List, slots: &[Links]) -> Vec<u32> {
        let next = |slot: &u32| Some(slots[*slot as usize].behind).filter(|slot| *slot != NONE);
        std::iter::successors(list.first(), next).collect()
    }

    proptest! {
        /// The list is what a vector would be.
        #[test]
        fn slots_stay_in_order(turns in prop::collection::vec(0..12u32, 0..60)) {
            let mut slots = [Links::default(); 12];
            let (mut list, mut expected) = (List::default(), Vec::new());
            for slot in turns {
                if let Some(at) = expected.iter().position(|there| *there == slot) {
                    expected.remove(at);
                    list.remove(&mut slots, slot, |links| links);
                } else {
                    expected.push(slot);
                    list.push(&mut slots, slot, |links| links);
                }
                prop_assert_eq!(&order(&list, &slots), &expected);
            }
        }
    }
}
