//! Which tables of a machine with several pipes are written to all pipes, and which ones by pipe.

use basis::snapshot::{Loader, Saver, Unfit};
use runtime::tables::TableEntry;
use runtime::{ProgramState, TableState};
use serde::{Deserialize, Serialize};

use super::Plane;
use crate::{EntityKind, Info, PipeError, ProfileNumber, Request, Size, TableNumber, ValueSetNumber};

/// What is written to all pipes or by pipe as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A table without a profile.
    Table(TableNumber),
    /// A profile, with all tables that take their actions from it: their entries name its members.
    Profile(ProfileNumber),
    /// A value set.
    ValueSet(ValueSetNumber),
}

/// The state that a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    /// That of a unit.
    Unit(Unit),
    /// What each entry of the tables of a unit has in each pipe: a counter or a meter.
    Entries(Unit),
    /// That of an array, which each pipe has for itself.
    Array,
    /// What all pipes share, such as "multicast groups".
    Machine(&'static str),
    /// The request names a pipe.
    Named(u32),
}

/// The units that are written by pipe; all others are written to all pipes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Scopes {
    tables: Vec<bool>,
    profiles: Vec<bool>,
    value_sets: Vec<bool>,
}

impl Scopes {
    pub(super) fn new(info: &Info) -> Self {
        Self {
            tables: vec![false; info.tables.len()],
            profiles: vec![false; info.profiles.len()],
            value_sets: vec![false; info.value_sets.len()],
        }
    }

    fn place(&mut self, unit: Unit) -> &mut bool {
        match unit {
            Unit::Table(table) => &mut self.tables[table.index()],
            Unit::Profile(profile) => &mut self.profiles[profile.index()],
            Unit::ValueSet(set) => &mut self.value_sets[set.index()],
        }
    }

    /// Returns whether a unit is written by pipe.
    pub(super) fn is_by_pipe(&self, unit: Unit) -> bool {
        match unit {
            Unit::Table(table) => self.tables[table.index()],
            Unit::Profile(profile) => self.profiles[profile.index()],
            Unit::ValueSet(set) => self.value_sets[set.index()],
        }
    }

    pub(super) fn set_by_pipe(&mut self, unit: Unit, is_by_pipe: bool) {
        *self.place(unit) = is_by_pipe;
    }
}

/// The number of units is that of the program and does not change.
impl basis::snapshot::Snapshot for Scopes {
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        into.put(self)
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        let saved: Self = from.take()?;
        let lengths = |scopes: &Self| (scopes.tables.len(), scopes.profiles.len(), scopes.value_sets.len());
        if lengths(&saved) != lengths(self) {
            return Err(Unfit("the tables that are written by pipe are those of another program".to_owned()));
        }
        *self = saved;
        Ok(())
    }
}

impl Plane {
    /// Returns whose state a request is about.
    pub(super) fn subject(&self, request: &Request) -> Subject {
        let of_size = |size| match size {
            Size::Array(_) => Subject::Array,
            Size::Entries(table) => Subject::Entries(self.unit_of(table)),
        };
        match request {
            Request::Table(table, _) => Subject::Unit(self.unit_of(*table)),
            Request::Profile(profile, _) => Subject::Unit(Unit::Profile(*profile)),
            Request::ValueSet(set, _) => Subject::Unit(Unit::ValueSet(*set)),
            Request::Counter(counter, _) => of_size(self.info.counter(*counter).size),
            Request::Meter(meter, _) => of_size(self.info.meter(*meter).size),
            Request::Filter(..) | Request::Wred(..) | Request::Register(..) => Subject::Array,
            Request::Memory(..) => Subject::Machine("the memory that threads share"),
            Request::Records(..) => Subject::Machine("the records that threads share"),
            Request::RaiseEvent(..) => Subject::Machine("the events that begin threads"),
            Request::MulticastGroup(..) | Request::ReadMulticastGroups => Subject::Machine("multicast groups"),
            Request::CloneSession(..) | Request::ReadCloneSessions => Subject::Machine("clone sessions"),
            Request::TakeDigests(_) => Subject::Machine("digests"),
            Request::TakeIdleEntries => Subject::Machine("notifications of idle entries"),
            Request::Configure(_) => Subject::Machine("the settings of the machine"),
            Request::InPipe(pipe, _) => Subject::Named(*pipe),
        }
    }

    fn unit_of(&self, table: TableNumber) -> Unit {
        self.info.table(table).profile.map_or(Unit::Table(table), Unit::Profile)
    }

    /// Returns whether a table is written by pipe.
    pub(super) fn is_by_pipe(&self, table: TableNumber) -> bool {
        self.scopes.is_by_pipe(self.unit_of(table))
    }

    /// Checks that a request that names no pipe may be about a unit.
    pub(super) fn check_written_to_all(&self, unit: Unit) -> Result<(), PipeError> {
        match self.scopes.is_by_pipe(unit) {
            false => Ok(()),
            true => {
                let (kind, name) = self.called(unit);
                Err(PipeError::ByPipe { kind, name })
            }
        }
    }

    /// Checks that a unit may be written in one pipe.
    pub(super) fn check_written_by_pipe(&self, unit: Unit, states: &[ProgramState]) -> Result<(), PipeError> {
        if self.scopes.is_by_pipe(unit) || self.is_empty(unit, states) {
            return Ok(());
        }
        let (kind, name) = self.called(unit);
        Err(PipeError::ToAll { kind, name })
    }

    fn called(&self, unit: Unit) -> (EntityKind, String) {
        let (kind, identity) = match unit {
            Unit::Table(table) => (EntityKind::Table, &self.info.table(table).identity),
            Unit::Profile(profile) => (EntityKind::Profile, &self.info.profile(profile).identity),
            Unit::ValueSet(set) => (EntityKind::ValueSet, &self.info.value_set(set).identity),
        };
        (kind, identity.name.clone())
    }

    /// Returns whether all pipes hold the same of a unit because requests have written nothing that they could differ in:
    /// there are no entries but constant ones, no members and no groups, and the defaults are equal.
    pub(super) fn is_empty(&self, unit: Unit, states: &[ProgramState]) -> bool {
        let is_table_empty = |table: TableNumber| {
            let constant = |entry: &&TableEntry| entry.is_constant;
            let constant = self.info.table(table).initial_entries.iter().filter(constant).count();
            let default = |stored: &TableState| (stored.default_target().clone(), stored.default_metadata().to_vec());
            let mut stored = states.iter().map(|state| &state.tables[table.index()]);
            let of_first = default(&states[0].tables[table.index()]);
            stored.all(|stored| stored.matches().len() == constant && default(stored) == of_first)
        };
        match unit {
            Unit::Table(table) => is_table_empty(table),
            Unit::Profile(profile) => {
                let mut stored = states.iter().map(|state| &state.profiles[profile.index()]);
                stored.all(|stored| stored.members().next().is_none() && stored.groups().next().is_none())
                    && self.info.tables_of(profile).all(is_table_empty)
            }
            Unit::ValueSet(set) => states.iter().all(|state| state.value_sets[set.index()].is_empty()),
        }
    }
}
