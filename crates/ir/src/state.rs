//! State other than registers and tables that persists across packets, and messages to the control plane.

use basis::{Random, typed_id};
use runtime::meter::MeterUnit;

use crate::{RegisterId, Type, VariableId};

typed_id!(
    /// Identifies an array of counters of a program.
    CounterId
);
typed_id!(
    /// Identifies an array of meters of a program.
    MeterId
);
typed_id!(
    /// Identifies an array of low-pass filters of a program.
    FilterId
);
typed_id!(
    /// Identifies an array of random early detectors of a program.
    WredId
);
typed_id!(
    /// Identifies an action profile of a program.
    ProfileId
);
typed_id!(
    /// Identifies a kind of digest of a program.
    DigestId
);

/// An array of counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The name of the array.
    pub name: String,
    /// The number of counters; `None` for a direct counter, of which each table entry has one.
    pub size: Option<u32>,
    /// The quantity that is counted.
    pub unit: CounterUnit,
    /// The number of bits in which packets and bytes are counted, from 1 to 64; they wrap around.
    pub width: u32,
}

impl Counter {
    /// The number of bits of a counter whose text names none, and of those of v1model.
    pub const WIDTH: u32 = 64;
}

/// The quantity that a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterUnit {
    /// The number of packets.
    Packets,
    /// The sum of the packets' lengths in bytes.
    Bytes,
    /// Both packets and bytes.
    PacketsAndBytes,
}

/// An array of meters (RFC 2698).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// The name of the array.
    pub name: String,
    /// The number of meters; `None` for a direct meter, of which each table entry has one.
    pub size: Option<u32>,
    /// The unit in which rates and bursts are measured.
    pub unit: MeterUnit,
}

/// An array of low-pass filters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The name of the array.
    pub name: String,
    /// The number of filters.
    pub size: u32,
}

/// An array of random early detectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wred {
    /// The name of the array.
    pub name: String,
    /// The number of detectors.
    pub size: u32,
}

/// An action profile: actions with their data, which the entries of several tables may share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The name of the profile.
    pub name: String,
    /// The maximum number of members.
    pub size: u32,
    /// The way in which a member of a group is chosen; `None` if the profile has no groups.
    pub selection: Option<Selection>,
}

/// The way in which a member of a group is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The algorithm that hashes the selector keys.
    pub algorithm: runtime::checksum::Algorithm,
    /// The way in which the hash selects a member.
    pub mode: runtime::profile::SelectionMode,
    /// The register with bits that say which members are there; packets can access it, too. `None` if all of them are.
    pub bits: Option<SelectionBits>,
}

/// The register with the bits of the members of groups. Each group has a block of places, and a member as many of them as its
/// weight says: see [`runtime::profile::MemberBits`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectionBits {
    /// The register, an array of `bit<1>`.
    pub register: RegisterId,
    /// The number of places of a group, at least 1 and at most the length of the register.
    pub places: u32,
}

/// A selection by a hash that takes all members as there, and is fair.
impl From<runtime::checksum::Algorithm> for Selection {
    fn from(algorithm: runtime::checksum::Algorithm) -> Self {
        Self { algorithm, mode: runtime::profile::SelectionMode::Fair, bits: None }
    }
}

impl Selection {
    /// Hashes the concatenated selector keys. A fair selection chooses the member at this hash modulo the size of the group.
    ///
    /// Only the lowest 32 bits of the algorithm's result are used, whatever width the program declares for its
    /// selector, because BMv2's `hash_t` is an `unsigned int`.
    pub fn hash(&self, keys: &[u8], random: &mut Random) -> u64 {
        self.algorithm.output(keys, 32, random).low()
    }
}

/// A kind of message to the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// The name of the digest.
    pub name: String,
    /// The names and types of the fields.
    pub fields: Vec<(String, Type)>,
}

/// The metadata that a cloned, resubmitted or recirculated packet preserves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldList {
    /// The number that the program's author gave the list.
    pub number: u32,
    /// The variables that are preserved.
    pub variables: Vec<VariableId>,
}
