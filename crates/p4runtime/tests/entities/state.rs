//! Counters, meters, registers, value sets and digests: sections 9.3, 9.4 and 9.6 to 9.9.

use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::p4_data::Data;
use p4runtime::message::p4::v1::{
    CounterData, CounterEntry, DigestEntry, DirectCounterEntry, DirectMeterEntry, ExternEntry, Index, MeterConfig,
    MeterEntry, P4Data, P4StructLike, RegisterEntry, TableEntry, ValueSetEntry, ValueSetMember, digest_entry,
};

use crate::bench::*;

fn index(index: i64) -> Option<Index> {
    Some(Index { index })
}

#[test]
fn a_counter_can_only_be_modified() {
    let mut bench = Bench::new();
    let counter_id = bench.info().counters.iter().find(|own| own.identity.name.ends_with(".hits")).unwrap().identity.id;
    let data = Some(CounterData { byte_count: 100, packet_count: 2 });
    let one = CounterEntry { counter_id, index: index(3), data };
    assert_eq!(bench.insert(Kind::CounterEntry(one)), Err(Code::InvalidArgument));
    assert_eq!(bench.delete(Kind::CounterEntry(one)), Err(Code::InvalidArgument));
    assert_eq!(bench.modify(Kind::CounterEntry(one)), Ok(()));
    // Without data nothing changes.
    assert_eq!(bench.modify(Kind::CounterEntry(CounterEntry { data: None, ..one })), Ok(()));
    assert_eq!(bench.read(Kind::CounterEntry(CounterEntry { data: None, ..one })), Ok(vec![Kind::CounterEntry(one)]));
    for (place, code) in [(-1, Code::InvalidArgument), (16, Code::OutOfRange), (i64::MAX, Code::OutOfRange)] {
        let other = CounterEntry { index: index(place), ..one };
        assert_eq!(bench.modify(Kind::CounterEntry(other)), Err(code));
        assert_eq!(bench.read(Kind::CounterEntry(other)), Err(code));
    }
    let all = CounterEntry { index: None, ..one };
    assert_eq!(bench.modify(Kind::CounterEntry(all)), Ok(()));
    let expected = (0..16).map(|place| Kind::CounterEntry(CounterEntry { index: index(place), ..one }));
    assert_eq!(bench.read(Kind::CounterEntry(CounterEntry::default())), Ok(expected.collect()));
    let negative = CounterEntry { data: Some(CounterData { byte_count: -1, packet_count: 0 }), ..one };
    assert_eq!(bench.modify(Kind::CounterEntry(negative)), Err(Code::InvalidArgument));
    let direct =
        bench.info().counters.iter().find(|own| own.identity.name.ends_with("routes_hits")).unwrap().identity.id;
    assert_eq!(
        bench.modify(Kind::CounterEntry(CounterEntry { counter_id: direct, ..one })),
        Err(Code::InvalidArgument)
    );
}

#[test]
fn a_meter_keeps_its_rates_until_they_are_reset() {
    let mut bench = Bench::new();
    let meter_id = bench.info().meters.iter().find(|own| own.identity.name.ends_with(".rates")).unwrap().identity.id;
    let config = Some(MeterConfig { cir: 1, cburst: 2, pir: 3, pburst: 4, eburst: 0 });
    let one = MeterEntry { meter_id, index: index(7), config, counter_data: None };
    assert_eq!(bench.insert(Kind::MeterEntry(one)), Err(Code::InvalidArgument));
    assert_eq!(bench.modify(Kind::MeterEntry(one)), Ok(()));
    let asked = MeterEntry { config: None, ..one };
    assert_eq!(bench.read(Kind::MeterEntry(asked)), Ok(vec![Kind::MeterEntry(one)]));
    assert_eq!(bench.modify(Kind::MeterEntry(asked)), Ok(()));
    assert_eq!(bench.read(Kind::MeterEntry(asked)), Ok(vec![Kind::MeterEntry(asked)]));
    let coloured = MeterEntry { counter_data: Some(Default::default()), ..one };
    assert_eq!(bench.modify(Kind::MeterEntry(coloured)), Err(Code::Unimplemented));
    assert_eq!(bench.read(Kind::MeterEntry(coloured)), Err(Code::Unimplemented));
    assert_eq!(bench.modify(Kind::MeterEntry(MeterEntry { index: index(8), ..one })), Err(Code::OutOfRange));
    assert_eq!(bench.read(Kind::MeterEntry(MeterEntry::default())).map(|all| all.len()), Ok(8));
}

