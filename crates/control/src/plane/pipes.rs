//! The pipes of a machine that a request reaches.

use super::scope::{Subject, Unit};
use super::{Device, Plane};
use crate::{Error, PipeError, Request, Response, TableRequest};

/// The pipes in which a request is carried out, and which of them answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// In this pipe, where it writes a unit by pipe if there are several pipes.
    Pipe(usize, Option<Unit>),
    /// In each pipe, and each answers.
    Each,
    /// In each pipe, and all give the same answer.
    All,
    /// In the first pipe, which tells what all others would; what packets have changed is added up.
    Sum,
    /// In what all pipes share.
    Machine,
}

impl Plane {
    pub(super) fn execute_by_pipe(&mut self, request: &Request, device: &mut Device<'_>) -> Result<Response, Error> {
        let (reach, request) = self.reach(request, device)?;
        match reach {
            Reach::Machine => self.execute_in(0, request, device),
            Reach::Pipe(pipe, unit) => {
                let response = self.execute_in(pipe, request, device)?;
                if let Some(unit) = unit {
                    follow_handles(request, pipe, device);
                    self.scopes.set_by_pipe(unit, !self.is_empty(unit, device.states));
                }
                Ok(response)
            }
            Reach::Each => {
                let pipes = 0..device.states.len();
                let responses = pipes.map(|pipe| self.execute_in(pipe, request, device)).collect::<Result<_, _>>()?;
                Ok(Response::ByPipe(responses))
            }
            Reach::All => {
                let response = self.execute_in(0, request, device)?;
                for pipe in 1..device.states.len() {
                    let same = self.execute_in(pipe, request, device);
                    debug_assert_eq!(same.as_ref(), Ok(&response), "pipe {pipe} differs in more than it may");
                    same?;
                }
                Ok(response)
            }
            Reach::Sum => {
                let response = self.execute_in(0, request, device)?;
                Ok(self.of_all_pipes(request, response, device))
            }
        }
    }

    /// Finds where a request is carried out, and returns it without the pipe that it may name.
    pub(super) fn reach<'r>(&self, request: &'r Request, device: &Device<'_>) -> Result<(Reach, &'r Request), Error> {
        let pipes = device.states.len();
        let (named, request) = match request {
            Request::InPipe(pipe, request) => {
                let known = usize::try_from(*pipe).ok().filter(|pipe| *pipe < pipes);
                (Some(known.ok_or(PipeError::Unknown { pipe: *pipe, pipes })?), &**request)
            }
            request => (None, request),
        };
        let reads = request.is_read();
        let reach = match (self.subject(request), named) {
            (Subject::Machine(what), Some(_)) => return Err(PipeError::Shared { what }.into()),
            (Subject::Machine(_), None) => Reach::Machine,
            (Subject::Named(pipe), _) => return Err(PipeError::Twice { pipe }.into()),
            (_, _) if pipes == 1 => Reach::Pipe(0, None),
            (Subject::Unit(unit), Some(pipe)) if !reads => {
                self.check_written_by_pipe(unit, device.states)?;
                Reach::Pipe(pipe, Some(unit))
            }
            (_, Some(pipe)) => Reach::Pipe(pipe, None),
            (Subject::Array, None) => {
                if reads {
                    Reach::Each
                } else {
                    Reach::All
                }
            }
            (Subject::Unit(unit), None) => {
                self.check_written_to_all(unit)?;
                if reads { Reach::Sum } else { Reach::All }
            }
            (Subject::Entries(unit), None) => {
                self.check_written_to_all(unit)?;
                if reads { Reach::Each } else { Reach::All }
            }
        };
        Ok((reach, request))
    }
}

/// Makes the next entry of a table get the same handle in all pipes, after one was inserted in `pipe`.
pub(super) fn follow_handles(request: &Request, pipe: usize, device: &mut Device<'_>) {
    let Request::Table(table, TableRequest::Insert { .. }) = request else { return };
    let (before, after) = device.states.split_at_mut(pipe);
    let Some((written, after)) = after.split_first_mut() else { return };
    for other in before.iter_mut().chain(after) {
        other.tables[table.index()].follow_handles(&written.tables[table.index()]);
    }
}
