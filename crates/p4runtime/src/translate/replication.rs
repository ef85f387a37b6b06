//! Multicast groups and clone sessions (P4Runtime specification 1.4, section 9.5).

use std::collections::{BTreeMap, BTreeSet};

use control::{CloneSession, MulticastGroup, ReplicationRequest, Request};

use super::Translator;
use super::kept::Kept;
use crate::failure::Failure;
use crate::message::p4::v1::packet_replication_engine_entry::Type as Kind;
use crate::message::p4::v1::replica::PortKind;
use crate::message::p4::v1::update::Type;
use crate::message::p4::v1::{
    BackupReplica, CloneSessionEntry, MulticastGroupEntry, PacketReplicationEngineEntry, Replica,
};

impl Translator {
    /// Returns the request that an update of a multicast group or a clone session asks for.
    ///
    /// # Errors
    /// Fails if the entry is malformed.
    pub(crate) fn write_replication(
        &self,
        kind: Type,
        entry: &PacketReplicationEngineEntry,
    ) -> Result<Request, Failure> {
        match &entry.r#type {
            Some(Kind::MulticastGroupEntry(group)) => {
                let number = above_zero(group.multicast_group_id, "multicast groups")?;
                let request = match kind {
                    Type::Insert => ReplicationRequest::Insert(self.read_multicast_group(group)?),
                    Type::Modify => ReplicationRequest::Modify(self.read_multicast_group(group)?),
                    _ => ReplicationRequest::Delete,
                };
                Ok(Request::MulticastGroup(number, request))
            }
            Some(Kind::CloneSessionEntry(session)) => {
                let number = above_zero(session.session_id, "clone sessions")?;
                let request = match kind {
                    Type::Insert => ReplicationRequest::Insert(self.read_clone_session(session)?),
                    Type::Modify => ReplicationRequest::Modify(self.read_clone_session(session)?),
                    _ => ReplicationRequest::Delete,
                };
                Ok(Request::CloneSession(number, request))
            }
            None => Err(Failure::invalid("the entry is neither a multicast group nor a clone session")),
        }
    }

    fn read_multicast_group(&self, group: &MulticastGroupEntry) -> Result<MulticastGroup, Failure> {
        let mut backups = BTreeMap::new();
        for (at, replica) in (0..).zip(&group.replicas) {
            let own = replica
                .backup_replicas
                .iter()
                .map(|own| Ok(control::Replica { port: self.read_port(&own.port)?, instance: own.instance }));
            let own = own.collect::<Result<Vec<_>, Failure>>()?;
            if !own.is_empty() {
                backups.insert(at, own);
            }
        }
        let replicas =
            group.replicas.iter().map(|replica| self.read_replica(replica)).collect::<Result<Vec<_>, _>>()?;
        // Packets of a group differ in port or instance (section 9.5.1).
        let mut pairs = BTreeSet::new();
        if let Some(twice) = replicas.iter().chain(backups.values().flatten()).find(|own| !pairs.insert(**own)) {
            let (port, instance) = (twice.port, twice.instance);
            return Err(Failure::invalid(format!("two replicas have port {port} and instance {instance}")));
        }
        let metadata = Kept::of_replicas(&group.metadata, &group.replicas).into_bytes();
        Ok(MulticastGroup { replicas, backups, metadata })
    }

    fn read_clone_session(&self, session: &CloneSessionEntry) -> Result<CloneSession, Failure> {
        if session.replicas.iter().any(|replica| !replica.backup_replicas.is_empty()) {
            return Err(Failure::unimplemented("the replicas of clone sessions have no backups"));
        }
        let length =
            u32::try_from(session.packet_length_bytes).map_err(|_| Failure::invalid("the length is negative"))?;
        let replicas = session.replicas.iter().map(|replica| self.read_replica(replica)).collect::<Result<_, _>>()?;
        Ok(CloneSession {
            replicas,
            group: None,
            maximum_length: (length > 0).then_some(length),
            class_of_service: session.class_of_service,
            metadata: Kept::of_replicas(&[], &session.replicas).into_bytes(),
        })
    }

    fn read_replica(&self, replica: &Replica) -> Result<control::Replica, Failure> {
        let port = match &replica.port_kind {
            Some(PortKind::Port(port)) => self.read_port(port)?,
            // Deprecated, but what most controllers still write.
            Some(PortKind::EgressPort(port)) => *port,
            None => return Err(Failure::invalid("a replica has no port")),
        };
        Ok(control::Replica { port, instance: replica.instance })
    }

    /// Writes a multicast group that was read.
    pub(crate) fn read_group_entry(&self, number: u32, group: &MulticastGroup) -> PacketReplicationEngineEntry {
        let kept = Kept::from_bytes(group.metadata.clone());
        let replicas = (0..).zip(&group.replicas).map(|(at, replica)| {
            let backups = group
                .backups
                .get(&at)
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .map(|own| BackupReplica { port: self.write_port(own.port), instance: own.instance });
            Replica { backup_replicas: backups.collect(), ..self.write_replica(*replica, &kept) }
        });
        let entry =
            MulticastGroupEntry { multicast_group_id: number, replicas: replicas.collect(), metadata: kept.metadata };
        PacketReplicationEngineEntry { r#type: Some(Kind::MulticastGroupEntry(entry)) }
    }

    /// Writes a clone session that was read.
    pub(crate) fn read_session_entry(&self, number: u32, session: &CloneSession) -> PacketReplicationEngineEntry {
        let kept = Kept::from_bytes(session.metadata.clone());
        let entry = CloneSessionEntry {
            session_id: number,
            replicas: session.replicas.iter().map(|replica| self.write_replica(*replica, &kept)).collect(),
            class_of_service: session.class_of_service,
            packet_length_bytes: session.maximum_length.map_or(0, |length| i32::try_from(length).unwrap_or(i32::MAX)),
        };
        PacketReplicationEngineEntry { r#type: Some(Kind::CloneSessionEntry(entry)) }
    }

    fn write_replica(&self, replica: control::Replica, kept: &Kept) -> Replica {
        let port_kind = match kept.has_deprecated_ports {
            true => PortKind::EgressPort(replica.port),
            false => PortKind::Port(self.write_port(replica.port)),
        };
        Replica { port_kind: Some(port_kind), instance: replica.instance, backup_replicas: Vec::new() }
    }
}

/// Checks a number of a group or session: 0 stands for all of them when reading (sections 9.5.1.1 and 9.5.2.1).
fn above_zero(number: u32, what: &str) -> Result<u32, Failure> {
    if number == 0 { Err(Failure::invalid(format!("{what} have numbers above 0"))) } else { Ok(number) }
}
