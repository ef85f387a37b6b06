//! Execution of requests about tables.

use basis::Instant;
use runtime::tables::{EntryHandle, FieldMatch, TableEntry, TableError, Target as StoredTarget};
use runtime::{ProgramState, TableState};

use super::Plane;
use super::actions::{Runner, target_of};
use crate::{
    EntryAttributes, EntryError, EntrySelection, Error, Response, Table, TableNumber, TableRequest, Target, describe,
};

impl Plane {
    pub(super) fn table(
        &self,
        number: TableNumber,
        request: &TableRequest,
        now: Instant,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let table = self.info.table(number);
        match request {
            TableRequest::Insert { .. } | TableRequest::Delete(_) | TableRequest::Clear if table.is_constant => {
                Err(table.error(EntryError::ConstantTable))
            }
            TableRequest::Insert { key, priority, target, attributes } => {
                let canonical = table.check_key(key)?;
                let priority = table.check_priority(*priority)?;
                let target = self.info.check_target(number, target, Runner::Entry, state)?;
                self.check_attributes(table, attributes, &state.tables[number.index()])?;
                let target = self.store_target(target, None, state)?;
                let set = matches!(target, StoredTarget::ActionSet(_)).then(|| target.clone());
                let entry = TableEntry { key: canonical, priority, target, is_constant: false };
                let inserted = state.insert(number.index(), entry);
                let handle = inserted.map_err(|error| {
                    set.iter().for_each(|set| self.release_target(table, set, state));
                    not_inserted(table, error, key, priority)
                })?;
                let stored = &mut state.tables[number.index()];
                stored.begin_age(handle, now);
                apply(stored, handle, attributes);
                Ok(Response::Inserted(handle))
            }
            TableRequest::Modify { entry, target, attributes } => {
                self.modify(number, entry, target.as_ref(), attributes.as_ref(), state)
            }
            TableRequest::SetIdleTimeout(entry, nanoseconds) => {
                let stored = &mut state.tables[number.index()];
                let handle = find(table, stored, entry)?;
                // Section 9.1.4: constant entries have no idle timeouts.
                if stored.matches().get(handle).is_some_and(|entry| entry.is_constant) {
                    return Err(table.error(EntryError::ConstantEntry { key: describe::selection(table, entry) }));
                }
                check_ages(table, stored)?;
                stored.set_idle_timeout(handle, *nanoseconds);
                Ok(Response::Done)
            }
            TableRequest::Delete(entry) => {
                let stored = &mut state.tables[number.index()];
                let handle = find(table, stored, entry)?;
                let deleted = stored.delete(handle);
                let deleted = deleted.map_err(|error| refused(table, error, describe::selection(table, entry)))?;
                self.release_target(table, &deleted.target, state);
                Ok(Response::Done)
            }
            TableRequest::Clear => {
                let entries = state.tables[number.index()].matches().entries();
                let deleted = entries.filter(|(_, entry)| !entry.is_constant && table.profile.is_some());
                let targets: Vec<_> = deleted.map(|(_, entry)| entry.target.clone()).collect();
                state.tables[number.index()].clear();
                targets.iter().for_each(|target| self.release_target(table, target, state));
                Ok(Response::Done)
            }
            TableRequest::SetDefault { .. } | TableRequest::ResetDefault if table.is_default_constant => {
                Err(table.error(EntryError::ConstantDefault))
            }
            TableRequest::SetDefault { target, metadata } => {
                let target = self.info.check_target(number, target, Runner::Default, state)?;
                let target = self.store_target(target, None, state)?;
                let stored = &mut state.tables[number.index()];
                stored.set_default(target);
                stored.set_default_metadata(metadata);
                Ok(Response::Done)
            }
            TableRequest::ResetDefault => {
                state.tables[number.index()].reset_default();
                Ok(Response::Done)
            }
            TableRequest::Read(entry, details) => self.read(number, entry.as_ref(), *details, now, state),
            TableRequest::ReadPart { after, most, details } => {
                self.read_part(number, *after, *most, *details, now, state)
            }
            TableRequest::ReadDefault => {
                let stored = &state.tables[number.index()];
                Ok(Response::Default {
                    target: target_of(table, stored.default_target(), state),
                    metadata: stored.default_metadata().to_vec(),
                })
            }
        }
    }