#[test]
fn the_counter_and_the_meter_of_an_entry_are_written_through_their_own_messages() {
    let mut bench = Bench::new();
    let route = bench.entry("routes", vec![exact(2, b"\x05")], bench.call("counted", &[b"\x01"]));
    let key = TableEntry { action: None, ..route.clone() };
    let count = DirectCounterEntry {
        table_entry: Some(key.clone()),
        data: Some(CounterData { byte_count: 0, packet_count: 77 }),
    };
    assert_eq!(bench.modify(Kind::DirectCounterEntry(count.clone())), Err(Code::NotFound));
    assert_eq!(bench.read(Kind::DirectCounterEntry(count.clone())), Err(Code::NotFound));
    assert_eq!(bench.insert(Kind::TableEntry(route)), Ok(()));
    assert_eq!(bench.insert(Kind::DirectCounterEntry(count.clone())), Err(Code::InvalidArgument));
    assert_eq!(bench.modify(Kind::DirectCounterEntry(count.clone())), Ok(()));
    assert_eq!(bench.modify(Kind::DirectCounterEntry(DirectCounterEntry { data: None, ..count.clone() })), Ok(()));
    for asked in [DirectCounterEntry { data: None, ..count.clone() }, DirectCounterEntry::default()] {
        assert_eq!(bench.read(Kind::DirectCounterEntry(asked)), Ok(vec![Kind::DirectCounterEntry(count.clone())]));
    }
    let acl = bench.entry("acl", vec![exact(4, b"\x01")], bench.call("metered", &[b"\x01"]));
    let acl = TableEntry { priority: 3, ..acl };
    let rates = DirectMeterEntry {
        table_entry: Some(TableEntry { action: None, ..acl.clone() }),
        config: Some(MeterConfig { cir: 1, cburst: 2, pir: 3, pburst: 4, eburst: 0 }),
        counter_data: None,
    };
    assert_eq!(bench.insert(Kind::TableEntry(acl)), Ok(()));
    assert_eq!(bench.modify(Kind::DirectMeterEntry(rates.clone())), Ok(()));
    let all = DirectMeterEntry::default();
    assert_eq!(bench.read(Kind::DirectMeterEntry(all)), Ok(vec![Kind::DirectMeterEntry(rates.clone())]));
    let wrong = DirectMeterEntry { table_entry: Some(key), ..rates };
    assert_eq!(bench.modify(Kind::DirectMeterEntry(wrong)), Err(Code::InvalidArgument));
    let none = DirectCounterEntry { table_entry: None, ..count };
    assert_eq!(bench.modify(Kind::DirectCounterEntry(none)), Err(Code::InvalidArgument));
}

fn data(data: Data) -> P4Data {
    P4Data { data: Some(data) }
}

fn pair(port: &[u8], signed: &[u8]) -> P4Data {
    let members = vec![
        data(Data::Bitstring(b"\xaa\x00\x00\x00\x00\x01".to_vec())),
        data(Data::Bitstring(port.to_vec())),
        data(Data::Bool(true)),
        data(Data::Bitstring(signed.to_vec())),
        data(Data::Bitstring(b"\x07".to_vec())),
    ];
    data(Data::Struct(P4StructLike { members }))
}

