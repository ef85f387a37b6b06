//! The results of look-ups in the data structures.

use super::EntryHandle;

/// An entry with the number of its target ([`super::Targets`]), so that a look-up need not search elsewhere for the
/// target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) entry: EntryHandle,
    pub(super) target: u32,
}

impl Found {
    /// A placeholder for the absence of an entry: no entry has the last handle.
    pub(super) const NOTHING: Self = Self { entry: EntryHandle(u32::MAX), target: 0 };

    /// Converts the placeholder to `None`.
    #[inline]
    pub(super) fn some(self) -> Option<Self> {
        (self != Self::NOTHING).then_some(self)
    }
}
