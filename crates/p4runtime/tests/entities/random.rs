//! Any bytes: nothing panics, a failed atomic batch changes nothing, and what was written is read back equal.

use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{self, Entity, TableEntry, Update};
use proptest::prelude::*;
use proptest::sample::select;
use prost::Message;

use crate::bench::*;

/// An entry without ids, with the positions of its table and its action and the action's arguments.
type Drawn = (usize, TableEntry, usize, Vec<Vec<u8>>);

fn bytes(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![prop::collection::vec(any::<u8>(), 0..=longest), prop::collection::vec(0..2u8, 0..=longest)]
}

/// A match of a field, which fits the program often.
fn field() -> impl Strategy<Value = p4runtime::message::p4::v1::FieldMatch> {
    (1..6u32, 0..5, bytes(4), bytes(4), -1..40i32).prop_map(|(id, kind, first, second, length)| match kind {
        0 => exact(id, &first),
        1 => lpm(id, &first, length),
        2 => ternary(id, &first, &second),
        3 => range(id, &first, &second),
        _ => optional(id, &first),
    })
}

fn entry() -> impl Strategy<Value = Drawn> {
    let parts = (prop::collection::vec(field(), 0..5), -1..4i32, any::<bool>(), bytes(3), 0..3i64);
    (0..8usize, parts, 0..12usize, prop::collection::vec(bytes(3), 0..3)).prop_map(
        |(table, (key, priority, is_default_action, metadata, idle_timeout_ns), action, arguments)| {
            let entry = TableEntry {
                r#match: key,
                priority,
                is_default_action: is_default_action && priority == 0,
                metadata,
                idle_timeout_ns,
                ..Default::default()
            };
            (table, entry, action, arguments)
        },
    )
}

fn updates() -> impl Strategy<Value = Vec<(Type, Drawn)>> {
    prop::collection::vec((select(vec![Type::Insert, Type::Modify, Type::Delete]), entry()), 1..8)
}

/// Gives entries the ids of the program.
fn named(bench: &Bench, drawn: Vec<(Type, Drawn)>) -> Vec<Update> {
    let updates = drawn.into_iter().map(|(kind, (table, entry, action, arguments))| {
        let id = |at: usize| bench.info().tables.get(at).map_or(0, |table| table.identity.id);
        let action = &bench.info().actions[action % bench.info().actions.len()].identity.name.clone();
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let action = bench.entry("stations", vec![], bench.call(action, &arguments)).action;
        update(kind, Kind::TableEntry(TableEntry { table_id: id(table), action, ..entry }))
    });
    updates.collect()
}