#[test]
fn a_register_holds_values_of_its_type() {
    let mut bench = Bench::new();
    let id = |bench: &Bench, name| bench.info().register(bench.info().register_named(name).unwrap()).identity.id;
    let cell = RegisterEntry {
        register_id: id(&bench, "pairs_seen"),
        index: index(2),
        data: Some(pair(b"\x01\xfe", b"\xfd\x1d")),
    };
    assert_eq!(bench.insert(Kind::RegisterEntry(cell.clone())), Err(Code::InvalidArgument));
    assert_eq!(bench.modify(Kind::RegisterEntry(cell.clone())), Ok(()));
    let asked = RegisterEntry { data: None, ..cell.clone() };
    assert_eq!(bench.read(Kind::RegisterEntry(asked.clone())), Ok(vec![Kind::RegisterEntry(cell.clone())]));
    let all = RegisterEntry { index: None, ..cell.clone() };
    assert_eq!(bench.modify(Kind::RegisterEntry(all)), Ok(()));
    let wide = RegisterEntry {
        register_id: id(&bench, "cells"),
        index: index(3),
        data: Some(data(Data::Bitstring(b"\x80\x00\x00\x00\x00\x00\x00\x00\x01".to_vec()))),
    };
    assert_eq!(bench.modify(Kind::RegisterEntry(wide.clone())), Ok(()));
    let every = bench.read(Kind::RegisterEntry(RegisterEntry::default())).unwrap();
    assert_eq!(every.len(), 7);
    let pairs = (0..3).map(|place| Kind::RegisterEntry(RegisterEntry { index: index(place), ..cell.clone() }));
    assert_eq!(every[4..], pairs.collect::<Vec<_>>());
    assert_eq!(every[3], Kind::RegisterEntry(wide));

    let short = data(Data::Struct(P4StructLike { members: vec![data(Data::Bool(true))] }));
    for (wrong, code) in [
        (None, Code::InvalidArgument),
        (Some(P4Data::default()), Code::InvalidArgument),
        (Some(data(Data::Bitstring(b"\x01".to_vec()))), Code::InvalidArgument),
        (Some(short), Code::InvalidArgument),
        (Some(pair(b"\x02\x00", b"\x00")), Code::OutOfRange),
        (Some(pair(b"\x01", b"\x08\x00")), Code::OutOfRange),
        (Some(pair(b"", b"\x00")), Code::OutOfRange),
    ] {
        let entry = RegisterEntry { data: wrong.clone(), ..cell.clone() };
        assert_eq!(bench.modify(Kind::RegisterEntry(entry)), Err(code), "{wrong:?}");
    }
    for (place, code) in [(-1, Code::InvalidArgument), (3, Code::OutOfRange)] {
        assert_eq!(bench.modify(Kind::RegisterEntry(RegisterEntry { index: index(place), ..cell.clone() })), Err(code));
        assert_eq!(bench.read(Kind::RegisterEntry(RegisterEntry { index: index(place), ..asked.clone() })), Err(code));
    }
}

