//! The responses to requests of the control plane.

use runtime::tables::{EntryHandle, FieldMatch};
use runtime::{Bits, Count, MeterRates};

use crate::{ActionCall, CloneSession, Replica, Target};

/// The response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The request was executed and has no result.
    Done,
    /// An entry was inserted and has this handle.
    Inserted(EntryHandle),
    /// The entries read.
    Entries(Vec<ReadEntry>),
    /// The target of packets that match no entry.
    Default(Target),
    /// The members read, in order of their numbers.
    Members(Vec<ProfileMember>),
    /// The groups read, in order of their numbers.
    Groups(Vec<Group>),
    /// The counters read, in order.
    Counters(Vec<Count>),
    /// The rates of the meters read, in order; `None` for a meter without rates.
    Meters(Vec<Option<MeterRates>>),
    /// The register elements read, in order, each with a value for each leaf of the register's type.
    Registers(Vec<Vec<Bits>>),
    /// The members of the value set, in order of insertion.
    ValueSet(Vec<Vec<FieldMatch>>),
    /// The replicas of the multicast group.
    MulticastGroup(Vec<Replica>),
    /// The clone session.
    CloneSession(CloneSession),
    /// All multicast groups, in order of their numbers.
    MulticastGroups(Vec<(u32, Vec<Replica>)>),
    /// All clone sessions, in order of their numbers.
    CloneSessions(Vec<(u32, CloneSession)>),
    /// The digests that were waiting, oldest first, each with a value for each leaf of the digest's type.
    Digests(Vec<Vec<Bits>>),
}

/// A table entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadEntry {
    /// The handle of the entry.
    pub handle: EntryHandle,
    /// The matches for the fields of the key, in canonical form.
    pub key: Vec<FieldMatch>,
    /// The priority, of which the largest wins; 0 if the table has no priorities.
    pub priority: u32,
    /// The target of matching packets.
    pub target: Target,
    /// Whether the program declares the entry as constant.
    pub is_constant: bool,
}

/// A member of an action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileMember {
    /// The number of the member or group.
    pub member: u32,
    /// The action of the member.
    pub action: ActionCall,
}

/// A group of an action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number of the member or group.
    pub group: u32,
    /// The members of the group, in order.
    pub members: Vec<u32>,
}
