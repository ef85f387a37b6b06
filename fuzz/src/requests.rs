//! Requests to the control plane of a program: most are sensible, and many are wrong in one way.

use std::collections::BTreeMap;

use control::{
    ActionCall, ActionNumber, CloneSession, CounterNumber, CounterRequest, DigestNumber, ElementSelection,
    EntryAttributes, EntryDetails, EntrySelection, Group, GroupMember, Info, MeterNumber, MeterRequest, MulticastGroup,
    ProfileNumber, ProfileRequest, RegisterNumber, RegisterRequest, Replica, ReplicationRequest, Request, TableNumber,
    TableRequest, Target, ValueSetNumber, ValueSetRequest, WeightedAction,
};
use runtime::tables::{EntryHandle, FieldMatch, MatchKind};
use runtime::{Count, MeterRates};

use crate::Cursor;

/// Groups, sessions, members and the like have numbers below this, so that requests meet.
const FEW: usize = 4;

/// A request; `None` if the program has nothing of the kind that was drawn.
pub fn request(info: &Info, draw: &mut Cursor<'_>) -> Option<Request> {
    let number = |count: usize, draw: &mut Cursor<'_>| (count > 0).then(|| draw.below(count) as u32);
    Some(match draw.below(12) {
        0..=4 => {
            let table = TableNumber(number(info.tables.len(), draw)?);
            Request::Table(table, table_request(info, table, draw))
        }
        5 => Request::Profile(ProfileNumber(number(info.profiles.len(), draw)?), profile_request(info, draw)),
        6 => {
            let element = element(info, draw);
            let mut count = || Count { packets: draw.number(), bytes: draw.number() };
            let counts = vec![count(), count()];
            let request = match draw.below(3) {
                0 => CounterRequest::Read(element),
                1 => CounterRequest::WriteEach(counts),
                _ => CounterRequest::Write(element, counts[0]),
            };
            Request::Counter(CounterNumber(number(info.counters.len(), draw)?), request)
        }
        7 => {
            let element = element(info, draw);
            let rates = MeterRates {
                committed_rate: draw.number(),
                committed_burst: draw.number(),
                peak_rate: draw.number(),
                peak_burst: draw.number(),
            };
            let request = match draw.below(5) {
                0 => MeterRequest::Read(element),
                1 => MeterRequest::Set(element, None),
                2 => MeterRequest::SetEach(vec![None, Some(rates)]),
                _ => MeterRequest::Set(element, Some(rates)),
            };
            Request::Meter(MeterNumber(number(info.meters.len(), draw)?), request)
        }
        8 => Request::Register(RegisterNumber(number(info.registers.len(), draw)?), register_request(draw)),
        9 => {
            let set = ValueSetNumber(number(info.value_sets.len(), draw)?);
            let fields = &info.value_set(set).fields;
            let mut member = || fields.iter().map(|field| asked(field.kind, field.width, draw)).collect::<Vec<_>>();
            let (first, second) = (member(), member());
            let request = match draw.below(4) {
                0 => ValueSetRequest::Set(vec![first, second]),
                1 => ValueSetRequest::Delete(first),
                2 => ValueSetRequest::Read,
                _ => ValueSetRequest::Insert(first),
            };
            Request::ValueSet(set, request)
        }
        10 => {
            let replicas = replicas(draw);
            match draw.below(4) {
                0 => Request::ReadMulticastGroups,
                1 => Request::ReadCloneSessions,
                2 => {
                    Request::MulticastGroup(draw.below(FEW) as u32, replication(multicast_group(replicas, draw), draw))
                }
                _ => {
                    let group = draw.once_in(3).then(|| draw.below(FEW) as u32);
                    let maximum_length = draw.once_in(3).then(|| draw.number() as u32);
                    let session = CloneSession {
                        replicas,
                        group,
                        maximum_length,
                        class_of_service: draw.below(9) as u32,
                        metadata: vec![draw.below(256) as u8],
                    };
                    Request::CloneSession(draw.below(FEW) as u32, replication(session, draw))
                }
            }
        }
        11 if draw.once_in(4) => Request::TakeIdleEntries,
        _ => Request::TakeDigests(DigestNumber(number(info.digests.len(), draw)?)),
    })
}

