//! Execution of requests.

mod actions;
mod counters;
mod entries;
mod filters;
mod keys;
mod memory;
mod meters;
mod of_all_pipes;
mod pipes;
mod profiles;
mod registers;
mod replicas;
mod scope;
mod selectors;
mod tables;
mod together;
mod undo;
mod value_sets;

pub(crate) use keys::check_field;

use std::sync::Arc;

use basis::Instant;

use crate::{DigestQueue, Error, EventNumber, Info, PipeError, Replication, Request, Response};
use scope::Scopes;

/// The state of a running program that requests access.
#[derive(Debug)]
pub struct Device<'d> {
    /// The state of each pipe: tables, profiles, counters, meters, registers and value sets. There is at least one. They
    /// must differ in nothing but what packets change and what requests have written in single pipes.
    pub states: &'d mut [runtime::ProgramState],
    /// Multicast groups and clone sessions.
    pub replication: &'d mut Replication,
    /// The waiting digests.
    pub digests: &'d mut DigestQueue,
    /// The time of the requests, at which ages of entries begin and by which they are read.
    pub now: Instant,
}

/// The control plane of one program, which executes requests. It knows which tables of a machine with several pipes are
/// written by pipe, and is saved with the state of the machine.
#[derive(Clone, Debug)]
pub struct Plane {
    info: Arc<Info>,
    scopes: Scopes,
    /// The events that have been raised and not been taken.
    raised: Vec<(u32, u64)>,
}

impl Plane {
    /// Creates the control plane of a program.
    pub fn new(info: Arc<Info>) -> Self {
        Self { scopes: Scopes::new(&info), info, raised: Vec::new() }
    }

    /// Returns the information about the program.
    pub fn info(&self) -> &Arc<Info> {
        &self.info
    }

    /// Returns the events that requests have raised since the last call, in order, each with the number that it carries. A
    /// machine that begins threads asks after each call of [`Plane::execute`] and [`Plane::execute_together`].
    pub fn take_raised(&mut self) -> Vec<(EventNumber, u64)> {
        self.raised.drain(..).map(|(event, argument)| (EventNumber(event), argument)).collect()
    }

    /// Returns whether there are events that [`Plane::take_raised`] would return.
    pub fn has_raised(&self) -> bool {
        !self.raised.is_empty()
    }

    /// Executes a request on `device`, which must be the state of a running instance of this program.
    ///
    /// Where the device has several pipes, a request that writes writes all of them, and so their tables stay equal, down
    /// to the handles of entries. [`Request::InPipe`] writes one of them: a table, with its profile, only if it is empty
    /// in all pipes or is written by pipe already. Until it is empty again in all pipes, each request about it must name
    /// the pipe. A request without a pipe that reads such an array as packets change (counters, meters, registers,
    /// filters, early detectors) is answered by [`Response::ByPipe`]; one that reads a table is answered once, with the
    /// counts of all pipes added up and the shortest time since a hit.
    ///
    /// # Panics
    /// Panics if a number in the request does not exist in the program; [`Info`] never returns such numbers.
    ///
    /// # Errors
    /// Returns the reason if the request is refused; the state is then unchanged.
    pub fn execute(&mut self, request: &Request, device: &mut Device<'_>) -> Result<Response, Error> {
        self.execute_by_pipe(request, device)
    }

    /// Executes a request on the state of one pipe, and on what all pipes share.
    fn execute_in(&mut self, pipe: usize, request: &Request, device: &mut Device<'_>) -> Result<Response, Error> {
        let state = &mut device.states[pipe];
        match request {
            Request::Table(table, request) => self.table(*table, request, device.now, state),
            Request::Profile(profile, request) => self.profile(*profile, request, state),
            Request::Counter(counter, request) => self.counter(*counter, request, state),
            Request::Meter(meter, request) => self.meter(*meter, request, state),
            Request::Filter(filter, request) => self.filter(*filter, request, state),
            Request::Wred(wred, request) => self.wred(*wred, request, state),
            Request::Register(register, request) => self.register(*register, request, state),
            Request::ValueSet(set, request) => self.value_set(*set, request, state),
            Request::Memory(segment, request) => self.memory(*segment, request, state),
            Request::Records(table, request) => self.records(*table, request, state),
            Request::RaiseEvent(event, argument) => {
                self.raised.push((event.0, *argument));
                Ok(Response::Done)
            }
            Request::MulticastGroup(group, request) => {
                replicas::group(self.info.replication, *group, request, device.replication)
            }
            Request::CloneSession(session, request) => {
                replicas::session(self.info.replication, *session, request, device.replication)
            }
            Request::ReadMulticastGroups => {
                let groups = device.replication.groups().map(|(number, group)| (number, group.clone()));
                Ok(Response::MulticastGroups(groups.collect()))
            }
            Request::ReadCloneSessions => {
                let sessions = device.replication.sessions().map(|(number, session)| (number, session.clone()));
                Ok(Response::CloneSessions(sessions.collect()))
            }
            Request::TakeIdleEntries => Ok(self.take_idle(device)),
            Request::TakeDigests(digest) => Ok(Response::Digests(device.digests.take(*digest))),
            // A machine that has settings answers these itself.
            Request::Configure(_) => Err(Error::NoSettings),
            Request::InPipe(pipe, _) => Err(PipeError::Twice { pipe: *pipe }.into()),
        }
    }
}

basis::snapshot!(Plane { values raised; parts scopes; });
