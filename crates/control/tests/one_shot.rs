//! Weights, action sets and attributes of entries.

mod common;

use basis::Instant;
use common::*;
use control::*;
use runtime::tables::FieldMatch;
use runtime::{Count, MeterRates};

const HOPS: ProfileNumber = ProfileNumber(0);

fn info_of(counts: Option<SelectorSize>) -> Info {
    let mut info = info();
    info.profiles[0].size = 10;
    info.profiles[0].selector = Some(Selector { maximum_group_size: 6, counts, bits: None });
    info
}

fn action(port: u64, weight: u32) -> WeightedAction {
    WeightedAction { call: call(FORWARD, &[port, 1]), weight, watch_port: Some(port as u32) }
}

fn insert(key: u64, actions: Vec<WeightedAction>) -> Request {
    let key = vec![FieldMatch::Exact(bits(key))];
    Request::Table(ECMP, TableRequest::insert(key, None, Target::ActionSet(actions)))
}

fn modify(key: u64, actions: Vec<WeightedAction>) -> Request {
    let entry = EntrySelection::Key { key: vec![FieldMatch::Exact(bits(key))], priority: None };
    Request::Table(ECMP, TableRequest::modify(entry, Target::ActionSet(actions)))
}

fn delete(key: u64) -> Request {
    let key = vec![FieldMatch::Exact(bits(key))];
    Request::Table(ECMP, TableRequest::Delete(EntrySelection::Key { key, priority: None }))
}

fn hops(request: ProfileRequest) -> Request {
    Request::Profile(HOPS, request)
}

