//! Requests that are carried out together: all of them, or none.

use super::pipes::{Reach, follow_handles};
use super::scope::Unit;
use super::undo::Undo;
use super::{Device, Plane};
use crate::{Error, RefusedRequest, Request, Response};

/// A change that a request has made, with all that undoes it.
enum Change<'r> {
    /// In every pipe that it reached, with the number of the pipe.
    InPipes(Vec<(usize, Undo)>),
    /// In one pipe, where it wrote a unit by pipe; and whether the unit was written by pipe before.
    ByPipe { request: &'r Request, pipe: usize, undo: Undo, unit: Unit, was_by_pipe: bool },
}

impl Plane {
    /// Executes requests in order, as [`Plane::execute`] does. If one is refused, none of them has changed anything:
    /// entries keep their handles and their order, counters and meters what they have counted. Each request costs a copy
    /// of what it changes: that is one entry, member, group or element, or all of something if it writes all.
    ///
    /// # Panics
    /// Panics if a number in a request does not exist in the program.
    ///
    /// # Errors
    /// Returns the first request that is refused, with the reason.
    pub fn execute_together(
        &mut self,
        requests: &[Request],
        device: &mut Device<'_>,
    ) -> Result<Vec<Response>, RefusedRequest> {
        // A request that is refused changes nothing, so one alone never has to be undone.
        if let [request] = requests {
            return match self.execute(request, device) {
                Ok(response) => Ok(vec![response]),
                Err(error) => Err(RefusedRequest { at: 0, error }),
            };
        }
        let mut log = Vec::with_capacity(requests.len());
        let mut responses = Vec::with_capacity(requests.len());
        for (at, request) in requests.iter().enumerate() {
            match self.execute_undoably(request, device, &mut log) {
                Ok(response) => responses.push(response),
                Err(error) => {
                    log.into_iter().rev().for_each(|change| self.undo(change, device));
                    return Err(RefusedRequest { at, error });
                }
            }
        }
        Ok(responses)
    }

    /// Executes a request, and notes what undoes it if it was not refused.
    fn execute_undoably<'r>(
        &mut self,
        request: &'r Request,
        device: &mut Device<'_>,
        log: &mut Vec<Change<'r>>,
    ) -> Result<Response, Error> {
        if request.is_read() {
            return self.execute(request, device);
        }
        if matches!(request, Request::Configure(_)) {
            return Err(Error::SettingsTogether);
        }
        let (reach, inner) = self.reach(request, device)?;
        let of = |plane: &Self, pipe: usize| (pipe, Undo::of(plane, inner, pipe, device));
        let change = match reach {
            Reach::Pipe(pipe, Some(unit)) => {
                let (_, undo) = of(self, pipe);
                let was_by_pipe = self.scopes.is_by_pipe(unit);
                Change::ByPipe { request: inner, pipe, undo, unit, was_by_pipe }
            }
            Reach::Pipe(pipe, None) => Change::InPipes(vec![of(self, pipe)]),
            Reach::All => Change::InPipes((0..device.states.len()).map(|pipe| of(self, pipe)).collect()),
            Reach::Machine | Reach::Each | Reach::Sum => Change::InPipes(vec![of(self, 0)]),
        };
        let response = self.execute(request, device)?;
        log.push(change);
        Ok(response)
    }

    /// Undoes a request. All later ones must have been undone.
    fn undo(&mut self, change: Change<'_>, device: &mut Device<'_>) {
        match change {
            Change::InPipes(pipes) => pipes.into_iter().for_each(|(pipe, undo)| undo.apply(self, pipe, device)),
            Change::ByPipe { request, pipe, undo, unit, was_by_pipe } => {
                undo.apply(self, pipe, device);
                follow_handles(request, pipe, device);
                self.scopes.set_by_pipe(unit, was_by_pipe);
            }
        }
    }
}
