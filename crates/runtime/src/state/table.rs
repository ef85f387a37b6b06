//! A table with its default action and what belongs to its entries.

use basis::Instant;

use super::ages::Ages;
use super::slots::Slots;
use crate::tables::{EntryHandle, HandleMap, KeyField, MatchTable, TableEntry, TableError, Target, TargetWords};
use crate::{Bits, Count, Meter, MeterUnit};

/// A match table with its default action and, if the program asks for them, a counter and a meter for each entry
/// (v1model: `direct_counter`, `direct_meter`), and the time of each entry's last hit (v1model: `support_timeout`). These
/// are created and deleted with their entries.
#[derive(Clone, Debug)]
pub struct TableState {
    pub(super) matches: MatchTable,
    pub(super) default: Target,
    initial_default: Target,
    pub(super) counters: Option<HandleMap<Count>>,
    /// The number of bits of each counter.
    pub(super) counter_width: u32,
    /// The unit of the meters, and the meters that are configured.
    pub(super) meters: Option<(MeterUnit, HandleMap<Meter>)>,
    /// The metadata of the entries that have any.
    pub(super) metadata: HandleMap<Box<[u8]>>,
    pub(super) default_metadata: Box<[u8]>,
    pub(super) ages: Option<Ages>,
    pub(super) slots: Option<Slots>,
    registers: Vec<EntryRegister>,
}

/// A register that has one value for each entry of a table, at the index of the entry's slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRegister {
    /// The number of the register in the [`crate::RegisterFile`].
    pub register: usize,
    /// The width of its values in bits.
    pub width: u32,
    /// The value with which each entry begins.
    pub initial: Bits,
}

impl TableState {
    /// The offset of the [`crate::tables::Shortcuts`] in bytes.
    pub const SHORTCUTS: usize = std::mem::offset_of!(Self, matches) + MatchTable::SHORTCUTS;

    /// Creates an empty table. `fields` are the fields of its key, `size` is the maximum number of entries, and
    /// `default` is the target of a miss.
    pub fn new(fields: Vec<KeyField>, size: Option<u32>, default: Target) -> Self {
        let initial_default = default.clone();
        let mut matches = MatchTable::new(fields, size);
        matches.set_default_words(TargetWords::of(&default));
        Self {
            matches,
            default,
            initial_default,
            counters: None,
            counter_width: 64,
            meters: None,
            metadata: HandleMap::default(),
            default_metadata: Box::default(),
            ages: None,
            slots: None,
            registers: Vec::new(),
        }
    }

    /// Adds a counter of 64 bits for each entry. The table must still be empty.
    pub fn with_counters(self) -> Self {
        self.with_counters_of(64)
    }

    /// Adds a counter of `width` bits for each entry, which wraps around after 2^`width`. The table must still be empty.
    pub fn with_counters_of(mut self, width: u32) -> Self {
        self.counters = Some(HandleMap::default());
        self.counter_width = width;
        self
    }

    /// Adds a meter for each entry, which is not configured at first. The table must still be empty.
    pub fn with_meters(mut self, unit: MeterUnit) -> Self {
        self.meters = Some((unit, HandleMap::default()));
        self
    }

    /// Records the time of each entry's last hit, so that entries can have idle timeouts. The table must still be empty.
    pub fn with_ages(mut self) -> Self {
        self.ages = Some(Ages::default());
        self
    }

    /// Gives each entry a slot: the lowest number that no other entry has, which is free again when the entry is deleted.
    /// The table must still be empty.
    pub fn with_slots(mut self) -> Self {
        self.slots = Some(Slots::default());
        self
    }

    /// Adds registers that belong to the entries, which must have slots.
    pub fn with_registers(mut self, registers: Vec<EntryRegister>) -> Self {
        self.registers = registers;
        self
    }

    /// Returns the registers that belong to the entries.
    pub fn registers(&self) -> &[EntryRegister] {
        &self.registers
    }

    /// Returns the slot of an entry; `None` if there is no such entry or entries have no slots.
    #[inline]
    pub fn slot(&self, handle: EntryHandle) -> Option<u32> {
        self.slots.as_ref()?.of(handle)
    }

    /// Returns the slot that the next entry gets; `None` if entries have no slots.
    pub(super) fn next_slot(&self) -> Option<u32> {
        self.slots.as_ref().map(Slots::next)
    }

    /// Returns the entry that has a slot.
    #[inline]
    pub fn entry_at(&self, slot: u64) -> Option<EntryHandle> {
        self.slots.as_ref()?.entry(slot)
    }

