//! Multicast groups and clone sessions: section 9.5.

use p4runtime::message::google::rpc::Code;
use p4runtime::message::p4::v1::packet_replication_engine_entry::Type;
use p4runtime::message::p4::v1::replica::PortKind;
use p4runtime::message::p4::v1::{BackupReplica, CloneSessionEntry, MulticastGroupEntry, Replica};

use crate::bench::*;

fn replica(port: &str, instance: u32) -> Replica {
    Replica { port_kind: Some(PortKind::Port(port.into())), instance, backup_replicas: vec![] }
}

fn group(multicast_group_id: u32, replicas: Vec<Replica>) -> Type {
    Type::MulticastGroupEntry(MulticastGroupEntry { multicast_group_id, replicas, metadata: vec![] })
}

fn session(session_id: u32, replicas: Vec<Replica>) -> Type {
    Type::CloneSessionEntry(CloneSessionEntry { session_id, replicas, class_of_service: 0, packet_length_bytes: 0 })
}

#[test]
fn groups_and_sessions_are_written_and_read_back() {
    let mut bench = Bench::new();
    let backups = [("12", 5), ("13", 0)].map(|(port, instance)| BackupReplica { port: port.into(), instance }).to_vec();
    let with_backups = Replica { backup_replicas: backups, ..replica("11", 1) };
    let metadata = MulticastGroupEntry {
        multicast_group_id: 3,
        replicas: vec![replica("cpu", 0), with_backups],
        metadata: b"x".to_vec(),
    };
    let truncated = CloneSessionEntry {
        session_id: 100,
        replicas: vec![replica("cpu", 1)],
        class_of_service: 0,
        packet_length_bytes: 128,
    };
    let old = Replica { port_kind: Some(PortKind::EgressPort(7)), instance: 2, backup_replicas: vec![] };
    let entries = [
        Type::MulticastGroupEntry(metadata),
        Type::CloneSessionEntry(truncated),
        group(1, vec![]),
        // Controllers that write the deprecated form also read it.
        group(9, vec![old.clone()]),
        session(9, vec![old]),
    ];
    for entry in entries {
        let entry = replication(entry);
        assert_eq!(bench.modify(entry.clone()), Err(Code::NotFound));
        assert_eq!(bench.delete(entry.clone()), Err(Code::NotFound));
        assert_eq!(bench.read(entry.clone()), Err(Code::NotFound));
        assert_eq!(bench.insert(entry.clone()), Ok(()));
        assert_eq!(bench.insert(entry.clone()), Err(Code::AlreadyExists));
        assert_eq!(bench.modify(entry.clone()), Ok(()));
        assert_eq!(bench.read(entry.clone()), Ok(vec![entry]));
    }
    assert_eq!(bench.read(replication(group(0, vec![]))).map(|all| all.len()), Ok(3));
    assert_eq!(bench.read(replication(session(0, vec![]))).map(|all| all.len()), Ok(2));
    assert_eq!(bench.delete(replication(session(9, vec![]))), Ok(()));
    assert_eq!(bench.read(replication(session(0, vec![]))).map(|all| all.len()), Ok(1));
}

#[test]
fn malformed_groups_and_sessions_are_refused() {
    let mut bench = Bench::new();
    let own_port =
        Replica { backup_replicas: vec![BackupReplica { port: "3".into(), instance: 9 }], ..replica("3", 1) };
    let negative = CloneSessionEntry { session_id: 1, packet_length_bytes: -1, ..Default::default() };
    let class = CloneSessionEntry { session_id: 1, class_of_service: 1 << 20, ..Default::default() };
    let cases = [
        (group(0, vec![]), Code::InvalidArgument),
        (session(0, vec![]), Code::InvalidArgument),
        (group(1, vec![Replica::default()]), Code::InvalidArgument),
        (group(1, vec![replica("", 1)]), Code::Ok),
        (group(2, vec![replica("3", 1 << 20)]), Code::InvalidArgument),
        (group(2, vec![replica("3", 1), replica("3", 1)]), Code::InvalidArgument),
        (group(2, vec![own_port.clone()]), Code::InvalidArgument),
        (session(1, vec![own_port]), Code::Unimplemented),
        (Type::CloneSessionEntry(negative), Code::InvalidArgument),
        (Type::CloneSessionEntry(class), Code::InvalidArgument),
        (group(1 << 20, vec![]), Code::InvalidArgument),
    ];
    for (entry, code) in cases {
        let expected = if code == Code::Ok { Ok(()) } else { Err(code) };
        assert_eq!(bench.insert(replication(entry.clone())), expected, "{entry:?}");
    }
}
