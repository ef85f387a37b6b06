//! State that persists between packets (profiles, counters, meters, registers and value sets), and digests.

use runtime::meter::MeterUnit;

use super::{DataType, Identity, MatchField, TableNumber};

/// The number of counters or meters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// An array with this many elements.
    Array(u32),
    /// One for each entry of a table.
    Entries(TableNumber),
}

/// An action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The identity.
    pub identity: Identity,
    /// The maximum number of members.
    pub size: u32,
    /// The limits of groups, if members can form groups.
    pub selector: Option<Selector>,
}

/// The limits of the groups of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Selector {
    /// The maximum number of members in a group; 0 if only the size of the profile limits it.
    pub maximum_group_size: u32,
    /// The quantity that the size of the profile limits; `None` if it is not specified, which has the same meaning as
    /// weights.
    pub counts: Option<SelectorSize>,
    /// The register array with bits that say which members of groups are there, if packets can change that.
    pub bits: Option<u32>,
}

/// The quantity that the size of a profile with a selector limits, from `@selector_size_semantics` (P4Runtime
/// specification 1.4, section 6.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorSize {
    /// The sum of the weights of the members of all groups.
    Weights,
    /// The number of members of all groups.
    Members {
        /// The maximum weight of a member; 0 if it is not limited.
        maximum_weight: u32,
    },
}

/// Counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The identity.
    pub identity: Identity,
    /// The unit of the counters.
    pub unit: CounterUnit,
    /// The number of counters or meters.
    pub size: Size,
}

/// The unit of counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// Both packets and bytes.
    PacketsAndBytes,
}

/// Meters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// The identity.
    pub identity: Identity,
    /// The unit of the meters.
    pub unit: MeterUnit,
    /// The number of counters or meters.
    pub size: Size,
}

/// Low-pass filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The identity.
    pub identity: Identity,
    /// The number of filters.
    pub size: u32,
}

/// Random early detectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wred {
    /// The identity.
    pub identity: Identity,
    /// The number of detectors.
    pub size: u32,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// The identity.
    pub identity: Identity,
    /// The type of an element.
    pub data_type: DataType,
    /// The number of elements.
    pub size: u32,
    /// For each leaf of the type, in order, the number of the array in [`runtime::ProgramState`] that holds it.
    pub arrays: Vec<u32>,
}

/// A kind of digest, which is a message to the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The identity.
    pub identity: Identity,
    /// The type of the message.
    pub data_type: DataType,
}

/// A value set of a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    /// The identity.
    pub identity: Identity,
    /// The fields with which a member is compared; the field of a value set of plain numbers has no name.
    pub fields: Vec<MatchField>,
    /// The maximum number of members.
    pub size: u32,
}
