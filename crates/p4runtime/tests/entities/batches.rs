//! Batches and their atomicity: section 12.

use control::Entity;
use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::entity::Entity as Kind;
use p4runtime::message::p4::v1::update::Type;
use p4runtime::message::p4::v1::write_request::Atomicity;
use p4runtime::message::p4::v1::{DigestEntry, TableEntry, Update};
use p4runtime::{Access, write};

use crate::bench::*;

fn station(bench: &Bench, number: u16) -> Kind {
    let key = vec![exact(1, &(number | 0x100).to_be_bytes()), exact(2, b"a")];
    Kind::TableEntry(bench.entry("stations", key, bench.call("drop", &[])))
}

fn codes(status: &p4runtime::message::google::rpc::Status) -> Vec<Code> {
    errors(status).iter().map(|error| Code::try_from(error.canonical_code).unwrap()).collect()
}

/// A batch whose second update and fourth update fail.
fn batch(bench: &Bench) -> Vec<Update> {
    vec![
        update(Type::Insert, station(bench, 1)),
        update(Type::Insert, station(bench, 1)),
        update(Type::Insert, station(bench, 2)),
        update(Type::Modify, station(bench, 3)),
    ]
}

#[test]
fn updates_stand_for_themselves_unless_the_batch_is_atomic() {
    let mut bench = Bench::new();
    let status = bench.write(&batch(&bench), Atomicity::ContinueOnError).expect_err("two updates fail");
    assert_eq!(status.code, i32::from(Code::Unknown));
    assert_eq!(codes(&status), [Code::Ok, Code::AlreadyExists, Code::Ok, Code::NotFound]);
    let table = TableEntry { table_id: bench.table("stations"), ..Default::default() };
    assert_eq!(bench.read(Kind::TableEntry(table)), Ok(vec![station(&bench, 1), station(&bench, 2)]));
}

#[test]
fn an_atomic_batch_that_fails_changes_nothing() {
    for atomicity in [Atomicity::RollbackOnError, Atomicity::DataplaneAtomic] {
        let mut bench = Bench::new();
        let digest_id = bench.info().digests[0].identity.id;
        assert_eq!(bench.insert(station(&bench, 9)), Ok(()));
        let before = bench.everything();
        let mut updates = batch(&bench);
        let digest = Kind::DigestEntry(DigestEntry { digest_id, config: Some(Default::default()) });
        updates.insert(0, update(Type::Insert, digest.clone()));
        updates.insert(1, update(Type::Modify, digest.clone()));
        let status = bench.write(&updates, atomicity).expect_err("an update fails");
        let aborted = Code::Aborted;
        assert_eq!(codes(&status), [aborted, aborted, aborted, Code::AlreadyExists, aborted, aborted]);
        assert_eq!(bench.everything(), before);
        // What is wrong whatever the state is found in all updates, before anything is carried out.
        updates.push(update(Type::Insert, Kind::TableEntry(TableEntry::default())));
        updates.push(update(Type::Unspecified, station(&bench, 4)));
        let status = bench.write(&updates, atomicity).expect_err("two updates are malformed");
        assert_eq!(codes(&status)[6..], [Code::InvalidArgument, Code::InvalidArgument]);
        assert_eq!(codes(&status)[..6], [aborted; 6]);
        assert_eq!(bench.everything(), before);
        updates.drain(6..);
        updates.retain(|update| update.r#type == i32::from(Type::Insert));
        updates.remove(2);
        assert_eq!(bench.write(&updates, atomicity), Ok(()));
        assert_eq!(bench.read(Kind::DigestEntry(DigestEntry { digest_id, config: None })), Ok(vec![digest]));
    }
}

#[test]
fn a_batch_of_an_unknown_kind_fails_as_a_whole() {
    let mut bench = Bench::new();
    let updates = batch(&bench);
    let status = write(&bench.translator, &mut bench.device, &p4runtime::Everything, &updates, 7).expect_err("unknown");
    assert_eq!((status.code, status.details.len()), (Code::InvalidArgument.into(), 0));
    assert_eq!(bench.write(&[], Atomicity::DataplaneAtomic), Ok(()));
}

#[test]
fn an_update_without_type_or_entity_is_refused() {
    let mut bench = Bench::new();
    let empty = Update { r#type: Type::Insert.into(), entity: Some(Default::default()) };
    let updates = [
        Update { entity: None, ..empty.clone() },
        empty.clone(),
        Update { r#type: 9, ..update(Type::Insert, station(&bench, 1)) },
        update(Type::Insert, station(&bench, 1)),
    ];
    let status = bench.write(&updates, Atomicity::ContinueOnError).expect_err("three are malformed");
    let invalid = Code::InvalidArgument;
    assert_eq!(codes(&status), [invalid, invalid, invalid, Code::Ok]);
}

/// The access of a role to whom one table belongs.
struct One(control::TableNumber);

impl Access for One {
    fn permits(&self, entity: Option<Entity>) -> bool {
        entity == Some(Entity::Table(self.0))
    }
}

#[test]
fn a_role_writes_and_reads_only_what_belongs_to_it() {
    let mut bench = Bench::new();
    let role = One(bench.info().table_named("stations").unwrap());
    let route = Kind::TableEntry(bench.entry("routes", vec![exact(2, b"\x01")], bench.call("drop", &[])));
    let updates = [update(Type::Insert, route.clone()), update(Type::Insert, station(&bench, 1))];
    let status = write(&bench.translator, &mut bench.device, &role, &updates, 0).expect_err("one is of another role");
    assert_eq!(codes(&status), [Code::PermissionDenied, Code::Ok]);
    assert_eq!(bench.insert(route), Ok(()));
    let all = [p4runtime::message::p4::v1::Entity { entity: Some(Kind::TableEntry(TableEntry::default())) }];
    let answer = p4runtime::read::read(&bench.translator, &mut bench.device, &role, &all).expect("the switch is there");
    let mut found = Vec::new();
    let sent = answer.send(&bench.translator, &mut |message| {
        found.extend(message.entities.into_iter().map(|entity| entity.entity.unwrap()));
        std::ops::ControlFlow::Continue(())
    });
    assert_eq!((sent, found), (Ok(()), vec![station(&bench, 1)]));
}
