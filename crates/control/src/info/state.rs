//! What stays between packets: profiles, counters, meters, registers, value sets; and digests.

use runtime::meter::MeterUnit;

use super::{DataType, Identity, MatchField, TableNumber};

/// How many there are of something that is counted, measured or kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// An array of so many.
    Array(u32),
    /// One for each entry of a table.
    Entries(TableNumber),
}

/// An action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// What it is called.
    pub identity: Identity,
    /// How many members it can hold.
    pub size: u32,
    /// Whether members form groups, and what these can hold.
    pub selector: Option<Selector>,
}

/// What groups of a profile can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Selector {
    /// How many members at most are in a group; 0 if only the size of the profile limits them.
    pub maximum_group_size: u32,
    /// What the size of the profile counts; `None` if the program does not say, which means the same as weights.
    pub counts: Option<SelectorSize>,
}

/// What the size of a profile with a selector counts, from `@selector_size_semantics` (P4Runtime specification 1.4,
/// section 6.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorSize {
    /// The weights of the members of all groups.
    Weights,
    /// The members of all groups.
    Members {
        /// The greatest weight of a member; 0 if nothing limits it.
        maximum_weight: u32,
    },
}

/// Counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// What they are called.
    pub identity: Identity,
    /// What they count.
    pub unit: CounterUnit,
    /// How many there are.
    pub size: Size,
}

/// What counters count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// Packets.
    Packets,
    /// Bytes of packets.
    Bytes,
    /// Both.
    PacketsAndBytes,
}

/// Meters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// What they are called.
    pub identity: Identity,
    /// What they measure.
    pub unit: MeterUnit,
    /// How many there are.
    pub size: Size,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// What it is called.
    pub identity: Identity,
    /// What one place holds.
    pub data_type: DataType,
    /// How many places it has.
    pub size: u32,
    /// For each leaf of the type in order, the number in [`runtime::State`] of the array that holds it.
    pub arrays: Vec<u32>,
}

/// A kind of message to the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// What it is called.
    pub identity: Identity,
    /// What a message holds.
    pub data_type: DataType,
}

/// A value set of a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueSet {
    /// What it is called.
    pub identity: Identity,
    /// What a member is compared with; a field of a set of plain numbers has no name.
    pub fields: Vec<MatchField>,
    /// How many members it can hold.
    pub size: u32,
}
