//! All state of a running program.

mod ages;
mod attributes;
mod direct;
mod groups;
mod kept;
mod slots;
mod snapshot;
mod table;

pub use direct::DirectError;
pub use groups::GroupBefore;
pub use kept::KeptEntry;
pub use table::{EntryRegister, TableState};

use basis::Instant;

use crate::memory::SharedMemory;
use crate::records::{Insertion, RecordLayout, RecordTable};
use crate::tables::{EntryHandle, FieldMatch, TableEntry, TableError};
use crate::{Bits, CounterArray, FilterArray, MeterArray, Profile, RegisterFile, WredArray};

/// A parser value set: its members, each with one match for every field that a `select` compares, in order (P4_16
/// specification 1.2.5, section 13.11).
pub type ValueSet = Vec<Vec<FieldMatch>>;

/// All state of a running program, indexed by the ids of the IR. It knows no names; those belong to the control plane.
#[derive(Clone, Debug, Default)]
pub struct ProgramState {
    /// The registers.
    pub registers: RegisterFile,
    /// The counters, except direct ones, which are in their tables.
    pub counters: Vec<CounterArray>,
    /// The meters, except direct ones, which are in their tables.
    pub meters: Vec<MeterArray>,
    /// The low-pass filters.
    pub filters: Vec<FilterArray>,
    /// The random early detectors.
    pub wreds: Vec<WredArray>,
    /// The tables.
    pub tables: Vec<TableState>,
    /// The action profiles and selectors.
    pub profiles: Vec<Profile>,
    /// The value sets.
    pub value_sets: Vec<ValueSet>,
    /// The memory that threads share.
    pub memory: SharedMemory,
    /// The tables of records, whose contents are in the memory.
    pub records: Vec<RecordTable>,
}

impl ProgramState {
    /// Returns a copy of the state with other registers. The registers of this state, of which there may be many, are
    /// not copied.
    pub fn with_registers(&self, registers: RegisterFile) -> Self {
        let Self { registers: _, counters, meters, filters, wreds, tables, profiles, value_sets, memory, records } =
            self;
        Self {
            registers,
            counters: counters.clone(),
            meters: meters.clone(),
            filters: filters.clone(),
            wreds: wreds.clone(),
            tables: tables.clone(),
            profiles: profiles.clone(),
            value_sets: value_sets.clone(),
            memory: memory.clone(),
            records: records.clone(),
        }
    }
}

impl ProgramState {
    /// Says whether a port is up, for members of groups that depend on it.
    pub fn set_port(&mut self, port: u32, is_up: bool) {
        self.profiles.iter_mut().for_each(|profile| profile.set_port(port, is_up));
    }

    /// Adds an entry to a table, and sets the registers of its slot to their initial values. All else that belongs to the
    /// entry begins as [`TableState::insert`] says.
    ///
    /// # Errors
    /// As for [`crate::tables::MatchTable::insert`].
    ///
    /// # Panics
    /// Panics if there is no such table.
    pub fn insert(&mut self, table: usize, entry: TableEntry) -> Result<EntryHandle, TableError> {
        let table = &mut self.tables[table];
        let handle = table.insert(entry)?;
        if let Some(slot) = table.slot(handle) {
            for register in table.registers() {
                self.registers.write(register.register, slot.into(), &register.initial);
            }
        }
        Ok(handle)
    }

    /// Makes a record of a table, whose bytes are `contents` and zeros behind them, unless there is one of this key already
    /// or the table is full.
    ///
    /// # Panics
    /// Panics if there is no such table, if the key does not have the size of its keys, or if its records do not lie in
    /// shared memory as `layout` says.
    pub fn make_record(&mut self, table: usize, layout: RecordLayout, key: &[u8], contents: &[u8]) -> Insertion {
        let insertion = self.records[table].insert(key);
        if let Insertion::Made(place) = insertion {
            let mut at = layout.address(place);
            let mut write = |bytes: &[u8]| {
                self.memory.write(at, bytes).expect("records are in their segment");
                at += bytes.len() as u64;
            };
            write(contents);
            let mut zeros = layout.record_bytes - contents.len() as u64;
            while zeros > 0 {
                let now = zeros.min(64);
                write(&[0; 64][..now as usize]);
                zeros -= now;
            }
        }
        insertion
    }

    /// Returns what a table knows of the entry that is inserted next, and the values of the registers that the entry will
    /// have; `None` if no handles are left.
    ///
    /// # Panics
    /// Panics if there is no such table.
    pub fn keep_next(&self, table: usize) -> Option<KeptEntry> {
        let table = &self.tables[table];
        let mut kept = table.keep_next()?;
        if let Some(slot) = table.next_slot() {
            let read =
                |own: &EntryRegister| (own.register, slot, self.registers.read(own.register, slot.into(), own.width));
            kept.registers = table.registers().iter().map(read).collect();
        }
        Some(kept)
    }

    /// Makes an entry of a table, and the registers that were kept with it, what they were. Operations are undone in
    /// reverse order.
    ///
    /// # Panics
    /// Panics if there is no such table.
    pub fn restore_entry(&mut self, table: usize, mut kept: KeptEntry) {
        for (register, slot, value) in std::mem::take(&mut kept.registers) {
            self.registers.write(register, slot.into(), &value);
        }
        self.tables[table].restore_entry(kept);
    }

    /// Finds the entries of all tables that have not been hit for as long as their idle timeouts say.
    pub fn expire(&mut self, now: Instant) {
        self.tables.iter_mut().for_each(|table| table.expire(now));
    }

    /// Returns the next time at which [`ProgramState::expire`] has something to do.
    pub fn next_idle(&self) -> Option<Instant> {
        self.tables.iter().filter_map(TableState::next_idle).min()
    }
}

basis::snapshot!(ProgramState { values value_sets; parts registers, counters, meters, filters, wreds, tables, profiles, memory, records; });

/// Returns true if a member of the value set matches these values, which have the given widths in bits.
#[inline]
pub fn value_set_contains(set: &[Vec<FieldMatch>], values: &[Bits], widths: &[u32]) -> bool {
    set.iter().any(|member| {
        member.len() == values.len()
            && member.iter().zip(values).zip(widths).all(|((asked, value), &width)| asked.matches(value, width))
    })
}
