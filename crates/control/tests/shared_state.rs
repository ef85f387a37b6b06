//! Requests about state that tables share: profiles, counters, meters, registers, value sets, replication and digests.

mod common;

use common::*;
use control::*;
use runtime::tables::FieldMatch;
use runtime::{Bits, Count, MeterRates};

fn hops(request: ProfileRequest) -> Request {
    Request::Profile(ProfileNumber(0), request)
}

fn to_group(group: u32) -> Request {
    let key = vec![FieldMatch::Exact(bits(1))];
    Request::Table(ECMP, TableRequest::insert(key, None, Target::Group(group)))
}

#[test]
fn refuses_to_delete_members_and_groups_in_use() {
    let mut bench = Bench::new();
    for member in [4, 2] {
        bench.done(hops(ProfileRequest::InsertMember(member, call(FORWARD, &[u64::from(member), 0]))));
    }
    bench.done(hops(ProfileRequest::InsertGroup(Group::new(1, vec![4, 2]))));
    bench.done(to_group(1));
    bench.done(hops(ProfileRequest::ModifyMember(4, call(FORWARD, &[7, 8]))));
    let Response::Members(members) = bench.done(hops(ProfileRequest::ReadMembers(Some(4)))) else { panic!() };
    assert_eq!(members[0].action.data, [Bits::from_u64(7, 9), Bits::from_u64(8, 48)]);
    let groups = bench.done(hops(ProfileRequest::ReadGroups(None)));
    assert_eq!(groups, Response::Groups(vec![Group::new(1, [2, 4])]));
    let in_use = bench.refused(hops(ProfileRequest::DeleteMember(4)));
    assert_eq!(in_use, "member 4 of action profile `egress.hops` is still used by a group or an entry");
    let in_use = bench.refused(hops(ProfileRequest::DeleteGroup(1)));
    assert_eq!(in_use, "group 1 of action profile `egress.hops` is still used by an entry");
    bench.done(Request::Table(ECMP, TableRequest::Clear));
    bench.done(hops(ProfileRequest::DeleteGroup(1)));
    bench.done(hops(ProfileRequest::DeleteMember(4)));
    assert_eq!(bench.refused(to_group(1)), "action profile `egress.hops` has no group 1");
}

#[test]
fn profiles_refuse_what_exceeds_their_limits() {
    let mut bench = Bench::new();
    let forward = || call(FORWARD, &[1, 0]);
    for member in 0..3 {
        bench.done(hops(ProfileRequest::InsertMember(member, forward())));
    }
    bench.done(hops(ProfileRequest::InsertGroup(Group::new(0, vec![0]))));
    let mut refused = |request| bench.refused(hops(request));
    let full = "action profile `egress.hops` is full: its size is 3 members";
    assert_eq!(refused(ProfileRequest::InsertMember(3, forward())), full);
    let there = "action profile `egress.hops` already has a member 2";
    assert_eq!(refused(ProfileRequest::InsertMember(2, forward())), there);
    let there = "action profile `egress.hops` already has a group 0";
    assert_eq!(refused(ProfileRequest::InsertGroup(Group::new::<u32>(0, []))), there);
    let large = "group 0 of action profile `egress.hops` is too large: its maximum size is 2";
    assert_eq!(refused(ProfileRequest::ModifyGroup(Group::new(0, vec![0, 1, 2]))), large);
    let twice = "group 5 of action profile `egress.hops` names member 1 twice";
    assert_eq!(refused(ProfileRequest::InsertGroup(Group::new(5, vec![1, 1]))), twice);
    let missing = "action profile `egress.hops` has no member 9";
    assert_eq!(refused(ProfileRequest::ModifyGroup(Group::new(0, vec![9]))), missing);
    assert_eq!(refused(ProfileRequest::ReadMembers(Some(9))), missing);
    let unsuited = refused(ProfileRequest::InsertMember(3, call(MARK, &[1])));
    assert_eq!(unsuited, "no action `ingress.mark` in table `egress.ecmp`; it has `ingress.forward`, `NoAction`");
    let unused = |request| Request::Profile(ProfileNumber(1), request);
    let nobody = "no table takes its actions from action profile `egress.unused`";
    assert_eq!(bench.refused(unused(ProfileRequest::InsertMember(0, forward()))), nobody);
    let groups = "action profile `egress.unused` has no groups, because it has no selector";
    assert_eq!(bench.refused(unused(ProfileRequest::InsertGroup(Group::new::<u32>(0, [])))), groups);
    let action = TableRequest::insert(vec![FieldMatch::Exact(bits(1))], None, run(FORWARD, &[1, 2]));
    assert_eq!(
        bench.refused(Request::Table(ECMP, action)),
        "table `egress.ecmp` takes its actions from action profile `egress.hops`: its entries name members or groups"
    );
}

