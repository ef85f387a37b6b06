//! The requests that make the tables of one device those of another.

use std::collections::HashMap;

use control::{
    EntryAttributes, EntrySelection, Error, ProfileNumber, ProfileRequest, ReadEntry, ReplicationRequest, Request,
    Response, TableNumber, TableRequest, ValueSetNumber, ValueSetRequest,
};
use machines::Device;
use runtime::tables::FieldMatch;

/// Key and priority of an entry, which are unique in a table.
type Key = (Vec<FieldMatch>, u32);

/// Returns the requests that make tables, action profiles, value sets, multicast groups and clone sessions of `from` those of
/// `to`; both run the same program. Entries that both have stay, with what their counters have counted. No entry refers to a
/// member or group that is not there at any time.
///
/// # Errors
/// Returns the error of a request to read, which devices of the same program do not refuse.
pub(super) fn between(from: &mut dyn Device, to: &mut dyn Device) -> Result<Vec<Request>, Error> {
    let info = from.info().clone();
    let mut requests = Vec::new();
    let mut tables = Vec::new();
    for number in (0..info.tables.len()).map(TableNumber::from).filter(|number| !info.table(*number).is_constant) {
        let table = Tables { number, old: entries(from, number)?, new: entries(to, number)? };
        requests.extend(table.deletions());
        tables.push(table);
    }
    let mut deletions = Vec::new();
    for number in (0..info.profiles.len()).map(ProfileNumber::from) {
        profile(number, from, to, &mut requests, &mut deletions)?;
    }
    for number in (0..info.value_sets.len()).map(ValueSetNumber::from) {
        let read = Request::ValueSet(number, ValueSetRequest::Read);
        if let (old, Response::ValueSet(new)) = (from.execute(&read)?, to.execute(&read)?)
            && old != Response::ValueSet(new.clone())
        {
            requests.push(Request::ValueSet(number, ValueSetRequest::Set(new)));
        }
    }
    replication(from, to, &mut requests)?;
    for table in &tables {
        requests.extend(table.changes());
    }
    for table in &tables {
        let number = table.number;
        let read = Request::Table(number, TableRequest::ReadDefault);
        let (old, new) = (from.execute(&read)?, to.execute(&read)?);
        if let Response::Default { target, metadata } = new.clone()
            && old != new
        {
            requests.push(Request::Table(number, TableRequest::SetDefault { target, metadata }));
        }
    }
    requests.extend(deletions);
    Ok(requests)
}

/// The entries of a table before and after.
struct Tables {
    number: TableNumber,
    old: Vec<ReadEntry>,
    new: Vec<ReadEntry>,
}

impl Tables {
    fn deletions(&self) -> Vec<Request> {
        let kept: HashMap<Key, ()> = self.new.iter().map(|entry| (key(entry), ())).collect();
        let gone = self.old.iter().filter(|entry| !entry.is_constant && !kept.contains_key(&key(entry)));
        gone.map(|entry| Request::Table(self.number, TableRequest::Delete(EntrySelection::Handle(entry.handle))))
            .collect()
    }

    fn changes(&self) -> Vec<Request> {
        let old: HashMap<Key, &ReadEntry> = self.old.iter().map(|entry| (key(entry), entry)).collect();
        let change = |entry: &ReadEntry| {
            let target = entry.target.clone();
            let (idle_timeout, metadata) = (entry.idle_timeout, entry.metadata.clone());
            let attributes = EntryAttributes { idle_timeout, metadata, ..EntryAttributes::default() };
            let request = match old.get(&key(entry)) {
                Some(old) if is_written_alike(old, entry) => return None,
                Some(old) if old.idle_timeout == idle_timeout && old.metadata == entry.metadata => {
                    TableRequest::modify(old.handle, target)
                }
                Some(old) => {
                    let (entry, target) = (EntrySelection::Handle(old.handle), Some(target));
                    TableRequest::Modify { entry, target, attributes: Some(attributes) }
                }
                None => {
                    let priority = (entry.priority != 0).then_some(entry.priority);
                    TableRequest::Insert { key: entry.key.clone(), priority, target, attributes }
                }
            };
            Some(Request::Table(self.number, request))
        };
        self.new.iter().filter(|entry| !entry.is_constant).filter_map(change).collect()
    }
}

