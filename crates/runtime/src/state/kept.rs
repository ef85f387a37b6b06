//! Keeping what an entry is before it is changed, and putting it back.

use super::TableState;
use super::ages::{Age, Ages};
use crate::tables::{EntryHandle, TableEntry};
use crate::{Bits, Count, Meter};

/// All that a table knows of a handle: its entry, if there is one, and what belongs to it.
#[derive(Clone, Debug)]
pub struct KeptEntry {
    handle: EntryHandle,
    /// The handle that the next entry gets.
    next: Option<EntryHandle>,
    entry: Option<TableEntry>,
    counter: Option<Count>,
    meter: Option<Meter>,
    metadata: Option<Box<[u8]>>,
    age: Option<Age>,
    slot: Option<u32>,
    /// Registers with their slot and the value there.
    pub(super) registers: Vec<(usize, u32, Bits)>,
}

impl KeptEntry {
    /// Returns the handle.
    pub fn handle(&self) -> EntryHandle {
        self.handle
    }
}

impl TableState {
    /// Returns what the table knows of a handle. What registers hold for the entry is not part of it; nothing but an
    /// insertion changes that.
    pub fn keep(&self, handle: EntryHandle) -> KeptEntry {
        KeptEntry {
            handle,
            next: self.matches.next_handle(),
            entry: self.matches.get(handle).cloned(),
            counter: self.counter(handle),
            meter: self.meters.as_ref().and_then(|(_, meters)| meters.get(handle).cloned()),
            metadata: self.metadata.get(handle).cloned(),
            age: self.ages.as_ref().and_then(|ages| ages.keep(handle)),
            slot: self.slot(handle),
            registers: Vec::new(),
        }
    }

    /// Returns what the table knows of the entry that is inserted next, which is nothing; `None` if no handles are left.
    pub(super) fn keep_next(&self) -> Option<KeptEntry> {
        self.matches.next_handle().map(|handle| self.keep(handle))
    }

    /// Makes an entry what it was. Operations are undone in reverse order.
    pub(super) fn restore_entry(&mut self, kept: KeptEntry) {
        let KeptEntry { handle, next, entry, counter, meter, metadata, age, slot, registers: _ } = kept;
        self.forget(handle);
        self.matches.restore_entry(handle, entry, next);
        if let (Some(counters), Some(counter)) = (&mut self.counters, counter) {
            counters.insert(handle, counter);
        }
        if let (Some((_, meters)), Some(meter)) = (&mut self.meters, meter) {
            meters.insert(handle, meter);
        }
        if let Some(metadata) = metadata {
            self.metadata.insert(handle, metadata);
        }
        if let (Some(ages), Some(age)) = (&mut self.ages, age) {
            Ages::restore(ages, handle, age);
        }
        if let (Some(slots), Some(slot)) = (&mut self.slots, slot) {
            slots.put(handle, slot);
        }
    }
}
