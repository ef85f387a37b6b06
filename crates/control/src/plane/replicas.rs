//! Execution of requests about multicast groups and clone sessions (P4Runtime specification 1.4, section 9.5).

use runtime::Bits;

use crate::{
    CloneSession, Error, MulticastGroup, Replica, Replication, ReplicationRequest, ReplicationWidths, Response,
};

pub(super) fn group(
    widths: ReplicationWidths,
    number: u32,
    request: &ReplicationRequest<MulticastGroup>,
    replication: &mut Replication,
) -> Result<Response, Error> {
    // Group 0 stands for no group.
    if number == 0 {
        return Err(Error::GroupZero);
    }
    check("a multicast group", number, widths.group)?;
    if let Some(group) = given(request) {
        let owner = format!("multicast group {number}");
        check_replicas(&owner, &group.replicas, widths)?;
        group.backups.values().try_for_each(|backups| check_replicas(&owner, backups, widths))?;
        check_backups(number, group)?;
    }
    let before = replication.described_group(number).cloned();
    let (response, after) = carry_out("multicast group", number, request, before, Response::MulticastGroup)?;
    if let Some(after) = after {
        replication.put_group(number, after);
    }
    Ok(response)
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
        check(&format!("the class of service of {owner}"), session.class_of_service, widths.class_of_service)?;
    }
    let before = replication.session(number).cloned();
    let (response, after) = carry_out("clone session", number, request, before, Response::CloneSession)?;
    if let Some(after) = after {
        replication.put_session(number, after);
    }
    Ok(response)
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

/// Checks that backups are those of a replica of the group, and at another port than it.
fn check_backups(number: u32, group: &MulticastGroup) -> Result<(), Error> {
    for (&position, backups) in &group.backups {
        let primary = group.replicas.get(position as usize);
        if primary.is_none_or(|primary| backups.iter().any(|backup| backup.port == primary.port)) {
            return Err(Error::Backup { group: number, position });
        }
    }
    Ok(())
}

/// Returns the response to a request, and what the group or session with the number is afterwards (`None` if there is none),
/// unless it stays as it was.
fn carry_out<T: Clone>(
    what: &'static str,
    number: u32,
    request: &ReplicationRequest<T>,
    before: Option<T>,
    shown: impl FnOnce(T) -> Response,
) -> Result<(Response, Option<Option<T>>), Error> {
    let missing = Error::NoReplication { what, number };
    match request {
        ReplicationRequest::Insert(_) if before.is_some() => Err(Error::ReplicationExists { what, number }),
        ReplicationRequest::Modify(_) | ReplicationRequest::Delete if before.is_none() => Err(missing),
        ReplicationRequest::Insert(value) | ReplicationRequest::Modify(value) | ReplicationRequest::Put(value) => {
            Ok((Response::Done, Some(Some(value.clone()))))
        }
        ReplicationRequest::Delete => Ok((Response::Done, Some(None))),
        ReplicationRequest::Read => before.map(|value| (shown(value), None)).ok_or(missing),
    }
}