#[test]
fn reads_and_writes_one_or_all_counters() {
    let mut bench = Bench::new();
    let ports = |request| Request::Counter(CounterNumber(1), request);
    bench.state.counters[1].count(2, 1, 64);
    bench.done(ports(CounterRequest::Write(ElementSelection::Index(0), Count { packets: 5, bytes: 6 })));
    let (zero, five, one) = (Count::default(), Count { packets: 5, bytes: 6 }, Count { packets: 1, bytes: 64 });
    assert_eq!(
        bench.done(ports(CounterRequest::Read(ElementSelection::All))),
        Response::Counters(vec![five, zero, one, zero])
    );
    assert_eq!(bench.done(ports(CounterRequest::Read(ElementSelection::Index(2)))), Response::Counters(vec![one]));
    let outside = bench.refused(ports(CounterRequest::Read(ElementSelection::Index(4))));
    assert_eq!(outside, "counter `ingress.ports` has 4 elements; index 4 is out of range");
    let entry = ElementSelection::Entry(runtime::tables::EntryHandle(0).into());
    let wrong = bench.refused(ports(CounterRequest::Read(entry)));
    assert_eq!(wrong, "counter `ingress.ports` is an array and does not belong to table entries");
}

#[test]
fn meters_accept_the_rates_that_rfc_2698_allows() {
    let mut bench = Bench::new();
    let police = |request| Request::Meter(MeterNumber(0), request);
    let rates = MeterRates { committed_rate: 1000, committed_burst: 100, peak_rate: 2000, peak_burst: 200 };
    bench.done(police(MeterRequest::Set(ElementSelection::Index(1), Some(rates))));
    assert_eq!(
        bench.done(police(MeterRequest::Read(ElementSelection::All))),
        Response::Meters(vec![None, Some(rates)])
    );
    let slow = MeterRates { peak_rate: 1, ..rates };
    let wrong = bench.refused(police(MeterRequest::Set(ElementSelection::All, Some(slow))));
    assert_eq!(wrong, "meter `ingress.police`: the peak rate is below the committed rate");
    let mac =
        Request::Table(TableNumber(5), TableRequest::insert(vec![FieldMatch::Exact(bits(7))], None, run(DROP, &[])));
    let Response::Inserted(handle) = bench.done(mac) else { panic!() };
    let shape = |request| Request::Meter(MeterNumber(1), request);
    bench.done(shape(MeterRequest::Set(ElementSelection::Entry(handle.into()), Some(rates))));
    assert_eq!(bench.done(shape(MeterRequest::Read(ElementSelection::All))), Response::Meters(vec![Some(rates)]));
    bench.done(shape(MeterRequest::Set(ElementSelection::All, None)));
    assert_eq!(
        bench.done(shape(MeterRequest::Read(ElementSelection::Entry(handle.into())))),
        Response::Meters(vec![None])
    );
}

#[test]
fn registers_hold_a_value_for_each_leaf() {
    let mut bench = Bench::new();
    let flows = |request| Request::Register(RegisterNumber(1), request);
    let wide = Bits::from_limbs(&[7, 0xF_0000_0000], 100);
    bench.done(flows(RegisterRequest::Write(Some(1), vec![bits(9), wide.clone()])));
    let zero = vec![Bits::from_u64(0, 32), Bits::zero(100)];
    let one = vec![Bits::from_u64(9, 32), wide];
    assert_eq!(bench.done(flows(RegisterRequest::Read(None))), Response::Registers(vec![zero.clone(), one]));
    bench.done(flows(RegisterRequest::Reset));
    assert_eq!(bench.done(flows(RegisterRequest::Read(Some(1)))), Response::Registers(vec![zero]));
    let outside = bench.refused(flows(RegisterRequest::Read(Some(2))));
    assert_eq!(outside, "register `ingress.flows` has 2 elements; index 2 is out of range");
    let few = bench.refused(flows(RegisterRequest::Write(None, vec![bits(1)])));
    assert_eq!(few, "an element of register `ingress.flows` takes 2 values (`count`, `wide`), but gets 1");
    let large = bench.refused(flows(RegisterRequest::Write(None, vec![bits(1 << 32), bits(0)])));
    assert_eq!(large, "0x100000000 does not fit in field `count` of register `ingress.flows`, which is 32 bits wide");
}

