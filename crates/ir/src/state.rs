//! What stays between packets beside registers and tables, and what is told to the control plane.

use basis::{Random, typed_id};
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
}

impl Selection {
    /// The hash of selector keys that lie one behind the other. The member that it chooses is its rest modulo the size
    /// of the group.
    ///
    /// The lowest 32 bits of the algorithm's result count, as in BMv2, whose `hash_t` is an `unsigned int`; whatever
    /// width a program gives its selector says nothing there.
    pub fn hash(&self, keys: &[u8], random: &mut Random) -> u64 {
        self.algorithm.output(keys, 32, random).low()
    }
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
