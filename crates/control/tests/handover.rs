//! Hand-over of state by name and type: to the same program it changes nothing, and to another it says what is lost.

#[path = "common/any_request.rs"]
mod any_request;
mod common;
#[path = "common/reads.rs"]
mod reads;

use std::sync::Arc;

use any_request::{METERED, any_request};
use common::*;
use control::handover::{Handover, Misfit, Outcome, Part, What};
use control::*;
use proptest::prelude::*;
use reads::everything;
use runtime::tables::{FieldMatch, MatchKind, TableEntry, Target as StoredTarget};
use runtime::{Bits, Count, MeterRates};

/// The artificial program with two initial entries that the control plane may change.
fn initial_info() -> Info {
    let mut info = info();
    let entry = |address| TableEntry {
        key: vec![FieldMatch::Exact(Bits::from_u64(address, 48))],
        priority: 0,
        target: StoredTarget::Action { action: 0, data: vec![Bits::from_u64(8, 9), Bits::from_u64(address, 48)] },
        is_constant: false,
    };
    info.tables[L2_MAC.index()].initial_entries = vec![entry(1), entry(2)];
    info
}

/// Hands the state of a program over to another, which begins.
fn hand_over(old: &mut Bench, new: Info) -> (Bench, Outcome) {
    let mut new = Bench::of(new);
    let plan = Handover::plan(old.plane.info(), new.plane.info());
    let outcome = plan.carry_out(|request| old.execute(request.clone()), |request| new.execute(request.clone()));
    (new, outcome.expect("what is only read is not refused"))
}

fn texts(outcome: &Outcome) -> Vec<String> {
    outcome.findings.iter().map(ToString::to_string).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn to_itself_it_is_the_identity(requests in prop::collection::vec(any_request(), 0..60)) {
        let mut old = Bench::of(initial_info());
        for request in requests {
            // Some are refused.
            let _ = old.execute(request);
        }
        let (mut new, outcome) = hand_over(&mut old, initial_info());
        prop_assert_eq!(texts(&outcome), Vec::<String>::new());
        let info = Arc::clone(old.plane.info());
        let read = everything(&info, |request| old.execute(request.clone()));
        prop_assert_eq!(read, everything(&info, |request| new.execute(request.clone())));
    }

    /// Everything has another number in the new program, and key fields and parameters come in another order.
    #[test]
    fn numbers_and_orders_do_not_matter(requests in prop::collection::vec(any_request(), 0..60)) {
        let mut old = Bench::of(initial_info());
        for request in requests {
            let _ = old.execute(request);
        }
        let (mut other, outcome) = hand_over(&mut old, turned(initial_info()));
        prop_assert_eq!(texts(&outcome), Vec::<String>::new());
        let (mut back, outcome) = hand_over(&mut other, initial_info());
        prop_assert_eq!(texts(&outcome), Vec::<String>::new());
        let info = Arc::clone(old.plane.info());
        let read = everything(&info, |request| old.execute(request.clone()));
        prop_assert_eq!(read, everything(&info, |request| back.execute(request.clone())));
    }
}

/// Reverses the order of registers and actions, and that of the fields and parameters of some.
fn turned(mut info: Info) -> Info {
    let most = info.actions.len() as u32 - 1;
    info.actions.reverse();
    for table in &mut info.tables {
        table.actions.iter_mut().for_each(|reference| reference.action = ActionNumber(most - reference.action.0));
    }
    info.tables[ACL.index()].fields.reverse();
    let forward = ActionNumber(most - FORWARD.0);
    info.actions[forward.index()].parameters.reverse();
    for entry in &mut info.tables[L2_MAC.index()].initial_entries {
        let StoredTarget::Action { data, .. } = &mut entry.target else { panic!("an action") };
        data.reverse();
    }
    info.tables[STACK.index()].default.data.reverse();
    info.registers.reverse();
    // The state of the bench has the arrays in the order of the registers.
    info.registers[0].arrays = vec![0, 1];
    info.registers[1].arrays = vec![2];
    info
}

fn forward_entry(table: TableNumber, address: u64, port: u64) -> Request {
    let key = match table {
        LPM => FieldMatch::Prefix { value: Bits::from_u64(address << 24, 32), length: 8 },
        _ => FieldMatch::Exact(bits(address)),
    };
    Request::Table(table, TableRequest::insert(vec![key], None, run(FORWARD, &[port, 0])))
}