#[test]
fn a_value_set_holds_each_member_once() {
    let mut bench = Bench::new();
    let types = |request| Request::ValueSet(ValueSetNumber(0), request);
    let member = |value| vec![FieldMatch::Exact(Bits::from_u64(value, 16))];
    bench.done(types(ValueSetRequest::Set(vec![member(0x800), member(0x806)])));
    let full = bench.refused(types(ValueSetRequest::Insert(member(1))));
    assert_eq!(full, "value set `parser.types` is full: its size is 2 members");
    bench.done(types(ValueSetRequest::Delete(member(0x800))));
    let twice = bench.refused(types(ValueSetRequest::Insert(member(0x806))));
    assert_eq!(twice, "value set `parser.types` already has an entry with the key `0x806`");
    let missing = bench.refused(types(ValueSetRequest::Delete(member(0x800))));
    assert_eq!(missing, "value set `parser.types` has no entry `0x800`");
    assert_eq!(bench.done(types(ValueSetRequest::Read)), Response::ValueSet(vec![member(0x806)]));
}

#[test]
fn clone_sessions_include_the_copies_of_their_group() {
    let mut bench = Bench::new();
    let copy = |port, instance| Replica { port, instance };
    bench.done(Request::MulticastGroup(3, ReplicationRequest::Insert(vec![copy(5, 1), copy(6, 2)].into())));
    let session = CloneSession {
        replicas: vec![copy(9, 0)],
        group: Some(3),
        maximum_length: Some(64),
        ..CloneSession::default()
    };
    bench.done(Request::CloneSession(8, ReplicationRequest::Put(session)));
    assert_eq!(bench.replication.clones(8).collect::<Vec<_>>(), [copy(9, 0), copy(5, 1), copy(6, 2)]);
    assert_eq!(bench.replication.clones(7).count(), 0);
    bench.done(Request::MulticastGroup(3, ReplicationRequest::Modify(vec![].into())));
    assert_eq!(bench.replication.clones(8).collect::<Vec<_>>(), [copy(9, 0)]);
    assert_eq!(bench.replication.session(8).unwrap().maximum_length, Some(64));
    let group = |number, request| Request::MulticastGroup(number, request);
    let zero = bench.refused(group(0, ReplicationRequest::Put(vec![].into())));
    assert_eq!(zero, "multicast group 0 means no group; groups begin with 1");
    let twice = bench.refused(group(3, ReplicationRequest::Insert(vec![].into())));
    assert_eq!(twice, "multicast group 3 already exists");
    assert_eq!(bench.refused(group(4, ReplicationRequest::Modify(vec![].into()))), "there is no multicast group 4");
    let missing = bench.refused(Request::CloneSession(1, ReplicationRequest::Read));
    assert_eq!(missing, "there is no clone session 1");
}

#[test]
fn refuses_replication_numbers_that_are_too_wide() {
    let mut bench = Bench::new();
    let session = |session| Request::CloneSession(5, ReplicationRequest::Insert(session));
    let to = |port, instance| CloneSession { replicas: vec![Replica { port, instance }], ..CloneSession::default() };
    let refused = bench.refused(session(to(600, 0)));
    assert_eq!(refused, "600 does not fit in a port of clone session 5, which is 9 bits wide");
    let refused = bench.refused(session(to(1, 0x1_0000)));
    assert_eq!(refused, "65536 does not fit in an instance of clone session 5, which is 16 bits wide");
    let refused = bench.refused(session(CloneSession { group: Some(70_000), ..CloneSession::default() }));
    assert_eq!(refused, "70000 does not fit in the multicast group of clone session 5, which is 16 bits wide");
    let copies = vec![Replica { port: 512, instance: 0 }];
    let refused = bench.refused(Request::MulticastGroup(3, ReplicationRequest::Put(copies.into())));
    assert_eq!(refused, "512 does not fit in a port of multicast group 3, which is 9 bits wide");
    // Which ports exist is up to the switch.
    bench.done(session(to(511, 0xFFFF)));
}

#[test]
fn a_full_digest_queue_drops_the_oldest() {
    let mut bench = Bench::new();
    let digest = |value| vec![Bits::from_u64(value, 48), Bits::from_u64(1, 1)];
    for value in 1..=3 {
        bench.digests.push(DigestNumber(0), digest(value));
    }
    let take = || Request::TakeDigests(DigestNumber(0));
    assert_eq!(bench.done(take()), Response::Digests(vec![digest(2), digest(3)]));
    assert_eq!(bench.digests.lost(), 1);
    assert_eq!(bench.done(take()), Response::Digests(vec![]));
}