#[test]
fn action_sets_are_read_as_written_and_are_nobodys_members() {
    let mut bench = Bench::of(info_of(None));
    // Equal actions stay apart, in their order.
    let actions = vec![action(2, 1), action(1, 2), action(2, 1)];
    bench.done(insert(7, actions.clone()));
    let read = |bench: &mut Bench| match bench.done(Request::Table(ECMP, TableRequest::read_all())) {
        Response::Entries(entries) => entries.into_iter().map(|entry| entry.target).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let canonical = |actions: &[WeightedAction]| {
        let fit = |action: &WeightedAction| {
            let data = [9, 48].into_iter().zip(&action.call.data);
            let data = data.map(|(width, value)| runtime::Bits::from_limbs(value.limbs(), width)).collect();
            WeightedAction { call: ActionCall { action: action.call.action, data }, ..*action }
        };
        Target::ActionSet(actions.iter().map(fit).collect())
    };
    assert_eq!(read(&mut bench), [canonical(&actions)]);
    assert_eq!(bench.done(hops(ProfileRequest::ReadMembers(None))), Response::Members(vec![]));
    assert_eq!(bench.done(hops(ProfileRequest::ReadGroups(None))), Response::Groups(vec![]));

    bench.done(modify(7, vec![action(3, 6)]));
    assert_eq!(read(&mut bench), [canonical(&[action(3, 6)])]);
    let size = |bench: &Bench| bench.state.profiles[0].size();
    assert_eq!((size(&bench).members, size(&bench).weights), (1, 6), "the old set is gone");
    bench.done(insert(8, vec![]));
    bench.done(delete(7));
    bench.done(Request::Table(ECMP, TableRequest::Clear));
    assert_eq!((size(&bench).members, bench.state.profiles[0].count_sets()), (0, 0));
}

#[test]
fn a_profile_has_either_action_sets_or_members_and_groups() {
    let mut bench = Bench::of(info_of(None));
    bench.done(insert(7, vec![action(1, 1)]));
    let with_sets = "entries have action sets of action profile `egress.hops`, so it cannot have members and groups; delete these first";
    assert_eq!(bench.refused(hops(ProfileRequest::InsertMember(1, call(FORWARD, &[1, 1])))), with_sets);
    assert_eq!(bench.refused(hops(ProfileRequest::InsertGroup(Group::new::<u32>(1, [])))), with_sets);
    bench.done(delete(7));
    bench.done(hops(ProfileRequest::InsertMember(1, call(FORWARD, &[1, 1]))));
    let with_members = "action profile `egress.hops` has members or groups, so entries cannot have action sets; delete these \
                        first";
    assert_eq!(bench.refused(insert(7, vec![action(1, 1)])), with_members);
    bench.done(hops(ProfileRequest::DeleteMember(1)));
    bench.done(insert(7, vec![action(1, 1)]));
    let set = TableRequest::set_default(Target::ActionSet(vec![action(1, 1)]));
    let default = "the default of table `egress.ecmp` cannot be an action set, which only entries have";
    assert_eq!(bench.refused(Request::Table(ECMP, set)), default);
}

#[test]
fn sizes_are_sums_of_weights_or_of_members() {
    let mut bench = Bench::of(info_of(Some(SelectorSize::Weights)));
    let too_large = "an action set of action profile `egress.hops` is too large: its maximum size is 6";
    assert_eq!(bench.refused(insert(1, vec![action(1, 3), action(2, 4)])), too_large);
    assert_eq!(bench.refused(insert(1, vec![action(1, u32::MAX), action(2, u32::MAX)])), too_large);
    bench.done(insert(1, vec![action(1, 6)]));
    let full = "action profile `egress.hops` is full: its groups and action sets together have at most size 10";
    assert_eq!(bench.refused(insert(2, vec![action(1, 5)])), full);
    bench.done(insert(2, vec![action(1, 4)]));
    assert_eq!(bench.refused(modify(2, vec![action(1, 5)])), full);
    bench.done(modify(1, vec![action(1, 5)]));
    bench.done(modify(2, vec![action(1, 5)]));
    let none = "weights of action profile `egress.hops` are at least 1, and 0 is given";
    assert_eq!(bench.refused(modify(2, vec![action(1, 0)])), none);

    let mut bench = Bench::of(info_of(Some(SelectorSize::Members { maximum_weight: 100 })));
    bench.done(insert(1, vec![action(1, 100); 6]));
    assert_eq!(bench.refused(insert(2, vec![action(1, 1); 5])), full);
    let heavy = "weights of action profile `egress.hops` are at most 100, and 101 is given";
    assert_eq!(bench.refused(insert(2, vec![action(1, 101)])), heavy);
}

#[test]
fn a_group_has_its_own_maximum_size() {
    let mut bench = Bench::of(info_of(None));
    bench.done(hops(ProfileRequest::InsertMember(1, call(FORWARD, &[1, 1]))));
    let member = |weight| GroupMember { member: 1, weight, watch_port: Some(9) };
    let group = |weight, maximum_size| Group { maximum_size, ..Group::new(4, [member(weight)]) };
    let large = bench.refused(hops(ProfileRequest::InsertGroup(group(1, 7))));
    assert_eq!(
        large,
        "the maximum size 7 of group 4 is too large: groups of action profile `egress.hops` have at most size 6"
    );
    bench.done(hops(ProfileRequest::InsertGroup(group(3, 3))));
    let full = "group 4 of action profile `egress.hops` is too large: its maximum size is 3";
    assert_eq!(bench.refused(hops(ProfileRequest::ModifyGroup(group(4, 3)))), full);
    let changed =
        "group 4 of action profile `egress.hops` was inserted with the maximum size 3, which cannot be changed";
    assert_eq!(bench.refused(hops(ProfileRequest::ModifyGroup(group(2, 0)))), changed);
    bench.done(hops(ProfileRequest::ModifyGroup(group(2, 3))));
    assert_eq!(bench.done(hops(ProfileRequest::ReadGroups(None))), Response::Groups(vec![group(2, 3)]));
}

#[test]
fn attributes_are_kept_or_replaced_as_a_whole() {
    let mut bench = Bench::new();
    bench.now = Instant::from_microseconds(5_000);
    let key = |value: u64| vec![FieldMatch::Any, FieldMatch::Any, FieldMatch::Exact(bits(value)), FieldMatch::Any];
    let attributes = EntryAttributes { idle_timeout: 3_000_000, metadata: vec![1, 2], ..EntryAttributes::default() };
    let insert = |attributes: EntryAttributes| {
        Request::Table(ACL, TableRequest::Insert { key: key(0), priority: Some(1), target: run(DROP, &[]), attributes })
    };
    let no_counter = EntryAttributes { count: Some(Count::default()), ..EntryAttributes::default() };
    assert_eq!(bench.refused(insert(no_counter)), "table `ingress.acl` has no direct counter");
    let Response::Inserted(handle) = bench.done(insert(attributes.clone())) else { panic!() };
    let read = |bench: &mut Bench| {
        let details = EntryDetails { time_since_hit: true, ..EntryDetails::NONE };
        match bench.done(Request::Table(ACL, TableRequest::Read(None, details))) {
            Response::Entries(entries) => entries[0].clone(),
            other => panic!("{other:?}"),
        }
    };
    bench.now = Instant::from_microseconds(7_000);
    let entry = read(&mut bench);
    assert_eq!((entry.idle_timeout, &entry.metadata[..]), (3_000_000, &[1, 2][..]));
    assert_eq!(entry.time_since_hit.map(|since| since.picoseconds()), Some(2_000_000_000));
    bench.done(Request::Table(ACL, TableRequest::modify(handle, run(MARK, &[1]))));
    assert_eq!(read(&mut bench).metadata, [1, 2], "a change of the target alone leaves the rest");
    bench.state.expire(Instant::from_microseconds(8_000));
    let Response::IdleEntries(idle) = bench.done(Request::TakeIdleEntries) else { panic!() };
    assert_eq!(
        (idle.len(), idle[0].table, idle[0].handle(), &idle[0].entry.metadata[..]),
        (1, ACL, handle, &[1, 2][..])
    );
    assert_eq!(bench.done(Request::TakeIdleEntries), Response::IdleEntries(vec![]));
    bench.done(Request::Table(ACL, TableRequest::SetIdleTimeout(handle.into(), 9_000_000)));
    let entry = read(&mut bench);
    assert_eq!((entry.idle_timeout, &entry.metadata[..]), (9_000_000, &[1, 2][..]));
    let attributes = Some(EntryAttributes::default());
    bench.done(Request::Table(ACL, TableRequest::Modify { entry: handle.into(), target: None, attributes }));
    let entry = read(&mut bench);
    assert_eq!((entry.idle_timeout, entry.metadata.len(), entry.target), (0, 0, run_fitted(MARK)));
}

/// The target of [`run`] with the data 1 in the width of the parameter.
fn run_fitted(action: ActionNumber) -> Target {
    let width = info().action(action).parameters[0].width;
    Target::Action(ActionCall { action, data: vec![runtime::Bits::from_u64(1, width)] })
}

#[test]
fn counters_and_meters_come_and_go_with_entries() {
    let mut bench = Bench::new();
    let attributes = |count, meter| EntryAttributes { count, meter, ..EntryAttributes::default() };
    let count = Some(Count { packets: 3, bytes: 99 });
    let rates = MeterRates { committed_rate: 1, committed_burst: 2, peak_rate: 3, peak_burst: 4 };
    let read = |bench: &mut Bench, table| {
        let details = EntryDetails { count: true, meter: true, time_since_hit: false };
        match bench.done(Request::Table(table, TableRequest::Read(None, details))) {
            Response::Entries(entries) => (entries[0].handle, entries[0].count, entries[0].meter),
            other => panic!("{other:?}"),
        }
    };
    let key = vec![FieldMatch::Prefix { value: runtime::Bits::from_u64(0x0A00_0000, 32), length: 8 }];
    let insert = |key, target, attributes| TableRequest::Insert { key, priority: None, target, attributes };
    bench.done(Request::Table(LPM, insert(key, run(DROP, &[]), attributes(count, None))));
    let (handle, counted, _) = read(&mut bench, LPM);
    assert_eq!(counted, count);
    let change = |entry: runtime::tables::EntryHandle, attributes| TableRequest::Modify {
        entry: entry.into(),
        target: None,
        attributes: Some(attributes),
    };
    bench.done(Request::Table(LPM, change(handle, attributes(None, None))));
    assert_eq!(read(&mut bench, LPM).1, count, "a counter stays if no value is given");
    let metered = TableNumber(5);
    let key = vec![FieldMatch::Exact(bits(1))];
    let wrong = MeterRates { peak_rate: 0, ..rates };
    let refused =
        bench.refused(Request::Table(metered, insert(key.clone(), run(DROP, &[]), attributes(None, Some(wrong)))));
    assert!(refused.starts_with("meter `"), "{refused}");
    bench.done(Request::Table(metered, insert(key, run(DROP, &[]), attributes(None, Some(rates)))));
    let (handle, _, meter) = read(&mut bench, metered);
    assert_eq!(meter, Some(rates));
    bench.done(Request::Table(metered, change(handle, attributes(None, None))));
    assert_eq!(read(&mut bench, metered).2, None, "a meter is reset if no rates are given");
    let timeout = EntryAttributes { idle_timeout: 1, ..EntryAttributes::default() };
    let refused = bench.refused(Request::Table(metered, change(handle, timeout)));
    assert!(refused.contains("the program does not declare `support_timeout = true`"), "{refused}");
}

#[test]
fn backups_take_the_places_of_replicas_whose_ports_are_down() {
    let mut bench = Bench::new();
    let replica = |port, instance| Replica { port, instance };
    let group = MulticastGroup {
        replicas: vec![replica(1, 1), replica(2, 2)],
        backups: [(1, vec![replica(3, 5), replica(4, 6)])].into(),
        metadata: vec![9],
    };
    let put = |group| Request::MulticastGroup(7, ReplicationRequest::Put(group));
    bench.done(put(group.clone()));
    let copies = |bench: &Bench| bench.replication.group(7).unwrap().to_vec();
    for (port, is_up, second) in
        [(2, false, (3, 5)), (3, false, (4, 6)), (4, false, (2, 2)), (4, true, (4, 6)), (2, true, (2, 2))]
    {
        bench.replication.set_port(port, is_up);
        assert_eq!(copies(&bench), [replica(1, 1), replica(second.0, second.1)]);
    }
    let read = bench.done(Request::MulticastGroup(7, ReplicationRequest::Read));
    assert_eq!(read, Response::MulticastGroup(group.clone()), "what is read does not depend on ports");
    let own = MulticastGroup { backups: [(0, vec![replica(1, 2)])].into(), ..group.clone() };
    let nobody = MulticastGroup { backups: [(2, vec![replica(1, 2)])].into(), ..group };
    for (wrong, position) in [(own, 0), (nobody, 2)] {
        let refused = bench.refused(put(wrong));
        assert!(refused.starts_with(&format!("the backups of replica {position} of multicast group 7")), "{refused}");
    }
    let session = CloneSession { class_of_service: 8, ..CloneSession::default() };
    let refused = bench.refused(Request::CloneSession(1, ReplicationRequest::Put(session)));
    assert_eq!(refused, "8 does not fit in the class of service of clone session 1, which is 3 bits wide");
}
