//! The carrying out of a hand-over.

use std::collections::BTreeMap;

use runtime::tables::EntryHandle;

use super::{Handover, Outcome};
use crate::{Error, ReadEntry, Request, Response, TableNumber, TableRequest};

/// A function that executes requests on a device.
pub type Execute<'t> = &'t mut dyn FnMut(&Request) -> Result<Response, Error>;

/// A hand-over that is being carried out.
pub struct Transfer<'t> {
    pub plan: &'t Handover,
    pub old: Execute<'t>,
    pub new: Execute<'t>,
    pub outcome: Outcome,
    /// For each table of the old program, the handles in the new one of its entries in order, as far as they have one.
    pub landed: BTreeMap<TableNumber, Vec<Option<EntryHandle>>>,
}

impl<'t> Transfer<'t> {
    pub fn new(plan: &'t Handover, old: Execute<'t>, new: Execute<'t>) -> Self {
        Self { plan, old, new, outcome: Outcome::default(), landed: BTreeMap::new() }
    }

    /// Carries out everything, in an order in which what others refer to comes first.
    pub fn carry_out(mut self) -> Result<Outcome, Error> {
        self.carry_replication()?;
        self.carry_profiles()?;
        self.carry_tables()?;
        self.carry_counters()?;
        self.carry_meters()?;
        self.carry_registers()?;
        self.carry_value_sets()?;
        Ok(self.outcome)
    }
}

/// Reads all entries of a table.
pub fn entries_of(execute: Execute<'_>, table: TableNumber) -> Result<Vec<ReadEntry>, Error> {
    match execute(&Request::Table(table, TableRequest::read_all()))? {
        Response::Entries(entries) => Ok(entries),
        other => unreachable!("entries were asked for, and not {other:?}"),
    }
}