#[test]
fn a_value_set_is_replaced_as_a_whole() {
    let mut bench = Bench::new();
    let id = |bench: &Bench, name| bench.info().value_set(bench.info().value_set_named(name).unwrap()).identity.id;
    let member = |fields| ValueSetMember { r#match: fields };
    let pairs = ValueSetEntry {
        value_set_id: id(&bench, "pairs"),
        members: vec![member(vec![exact(1, b"\x01"), ternary(2, b"\x02", b"\x0f")]), member(vec![exact(1, b"\x02")])],
    };
    assert_eq!(bench.insert(Kind::ValueSetEntry(pairs.clone())), Err(Code::InvalidArgument));
    assert_eq!(bench.modify(Kind::ValueSetEntry(pairs.clone())), Ok(()));
    let asked = ValueSetEntry { members: vec![], ..pairs.clone() };
    assert_eq!(bench.read(Kind::ValueSetEntry(asked.clone())), Ok(vec![Kind::ValueSetEntry(pairs.clone())]));
    let same = member(vec![exact(1, b"\x02")]);
    let twice = ValueSetEntry { members: vec![same.clone(), same], ..pairs.clone() };
    assert_eq!(bench.modify(Kind::ValueSetEntry(twice)), Err(Code::AlreadyExists));
    let many = (1..=4u8).map(|value| member(vec![exact(1, &[value])])).collect();
    let many = ValueSetEntry { members: many, ..pairs.clone() };
    assert_eq!(bench.modify(Kind::ValueSetEntry(many)), Err(Code::ResourceExhausted));
    assert_eq!(bench.read(Kind::ValueSetEntry(asked.clone())), Ok(vec![Kind::ValueSetEntry(pairs)]));
    assert_eq!(bench.modify(Kind::ValueSetEntry(asked.clone())), Ok(()));
    assert_eq!(bench.read(Kind::ValueSetEntry(asked.clone())), Ok(vec![Kind::ValueSetEntry(asked)]));

    // The example of section 9.6 repeats the field of a plain number.
    let kinds = |members| ValueSetEntry { value_set_id: id(&bench, "kinds"), members };
    let written = kinds(vec![member(vec![exact(1, b"\x22\xf3"), exact(1, b"\x89\x3b")])]);
    let read = kinds(vec![member(vec![exact(1, b"\x22\xf3")]), member(vec![exact(1, b"\x89\x3b")])]);
    let asked = kinds(vec![]);
    assert_eq!(bench.modify(Kind::ValueSetEntry(written)), Ok(()));
    assert_eq!(bench.read(Kind::ValueSetEntry(asked)), Ok(vec![Kind::ValueSetEntry(read)]));
}

#[test]
fn the_delivery_of_digests_is_turned_on_changed_and_turned_off() {
    let mut bench = Bench::new();
    let digest_id = bench.info().digests[0].identity.id;
    let config = digest_entry::Config { max_timeout_ns: 1, max_list_size: 2, ack_timeout_ns: 3 };
    let on = DigestEntry { digest_id, config: Some(config.clone()) };
    let all = DigestEntry::default();
    assert_eq!(bench.modify(Kind::DigestEntry(on.clone())), Err(Code::NotFound));
    assert_eq!(bench.delete(Kind::DigestEntry(on.clone())), Err(Code::NotFound));
    assert_eq!(bench.read(Kind::DigestEntry(all.clone())), Ok(vec![]));
    assert_eq!(bench.read(Kind::DigestEntry(on.clone())), Err(Code::NotFound));
    assert_eq!(bench.insert(Kind::DigestEntry(on.clone())), Ok(()));
    assert_eq!(bench.insert(Kind::DigestEntry(on.clone())), Err(Code::AlreadyExists));
    let negative = DigestEntry { config: Some(digest_entry::Config { max_list_size: -1, ..config }), ..on.clone() };
    assert_eq!(bench.modify(Kind::DigestEntry(negative)), Err(Code::InvalidArgument));
    assert_eq!(bench.read(Kind::DigestEntry(all)), Ok(vec![Kind::DigestEntry(on.clone())]));
    assert_eq!(bench.delete(Kind::DigestEntry(DigestEntry { config: None, ..on })), Ok(()));
}

#[test]
fn there_are_no_externs() {
    let mut bench = Bench::new();
    let one = ExternEntry { extern_type_id: 0x81, extern_id: 0x8100_0001, entry: None };
    assert_eq!(bench.insert(Kind::ExternEntry(one.clone())), Err(Code::Unimplemented));
    assert_eq!(bench.read(Kind::ExternEntry(one)), Err(Code::Unimplemented));
    assert_eq!(bench.read(Kind::ExternEntry(ExternEntry::default())), Ok(vec![]));
}
