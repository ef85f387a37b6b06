//! Requests about multicast groups and clone sessions (P4Runtime specification 1.4, section 9.5).

use std::collections::BTreeMap;

use crate::{CloneSession, Error, Replica, Replication, ReplicationRequest, Response};

pub(super) fn group(
    number: u32,
    request: &ReplicationRequest<Vec<Replica>>,
    replication: &mut Replication,
) -> Result<Response, Error> {
    // Group 0 tells the switch that there is none (v1model: `mcast_grp`).
    if number == 0 {
        return Err(Error::GroupZero);
    }
    carry_out("multicast group", number, request, &mut replication.groups, Response::MulticastGroup)
}

pub(super) fn session(
    number: u32,
    request: &ReplicationRequest<CloneSession>,
    replication: &mut Replication,
) -> Result<Response, Error> {
    carry_out("clone session", number, request, &mut replication.sessions, Response::CloneSession)
}

fn carry_out<T: Clone>(
    what: &'static str,
    number: u32,
    request: &ReplicationRequest<T>,
    all: &mut BTreeMap<u32, T>,
    shown: impl FnOnce(T) -> Response,
) -> Result<Response, Error> {
    let missing = Error::NoReplication { what, number };
    match request {
        ReplicationRequest::Insert(_) if all.contains_key(&number) => {
            return Err(Error::ReplicationExists { what, number });
        }
        ReplicationRequest::Modify(_) if !all.contains_key(&number) => return Err(missing),
        ReplicationRequest::Insert(value) | ReplicationRequest::Modify(value) | ReplicationRequest::Put(value) => {
            all.insert(number, value.clone());
        }
        ReplicationRequest::Delete => _ = all.remove(&number).ok_or(missing)?,
        ReplicationRequest::Read => return all.get(&number).cloned().map(shown).ok_or(missing),
    }
    Ok(Response::Done)
}
