//! The carrying out of a hand-over.

use std::collections::BTreeMap;

use runtime::tables::EntryHandle;

use super::{Handover, Outcome};
use crate::{Error, PipeError, ReadEntry, Request, Response, TableNumber, TableRequest};

/// A function that executes requests on a device.
pub type Execute<'t> = &'t mut dyn FnMut(&Request) -> Result<Response, Error>;

/// A hand-over that is being carried out.
pub struct Transfer<'t> {
    pub plan: &'t Handover,
    pub old: Execute<'t>,
    pub new: Execute<'t>,
    pub outcome: Outcome,
    /// The pipe whose state is being carried; `None` if it is that of all pipes at once.
    pub pipe: Option<u32>,
    /// For each table of the old program, and each pipe if it is written by pipe, the handles in the new one of its entries in
    /// order, as far as they have one.
    pub landed: BTreeMap<(TableNumber, Option<u32>), Vec<Option<EntryHandle>>>,
}

impl<'t> Transfer<'t> {
    pub fn new(plan: &'t Handover, old: Execute<'t>, new: Execute<'t>) -> Self {
        Self { plan, old, new, outcome: Outcome::default(), pipe: None, landed: BTreeMap::new() }
    }

    /// Executes a request on the old device, in the pipe whose state is being carried.
    pub fn ask_old(&mut self, request: Request) -> Result<Response, Error> {
        (self.old)(&request.in_pipe(self.pipe))
    }

    /// Executes a request on the new device, in the pipe whose state is being carried.
    pub fn ask_new(&mut self, request: Request) -> Result<Response, Error> {
        (self.new)(&request.in_pipe(self.pipe))
    }

    /// Carries something once or, if the old device has it by pipe, pipe after pipe. `read` is a request to read it.
    ///
    /// # Errors
    /// Returns the error of `read`, and that of `carry`.
    pub fn by_pipe(
        &mut self,
        read: &Request,
        mut carry: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match (self.old)(read) {
            Ok(_) => carry(self),
            Err(Error::Pipe(PipeError::ByPipe { .. })) => {
                for pipe in (0..).map(Some) {
                    if (self.old)(&read.clone().in_pipe(pipe)).is_err() {
                        break;
                    }
                    self.pipe = pipe;
                    let carried = carry(self);
                    self.pipe = None;
                    carried?;
                }
                Ok(())
            }
            Err(error) => Err(error),
        }
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
        self.carry_memory()?;
        self.carry_records()?;
        Ok(self.outcome)
    }
}

/// Reads all entries of a table, of one pipe if there is one.
pub fn entries_of(execute: Execute<'_>, table: TableNumber, pipe: Option<u32>) -> Result<Vec<ReadEntry>, Error> {
    match execute(&Request::Table(table, TableRequest::read_all()).in_pipe(pipe))? {
        Response::Entries(entries) => Ok(entries),
        other => unreachable!("entries were asked for, and not {other:?}"),
    }
}