#[test]
fn what_does_not_fit_is_listed_with_its_reason() {
    let mut old = Bench::new();
    for address in 0..3 {
        old.done(forward_entry(LPM, address, 1));
        old.done(forward_entry(L2_MAC, address, 1));
    }
    let drop = |address: u64| {
        let key = vec![FieldMatch::Exact(bits(address))];
        Request::Table(METERED, TableRequest::insert(key, None, run(DROP, &[])))
    };
    old.done(drop(1));
    old.done(drop(2));
    let count = Count { packets: 1, bytes: 64 };
    old.done(Request::Counter(CounterNumber(0), CounterRequest::Write(ElementSelection::All, count)));
    old.done(Request::Register(RegisterNumber(0), RegisterRequest::WriteEach(vec![vec![bits(5)]; 4])));
    old.done(Request::Register(RegisterNumber(1), RegisterRequest::Write(Some(1), vec![bits(5), bits(6)])));

    let mut new = info();
    new.tables[LPM.index()].fields[0].width = 128;
    new.tables[METERED.index()].identity = Identity::new("egress.l2.stations");
    new.actions[FORWARD.index()].parameters[0].width = 16;
    new.registers[0].size = 2;
    new.registers[1].data_type = DataType::Tuple(vec![DataType::Bits(32), DataType::Bits(100)]);
    let plan = Handover::plan(old.plane.info(), &Arc::new(new.clone()));
    let findings: Vec<String> = plan.findings().iter().map(ToString::to_string).collect();
    let port = "the parameter `port` of the action `ingress.forward` has 16 bits now and had 9";
    let expected = [
        "table `ingress.ipv4_lpm`: the key field `hdr.ipv4.dstAddr` has 128 bits now and had 32".to_owned(),
        format!("table `ingress.ipv4_lpm`: {port}"),
        format!("table `egress.ecmp`: {port}"),
        format!("table `ingress.l2.mac`: {port}"),
        "the new program has no table `egress.l2.mac`".to_owned(),
        format!("table `ingress.stack`: {port}"),
        format!("action profile `egress.hops`: {port}"),
        "meter `egress.shape`: there is one for each entry of table `egress.l2.stations` now, and was for those of \
         `egress.l2.mac`"
            .to_owned(),
        "register `ingress.flows`: the elements have another type now".to_owned(),
    ];
    assert_eq!(findings, expected);
    let register = Part::Entity { kind: EntityKind::Register, name: "ingress.seen".to_owned() };
    assert!(plan.fitting().contains(&register), "an array of another size fits");

    let (mut new, outcome) = hand_over(&mut old, new);
    let expected = [
        "table `ingress.ipv4_lpm`: the key field `hdr.ipv4.dstAddr` has 128 bits now and had 32; 3 entries are lost: \
         hdr.ipv4.dstAddr: 0x0/8; hdr.ipv4.dstAddr: 0x1000000/8; hdr.ipv4.dstAddr: 0x2000000/8"
            .to_owned(),
        format!(
            "table `ingress.l2.mac`: {port}; 3 entries are lost: hdr.ethernet.dst: 0x0; hdr.ethernet.dst: 0x1; \
             hdr.ethernet.dst: 0x2"
        ),
        "the new program has no table `egress.l2.mac`; 2 entries are lost: hdr.ethernet.src: 0x1; \
         hdr.ethernet.src: 0x2"
            .to_owned(),
        "register `ingress.seen`: there are 2 elements now and were 4; 2 elements are lost: [2]; [3]".to_owned(),
        "register `ingress.flows`: the elements have another type now; 1 element is lost: [1]".to_owned(),
    ];
    assert_eq!(texts(&outcome), expected);
    assert!(matches!(&outcome.findings[1].misfit, Misfit::ParameterWidth { old: 9, new: 16, .. }));
    let Response::Registers(elements) = new.done(Request::Register(RegisterNumber(0), RegisterRequest::Read(None)))
    else {
        panic!()
    };
    assert_eq!(elements, vec![vec![Bits::from_u64(5, 48)]; 2]);
}

