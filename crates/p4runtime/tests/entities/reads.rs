//! Batches of `Read`, filters and wildcards: sections 9.1.6 and 13.

use std::ops::ControlFlow;

use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{CounterEntry, DigestEntry, Entity, MeterEntry, RegisterEntry, TableEntry};
use p4runtime::{Everything, read};
use prost::Message;

use crate::bench::*;

fn filled() -> (Bench, Vec<TableEntry>) {
    let mut bench = Bench::new();
    let acl = |vlan: u8, priority, action: &str| {
        let call = if action == "drop" { bench.call("drop", &[]) } else { bench.call("metered", &[b"\x01"]) };
        let entry = bench.entry("acl", vec![exact(4, &[vlan])], call);
        TableEntry { priority, metadata: vec![vlan], controller_metadata: priority as u64, ..entry }
    };
    let entries = vec![acl(1, 1, "drop"), acl(1, 2, "metered"), acl(2, 2, "drop"), acl(3, 3, "metered")];
    for entry in &entries {
        assert_eq!(bench.insert(Kind::TableEntry(entry.clone())), Ok(()));
    }
    (bench, entries)
}

#[test]
fn entries_are_selected_by_every_field_that_is_not_its_default() {
    let (mut bench, entries) = filled();
    let table = TableEntry { table_id: bench.table("acl"), ..Default::default() };
    let cases = [
        (table.clone(), &[0, 1, 2, 3][..]),
        (TableEntry { priority: 2, ..table.clone() }, &[1, 2]),
        (TableEntry { metadata: vec![1], ..table.clone() }, &[0, 1]),
        (TableEntry { controller_metadata: 3, ..table.clone() }, &[3]),
        (TableEntry { action: bench.entry("acl", vec![], bench.call("drop", &[])).action, ..table.clone() }, &[0, 2]),
        (TableEntry { r#match: vec![exact(4, b"\x00\x01")], ..table.clone() }, &[0, 1]),
        (TableEntry { r#match: vec![exact(4, b"\x01")], priority: 2, ..table.clone() }, &[1]),
        (TableEntry { r#match: vec![exact(4, b"\x09")], priority: 2, ..table.clone() }, &[]),
        (TableEntry { metadata: vec![1], priority: 3, ..table.clone() }, &[]),
    ];
    for (asked, expected) in cases {
        let expected = expected.iter().map(|&at| Kind::TableEntry(entries[at as usize].clone())).collect();
        assert_eq!(bench.read(Kind::TableEntry(asked.clone())), Ok(expected), "{asked:?}");
    }
    let malformed = TableEntry { r#match: vec![exact(4, b"")], ..table.clone() };
    assert_eq!(bench.read(Kind::TableEntry(malformed)), Err(Code::OutOfRange));
    let filtered = TableEntry { priority: 2, ..Default::default() };
    assert_eq!(bench.read(Kind::TableEntry(filtered)), Err(Code::InvalidArgument));
}

#[test]
fn a_refused_request_leaves_the_others_and_is_reported_last() {
    let (mut bench, entries) = filled();
    let entity = |kind| Entity { entity: Some(kind) };
    let table = TableEntry { table_id: bench.table("acl"), ..Default::default() };
    let requests = [
        entity(Kind::RegisterEntry(RegisterEntry { register_id: 1, ..Default::default() })),
        entity(Kind::TableEntry(TableEntry { priority: 1, ..table.clone() })),
        Entity::default(),
        entity(Kind::CounterEntry(CounterEntry { index: Some(Default::default()), ..Default::default() })),
        entity(Kind::TableEntry(TableEntry { priority: 3, ..table })),
    ];
    let (messages, result) = bench.messages(&requests);
    let found: Vec<Entity> = messages.into_iter().flat_map(|message| message.entities).collect();
    assert_eq!(found, [0, 3].map(|at: usize| entity(Kind::TableEntry(entries[at].clone()))));
    let status = result.expect_err("three are refused");
    let codes: Vec<i32> = errors(&status).iter().map(|error| error.canonical_code).collect();
    let (ok, invalid) = (i32::from(Code::Ok), i32::from(Code::InvalidArgument));
    assert_eq!(codes, [Code::NotFound.into(), ok, invalid, invalid, ok]);
    assert_eq!(status.code, i32::from(Code::Unknown));
}

#[test]
fn a_large_answer_comes_in_messages_of_bounded_size_and_stops_when_nobody_listens() {
    let mut bench = Bench::new();
    let updates: Vec<_> = (1..=20_000u32)
        .map(|number| {
            let key = vec![exact(1, &(number | 1 << 24).to_be_bytes()), exact(2, b"a")];
            update(Type::Insert, Kind::TableEntry(bench.entry("stations", key, bench.call("drop", &[]))))
        })
        .collect();
    assert_eq!(bench.write(&updates, Atomicity::ContinueOnError), Ok(()));
    let all = [Entity {
        entity: Some(Kind::TableEntry(TableEntry { table_id: bench.table("stations"), ..Default::default() })),
    }];
    bench.device.longest_turn = 0;
    let (messages, result) = bench.messages(&all);
    assert_eq!(result, Ok(()));
    assert!(bench.device.longest_turn <= 256, "packets wait for {} entries", bench.device.longest_turn);
    assert!(messages.len() > 1 && messages.iter().all(|message| message.encoded_len() < 300 << 10));
    let found: Vec<_> = messages.into_iter().flat_map(|message| message.entities).collect();
    let written: Vec<_> = updates.into_iter().map(|update| update.entity.unwrap()).collect();
    assert!(found == written);

    let mut count = 0;
    let answer = read::read(&bench.translator, &mut bench.device, &Everything, &all).expect("the switch is there");
    let sent = answer.send(&bench.translator, &mut |_| {
        count += 1;
        ControlFlow::Break(())
    });
    assert_eq!((sent, count), (Ok(()), 1));
}

#[test]
fn a_large_array_is_read_in_turns_of_bounded_size() {
    let mut bench = Bench::with_large_arrays();
    for kind in [
        Kind::CounterEntry(CounterEntry::default()),
        Kind::MeterEntry(MeterEntry::default()),
        Kind::RegisterEntry(RegisterEntry::default()),
    ] {
        bench.device.longest_turn = 0;
        let found = bench.read(kind.clone()).expect("it can be read");
        assert!(found.len() > 256 && bench.device.longest_turn <= 256, "{} of {kind:?}", found.len());
    }
}

#[test]
fn a_switch_that_has_ended_carries_out_nothing() {
    let mut bench = Bench::new();
    let route = Kind::TableEntry(bench.entry("routes", vec![exact(2, b"\x01")], bench.call("drop", &[])));
    let digest = Kind::DigestEntry(DigestEntry { digest_id: bench.info().digests[0].identity.id, config: None });
    bench.device.has_ended = true;
    let updates = [update(Type::Insert, route.clone()), update(Type::Insert, digest.clone())];
    for atomicity in [Atomicity::RollbackOnError, Atomicity::DataplaneAtomic, Atomicity::ContinueOnError] {
        // A batch that changes all or nothing leaves no delivery of digests behind.
        assert_eq!(bench.device.digests.len(), 0);
        let status = bench.write(&updates, atomicity).expect_err("it has ended");
        assert_eq!((status.code, status.details.len()), (Code::Unavailable.into(), 0), "{status:?}");
    }
    let all = [Entity { entity: Some(Kind::TableEntry(TableEntry::default())) }];
    let refused = read::read(&bench.translator, &mut bench.device, &Everything, &all).err().expect("it has ended");
    assert_eq!(refused.code, Code::Unavailable);
    bench.device.has_ended = false;
    assert_eq!(bench.insert(route), Ok(()));
}
