//! What stays between packets beside registers and tables, and what is told to the control plane.

use basis::typed_id;
use runtime::meter::MeterUnit;

use crate::{Type, VariableId};

typed_id!(
    /// Numbers an array of counters of a program.
    CounterId
);
typed_id!(
    /// Numbers an array of meters of a program.
    MeterId
);
typed_id!(
    /// Numbers an action profile of a program.
    ProfileId
);
typed_id!(
    /// Numbers a kind of digest of a program.
    DigestId
);

/// Counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// Their name.
    pub name: String,
    /// How many; `None` if each entry of a table has one.
    pub size: Option<u32>,
    /// What they count.
    pub unit: CounterUnit,
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

/// Meters (RFC 2698).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// Their name.
    pub name: String,
    /// How many; `None` if each entry of a table has one.
    pub size: Option<u32>,
    /// What they measure.
    pub unit: MeterUnit,
}

/// Actions with their data, which entries of several tables may share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// How many members it can hold.
    pub size: u32,
    /// How a member of a group is chosen; `None` if there are no groups.
    pub selection: Option<Selection>,
}

/// How a member of a group is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The hash of the selector keys.
    pub algorithm: runtime::checksum::Algorithm,
    /// How many bits of it count.
    pub width: u32,
}

/// A kind of message to the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub fields: Vec<(String, Type)>,
}

/// Metadata that a clone, a resubmitted or a recirculated packet keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldList {
    /// Its number, as its author chose it.
    pub number: u32,
    /// What is kept.
    pub variables: Vec<VariableId>,
}