/// A key may match one field of a header in two ways.
#[test]
fn fields_with_the_same_name_are_paired_in_order() {
    let mut twice = info();
    let fields = &mut twice.tables[ACL.index()].fields;
    fields[1] = MatchField { kind: MatchKind::Range, ..fields[0].clone() };
    let (twice, turned) = (Arc::new(twice.clone()), {
        twice.tables[ACL.index()].fields.swap(0, 1);
        Arc::new(twice)
    });
    assert!(Handover::plan(&twice, &twice).findings().is_empty());
    let findings = Handover::plan(&twice, &turned).findings();
    assert!(
        matches!(findings[..], [ref finding] if matches!(finding.misfit, Misfit::FieldKind { .. })),
        "{findings:?}"
    );
}

#[test]
fn a_smaller_table_takes_the_first_entries_and_their_counters() {
    let mut old = Bench::new();
    for address in [3, 1, 2] {
        old.done(forward_entry(LPM, address, address));
    }
    let count = |packets| Count { packets, bytes: 0 };
    let counts = [1, 2, 3].map(count).to_vec();
    old.done(Request::Counter(CounterNumber(0), CounterRequest::WriteEach(counts.clone())));
    let mut new = info();
    new.tables[LPM.index()].size = Some(2);
    let (mut new, outcome) = hand_over(&mut old, new);
    let lost =
        "table `ingress.ipv4_lpm` is full: its size is 2 entries; 1 entry is lost: hdr.ipv4.dstAddr: 0x2000000/8";
    assert_eq!(texts(&outcome), [lost]);
    let carried: Vec<(What, u64)> = outcome.carried.iter().map(|carried| (carried.what, carried.count)).collect();
    assert!(carried.starts_with(&[(What::Entries, 2), (What::Counters, 2)]), "{carried:?}");
    let read = Request::Counter(CounterNumber(0), CounterRequest::Read(ElementSelection::All));
    assert_eq!(new.done(read), Response::Counters(counts[..2].to_vec()));
}

