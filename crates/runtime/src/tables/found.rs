//! What structures keep of an entry.

use super::EntryHandle;

/// An entry with the number of its target ([`super::Targets`]), so that who has found it need not look elsewhere for
/// what happens to the packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) entry: EntryHandle,
    pub(super) target: u32,
}

impl Found {
    /// Stands for nothing where something may be: no entry has the last handle.
    pub(super) const NOTHING: Self = Self { entry: EntryHandle(u32::MAX), target: 0 };

    /// What it stands for.
    #[inline]
    pub(super) fn some(self) -> Option<Self> {
        (self != Self::NOTHING).then_some(self)
    }
}
