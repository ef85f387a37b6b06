//! The packet replication engine: multicast groups and clone sessions (P4Runtime specification 1.4, section 9.5).

/// A multicast group or a clone session.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PacketReplicationEngineEntry {
    /// The entry by its kind.
    #[prost(oneof = "packet_replication_engine_entry::Type", tags = "1, 2")]
    pub r#type: Option<packet_replication_engine_entry::Type>,
}

/// The types inside of [`PacketReplicationEngineEntry`].
pub mod packet_replication_engine_entry {
    use crate::message::p4::v1::{CloneSessionEntry, MulticastGroupEntry};

    /// The entry by its kind.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Type {
        /// A multicast group.
        #[prost(message, tag = "1")]
        MulticastGroupEntry(MulticastGroupEntry),
        /// A clone session.
        #[prost(message, tag = "2")]
        CloneSessionEntry(CloneSessionEntry),
    }
}

/// A copy that is made if the port of a replica is down.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct BackupReplica {
    /// The port of the copy.
    #[prost(bytes = "vec", tag = "1")]
    pub port: Vec<u8>,
    /// The instance of the copy.
    #[prost(uint32, tag = "2")]
    pub instance: u32,
}

/// One copy of a packet.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Replica {
    /// The port.
    #[prost(oneof = "replica::PortKind", tags = "1, 3")]
    pub port_kind: Option<replica::PortKind>,
    /// The instance, which tells copies to the same port apart.
    #[prost(uint32, tag = "2")]
    pub instance: u32,
    /// Copies that take the place of this one while its port is down, in order of preference.
    #[prost(message, repeated, tag = "4")]
    pub backup_replicas: Vec<BackupReplica>,
}

/// The types inside of [`Replica`].
pub mod replica {
    /// The port.
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum PortKind {
        /// The number of the port. Deprecated: `port` replaces it.
        #[prost(uint32, tag = "1")]
        EgressPort(u32),
        /// The port.
        #[prost(bytes = "vec", tag = "3")]
        Port(Vec<u8>),
    }
}

/// A multicast group.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MulticastGroupEntry {
    /// The number of the group, above 0. In a `Read`, 0 stands for all groups.
    #[prost(uint32, tag = "1")]
    pub multicast_group_id: u32,
    /// The copies that are made of a packet.
    #[prost(message, repeated, tag = "2")]
    pub replicas: Vec<Replica>,
    /// Data of the controller, which a `Read` returns as they were written.
    #[prost(bytes = "vec", tag = "3")]
    pub metadata: Vec<u8>,
}

/// A clone session.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CloneSessionEntry {
    /// The number of the session, above 0. In a `Read`, 0 stands for all sessions.
    #[prost(uint32, tag = "1")]
    pub session_id: u32,
    /// The copies that are made of a cloned packet.
    #[prost(message, repeated, tag = "2")]
    pub replicas: Vec<Replica>,
    /// The class of service of the copies.
    #[prost(uint32, tag = "3")]
    pub class_of_service: u32,
    /// The length in bytes to which copies are cut; 0 for none.
    #[prost(int32, tag = "4")]
    pub packet_length_bytes: i32,
}