/// The new program decides about its own entries and defaults, but for what the control plane has changed of them.
#[test]
fn the_programs_own_entries_are_those_of_the_new_program() {
    let mut old = Bench::of(initial_info());
    let entry = EntrySelection::Key { key: vec![FieldMatch::Exact(bits(2))], priority: None };
    let modify = TableRequest::modify(entry, run(FORWARD, &[3, 3]));
    old.done(Request::Table(L2_MAC, modify));
    old.done(forward_entry(L2_MAC, 5, 1));
    let mut new = initial_info();
    let table = &mut new.tables[L2_MAC.index()];
    let to = |port| StoredTarget::Action { action: 0, data: vec![Bits::from_u64(port, 9), Bits::zero(48)] };
    table.initial_entries[0].target = to(6);
    table.initial_entries[1].target = to(7);
    let another =
        TableEntry { key: vec![FieldMatch::Exact(Bits::from_u64(5, 48))], ..table.initial_entries[0].clone() };
    table.initial_entries.push(another);
    table.default.action = 0;
    table.default.data = vec![Bits::from_u64(1, 9), Bits::zero(48)];
    let (mut new, outcome) = hand_over(&mut old, new);
    let taken = "table `ingress.l2.mac` already has an entry with the key `hdr.ethernet.dst: 0x5`; 1 entry is lost: \
                 hdr.ethernet.dst: 0x5";
    assert_eq!(texts(&outcome), [taken]);
    let Response::Entries(entries) = new.done(Request::Table(L2_MAC, TableRequest::read_all())) else { panic!() };
    let ports: Vec<u64> = entries
        .iter()
        .map(|entry| match &entry.target {
            Target::Action(call) => call.data[0].limbs()[0],
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ports, [6, 3, 6], "the first is the new program's, the second the control plane's");
    let default = new.done(Request::Table(L2_MAC, TableRequest::ReadDefault));
    assert!(matches!(default, Response::Default { target: Target::Action(call), .. } if call.action == FORWARD));
}

#[test]
fn entries_of_lost_members_are_lost_and_groups_keep_the_rest() {
    let mut old = Bench::new();
    let hops = |request| Request::Profile(ProfileNumber(0), request);
    old.done(hops(ProfileRequest::InsertMember(1, call(FORWARD, &[1, 1]))));
    old.done(hops(ProfileRequest::InsertMember(2, call(ActionNumber(0), &[]))));
    old.done(hops(ProfileRequest::InsertGroup(Group::new(1, vec![1, 2]))));
    for (key, target) in [(1, Target::Member(1)), (2, Target::Member(2)), (3, Target::Group(1))] {
        let key = vec![FieldMatch::Exact(bits(key))];
        old.done(Request::Table(ECMP, TableRequest::insert(key, None, target)));
    }
    let mut new = info();
    new.tables[ECMP.index()].actions.remove(1);
    new.tables[ECMP.index()].default = DefaultAction { action: 0, data: vec![Bits::zero(9), Bits::zero(48)] };
    let (mut new, outcome) = hand_over(&mut old, new);
    let expected = [
        "action profile `egress.hops`: there is no action `NoAction` now; 1 member is lost: 2",
        "action profile `egress.hops` has no member 2; 1 entry is lost: meta.hop: 0x2",
    ];
    assert_eq!(texts(&outcome), expected);
    let groups = new.done(hops(ProfileRequest::ReadGroups(None)));
    assert_eq!(groups, Response::Groups(vec![Group::new(1, [1])]));
}

#[test]
fn kinds_of_keys_units_and_arrays_must_be_the_same() {
    let mut old = Bench::new();
    old.done(forward_entry(L2_MAC, 1, 1));
    let rates = MeterRates { committed_rate: 1, committed_burst: 1, peak_rate: 1, peak_burst: 1 };
    old.done(Request::Meter(MeterNumber(0), MeterRequest::Set(ElementSelection::Index(1), Some(rates))));
    let count = Count { packets: 1, bytes: 2 };
    old.done(Request::Counter(CounterNumber(1), CounterRequest::Write(ElementSelection::Index(3), count)));
    old.done(Request::MulticastGroup(300, ReplicationRequest::Put(vec![Replica { port: 1, instance: 300 }].into())));
    let member = ValueSetRequest::Insert(vec![FieldMatch::Exact(bits(7))]);
    old.done(Request::ValueSet(ValueSetNumber(0), member));
    let mut new = info();
    new.tables[L2_MAC.index()].fields[0].kind = MatchKind::Ternary;
    new.meters[0].unit = runtime::meter::MeterUnit::Packets;
    new.counters[1].size = Size::Entries(L2_MAC);
    new.tables[L2_MAC.index()].counter = Some(CounterNumber(1));
    new.value_sets.clear();
    new.replication.group = 8;
    let (_, outcome) = hand_over(&mut old, new);
    let expected = [
        "300 does not fit in a multicast group, which is 8 bits wide; 1 set of copies is lost: multicast group 300",
        "table `ingress.l2.mac`: the key field `hdr.ethernet.dst` is of kind ternary now and was of kind exact; 1 entry \
         is lost: hdr.ethernet.dst: 0x1",
        "counter `ingress.ports`: there is one for each entry of table `ingress.l2.mac` now, and it was an array; 1 \
         counter is lost: [3]",
        "meter `ingress.police`: the unit is another one now; 1 meter is lost: [1]",
        "the new program has no value set `parser.types`; 1 member is lost: 0x7",
    ];
    assert_eq!(texts(&outcome), expected);
}

/// The cost is linear: with a quadratic step, this would take hours.
#[test]
fn large_tables_and_registers_are_carried() {
    let mut large = info();
    large.tables[METERED.index()].size = None;
    large.registers[0].size = 1 << 20;
    let mut old = Bench::of(large.clone());
    let entries: u64 = 100_000;
    for address in 0..entries {
        let key = vec![FieldMatch::Exact(bits(address))];
        let insert = TableRequest::insert(key, None, run(DROP, &[]));
        old.done(Request::Table(METERED, insert));
    }
    let rates = MeterRates { committed_rate: 1, committed_burst: 1, peak_rate: 1, peak_burst: 1 };
    old.done(Request::Meter(MeterNumber(1), MeterRequest::Set(ElementSelection::All, Some(rates))));
    old.done(Request::Register(RegisterNumber(0), RegisterRequest::Write(None, vec![bits(7)])));
    let (_, outcome) = hand_over(&mut old, large);
    assert_eq!(texts(&outcome), Vec::<String>::new());
    let counts: Vec<u64> = outcome.carried.iter().map(|carried| carried.count).collect();
    assert_eq!(counts, [entries, entries, 1 << 20]);
}
