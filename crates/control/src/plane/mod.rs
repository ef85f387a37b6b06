//! Execution of requests.

mod actions;
mod counters;
mod entries;
mod filters;
mod keys;
mod meters;
mod profiles;
mod registers;
mod replicas;
mod selectors;
mod tables;
mod together;
mod undo;
mod value_sets;

pub(crate) use keys::check_field;

use std::sync::Arc;

use basis::Instant;

use crate::{DigestQueue, Error, Info, Replication, Request, Response};

/// The state of a running program that requests access.
#[derive(Debug)]
pub struct Device<'d> {
    /// Tables, profiles, counters, meters, registers and value sets.
    pub state: &'d mut runtime::ProgramState,
    /// Multicast groups and clone sessions.
    pub replication: &'d mut Replication,
    /// The waiting digests.
    pub digests: &'d mut DigestQueue,
    /// The time of the requests, at which ages of entries begin and by which they are read.
    pub now: Instant,
}

/// The control plane of one program, which executes requests.
#[derive(Clone, Debug)]
pub struct Plane {
    info: Arc<Info>,
}

impl Plane {
    /// Creates the control plane of a program.
    pub fn new(info: Arc<Info>) -> Self {
        Self { info }
    }

    /// Returns the information about the program.
    pub fn info(&self) -> &Arc<Info> {
        &self.info
    }

    /// Executes a request on `device`, which must be the state of a running instance of this program.
    ///
    /// # Panics
    /// Panics if a number in the request does not exist in the program; [`Info`] never returns such numbers.
    ///
    /// # Errors
    /// Returns the reason if the request is refused; the state is then unchanged.
    pub fn execute(&self, request: &Request, device: &mut Device<'_>) -> Result<Response, Error> {
        match request {
            Request::Table(table, request) => self.table(*table, request, device.now, device.state),
            Request::Profile(profile, request) => self.profile(*profile, request, device.state),
            Request::Counter(counter, request) => self.counter(*counter, request, device.state),
            Request::Meter(meter, request) => self.meter(*meter, request, device.state),
            Request::Filter(filter, request) => self.filter(*filter, request, device.state),
            Request::Wred(wred, request) => self.wred(*wred, request, device.state),
            Request::Register(register, request) => self.register(*register, request, device.state),
            Request::ValueSet(set, request) => self.value_set(*set, request, device.state),
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
            Request::TakeIdleEntries => Ok(self.take_idle(device.now, device.state)),
            Request::TakeDigests(digest) => Ok(Response::Digests(device.digests.take(*digest))),
        }
    }
}
