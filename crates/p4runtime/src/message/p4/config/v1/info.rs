//! P4Info: the entities of a program as controllers see them (P4Runtime specification 1.4, section 6).

use super::{
    Action, ActionProfile, ControllerPacketMetadata, Counter, Digest, DirectCounter, DirectMeter, Meter, P4TypeInfo,
    Register, SourceLocation, StructuredAnnotation, Table, ValueSet,
};
use crate::message::google::protobuf::Any;

/// The entities of a program.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4Info {
    /// The program's description of itself.
    #[prost(message, optional, tag = "1")]
    pub pkg_info: Option<PkgInfo>,
    /// The tables.
    #[prost(message, repeated, tag = "2")]
    pub tables: Vec<Table>,
    /// The actions.
    #[prost(message, repeated, tag = "3")]
    pub actions: Vec<Action>,
    /// The action profiles.
    #[prost(message, repeated, tag = "4")]
    pub action_profiles: Vec<ActionProfile>,
    /// The arrays of counters.
    #[prost(message, repeated, tag = "5")]
    pub counters: Vec<Counter>,
    /// The counters of table entries.
    #[prost(message, repeated, tag = "6")]
    pub direct_counters: Vec<DirectCounter>,
    /// The arrays of meters.
    #[prost(message, repeated, tag = "7")]
    pub meters: Vec<Meter>,
    /// The meters of table entries.
    #[prost(message, repeated, tag = "8")]
    pub direct_meters: Vec<DirectMeter>,
    /// The headers of packets between controller and switch.
    #[prost(message, repeated, tag = "9")]
    pub controller_packet_metadata: Vec<ControllerPacketMetadata>,
    /// The value sets of parsers.
    #[prost(message, repeated, tag = "10")]
    pub value_sets: Vec<ValueSet>,
    /// The registers.
    #[prost(message, repeated, tag = "11")]
    pub registers: Vec<Register>,
    /// The kinds of digest.
    #[prost(message, repeated, tag = "12")]
    pub digests: Vec<Digest>,
    /// The externs that the specification does not describe.
    #[prost(message, repeated, tag = "100")]
    pub externs: Vec<Extern>,
    /// The types that the entities use.
    #[prost(message, optional, tag = "200")]
    pub type_info: Option<P4TypeInfo>,
}

/// The documentation of an entity.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Documentation {
    /// A sentence.
    #[prost(string, tag = "1")]
    pub brief: String,
    /// A longer description.
    #[prost(string, tag = "2")]
    pub description: String,
}

/// What a program needs of its platform; 0 leaves a value to the platform.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PlatformProperties {
    /// The number of multicast groups.
    #[prost(int32, tag = "1")]
    pub multicast_group_table_size: i32,
    /// The number of replicas in all multicast groups together.
    #[prost(int32, tag = "2")]
    pub multicast_group_table_total_replicas: i32,
    /// The number of replicas in one multicast group.
    #[prost(int32, tag = "3")]
    pub multicast_group_table_max_replicas_per_entry: i32,
}

/// A program's description of itself.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct PkgInfo {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The version.
    #[prost(string, tag = "2")]
    pub version: String,
    /// The documentation.
    #[prost(message, optional, tag = "3")]
    pub doc: Option<Documentation>,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "4")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "10")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The architecture, such as "v1model".
    #[prost(string, tag = "5")]
    pub arch: String,
    /// Who wrote the program.
    #[prost(string, tag = "6")]
    pub organization: String,
    /// Who answers questions.
    #[prost(string, tag = "7")]
    pub contact: String,
    /// Where there is more.
    #[prost(string, tag = "8")]
    pub url: String,
    /// The structured annotations.
    #[prost(message, repeated, tag = "9")]
    pub structured_annotations: Vec<StructuredAnnotation>,
    /// What the program needs of its platform.
    #[prost(message, optional, tag = "11")]
    pub platform_properties: Option<PlatformProperties>,
}

/// The kinds of ids.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct P4Ids {}

/// The types inside of [`P4Ids`].
pub mod p4_ids {
    /// The first byte of the ids of each kind of entity (section 6.3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Prefix {
        /// No kind.
        Unspecified = 0,
        /// Actions.
        Action = 1,
        /// Tables.
        Table = 2,
        /// Value sets.
        ValueSet = 3,
        /// Headers of packets between controller and switch.
        ControllerHeader = 4,
        /// The first kind of PSA's externs, which itself is not used.
        PsaExternsStart = 0x10,
        /// Action profiles.
        ActionProfile = 0x11,
        /// Arrays of counters.
        Counter = 0x12,
        /// Counters of table entries.
        DirectCounter = 0x13,
        /// Arrays of meters.
        Meter = 0x14,
        /// Meters of table entries.
        DirectMeter = 0x15,
        /// Registers.
        Register = 0x16,
        /// Kinds of digest.
        Digest = 0x17,
        /// The first kind of other externs.
        OtherExternsStart = 0x80,
        /// The last kind.
        Max = 0xff,
    }
}

/// What all entities have.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Preamble {
    /// The id.
    #[prost(uint32, tag = "1")]
    pub id: u32,
    /// The full name.
    #[prost(string, tag = "2")]
    pub name: String,
    /// The shortest end of the name that is unique.
    #[prost(string, tag = "3")]
    pub alias: String,
    /// The unstructured annotations, as they are written in the program.
    #[prost(string, repeated, tag = "4")]
    pub annotations: Vec<String>,
    /// Where the unstructured annotations stand, in the same order.
    #[prost(message, repeated, tag = "7")]
    pub annotation_locations: Vec<SourceLocation>,
    /// The documentation.
    #[prost(message, optional, tag = "5")]
    pub doc: Option<Documentation>,
    /// The structured annotations.
    #[prost(message, repeated, tag = "6")]
    pub structured_annotations: Vec<StructuredAnnotation>,
}

/// The instances of an extern that the specification does not describe.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Extern {
    /// The id of the extern's type, from 0x81 to 0xfe.
    #[prost(uint32, tag = "1")]
    pub extern_type_id: u32,
    /// The name of the extern's type.
    #[prost(string, tag = "2")]
    pub extern_type_name: String,
    /// The instances.
    #[prost(message, repeated, tag = "3")]
    pub instances: Vec<ExternInstance>,
}

/// An instance of an extern.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ExternInstance {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// More, in a message of the extern's architecture.
    #[prost(message, optional, tag = "2")]
    pub info: Option<Any>,
}
