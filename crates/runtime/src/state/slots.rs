//! The slots of a table's entries: small numbers by which other state belongs to an entry.

use std::collections::BTreeSet;

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};

use crate::tables::{EntryHandle, HandleMap};

/// The slots of a table's entries. Handles are never reused and grow for ever; a slot is below the number of entries that
/// the table has held at once, so that arrays of the table's size can be indexed by it.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    of: HandleMap<u32>,
    entries: Vec<Option<EntryHandle>>,
    /// The slots below `entries.len()` that have no entry.
    free: BTreeSet<u32>,
}

impl Slots {
    /// Gives an entry the lowest free slot, and returns it.
    pub(super) fn take(&mut self, handle: EntryHandle) -> u32 {
        let slot = self.next();
        self.put(handle, slot);
        slot
    }

    /// Returns the slot that the next entry gets.
    pub(super) fn next(&self) -> u32 {
        self.free.first().copied().unwrap_or(self.entries.len() as u32)
    }

    /// Gives an entry a slot that is free.
    pub(super) fn put(&mut self, handle: EntryHandle, slot: u32) {
        while self.entries.len() <= slot as usize {
            self.free.insert(self.entries.len() as u32);
            self.entries.push(None);
        }
        self.free.remove(&slot);
        self.entries[slot as usize] = Some(handle);
        self.of.insert(handle, slot);
    }

    /// Frees the slot of an entry, if it has one.
    pub(super) fn release(&mut self, handle: EntryHandle) {
        if let Some(slot) = self.of.remove(handle) {
            self.entries[slot as usize] = None;
            self.free.insert(slot);
        }
    }

    /// Returns the slot of an entry.
    #[inline]
    pub(super) fn of(&self, handle: EntryHandle) -> Option<u32> {
        self.of.get(handle).copied()
    }

    /// Returns the entry that has a slot.
    #[inline]
    pub(super) fn entry(&self, slot: u64) -> Option<EntryHandle> {
        *self.entries.get(usize::try_from(slot).ok()?)?
    }
}

/// The entries with their slots are saved; what is free follows from them.
impl Snapshot for Slots {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.of.save(into)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let mut of: HandleMap<u32> = HandleMap::default();
        of.restore(from)?;
        *self = Self::default();
        for (handle, &slot) in of.iter() {
            // A slot is less than the number of handles ever given, so a saved one cannot make this list too long.
            if slot > handle.0 || self.entry(slot.into()).is_some() {
                return Err(Unfit("the state has table entries with impossible slots".to_owned()));
            }
            self.put(handle, slot);
        }
        Ok(())
    }
}
