//! Execution of requests about multicast groups and clone sessions (P4Runtime specification 1.4, section 9.5).

use std::collections::BTreeMap;

use runtime::Bits;

use crate::{CloneSession, Error, Replica, Replication, ReplicationRequest, ReplicationWidths, Response};

pub(super) fn group(
    widths: ReplicationWidths,
    number: u32,
    request: &ReplicationRequest<Vec<Replica>>,
    replication: &mut Replication,
) -> Result<Response, Error> {
    // Group 0 stands for no group.
    if number == 0 {
        return Err(Error::GroupZero);
    }
    check("a multicast group", number, widths.group)?;
    if let Some(replicas) = given(request) {
        check_replicas(&format!("multicast group {number}"), replicas, widths)?;
    }
    carry_out("multicast group", number, request, &mut replication.groups, Response::MulticastGroup)
}

pub(super) fn session(
    widths: ReplicationWidths,
    number: u32,
    request: &ReplicationRequest<CloneSession>,
    replication: &mut Replication,
) -> Result<Response, Error> {
    if let Some(session) = given(request) {
        let owner = format!("clone session {number}");
        check_replicas(&owner, &session.replicas, widths)?;
        session.group.map_or(Ok(()), |group| check(&format!("the multicast group of {owner}"), group, widths.group))?;
    }
    carry_out("clone session", number, request, &mut replication.sessions, Response::CloneSession)
}

/// Returns the value that a request sets, if it sets one.
fn given<T>(request: &ReplicationRequest<T>) -> Option<&T> {
    match request {
        ReplicationRequest::Insert(value) | ReplicationRequest::Modify(value) | ReplicationRequest::Put(value) => {
            Some(value)
        }
        ReplicationRequest::Delete | ReplicationRequest::Read => None,
    }
}

fn check_replicas(owner: &str, replicas: &[Replica], widths: ReplicationWidths) -> Result<(), Error> {
    replicas.iter().try_for_each(|replica| {
        check(&format!("a port of {owner}"), replica.port, widths.port)?;
        check(&format!("an instance of {owner}"), replica.instance, widths.instance)
    })
}

/// Checks the width of a number. Whether a port exists is up to the switch, but a number that does not fit its type
/// would denote a different one.
fn check(place: &str, number: u32, width: u32) -> Result<(), Error> {
    let value = Bits::from_u64(u64::from(number), 32);
    if value.fits(width) {
        return Ok(());
    }
    Err(Error::TooWide { place: place.to_owned(), width, value, written: Some(number.to_string()) })
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