/// Returns an entity of each kind that could be written.
fn seeds(bench: &Bench) -> Vec<Kind> {
    let info = bench.info();
    let entry = |table: &str, key, call| bench.entry(table, key, call);
    let forward = || bench.call("forward", &[b"\x01", b"\x02"]);
    let set = v1::ActionProfileAction { action: Some(forward()), weight: 2, watch_kind: None };
    let set = v1::ActionProfileActionSet { action_profile_actions: vec![set], ..Default::default() };
    let set = v1::TableAction { r#type: Some(v1::table_action::Type::ActionProfileActionSet(set)) };
    let index = Some(v1::Index { index: 1 });
    let profile = bench.profile("selector");
    let data = v1::P4Data { data: Some(v1::p4_data::Data::Bitstring(vec![7])) };
    let port = Some(v1::replica::PortKind::Port(b"3".to_vec()));
    let replicas = vec![v1::Replica { port_kind: port, instance: 1, backup_replicas: vec![] }];
    let group = v1::MulticastGroupEntry { multicast_group_id: 1, replicas, metadata: vec![] };
    let acl = entry("acl", vec![ternary(1, b"\x01", b"\x03"), exact(4, b"\x01")], bench.call("metered", &[b"\x01"]));
    vec![
        Kind::TableEntry(entry("stations", vec![exact(1, b"\x01"), exact(2, b"a")], forward())),
        Kind::TableEntry(TableEntry { priority: 1, meter_config: Some(Default::default()), ..acl }),
        Kind::TableEntry(entry(
            "routes",
            vec![lpm(1, b"\x80\x00\x00\x00", 1), exact(2, b"\x01")],
            bench.call("drop", &[]),
        )),
        Kind::TableEntry(TableEntry { action: Some(set), ..entry("ecmp", vec![], forward()) }),
        Kind::TableEntry(TableEntry { is_default_action: true, ..entry("routes", vec![], bench.call("drop", &[])) }),
        Kind::ActionProfileMember(v1::ActionProfileMember {
            action_profile_id: profile,
            member_id: 1,
            action: Some(forward()),
        }),
        Kind::ActionProfileGroup(v1::ActionProfileGroup {
            action_profile_id: profile,
            group_id: 1,
            ..Default::default()
        }),
        Kind::CounterEntry(v1::CounterEntry { counter_id: info.counters[0].identity.id, index, data: None }),
        Kind::MeterEntry(v1::MeterEntry { meter_id: info.meters[0].identity.id, index, ..Default::default() }),
        Kind::RegisterEntry(v1::RegisterEntry { register_id: info.registers[0].identity.id, index, data: Some(data) }),
        Kind::ValueSetEntry(v1::ValueSetEntry {
            value_set_id: info.value_sets[0].identity.id,
            members: vec![v1::ValueSetMember { r#match: vec![exact(1, b"\x05")] }],
        }),
        Kind::DigestEntry(v1::DigestEntry { digest_id: info.digests[0].identity.id, config: None }),
        replication(v1::packet_replication_engine_entry::Type::MulticastGroupEntry(group)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_failed_atomic_batch_changes_nothing(before in updates(), drawn in updates()) {
        let mut bench = Bench::new();
        let (before, drawn) = (named(&bench, before), named(&bench, drawn));
        let _ = bench.write(&before, Atomicity::ContinueOnError);
        let state = bench.everything();
        if bench.write(&drawn, Atomicity::DataplaneAtomic).is_err() {
            prop_assert_eq!(bench.everything(), state);
        }
    }

    #[test]
    fn what_is_read_can_be_written_and_is_read_again(drawn in updates()) {
        let mut bench = Bench::new();
        let drawn = named(&bench, drawn);
        let _ = bench.write(&drawn, Atomicity::ContinueOnError);
        let read = bench.read(Kind::TableEntry(TableEntry::default())).unwrap();
        let written = read.iter().filter(|kind| !matches!(kind, Kind::TableEntry(entry) if entry.is_const));
        let inserts: Vec<Update> = written.map(|kind| update(Type::Insert, kind.clone())).collect();
        let mut other = Bench::new();
        prop_assert_eq!(other.write(&inserts, Atomicity::DataplaneAtomic), Ok(()));
        prop_assert_eq!(other.read(Kind::TableEntry(TableEntry::default())).unwrap(), read);
    }

    #[test]
    fn changed_bytes_of_a_message_are_carried_out_or_refused(
        seed in any::<prop::sample::Index>(),
        kind in 1..4i32,
        changes in prop::collection::vec((any::<prop::sample::Index>(), bytes(2)), 1..4),
    ) {
        let mut bench = Bench::new();
        let seeds = seeds(&bench);
        let mut text = Entity { entity: Some(seeds[seed.index(seeds.len())].clone()) }.encode_to_vec();
        for (place, new) in changes {
            let at = place.index(text.len() + 1);
            let end = text.len().min(at + usize::from(kind != 1));
            text.splice(at..end, new);
        }
        if let Ok(entity) = Entity::decode(&*text) {
            // A valid update beside it shows that the batch is undone.
            let first = update(Type::Insert, seeds[0].clone());
            let before = bench.everything();
            let updates = [first, Update { r#type: kind, entity: Some(entity.clone()) }];
            if bench.write(&updates, Atomicity::RollbackOnError).is_err() {
                prop_assert_eq!(bench.everything(), before);
            }
            let _ = bench.messages(&[entity]);
        }
    }

    #[test]
    fn any_bytes_are_a_message_or_not_and_never_a_panic(bytes in bytes(60), kind in 0..4i32) {
        let mut bench = Bench::new();
        if let Ok(entity) = Entity::decode(&*bytes) {
            let update = Update { r#type: kind, entity: Some(entity.clone()) };
            let _ = bench.write(&[update], Atomicity::DataplaneAtomic);
            let _ = bench.messages(&[entity]);
        }
    }
}
