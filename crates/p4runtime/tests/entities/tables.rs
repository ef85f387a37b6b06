//! Table entries: sections 9.1.2 to 9.1.8.

use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{self, CounterData, MeterConfig, TableEntry, table_entry};

use crate::bench::*;

fn station(bench: &Bench, number: u8) -> TableEntry {
    let key = vec![exact(1, &[number]), exact(2, b"a")];
    bench.entry("stations", key, bench.call("forward", &[b"\x02", b"\xaa\xbb"]))
}

fn route(bench: &Bench, number: u8) -> TableEntry {
    bench.entry("routes", vec![exact(2, &[number])], bench.call("counted", &[b"\x02"]))
}

fn acl(bench: &Bench, priority: i32) -> TableEntry {
    TableEntry { priority, ..bench.entry("acl", vec![exact(4, b"\x01")], bench.call("metered", &[b"\x01"])) }
}

#[test]
fn an_entry_is_inserted_modified_and_deleted() {
    let mut bench = Bench::new();
    let entry = TableEntry { idle_timeout_ns: 5_000_000_000, metadata: b"mine".to_vec(), ..station(&bench, 1) };
    assert_eq!(bench.modify(Kind::TableEntry(entry.clone())), Err(Code::NotFound));
    assert_eq!(bench.delete(Kind::TableEntry(entry.clone())), Err(Code::NotFound));
    assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
    assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Err(Code::AlreadyExists));
    assert_eq!(bench.entries(&entry), Ok(vec![entry.clone()]));
    let other = TableEntry { controller_metadata: 9, ..station(&bench, 1) };
    let other = TableEntry { action: bench.entry("stations", vec![], bench.call("drop", &[])).action, ..other };
    assert_eq!(bench.modify(Kind::TableEntry(other.clone())), Ok(()));
    assert_eq!(bench.entries(&station(&bench, 1)), Ok(vec![other.clone()]));
    // Only the key counts.
    let nonsense = TableEntry { is_const: true, action: Some(Default::default()), idle_timeout_ns: -1, ..other };
    assert_eq!(bench.delete(Kind::TableEntry(nonsense)), Ok(()));
    assert_eq!(bench.entries(&station(&bench, 1)), Ok(vec![]));
}

#[test]
fn a_modification_without_an_action_keeps_the_action_and_replaces_all_else() {
    let mut bench = Bench::new();
    let entry = TableEntry { metadata: b"before".to_vec(), idle_timeout_ns: 3, ..station(&bench, 1) };
    assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
    let change = TableEntry { action: None, metadata: b"after".to_vec(), idle_timeout_ns: 0, ..entry.clone() };
    assert_eq!(bench.modify(Kind::TableEntry(change.clone())), Ok(()));
    assert_eq!(bench.entries(&station(&bench, 1)), Ok(vec![TableEntry { action: entry.action, ..change }]));
}