    /// Makes the next entry get the same handle as the next one of `other`, whose handles so far must be at least as many.
    /// Tables of several pipes never give one handle to two entries in this way.
    pub fn follow_handles(&mut self, other: &Self) {
        self.matches.follow_handles(&other.matches);
    }

    /// Stops recording the times of hits; entries can have no idle timeouts then.
    pub fn without_ages(&mut self) {
        self.ages = None;
    }

    /// Returns the match table, for reading. Its entries change only through [`TableState`], so that their counters and
    /// meters are deleted with them.
    pub fn matches(&self) -> &MatchTable {
        &self.matches
    }

    /// Returns the entry that wins for a key; see [`MatchTable::lookup`].
    #[inline]
    pub fn lookup(&self, key: &[Bits]) -> Option<EntryHandle> {
        self.matches.lookup(key)
    }

    /// Returns the entry that wins for a key in words; see [`MatchTable::lookup_words`].
    #[inline]
    pub fn lookup_words(&self, key: &[u64]) -> Option<EntryHandle> {
        self.matches.lookup_words(key)
    }

    /// Returns the entry that wins for a key in words, and its target or that of a miss. This is faster than
    /// [`Self::lookup_words`] followed by [`Self::target_words`].
    #[inline(always)] // As the function that it calls.
    pub fn lookup_target(&self, key: &[u64]) -> (Option<EntryHandle>, &TargetWords) {
        self.matches.lookup_target(key)
    }

    /// Counts a look-up by compiled code that found no shortcut, and makes shortcuts if it pays to do so now. `data_words` are
    /// the numbers of words of data that the actions take; entries that have others get no shortcut.
    #[inline]
    pub fn ask_for_shortcuts(&mut self, data_words: &[usize]) {
        self.matches.ask_for_shortcuts(data_words);
    }

    /// Returns the target of an entry in words, or the target of a miss if `entry` is `None` or does not exist.
    #[inline]
    pub fn target_words(&self, entry: Option<EntryHandle>) -> &TargetWords {
        self.matches.target_words(entry)
    }

    /// Returns the target of a miss.
    #[inline]
    pub fn default_target(&self) -> &Target {
        &self.default
    }

    /// Sets the target of a miss.
    pub fn set_default(&mut self, target: Target) {
        self.matches.set_default_words(TargetWords::of(&target));
        self.default = target;
    }

    /// Restores the target of a miss that the program defines, without metadata.
    pub fn reset_default(&mut self) {
        self.set_default(self.initial_default.clone());
        self.default_metadata = Box::default();
    }

    /// Adds an entry; its counter starts at zero, and so does time: see [`TableState::begin_age`]. Registers of the entry
    /// are set by [`crate::ProgramState::insert`].
    ///
    /// # Errors
    /// As for [`MatchTable::insert`].
    pub fn insert(&mut self, entry: TableEntry) -> Result<EntryHandle, TableError> {
        let handle = self.matches.insert(entry)?;
        if let Some(counters) = &mut self.counters {
            counters.insert(handle, Count::default());
        }
        if let Some(ages) = &mut self.ages {
            ages.begin(handle, Instant::ZERO);
        }
        if let Some(slots) = &mut self.slots {
            slots.take(handle);
        }
        Ok(handle)
    }

    /// Changes the target of an entry. All else that belongs to it stays.
    ///
    /// # Errors
    /// As for [`MatchTable::modify`].
    pub fn modify(&mut self, handle: EntryHandle, target: Target) -> Result<(), TableError> {
        self.matches.modify(handle, target)
    }

    /// Deletes an entry with all that belongs to it.
    ///
    /// # Errors
    /// As for [`MatchTable::delete`].
    pub fn delete(&mut self, handle: EntryHandle) -> Result<TableEntry, TableError> {
        let entry = self.matches.delete(handle)?;
        self.forget(handle);
        Ok(entry)
    }

    /// Deletes all entries that are not constant.
    pub fn clear(&mut self) {
        let all: Vec<EntryHandle> = self.matches.entries().map(|(handle, _)| handle).collect();
        self.matches.clear();
        for handle in all {
            if self.matches.get(handle).is_none() {
                self.forget(handle);
            }
        }
    }

    pub(super) fn forget(&mut self, handle: EntryHandle) {
        if let Some(counters) = &mut self.counters {
            counters.remove(handle);
        }
        if let Some((_, meters)) = &mut self.meters {
            meters.remove(handle);
        }
        if let Some(ages) = &mut self.ages {
            ages.forget(handle);
        }
        if let Some(slots) = &mut self.slots {
            slots.release(handle);
        }
        self.metadata.remove(handle);
    }
}
