//! Execution of requests about tables.

use runtime::tables::{EntryHandle, TableEntry, TableError};
use runtime::{ProgramState, TableState};

use super::Plane;
use super::actions::Runner;
use crate::{EntryError, EntrySelection, Error, ReadEntry, Response, Table, TableNumber, TableRequest, describe};

impl Plane {
    pub(super) fn table(
        &self,
        number: TableNumber,
        request: &TableRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let table = self.info.table(number);
        let writes_entries = matches!(
            request,
            TableRequest::Insert { .. } | TableRequest::Modify { .. } | TableRequest::Delete(_) | TableRequest::Clear
        );
        if writes_entries && table.is_constant {
            return Err(table.error(EntryError::ConstantTable));
        }
        match request {
            TableRequest::Insert { key, priority, target } => {
                let key = table.check_key(key)?;
                let priority = table.check_priority(*priority)?;
                let target = self.info.check_target(number, target, Runner::Entry, state)?;
                let described = describe::key(table, &key, None);
                let entry = TableEntry { key, priority, target, is_constant: false };
                let inserted = state.tables[number.index()].insert(entry);
                inserted.map(Response::Inserted).map_err(|error| match error {
                    TableError::Duplicate { .. } => table.error(EntryError::Duplicate {
                        key: described,
                        priority: table.has_priorities().then_some(priority),
                    }),
                    error => refused(table, error, described),
                })
            }
            TableRequest::Modify { entry, target } => {
                let target = self.info.check_target(number, target, Runner::Entry, state)?;
                let stored = &mut state.tables[number.index()];
                let handle = find(table, stored, entry)?;
                let modified = stored.modify(handle, target);
                modified
                    .map(|()| Response::Done)
                    .map_err(|error| refused(table, error, describe::selection(table, entry)))
            }
            TableRequest::Delete(entry) => {
                let stored = &mut state.tables[number.index()];
                let handle = find(table, stored, entry)?;
                let deleted = stored.delete(handle);
                deleted
                    .map(|_| Response::Done)
                    .map_err(|error| refused(table, error, describe::selection(table, entry)))
            }
            TableRequest::Clear => {
                state.tables[number.index()].clear();
                Ok(Response::Done)
            }
            TableRequest::SetDefault(_) | TableRequest::ResetDefault if table.is_default_constant => {
                Err(table.error(EntryError::ConstantDefault))
            }
            TableRequest::SetDefault(target) => {
                let target = self.info.check_target(number, target, Runner::Default, state)?;
                state.tables[number.index()].set_default(target);
                Ok(Response::Done)
            }
            TableRequest::ResetDefault => {
                state.tables[number.index()].reset_default();
                Ok(Response::Done)
            }
            TableRequest::Read(entry) => self.read(number, entry.as_ref(), &state.tables[number.index()]),
            TableRequest::ReadDefault => {
                Ok(Response::Default(table.target_of(state.tables[number.index()].default_target())))
            }
        }
    }

    fn read(
        &self,
        number: TableNumber,
        entry: Option<&EntrySelection>,
        stored: &TableState,
    ) -> Result<Response, Error> {
        let table = self.info.table(number);
        let shown = |(handle, entry): (EntryHandle, &TableEntry)| ReadEntry {
            handle,
            key: entry.key.clone(),
            priority: entry.priority,
            target: table.target_of(&entry.target),
            is_constant: entry.is_constant,
        };
        let Some(entry) = entry else {
            return Ok(Response::Entries(stored.matches().entries().map(shown).collect()));
        };
        let handle = find(table, stored, entry)?;
        Ok(Response::Entries(stored.matches().get(handle).map(|entry| shown((handle, entry))).into_iter().collect()))
    }
}

/// Finds the entry that a request selects.
pub(super) fn find(table: &Table, stored: &TableState, entry: &EntrySelection) -> Result<EntryHandle, Error> {
    let found = match entry {
        EntrySelection::Handle(handle) => stored.matches().get(*handle).map(|_| *handle),
        EntrySelection::Key { key, priority } => {
            stored.matches().find(&table.check_key(key)?, table.check_priority(*priority)?)
        }
    };
    found.ok_or_else(|| table.error(EntryError::Missing { key: describe::selection(table, entry) }))
}

/// Converts an error of the table's state to an error with the names of the table and the key.
fn refused(table: &Table, error: TableError, key: String) -> Error {
    table.error(match error {
        TableError::Full { size } => EntryError::Full { size },
        TableError::Constant => EntryError::ConstantEntry { key },
        TableError::NoKey => EntryError::NoKey,
        TableError::HandlesExhausted => EntryError::Exhausted,
        // All other errors were excluded by earlier checks, which know the names of the fields.
        _ => EntryError::Missing { key },
    })
}
