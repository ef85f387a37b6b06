//! The externs in P4Info (P4Runtime specification 1.4, sections 6.4.4 to 6.4.10).

use super::{MatchField, P4DataTypeSpec, P4NamedType, Preamble};

/// The unit of counters.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct CounterSpec {
    /// The unit.
    #[prost(enumeration = "counter_spec::Unit", tag = "1")]
    pub unit: i32,
}

/// The types inside of [`CounterSpec`].
pub mod counter_spec {
    /// The unit of counters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Unit {
        /// No unit.
        Unspecified = 0,
        /// Bytes.
        Bytes = 1,
        /// Packets.
        Packets = 2,
        /// Bytes and packets.
        Both = 3,
    }
}

/// An array of counters.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Counter {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The unit of the counters.
    #[prost(message, optional, tag = "2")]
    pub spec: Option<CounterSpec>,
    /// The number of counters.
    #[prost(int64, tag = "3")]
    pub size: i64,
    /// The index's type, if it is a new type.
    #[prost(message, optional, tag = "4")]
    pub index_type_name: Option<P4NamedType>,
}

/// The counters of a table's entries.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DirectCounter {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The unit of the counters.
    #[prost(message, optional, tag = "2")]
    pub spec: Option<CounterSpec>,
    /// The table.
    #[prost(uint32, tag = "3")]
    pub direct_table_id: u32,
}

/// The unit and the kind of meters.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct MeterSpec {
    /// The unit.
    #[prost(enumeration = "meter_spec::Unit", tag = "1")]
    pub unit: i32,
    /// The algorithm.
    #[prost(enumeration = "meter_spec::Type", tag = "2")]
    pub r#type: i32,
}

/// The types inside of [`MeterSpec`].
pub mod meter_spec {
    /// The unit of meters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Unit {
        /// No unit.
        Unspecified = 0,
        /// Bytes.
        Bytes = 1,
        /// Packets.
        Packets = 2,
    }

    /// The algorithm of meters.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
    #[repr(i32)]
    pub enum Type {
        /// Two rates and three colours (RFC 2698).
        TwoRateThreeColor = 0,
        /// One rate and three colours (RFC 2697).
        SingleRateThreeColor = 1,
        /// One rate and two colours.
        SingleRateTwoColor = 2,
    }
}

/// An array of meters.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Meter {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The unit and the kind of the meters.
    #[prost(message, optional, tag = "2")]
    pub spec: Option<MeterSpec>,
    /// The number of meters.
    #[prost(int64, tag = "3")]
    pub size: i64,
    /// The index's type, if it is a new type.
    #[prost(message, optional, tag = "4")]
    pub index_type_name: Option<P4NamedType>,
}

/// The meters of a table's entries.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DirectMeter {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The unit and the kind of the meters.
    #[prost(message, optional, tag = "2")]
    pub spec: Option<MeterSpec>,
    /// The table.
    #[prost(uint32, tag = "3")]
    pub direct_table_id: u32,
}

/// A header of packets between controller and switch.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ControllerPacketMetadata {
    /// Id and name, which is `packet_in` or `packet_out`.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The fields, in the order in which they stand in the packet.
    #[prost(message, repeated, tag = "2")]
    pub metadata: Vec<controller_packet_metadata::Metadata>,
}

/// The types inside of [`ControllerPacketMetadata`].
pub mod controller_packet_metadata {
    use crate::message::p4::config::v1::{P4NamedType, SourceLocation, StructuredAnnotation};

    /// A field of such a header.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Metadata {
        /// The id, which is unique in its header.
        #[prost(uint32, tag = "1")]
        pub id: u32,
        /// The name.
        #[prost(string, tag = "2")]
        pub name: String,
        /// The unstructured annotations, as they are written in the program.
        #[prost(string, repeated, tag = "3")]
        pub annotations: Vec<String>,
        /// Where the unstructured annotations stand, in the same order.
        #[prost(message, repeated, tag = "7")]
        pub annotation_locations: Vec<SourceLocation>,
        /// The width in bits of the controller's values; 0 if they are strings.
        #[prost(int32, tag = "4")]
        pub bitwidth: i32,
        /// The field's type, if it is a new type.
        #[prost(message, optional, tag = "5")]
        pub type_name: Option<P4NamedType>,
        /// The structured annotations.
        #[prost(message, repeated, tag = "6")]
        pub structured_annotations: Vec<StructuredAnnotation>,
    }
}

/// A value set of a parser.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ValueSet {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The fields.
    #[prost(message, repeated, tag = "2")]
    pub r#match: Vec<MatchField>,
    /// The number of members for which there is room.
    #[prost(int32, tag = "3")]
    pub size: i32,
}

/// A register.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Register {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The type of a cell.
    #[prost(message, optional, tag = "2")]
    pub type_spec: Option<P4DataTypeSpec>,
    /// The number of cells.
    #[prost(int32, tag = "3")]
    pub size: i32,
    /// The index's type, if it is a new type.
    #[prost(message, optional, tag = "4")]
    pub index_type_name: Option<P4NamedType>,
}

/// A kind of digest.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct Digest {
    /// Id and name.
    #[prost(message, optional, tag = "1")]
    pub preamble: Option<Preamble>,
    /// The type of a digest.
    #[prost(message, optional, tag = "2")]
    pub type_spec: Option<P4DataTypeSpec>,
}