fn table_request(info: &Info, table: TableNumber, draw: &mut Cursor<'_>) -> TableRequest {
    match draw.below(12) {
        0 => TableRequest::modify(entry(info, table, draw), target(info, table, draw)),
        1 => TableRequest::Delete(entry(info, table, draw)),
        2 if draw.once_in(4) => TableRequest::Clear,
        3 => TableRequest::set_default(target(info, table, draw)),
        4 => TableRequest::ResetDefault,
        5 => {
            let entry = draw.once_in(2).then(|| entry(info, table, draw));
            let [count, meter, time_since_hit] = [2, 2, 4].map(|often| draw.once_in(often));
            TableRequest::Read(entry, EntryDetails { count, meter, time_since_hit })
        }
        6 if draw.once_in(2) => TableRequest::ReadDefault,
        6 => TableRequest::Modify {
            entry: entry(info, table, draw),
            target: draw.once_in(2).then(|| target(info, table, draw)),
            attributes: draw.once_in(2).then(|| attributes(draw)),
        },
        _ => TableRequest::Insert {
            key: key(info, table, draw),
            priority: priority(info, table, draw),
            target: target(info, table, draw),
            attributes: if draw.once_in(3) { attributes(draw) } else { EntryAttributes::default() },
        },
    }
}

fn attributes(draw: &mut Cursor<'_>) -> EntryAttributes {
    let rates = |draw: &mut Cursor<'_>| MeterRates {
        committed_rate: draw.number(),
        committed_burst: draw.number(),
        peak_rate: draw.number(),
        peak_burst: draw.number(),
    };
    EntryAttributes {
        idle_timeout: if draw.once_in(2) { draw.number() } else { 0 },
        metadata: vec![1; draw.below(FEW)],
        count: draw.once_in(4).then(|| Count { packets: draw.number(), bytes: draw.number() }),
        meter: draw.once_in(4).then(|| rates(draw)),
    }
}

/// The weight of a member or action, and the port on which it depends.
fn share(draw: &mut Cursor<'_>) -> (u32, Option<u32>) {
    let weight = if draw.once_in(3) { draw.number() as u32 } else { 1 };
    (weight, draw.once_in(3).then(|| draw.below(FEW) as u32))
}

fn key(info: &Info, table: TableNumber, draw: &mut Cursor<'_>) -> Vec<FieldMatch> {
    let mut key: Vec<FieldMatch> =
        info.table(table).fields.iter().map(|field| asked(field.kind, field.width, draw)).collect();
    if draw.once_in(30) {
        key.pop();
    }
    key
}

fn priority(info: &Info, table: TableNumber, draw: &mut Cursor<'_>) -> Option<u32> {
    let wanted = info.table(table).has_priorities() != draw.once_in(20);
    wanted.then(|| draw.number() as u32)
}

/// What an entry asks of a field, which may be of the wrong kind.
fn asked(kind: MatchKind, width: u32, draw: &mut Cursor<'_>) -> FieldMatch {
    let usual = match kind {
        MatchKind::Exact => 0,
        MatchKind::Lpm => 1,
        MatchKind::Ternary => 2,
        MatchKind::Range => 3,
        MatchKind::Optional => 4 * draw.below(2),
    };
    match if draw.once_in(20) { draw.below(5) } else { usual } {
        0 => FieldMatch::Exact(draw.bits(width)),
        1 => FieldMatch::Prefix { value: draw.bits(width), length: draw.below(width as usize + 2) as u32 },
        2 => FieldMatch::Mask { value: draw.bits(width), mask: draw.bits(width) },
        3 => FieldMatch::Range { low: draw.bits(width), high: draw.bits(width) },
        _ => FieldMatch::Any,
    }
}

fn target(info: &Info, table: TableNumber, draw: &mut Cursor<'_>) -> Target {
    let from_profile = info.table(table).profile.is_some() != draw.once_in(20);
    match (from_profile, draw.below(3)) {
        (true, 0) => Target::Member(draw.below(FEW) as u32),
        (true, 1) => Target::Group(draw.below(FEW) as u32),
        (true, _) => {
            let own = &info.table(table).actions;
            let count = if own.is_empty() { 0 } else { draw.below(FEW) };
            let action = |_| {
                let call = call(info, own[draw.below(own.len())].action.index(), draw);
                let (weight, watch_port) = share(draw);
                WeightedAction { call, weight, watch_port }
            };
            Target::ActionSet((0..count).map(action).collect())
        }
        (false, _) => {
            let own = &info.table(table).actions;
            let any = own.is_empty() || draw.once_in(20);
            let known = if any { draw.below(info.actions.len()) } else { own[draw.below(own.len())].action.index() };
            Target::Action(call(info, known, draw))
        }
    }
}

