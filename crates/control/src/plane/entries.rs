//! Reading of table entries and of notifications that they are idle.

use basis::Instant;
use runtime::tables::{EntryHandle, TableEntry};
use runtime::{ProgramState, TableState};

use super::Plane;
use super::actions::target_of;
use super::tables::{check_ages, find};
use crate::{EntryDetails, EntrySelection, Error, ReadEntry, Response, Table, TableNumber};

impl Plane {
    pub(super) fn read(
        &self,
        number: TableNumber,
        entry: Option<&EntrySelection>,
        details: EntryDetails,
        now: Instant,
        state: &ProgramState,
    ) -> Result<Response, Error> {
        let table = self.info.table(number);
        let stored = &state.tables[number.index()];
        if details.time_since_hit {
            check_ages(table, stored)?;
        }
        let shown = |(handle, entry)| shown(table, stored, handle, entry, details, now, state);
        let Some(entry) = entry else {
            return Ok(Response::Entries(stored.matches().entries().map(shown).collect()));
        };
        let handle = find(table, stored, entry)?;
        Ok(Response::Entries(stored.matches().get(handle).map(|entry| shown((handle, entry))).into_iter().collect()))
    }

    /// Reads at most `most` entries that come after one.
    pub(super) fn read_part(
        &self,
        number: TableNumber,
        after: Option<EntryHandle>,
        most: usize,
        details: EntryDetails,
        now: Instant,
        state: &ProgramState,
    ) -> Result<Response, Error> {
        let table = self.info.table(number);
        let stored = &state.tables[number.index()];
        if details.time_since_hit {
            check_ages(table, stored)?;
        }
        let shown = |(handle, entry)| shown(table, stored, handle, entry, details, now, state);
        let entries = match after {
            None => stored.matches().entries().take(most).map(shown).collect(),
            Some(after) => stored.matches().entries_after(after).take(most).map(shown).collect(),
        };
        Ok(Response::Entries(entries))
    }

    /// Returns an entry of a table as it is read in the state of one pipe; `None` if it does not exist.
    pub(super) fn shown_in(
        &self,
        table: TableNumber,
        handle: EntryHandle,
        now: Instant,
        state: &ProgramState,
    ) -> Option<ReadEntry> {
        let stored = &state.tables[table.index()];
        let entry = stored.matches().get(handle)?;
        Some(shown(self.info.table(table), stored, handle, entry, EntryDetails::NONE, now, state))
    }
}

/// Returns an entry as it is read.
fn shown(
    table: &Table,
    stored: &TableState,
    handle: EntryHandle,
    entry: &TableEntry,
    details: EntryDetails,
    now: Instant,
    state: &ProgramState,
) -> ReadEntry {
    ReadEntry {
        handle,
        key: entry.key.clone(),
        priority: entry.priority,
        target: target_of(table, &entry.target, state),
        is_constant: entry.is_constant,
        idle_timeout: stored.idle_timeout(handle),
        metadata: stored.metadata(handle).to_vec(),
        count: stored.counter(handle).filter(|_| details.count),
        meter: stored.meter(handle).filter(|_| details.meter),
        time_since_hit: stored.time_since_hit(handle, now).filter(|_| details.time_since_hit),
    }
}