#[test]
fn a_malformed_entry_is_refused() {
    let mut bench = Bench::new();
    let station = station(&bench, 1);
    let with = |change: &dyn Fn(&mut TableEntry)| {
        let mut entry = station.clone();
        change(&mut entry);
        entry
    };
    let action = |call| bench.entry("stations", vec![], call).action;
    let member = |kind| Some(v1::TableAction { r#type: Some(kind) });
    let twice = [b"\x02", b"\x03"].map(|value| v1::action::Param { param_id: 1, value: value.to_vec() }).to_vec();
    let twice = v1::Action { params: twice, ..bench.call("forward", &[]) };
    let cases: Vec<(&str, TableEntry, Code)> = vec![
        ("no table", with(&|it| it.table_id = 0), Code::InvalidArgument),
        ("an id of another kind", with(&|it| it.table_id = bench.action("drop")), Code::InvalidArgument),
        ("an unknown table", with(&|it| it.table_id = 0x02ff_ffff), Code::NotFound),
        ("no action", with(&|it| it.action = None), Code::InvalidArgument),
        ("an empty action", with(&|it| it.action = Some(Default::default())), Code::InvalidArgument),
        (
            "an action of another table",
            with(&|it| it.action = action(bench.call("metered", &[b"\x01"]))),
            Code::InvalidArgument,
        ),
        (
            "an action for the default alone",
            with(&|it| it.action = action(bench.call("only_default", &[]))),
            Code::PermissionDenied,
        ),
        (
            "a missing argument",
            with(&|it| it.action = action(bench.call("forward", &[b"\x02"]))),
            Code::InvalidArgument,
        ),
        ("an extra argument", with(&|it| it.action = action(bench.call("drop", &[b"\x02"]))), Code::InvalidArgument),
        ("an argument twice", with(&|it| it.action = action(twice.clone())), Code::InvalidArgument),
        (
            "an argument that does not fit",
            with(&|it| it.action = action(bench.call("forward", &[b"\x02\x00", b"\x01"]))),
            Code::OutOfRange,
        ),
        ("an empty argument", with(&|it| it.action = action(bench.call("forward", &[b"", b"\x01"]))), Code::OutOfRange),
        (
            "a member",
            with(&|it| it.action = member(v1::table_action::Type::ActionProfileMemberId(1))),
            Code::InvalidArgument,
        ),
        (
            "a group",
            with(&|it| it.action = member(v1::table_action::Type::ActionProfileGroupId(1))),
            Code::InvalidArgument,
        ),
        (
            "a set",
            with(&|it| it.action = member(v1::table_action::Type::ActionProfileActionSet(Default::default()))),
            Code::InvalidArgument,
        ),
        ("a priority", with(&|it| it.priority = 1), Code::InvalidArgument),
        ("a constant entry", with(&|it| it.is_const = true), Code::InvalidArgument),
        ("a negative timeout", with(&|it| it.idle_timeout_ns = -1), Code::InvalidArgument),
        (
            "a time since the last hit",
            with(&|it| it.time_since_last_hit = Some(Default::default())),
            Code::InvalidArgument,
        ),
        (
            "a counter that the table lacks",
            with(&|it| it.counter_data = Some(Default::default())),
            Code::InvalidArgument,
        ),
        ("a meter that the table lacks", with(&|it| it.meter_config = Some(Default::default())), Code::InvalidArgument),
        ("counters by colour", with(&|it| it.meter_counter_data = Some(Default::default())), Code::Unimplemented),
        ("a table without a key", bench.entry("keyless", vec![], bench.call("drop", &[])), Code::InvalidArgument),
        ("no priority where entries overlap", acl(&bench, 0), Code::InvalidArgument),
        ("a negative priority", acl(&bench, -1), Code::InvalidArgument),
        (
            "a timeout that the table does not take",
            TableEntry { idle_timeout_ns: 1, ..route(&bench, 1) },
            Code::InvalidArgument,
        ),
        (
            "a constant table",
            bench.entry("fixed", vec![exact(1, b"\x09")], bench.call("drop", &[])),
            Code::PermissionDenied,
        ),
    ];
    let before = bench.everything();
    for (why, entry, code) in cases {
        assert_eq!(bench.insert(Kind::TableEntry(entry)), Err(code), "{why}");
    }
    assert_eq!(bench.everything(), before);
}

#[test]
fn a_full_table_is_exhausted() {
    let mut bench = Bench::new();
    for priority in 1..=16 {
        assert_eq!(bench.insert(Kind::TableEntry(acl(&bench, priority))), Ok(()));
    }
    assert_eq!(bench.insert(Kind::TableEntry(acl(&bench, 17))), Err(Code::ResourceExhausted));
}

#[test]
fn entries_of_a_constant_table_are_read_and_stay() {
    let mut bench = Bench::new();
    let all = TableEntry { table_id: bench.table("fixed"), ..Default::default() };
    let entries = bench.entries(&all).unwrap();
    assert_eq!(entries.iter().map(|entry| entry.is_const).collect::<Vec<_>>(), [true, true]);
    let one = TableEntry { is_const: false, ..entries[0].clone() };
    assert_eq!(bench.modify(Kind::TableEntry(one.clone())), Err(Code::PermissionDenied));
    assert_eq!(bench.delete(Kind::TableEntry(one)), Err(Code::PermissionDenied));
    let default = TableEntry { is_default_action: true, ..bench.entry("fixed", vec![], bench.call("NoAction", &[])) };
    assert_eq!(bench.modify(Kind::TableEntry(default)), Err(Code::PermissionDenied));
    assert_eq!(bench.entries(&all), Ok(entries));
}

#[test]
fn a_default_entry_is_modified_and_reset_and_nothing_else() {
    let mut bench = Bench::new();
    let default = |call| TableEntry { is_default_action: true, ..bench.entry("stations", vec![], call) };
    let (drop, initial) = (default(bench.call("drop", &[])), default(bench.call("only_default", &[])));
    let entries = default(bench.call("only_entries", &[]));
    let indirect = TableEntry { is_default_action: true, ..bench.entry("ecmp", vec![], bench.call("drop", &[])) };
    let asked = TableEntry { action: None, ..drop.clone() };
    assert_eq!(bench.entries(&asked), Ok(vec![initial.clone()]));
    let drop = TableEntry { metadata: b"why".to_vec(), controller_metadata: 3, ..drop };
    assert_eq!(bench.insert(Kind::TableEntry(drop.clone())), Err(Code::InvalidArgument));
    assert_eq!(bench.delete(Kind::TableEntry(drop.clone())), Err(Code::InvalidArgument));
    let wrong = TableEntry { priority: 1, ..drop.clone() };
    assert_eq!(bench.modify(Kind::TableEntry(wrong)), Err(Code::InvalidArgument));
    let wrong = TableEntry { idle_timeout_ns: 1, ..drop.clone() };
    assert_eq!(bench.modify(Kind::TableEntry(wrong)), Err(Code::InvalidArgument));
    assert_eq!(bench.modify(Kind::TableEntry(entries)), Err(Code::PermissionDenied));
    assert_eq!(bench.modify(Kind::TableEntry(indirect)), Err(Code::PermissionDenied));
    assert_eq!(bench.modify(Kind::TableEntry(drop.clone())), Ok(()));
    assert_eq!(bench.entries(&asked), Ok(vec![drop]));
    assert_eq!(bench.modify(Kind::TableEntry(asked.clone())), Ok(()));
    assert_eq!(bench.entries(&asked), Ok(vec![initial]));
}

/// Section 9.1.7, line by line.
#[test]
fn counters_and_meters_come_and_go_with_their_entry() {
    let mut bench = Bench::new();
    let (count, none) = (CounterData { byte_count: 0, packet_count: 12 }, CounterData::default());
    let entry = TableEntry { counter_data: Some(count), ..route(&bench, 1) };
    let asked = TableEntry { counter_data: Some(none), ..route(&bench, 1) };
    assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
    assert_eq!(bench.entries(&asked), Ok(vec![entry.clone()]));
    assert_eq!(bench.entries(&route(&bench, 1)), Ok(vec![route(&bench, 1)]));
    assert_eq!(bench.modify(Kind::TableEntry(route(&bench, 1))), Ok(()));
    assert_eq!(bench.entries(&asked), Ok(vec![entry]));
    assert_eq!(bench.modify(Kind::TableEntry(asked.clone())), Ok(()));
    assert_eq!(bench.entries(&asked), Ok(vec![asked]));

    let rates = MeterConfig { cir: 10, cburst: 20, pir: 30, pburst: 40, eburst: 0 };
    let entry = TableEntry { meter_config: Some(rates), ..acl(&bench, 1) };
    let asked = TableEntry { meter_config: Some(MeterConfig::default()), ..acl(&bench, 1) };
    assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
    assert_eq!(bench.entries(&asked), Ok(vec![entry.clone()]));
    // Without rates the meter is reset to its default, which is read as none.
    assert_eq!(bench.modify(Kind::TableEntry(acl(&bench, 1))), Ok(()));
    assert_eq!(bench.entries(&asked), Ok(vec![acl(&bench, 1)]));
    for (why, wrong) in [
        ("an excess burst", MeterConfig { eburst: 1, ..rates }),
        ("a negative rate", MeterConfig { cir: -1, ..rates }),
        ("a peak below the committed rate", MeterConfig { pir: 5, ..rates }),
    ] {
        let entry = TableEntry { meter_config: Some(wrong), ..acl(&bench, 1) };
        assert_eq!(bench.modify(Kind::TableEntry(entry)), Err(Code::InvalidArgument), "{why}");
    }
    let negative =
        TableEntry { counter_data: Some(CounterData { byte_count: 0, packet_count: -1 }), ..route(&bench, 1) };
    assert_eq!(bench.modify(Kind::TableEntry(negative)), Err(Code::InvalidArgument));
}

#[test]
fn the_time_since_a_hit_is_given_if_and_only_if_it_is_asked_for() {
    let mut bench = Bench::new();
    assert_eq!(bench.insert(Kind::TableEntry(station(&bench, 1))), Ok(()));
    assert_eq!(bench.insert(Kind::TableEntry(route(&bench, 1))), Ok(()));
    let asked = TableEntry { time_since_last_hit: Some(table_entry::IdleTimeout::default()), ..station(&bench, 1) };
    assert_eq!(bench.entries(&asked), Ok(vec![asked]));
    let asked = TableEntry { time_since_last_hit: Some(table_entry::IdleTimeout::default()), ..route(&bench, 1) };
    assert_eq!(bench.entries(&asked), Err(Code::InvalidArgument));
    let all = TableEntry { time_since_last_hit: Some(table_entry::IdleTimeout::default()), ..Default::default() };
    let timed = bench.entries(&all).unwrap().into_iter().filter(|entry| entry.time_since_last_hit.is_some());
    assert_eq!(timed.map(|entry| entry.table_id).collect::<Vec<_>>(), [bench.table("stations")]);
}

#[test]
fn an_entry_that_violates_a_constraint_of_the_program_is_refused_with_the_constraint_and_the_field() {
    let mut bench = Bench::new();
    let entry = TableEntry { r#match: vec![exact(4, b"\x0d")], ..acl(&bench, 1) };
    let updates = [update(Type::Insert, Kind::TableEntry(entry))];
    let status = bench.write(&updates, Atomicity::ContinueOnError).expect_err("13 is not allowed");
    let error = &errors(&status)[0];
    assert_eq!(error.canonical_code, i32::from(Code::InvalidArgument));
    assert!(error.message.contains("`vlan != 13`") && error.message.contains("`vlan` is 0xd"), "{}", error.message);
    assert_eq!(bench.insert(Kind::TableEntry(acl(&bench, 1))), Ok(()));
}