fn call(info: &Info, action: usize, draw: &mut Cursor<'_>) -> ActionCall {
    let action = ActionNumber::from(action);
    let mut data: Vec<_> = info.action(action).parameters.iter().map(|parameter| draw.bits(parameter.width)).collect();
    if draw.once_in(30) {
        data.push(draw.bits(8));
    }
    ActionCall { action, data }
}

fn entry(info: &Info, table: TableNumber, draw: &mut Cursor<'_>) -> EntrySelection {
    if draw.once_in(4) {
        return EntrySelection::Key { key: key(info, table, draw), priority: priority(info, table, draw) };
    }
    EntrySelection::Handle(EntryHandle(draw.number() as u32))
}

fn element(info: &Info, draw: &mut Cursor<'_>) -> ElementSelection {
    match draw.below(4) {
        0 if !info.tables.is_empty() => {
            let table = TableNumber::from(draw.below(info.tables.len()));
            ElementSelection::Entry(entry(info, table, draw))
        }
        1 => ElementSelection::All,
        _ => ElementSelection::Index(draw.number() as u32),
    }
}

fn profile_request(info: &Info, draw: &mut Cursor<'_>) -> ProfileRequest {
    let number = draw.below(FEW) as u32;
    let count = draw.below(FEW);
    let member = |_| {
        let member = draw.below(FEW) as u32;
        let (weight, watch_port) = share(draw);
        GroupMember { member, weight, watch_port }
    };
    let members: Vec<GroupMember> = (0..count).map(member).collect();
    let maximum_size = if draw.once_in(4) { draw.number() as u32 } else { 0 };
    let group = Group { group: number, members, maximum_size };
    match draw.below(10) {
        0..=3 if !info.actions.is_empty() => {
            let action = draw.below(info.actions.len());
            ProfileRequest::InsertMember(number, call(info, action, draw))
        }
        4 if !info.actions.is_empty() => {
            let action = draw.below(info.actions.len());
            ProfileRequest::ModifyMember(number, call(info, action, draw))
        }
        5 => ProfileRequest::DeleteMember(number),
        6 => ProfileRequest::ReadGroups(draw.once_in(2).then_some(number)),
        7 => ProfileRequest::ModifyGroup(group),
        8 => ProfileRequest::DeleteGroup(number),
        _ => ProfileRequest::InsertGroup(group),
    }
}

fn register_request(draw: &mut Cursor<'_>) -> RegisterRequest {
    let element = draw.once_in(2).then(|| draw.number() as u32);
    let count = draw.below(3);
    let width = draw.below(70) as u32 + 1;
    let mut values = || (0..count).map(|_| draw.bits(width)).collect();
    let (first, second) = (values(), values());
    match draw.below(4) {
        0 => RegisterRequest::Read(element),
        1 => RegisterRequest::Reset,
        2 => RegisterRequest::WriteEach(vec![first, second]),
        _ => RegisterRequest::Write(element, first),
    }
}

fn replicas(draw: &mut Cursor<'_>) -> Vec<Replica> {
    let count = draw.below(FEW);
    (0..count).map(|_| Replica { port: draw.number() as u32, instance: draw.number() as u32 }).collect()
}

fn multicast_group(replicas: Vec<Replica>, draw: &mut Cursor<'_>) -> MulticastGroup {
    let backups = if draw.once_in(3) {
        BTreeMap::from([(draw.below(FEW) as u32, self::replicas(draw))])
    } else {
        BTreeMap::new()
    };
    MulticastGroup { replicas, backups, metadata: vec![2; draw.below(FEW)] }
}

fn replication<T>(value: T, draw: &mut Cursor<'_>) -> ReplicationRequest<T> {
    match draw.below(8) {
        0 => ReplicationRequest::Delete,
        1 => ReplicationRequest::Read,
        2 => ReplicationRequest::Insert(value),
        3 => ReplicationRequest::Modify(value),
        _ => ReplicationRequest::Put(value),
    }
}