/// Returns whether two entries with the same key have the same target and attributes.
fn is_written_alike(one: &ReadEntry, other: &ReadEntry) -> bool {
    one.target == other.target && one.idle_timeout == other.idle_timeout && one.metadata == other.metadata
}

fn key(entry: &ReadEntry) -> Key {
    (entry.key.clone(), entry.priority)
}

fn entries(device: &mut dyn Device, table: TableNumber) -> Result<Vec<ReadEntry>, Error> {
    match device.execute(&Request::Table(table, TableRequest::read_all()))? {
        Response::Entries(entries) => Ok(entries),
        _ => Ok(Vec::new()),
    }
}

/// Appends the requests for an action profile; what is removed comes last, in `deletions`, when no entry uses it any more.
fn profile(
    number: ProfileNumber,
    from: &mut dyn Device,
    to: &mut dyn Device,
    requests: &mut Vec<Request>,
    deletions: &mut Vec<Request>,
) -> Result<(), Error> {
    let members = Request::Profile(number, ProfileRequest::ReadMembers(None));
    let groups = Request::Profile(number, ProfileRequest::ReadGroups(None));
    let (Response::Members(old), Response::Members(new)) = (from.execute(&members)?, to.execute(&members)?) else {
        return Ok(());
    };
    let (Response::Groups(old_groups), Response::Groups(new_groups)) = (from.execute(&groups)?, to.execute(&groups)?)
    else {
        return Ok(());
    };
    for member in &new {
        let request = match old.iter().find(|own| own.member == member.member) {
            Some(own) if own == member => continue,
            Some(_) => ProfileRequest::ModifyMember(member.member, member.action.clone()),
            None => ProfileRequest::InsertMember(member.member, member.action.clone()),
        };
        requests.push(Request::Profile(number, request));
    }
    for group in &new_groups {
        let request = match old_groups.iter().find(|own| own.group == group.group) {
            Some(own) if own == group => continue,
            Some(_) => ProfileRequest::ModifyGroup(group.clone()),
            None => ProfileRequest::InsertGroup(group.clone()),
        };
        requests.push(Request::Profile(number, request));
    }
    for group in old_groups.iter().filter(|own| !new_groups.iter().any(|group| group.group == own.group)) {
        deletions.push(Request::Profile(number, ProfileRequest::DeleteGroup(group.group)));
    }
    for member in old.iter().filter(|own| !new.iter().any(|member| member.member == own.member)) {
        deletions.push(Request::Profile(number, ProfileRequest::DeleteMember(member.member)));
    }
    Ok(())
}

fn replication(from: &mut dyn Device, to: &mut dyn Device, requests: &mut Vec<Request>) -> Result<(), Error> {
    let read = Request::ReadMulticastGroups;
    if let (Response::MulticastGroups(old), Response::MulticastGroups(new)) = (from.execute(&read)?, to.execute(&read)?)
    {
        let put = |group, replicas| Request::MulticastGroup(group, ReplicationRequest::Put(replicas));
        let delete = |group| Request::MulticastGroup(group, ReplicationRequest::Delete);
        numbered(&old, &new, put, delete, requests);
    }
    let read = Request::ReadCloneSessions;
    if let (Response::CloneSessions(old), Response::CloneSessions(new)) = (from.execute(&read)?, to.execute(&read)?) {
        let put = |session, plan| Request::CloneSession(session, ReplicationRequest::Put(plan));
        let delete = |session| Request::CloneSession(session, ReplicationRequest::Delete);
        numbered(&old, &new, put, delete, requests);
    }
    Ok(())
}

fn numbered<T: Clone + PartialEq>(
    old: &[(u32, T)],
    new: &[(u32, T)],
    put: impl Fn(u32, T) -> Request,
    delete: impl Fn(u32) -> Request,
    requests: &mut Vec<Request>,
) {
    for (number, _) in old.iter().filter(|(number, _)| !new.iter().any(|(own, _)| own == number)) {
        requests.push(delete(*number));
    }
    for (number, value) in new.iter().filter(|own| !old.contains(own)) {
        requests.push(put(*number, value.clone()));
    }
}
