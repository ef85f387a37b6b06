//! The results of look-ups in the data structures.

use std::num::NonZeroU32;

use super::EntryHandle;

/// An entry with the number of its target ([`super::Targets`]), so that a look-up need not search elsewhere for the
/// target.
///
/// The handle is stored complemented. No entry has the last handle, so that the word is not 0, and an `Option<Found>`
/// takes no more than the two words of 32 bits, which a function returns in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    complement: NonZeroU32,
    target: u32,
}

impl Found {
    /// Creates the result for an entry and the number of its target.
    ///
    /// # Panics
    /// Panics if the handle is the last one, which no entry has.
    #[inline]
    pub(super) fn new(entry: EntryHandle, target: u32) -> Self {
        Self { complement: NonZeroU32::new(!entry.0).expect("no entry has the last handle"), target }
    }

    /// Returns the entry.
    #[inline]
    pub(super) fn entry(self) -> EntryHandle {
        EntryHandle(!self.complement.get())
    }

    /// Returns the number of the entry's target.
    #[inline]
    pub(super) fn target(self) -> u32 {
        self.target
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Larger results would be returned through memory, and arrays of them would take more of the cache.
    #[test]
    fn an_absent_result_takes_no_space_of_its_own() {
        assert_eq!(size_of::<Option<Found>>(), 8);
        for (entry, target) in [(0, u32::MAX), (u32::MAX - 1, 0)] {
            let found = Found::new(EntryHandle(entry), target);
            assert_eq!((found.entry(), found.target()), (EntryHandle(entry), target));
        }
    }
}
