//! The state of externs: counters, meters, registers, value sets and digests (P4Runtime specification 1.4, sections 9.3,
//! 9.4 and 9.6 to 9.8).

use super::{FieldMatch, P4Data, TableEntry};

/// The index of an element of an array.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct Index {
    /// The index, from 0.
    #[prost(int64, tag = "1")]
    pub index: i64,
}

/// A meter of an array.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct MeterEntry {
    /// The array. In a `Read`, 0 stands for all arrays.
    #[prost(uint32, tag = "1")]
    pub meter_id: u32,
    /// The index. In a `Read`, none stands for all of them.
    #[prost(message, optional, tag = "2")]
    pub index: Option<Index>,
    /// The rates; none if every packet is green.
    #[prost(message, optional, tag = "3")]
    pub config: Option<MeterConfig>,
    /// What the meter has counted by colour. In a `Read`, its presence asks for it.
    #[prost(message, optional, tag = "4")]
    pub counter_data: Option<MeterCounterData>,
}

/// The meter of a table entry.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DirectMeterEntry {
    /// The table entry, by its table, key and priority.
    #[prost(message, optional, tag = "1")]
    pub table_entry: Option<TableEntry>,
    /// The rates; none if every packet is green.
    #[prost(message, optional, tag = "2")]
    pub config: Option<MeterConfig>,
    /// What the meter has counted by colour. In a `Read`, its presence asks for it.
    #[prost(message, optional, tag = "3")]
    pub counter_data: Option<MeterCounterData>,
}

/// The rates of a meter, in packets or bytes (RFC 2698).
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct MeterConfig {
    /// The committed information rate, in units per second.
    #[prost(int64, tag = "1")]
    pub cir: i64,
    /// The committed burst size, in units.
    #[prost(int64, tag = "2")]
    pub cburst: i64,
    /// The peak information rate, in units per second.
    #[prost(int64, tag = "3")]
    pub pir: i64,
    /// The peak burst size, in units.
    #[prost(int64, tag = "4")]
    pub pburst: i64,
    /// The excess burst size, in units, of meters with a single rate and three colours.
    #[prost(int64, tag = "5")]
    pub eburst: i64,
}

/// A counter of an array.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct CounterEntry {
    /// The array. In a `Read`, 0 stands for all arrays.
    #[prost(uint32, tag = "1")]
    pub counter_id: u32,
    /// The index. In a `Read`, none stands for all of them.
    #[prost(message, optional, tag = "2")]
    pub index: Option<Index>,
    /// The values.
    #[prost(message, optional, tag = "3")]
    pub data: Option<CounterData>,
}

/// The counter of a table entry.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DirectCounterEntry {
    /// The table entry, by its table, key and priority.
    #[prost(message, optional, tag = "1")]
    pub table_entry: Option<TableEntry>,
    /// The values.
    #[prost(message, optional, tag = "2")]
    pub data: Option<CounterData>,
}

/// The values of a counter.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct CounterData {
    /// The number of bytes.
    #[prost(int64, tag = "1")]
    pub byte_count: i64,
    /// The number of packets.
    #[prost(int64, tag = "2")]
    pub packet_count: i64,
}

/// What a meter has counted, by the colour of packets.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub struct MeterCounterData {
    /// The green packets.
    #[prost(message, optional, tag = "1")]
    pub green: Option<CounterData>,
    /// The yellow packets.
    #[prost(message, optional, tag = "2")]
    pub yellow: Option<CounterData>,
    /// The red packets.
    #[prost(message, optional, tag = "3")]
    pub red: Option<CounterData>,
}

/// A member of a value set.
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ValueSetMember {
    /// A match for each field of the value set.
    #[prost(message, repeated, tag = "1")]
    pub r#match: Vec<FieldMatch>,
}

/// All members of a value set (section 9.6).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct ValueSetEntry {
    /// The value set. In a `Read`, 0 stands for all value sets.
    #[prost(uint32, tag = "1")]
    pub value_set_id: u32,
    /// The members.
    #[prost(message, repeated, tag = "2")]
    pub members: Vec<ValueSetMember>,
}

/// A cell of a register (section 9.7).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct RegisterEntry {
    /// The register. In a `Read`, 0 stands for all registers.
    #[prost(uint32, tag = "1")]
    pub register_id: u32,
    /// The index. In a `Read`, none stands for all cells.
    #[prost(message, optional, tag = "2")]
    pub index: Option<Index>,
    /// The value.
    #[prost(message, optional, tag = "3")]
    pub data: Option<P4Data>,
}

/// How the digests of a kind are delivered (section 9.8).
#[derive(Clone, PartialEq, Eq, prost::Message)]
pub struct DigestEntry {
    /// The kind of digest.
    #[prost(uint32, tag = "1")]
    pub digest_id: u32,
    /// The configuration.
    #[prost(message, optional, tag = "2")]
    pub config: Option<digest_entry::Config>,
}

/// The types inside of [`DigestEntry`].
pub mod digest_entry {
    /// When lists of digests are sent.
    #[derive(Clone, PartialEq, Eq, prost::Message)]
    pub struct Config {
        /// The longest time in nanoseconds for which a digest waits for others of the same list; 0 sends each at once.
        #[prost(int64, tag = "1")]
        pub max_timeout_ns: i64,
        /// The largest number of digests in a list; 0 leaves it to the server.
        #[prost(int32, tag = "2")]
        pub max_list_size: i32,
        /// The time in nanoseconds for which digests equal to one that was sent are held back if there is no
        /// acknowledgement.
        #[prost(int64, tag = "3")]
        pub ack_timeout_ns: i64,
    }
}
