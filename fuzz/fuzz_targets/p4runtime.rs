//! Messages of P4Runtime. Any updates are carried out or refused one by one; an atomic batch that fails changes nothing; an
//! entry that was inserted is read back equal; and any requests are answered.

#![no_main]

use control::Info;
use libfuzzer_sys::fuzz_target;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::packet_replication_engine_entry::Type as Replication;
use p4runtime::message::p4::v1::table_action::Type as Target;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{Action, Entity, ReadRequest, TableEntry, Update, WriteRequest};
use prost::Message;

// The switch and the program that the tests of P4Runtime have.
#[allow(dead_code)]
#[path = "../../crates/p4runtime/tests/entities/bench.rs"]
mod bench;

use bench::Bench;

fuzz_target!(|data: &[u8]| {
    // A message may hold NUL too; then it is cut, and mostly still decoded.
    let mut parts = data.splitn(3, |&byte| byte == 0);
    let mut bench = Bench::new();
    let first = WriteRequest::decode(parts.next().unwrap_or_default()).unwrap_or_default();
    let reads = ReadRequest::decode(parts.next().unwrap_or_default()).unwrap_or_default();
    let second = WriteRequest::decode(parts.next().unwrap_or_default()).unwrap_or_default();
    for mut update in first.updates {
        update.entity.iter_mut().for_each(|entity| suit(bench.info(), entity));
        let is_done = bench.write(std::slice::from_ref(&update), Atomicity::ContinueOnError).is_ok();
        let Update { r#type, entity: Some(Entity { entity: Some(Kind::TableEntry(entry)) }) } = update else {
            continue;
        };
        if is_done && r#type == i32::from(Type::Insert) {
            assert_is_there(&mut bench, &entry);
        }
    }
    let mut requests = reads.entities;
    requests.iter_mut().for_each(|entity| suit(bench.info(), entity));
    let _ = bench.messages(&requests);
    let before = bench.everything();
    let mut updates = second.updates;
    updates.iter_mut().filter_map(|update| update.entity.as_mut()).for_each(|entity| suit(bench.info(), entity));
    if bench.write(&updates, Atomicity::DataplaneAtomic).is_err() {
        assert_eq!(bench.everything(), before);
    }
});

/// Checks that an entry is read back as it is when it is written in the shortest form.
fn assert_is_there(bench: &mut Bench, entry: &TableEntry) {
    let found = bench.entries(entry).expect("the key was accepted before");
    let [first, ..] = &found[..] else { panic!("{entry:?} is lost") };
    // A key without fields reads all entries.
    if found.len() == 1 {
        let again = bench.entries(first).expect("what was read is accepted");
        assert_eq!(again, found);
        assert_eq!((first.priority, &first.metadata), (entry.priority, &entry.metadata));
    }
}

/// Lets small ids stand for the entities of the program by their numbers, from 1, so that some updates are meaningful.
fn suit(info: &Info, entity: &mut Entity) {
    match &mut entity.entity {
        Some(Kind::TableEntry(entry)) => suit_entry(info, entry),
        Some(Kind::ActionProfileMember(member)) => {
            known(&mut member.action_profile_id, info.profiles.iter().map(|own| own.identity.id));
            member.action.iter_mut().for_each(|action| suit_action(info, action));
        }
        Some(Kind::ActionProfileGroup(group)) => {
            known(&mut group.action_profile_id, info.profiles.iter().map(|own| own.identity.id));
        }
        Some(Kind::MeterEntry(entry)) => known(&mut entry.meter_id, info.meters.iter().map(|own| own.identity.id)),
        Some(Kind::DirectMeterEntry(entry)) => {
            entry.table_entry.iter_mut().for_each(|entry| suit_entry(info, entry));
        }
        Some(Kind::CounterEntry(entry)) => {
            known(&mut entry.counter_id, info.counters.iter().map(|own| own.identity.id))
        }
        Some(Kind::DirectCounterEntry(entry)) => {
            entry.table_entry.iter_mut().for_each(|entry| suit_entry(info, entry));
        }
        Some(Kind::ValueSetEntry(entry)) => {
            known(&mut entry.value_set_id, info.value_sets.iter().map(|own| own.identity.id));
        }
        Some(Kind::RegisterEntry(entry)) => {
            known(&mut entry.register_id, info.registers.iter().map(|own| own.identity.id));
        }
        Some(Kind::DigestEntry(entry)) => known(&mut entry.digest_id, info.digests.iter().map(|own| own.identity.id)),
        Some(Kind::PacketReplicationEngineEntry(entry)) => {
            // Ports are decimal digits or any text.
            if let Some(Replication::MulticastGroupEntry(group)) = &mut entry.r#type {
                group.multicast_group_id &= 0xff;
            }
        }
        Some(Kind::ExternEntry(_)) | None => {}
    }
}

fn suit_entry(info: &Info, entry: &mut TableEntry) {
    known(&mut entry.table_id, info.tables.iter().map(|own| own.identity.id));
    match entry.action.as_mut().and_then(|action| action.r#type.as_mut()) {
        Some(Target::Action(action)) => suit_action(info, action),
        Some(Target::ActionProfileActionSet(set)) => {
            let actions = set.action_profile_actions.iter_mut().filter_map(|own| own.action.as_mut());
            actions.for_each(|action| suit_action(info, action));
        }
        _ => {}
    }
}

fn suit_action(info: &Info, action: &mut Action) {
    known(&mut action.action_id, info.actions.iter().map(|own| own.identity.id));
}

fn known(id: &mut u32, mut ids: impl Iterator<Item = u32>) {
    if let Some(own) = id.checked_sub(1).and_then(|at| ids.nth(at.min(100) as usize)) {
        *id = own;
    }
}
