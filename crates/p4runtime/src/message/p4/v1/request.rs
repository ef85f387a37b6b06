//! The messages of `Write` and `Read` (P4Runtime specification 1.4, sections 12 and 13).

use crate::message::google::protobuf::Any;

/// A batch of updates of a device's entities, which a controller writes by `P4Runtime.Write`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct WriteRequest {
    /// The device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    /// The number of the role. Deprecated: [`WriteRequest::role`] replaces it.
    #[prost(uint64, tag = "2")]
    pub role_id: u64,
    /// The name of the role; empty for the default role.
    #[prost(string, tag = "6")]
    pub role: String,
    /// The election id of the controller, which must be that of the role's primary.
    #[prost(message, optional, tag = "3")]
    pub election_id: Option<Uint128>,
    /// The updates, in any order unless their results depend on it.
    #[prost(message, repeated, tag = "4")]
    pub updates: Vec<Update>,
    /// What happens to the other updates when one of them fails.
    #[prost(enumeration = "write_request::Atomicity", tag = "5")]
    pub atomicity: i32,
}

/// The types inside of [`WriteRequest`].
pub mod write_request {
    /// What happens to the other updates of a batch when one of them fails (section 12.2).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Atomicity {
        /// The others are carried out. This is the only mode that every switch has.
        ContinueOnError = 0,
        /// None remains, but packets may see some of the updates before they are undone.
        RollbackOnError = 1,
        /// None is carried out, and each packet sees either none of the updates or all of them.
        DataplaneAtomic = 2,
    }
}

/// The response to a batch that was carried out completely.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct WriteResponse {}

/// A request to read entities by `P4Runtime.Read`.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ReadRequest {
    /// The device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
    /// The name of the role to which the entities must belong; empty for those of all roles.
    #[prost(string, tag = "3")]
    pub role: String,
    /// What is to be read. Unset fields match every value.
    #[prost(message, repeated, tag = "2")]
    pub entities: Vec<Entity>,
}

/// A part of the entities that were read; the parts of a response may be many.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ReadResponse {
    /// The entities.
    #[prost(message, repeated, tag = "1")]
    pub entities: Vec<Entity>,
}

/// The update of one entity.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Update {
    /// What is to be done.
    #[prost(enumeration = "update::Type", tag = "1")]
    pub r#type: i32,
    /// The entity.
    #[prost(message, optional, tag = "2")]
    pub entity: Option<Entity>,
}

/// The types inside of [`Update`].
pub mod update {
    /// What an update does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        /// Nothing; an update with this type is invalid.
        Unspecified = 0,
        /// Creates an entity that does not exist.
        Insert = 1,
        /// Changes an entity that exists.
        Modify = 2,
        /// Removes an entity that exists.
        Delete = 3,
    }
}

/// An entity of the forwarding program or of the packet replication engine.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Entity {
    /// The entity by its kind (section 9).
    #[prost(oneof = "entity::Entity", tags = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12")]
    pub entity: Option<entity::Entity>,
}

/// The types inside of [`Entity`].
pub mod entity {
    use crate::message::p4::v1::{
        ActionProfileGroup, ActionProfileMember, CounterEntry, DigestEntry, DirectCounterEntry, DirectMeterEntry,
        ExternEntry, MeterEntry, PacketReplicationEngineEntry, RegisterEntry, TableEntry, ValueSetEntry,
    };

    /// The entity by its kind (section 9).
    // An entity is nearly always an entry of a table, so that a box would only cost an allocation for each.
    #[allow(clippy::large_enum_variant)]
    #[derive(Clone, PartialEq, Eq, prost::Oneof)]
    pub enum Entity {
        /// An entry of an extern that the specification does not describe.
        #[prost(message, tag = "1")]
        ExternEntry(ExternEntry),
        /// An entry of a table, or its default action.
        #[prost(message, tag = "2")]
        TableEntry(TableEntry),
        /// A member of an action profile.
        #[prost(message, tag = "3")]
        ActionProfileMember(ActionProfileMember),
        /// A group of an action profile.
        #[prost(message, tag = "4")]
        ActionProfileGroup(ActionProfileGroup),
        /// A meter of an array.
        #[prost(message, tag = "5")]
        MeterEntry(MeterEntry),
        /// The meter of a table entry.
        #[prost(message, tag = "6")]
        DirectMeterEntry(DirectMeterEntry),
        /// A counter of an array.
        #[prost(message, tag = "7")]
        CounterEntry(CounterEntry),
        /// The counter of a table entry.
        #[prost(message, tag = "8")]
        DirectCounterEntry(DirectCounterEntry),
        /// A multicast group or a clone session.
        #[prost(message, tag = "9")]
        PacketReplicationEngineEntry(PacketReplicationEngineEntry),
        /// The members of a parser's value set.
        #[prost(message, tag = "10")]
        ValueSetEntry(ValueSetEntry),
        /// A cell of a register.
        #[prost(message, tag = "11")]
        RegisterEntry(RegisterEntry),
        /// How the digests of a kind are delivered.
        #[prost(message, tag = "12")]
        DigestEntry(DigestEntry),
    }
}

/// An entry of an extern that the specification does not describe (section 9.9).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ExternEntry {
    /// The id of the extern's type, from 0x81 to 0xfe.
    #[prost(uint32, tag = "1")]
    pub extern_type_id: u32,
    /// The id of the extern.
    #[prost(uint32, tag = "2")]
    pub extern_id: u32,
    /// The entry, in a message of the extern's architecture.
    #[prost(message, optional, tag = "3")]
    pub entry: Option<Any>,
}

/// The result of one update of a batch, which travels in the details of a
/// [`Status`](crate::message::google::rpc::Status) (section 10).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Error {
    /// A code of gRPC; 0 if the update was carried out.
    #[prost(int32, tag = "1")]
    pub canonical_code: i32,
    /// A message for people.
    #[prost(string, tag = "2")]
    pub message: String,
    /// The name of the space of [`Error::code`], such as the name of a vendor.
    #[prost(string, tag = "3")]
    pub space: String,
    /// A code of that space.
    #[prost(int32, tag = "4")]
    pub code: i32,
    /// More about the error, by the space's own definition.
    #[prost(message, optional, tag = "5")]
    pub details: Option<Any>,
}

/// A number of 128 bits. Election ids are compared as such numbers.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Uint128 {
    /// The upper 64 bits.
    #[prost(uint64, tag = "1")]
    pub high: u64,
    /// The lower 64 bits.
    #[prost(uint64, tag = "2")]
    pub low: u64,
}

/// A request for what a server can do.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CapabilitiesRequest {
    /// The device.
    #[prost(uint64, tag = "1")]
    pub device_id: u64,
}

/// What a server can do (section 17).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CapabilitiesResponse {
    /// The version of P4Runtime that the server implements, such as "1.4.0".
    #[prost(string, tag = "1")]
    pub p4runtime_api_version: String,
    /// Capabilities that are not specified yet.
    #[prost(message, optional, tag = "999")]
    pub experimental: Option<Any>,
}

/// The numbers of ports that P4Runtime gives a meaning of their own (section 18.1.1). Others are those of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub enum SdnPort {
    /// No port.
    Unknown = 0,
    /// The lowest number of a front panel's port.
    Min = 1,
    /// The highest number of a front panel's port, 0xfffffeff.
    Max = -257,
    /// The port through which packets enter the switch again, 0xfffffffa.
    Recirculate = -6,
    /// The port to the controller, 0xfffffffd.
    Cpu = -3,
}
