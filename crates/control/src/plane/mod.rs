//! Requests are carried out.

mod actions;
mod counters;
mod keys;
mod meters;
mod profiles;
mod registers;
mod replicas;
mod tables;
mod value_sets;

pub(crate) use keys::check_field;

use std::sync::Arc;

use crate::{DigestQueue, Error, Info, Replication, Request, Response};

/// What requests are about: the state of one running program.
#[derive(Debug)]
pub struct Device<'d> {
    /// Tables, profiles, counters, meters, registers and value sets.
    pub state: &'d mut runtime::State,
    /// Multicast groups and clone sessions.
    pub replication: &'d mut Replication,
    /// Digests that wait.
    pub digests: &'d mut DigestQueue,
}

/// Carries out requests for one program.
#[derive(Clone, Debug)]
pub struct Plane {
    info: Arc<Info>,
}

impl Plane {
    /// For a program.
    pub fn new(info: Arc<Info>) -> Self {
        Self { info }
    }

    /// What it knows of the program.
    pub fn info(&self) -> &Arc<Info> {
        &self.info
    }

    /// Carries out a request. The state must be that of this program; it panics at numbers that the program does not
    /// have, which [`Info`] never gives.
    ///
    /// # Errors
    /// Why the request is refused; then nothing has changed.
    pub fn execute(&self, request: &Request, device: &mut Device<'_>) -> Result<Response, Error> {
        match request {
            Request::Table(table, request) => self.table(*table, request, device.state),
            Request::Profile(profile, request) => self.profile(*profile, request, device.state),
            Request::Counter(counter, request) => self.counter(*counter, request, device.state),
            Request::Meter(meter, request) => self.meter(*meter, request, device.state),
            Request::Register(register, request) => self.register(*register, request, device.state),
            Request::ValueSet(set, request) => self.value_set(*set, request, device.state),
            Request::MulticastGroup(group, request) => {
                replicas::group(self.info.replication, *group, request, device.replication)
            }
            Request::CloneSession(session, request) => {
                replicas::session(self.info.replication, *session, request, device.replication)
            }
            Request::TakeDigests(digest) => Ok(Response::Digests(device.digests.take(*digest))),
        }
    }
}
