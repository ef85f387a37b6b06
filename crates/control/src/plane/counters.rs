//! Execution of requests about counters.

use runtime::tables::EntryHandle;
use runtime::{DirectError, ProgramState, TableState};

use super::{Plane, tables};
use crate::{Counter, CounterNumber, CounterRequest, ElementSelection, EntityKind, Error, Response, Size, TableNumber};

impl Plane {
    pub(super) fn counter(
        &self,
        number: CounterNumber,
        request: &CounterRequest,
        state: &mut ProgramState,
    ) -> Result<Response, Error> {
        let counter = self.info.counter(number);
        match (counter.size, request) {
            (Size::Array(size), CounterRequest::Read(elements)) => {
                let counts = state.counters[number.index()].counts();
                let chosen = match self.index(EntityKind::Counter, &counter.identity.name, elements, size)? {
                    Some(index) => vec![counts[index]],
                    None => counts.to_vec(),
                };
                Ok(Response::Counters(chosen))
            }
            (Size::Array(size), CounterRequest::Write(elements, count)) => {
                let array = &mut state.counters[number.index()];
                let chosen = match self.index(EntityKind::Counter, &counter.identity.name, elements, size)? {
                    Some(index) => index..index + 1,
                    None => 0..array.counts().len(),
                };
                for index in chosen {
                    array.set(index, *count);
                }
                Ok(Response::Done)
            }
            (Size::Array(size), CounterRequest::WriteEach(counts)) => {
                let array = &mut state.counters[number.index()];
                check_number(EntityKind::Counter, &counter.identity.name, counts.len(), size as usize)?;
                for (index, count) in counts.iter().enumerate() {
                    array.set(index, *count);
                }
                Ok(Response::Done)
            }
            (Size::Entries(table), CounterRequest::WriteEach(counts)) => {
                let stored = &mut state.tables[table.index()];
                check_number(EntityKind::Counter, &counter.identity.name, counts.len(), stored.matches().len())?;
                let handles: Vec<EntryHandle> = stored.matches().entries().map(|(handle, _)| handle).collect();
                for (handle, count) in handles.into_iter().zip(counts) {
                    stored.set_counter(handle, *count).map_err(|error| without(counter, error))?;
                }
                Ok(Response::Done)
            }
            (Size::Entries(table), CounterRequest::Read(elements)) => {
                let stored = &state.tables[table.index()];
                let handles = self.entries(EntityKind::Counter, &counter.identity.name, table, elements, stored)?;
                let counts = handles.into_iter().map(|handle| stored.counter(handle).unwrap_or_default());
                Ok(Response::Counters(counts.collect()))
            }
            (Size::Entries(table), CounterRequest::Write(elements, count)) => {
                let stored = &mut state.tables[table.index()];
                for handle in self.entries(EntityKind::Counter, &counter.identity.name, table, elements, stored)? {
                    stored.set_counter(handle, *count).map_err(|error| without(counter, error))?;
                }
                Ok(Response::Done)
            }
        }
    }

    /// Returns the index of the selected element of an array, or `None` for the whole array.
    pub(super) fn index(
        &self,
        kind: EntityKind,
        name: &str,
        elements: &ElementSelection,
        size: u32,
    ) -> Result<Option<usize>, Error> {
        match elements {
            ElementSelection::Index(index) if *index < size => Ok(Some(*index as usize)),
            ElementSelection::Index(index) => {
                Err(Error::OutOfRange { kind, name: name.to_owned(), index: *index, size })
            }
            ElementSelection::Entry(_) => Err(Error::WrongPlace { kind, name: name.to_owned(), table: None }),
            ElementSelection::All => Ok(None),
        }
    }

    /// Returns the selected table entries of direct counters or meters.
    pub(super) fn entries(
        &self,
        kind: EntityKind,
        name: &str,
        table: TableNumber,
        elements: &ElementSelection,
        stored: &TableState,
    ) -> Result<Vec<EntryHandle>, Error> {
        let about = self.info.table(table);
        match elements {
            ElementSelection::Index(_) => {
                Err(Error::WrongPlace { kind, name: name.to_owned(), table: Some(about.identity.name.clone()) })
            }
            ElementSelection::Entry(entry) => Ok(vec![tables::find(about, stored, entry)?]),
            ElementSelection::All => Ok(stored.matches().entries().map(|(handle, _)| handle).collect()),
        }
    }
}

/// Refuses more values than there are elements.
pub(super) fn check_number(kind: EntityKind, name: &str, given: usize, size: usize) -> Result<(), Error> {
    if given <= size {
        return Ok(());
    }
    // The first value for which there is no element.
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    Err(Error::OutOfRange { kind, name: name.to_owned(), index: size, size })
}

/// Returns the error for counters that are missing in the state, which happens only if the state is that of another
/// program.
fn without(counter: &Counter, error: DirectError) -> Error {
    debug_assert!(false, "the state of another program: {error}");
    Error::WrongPlace { kind: EntityKind::Counter, name: counter.identity.name.clone(), table: None }
}