    fn modify(
        &self,
        number: TableNumber,
        selection: &EntrySelection,
        target: Option<&Target>,
        attributes: Option<&EntryAttributes>,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let table = self.info.table(number);
        // Section 9.1.4: of a constant entry only the direct resources can be changed.
        let changes_more =
            |attributes: &EntryAttributes| attributes.idle_timeout > 0 || !attributes.metadata.is_empty();
        let changes_constant = target.is_some() || attributes.is_none_or(changes_more);
        if table.is_constant && changes_constant {
            return Err(table.error(EntryError::ConstantTable));
        }
        let checked = target.map(|target| self.info.check_target(number, target, Runner::Entry, state)).transpose()?;
        let stored = &state.tables[number.index()];
        let handle = find(table, stored, selection)?;
        if let Some(attributes) = attributes {
            self.check_attributes(table, attributes, stored)?;
        }
        let old = stored.matches().get(handle).filter(|entry| !(entry.is_constant && changes_constant));
        let constant = || table.error(EntryError::ConstantEntry { key: describe::selection(table, selection) });
        let old = old.ok_or_else(constant)?.target.clone();
        if let Some(checked) = checked {
            let target = self.store_target(checked, Some(&old), state)?;
            let modified = state.tables[number.index()].modify(handle, target);
            modified.map_err(|error| refused(table, error, describe::selection(table, selection)))?;
            self.release_target(table, &old, state);
        }
        if let Some(attributes) = attributes {
            apply(&mut state.tables[number.index()], handle, attributes);
        }
        Ok(Response::Done)
    }

    /// Checks whether a table can hold the attributes of an entry.
    fn check_attributes(&self, table: &Table, given: &EntryAttributes, stored: &TableState) -> Result<(), Error> {
        if given.idle_timeout > 0 {
            check_ages(table, stored)?;
        }
        if given.count.is_some() && table.counter.is_none() {
            return Err(table.error(EntryError::NoCounter));
        }
        let Some(rates) = given.meter else { return Ok(()) };
        let Some(number) = table.meter else { return Err(table.error(EntryError::NoMeter)) };
        let wrong = |error| Error::Rates { meter: self.info.meter(number).identity.name.clone(), error };
        runtime::Meter::new(rates).map(drop).map_err(wrong)
    }
}

/// Checks whether the entries of a table have ages.
pub(super) fn check_ages(table: &Table, stored: &TableState) -> Result<(), Error> {
    match (table.has_idle_timeout, stored.has_ages()) {
        (_, true) => Ok(()),
        (true, false) => Err(table.error(EntryError::HitsNotRecorded)),
        (false, false) => Err(table.error(EntryError::NoIdleTimeout)),
    }
}

/// Gives an entry attributes that have been checked.
fn apply(stored: &mut TableState, handle: EntryHandle, attributes: &EntryAttributes) {
    let EntryAttributes { idle_timeout, metadata, count, meter } = attributes;
    if stored.idle_timeout(handle) != *idle_timeout {
        stored.set_idle_timeout(handle, *idle_timeout);
    }
    stored.set_metadata(handle, metadata);
    // These fail only for tables without counters or meters, for which no value was given.
    if let Some(count) = count {
        _ = stored.set_counter(handle, *count);
    }
    _ = stored.set_meter(handle, *meter);
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

/// Converts the error of an insertion to an error with the names of the table and the key.
fn not_inserted(table: &Table, error: TableError, key: &[FieldMatch], priority: u32) -> Error {
    let canonical = table.check_key(key);
    let key = describe::key(table, canonical.as_deref().unwrap_or(key), None);
    match error {
        TableError::Duplicate { .. } => {
            table.error(EntryError::Duplicate { key, priority: table.has_priorities().then_some(priority) })
        }
        error => refused(table, error, key),
    }
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
