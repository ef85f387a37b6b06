//! What the control plane is answered.

use runtime::tables::{EntryHandle, FieldMatch};
use runtime::{Bits, Count, MeterRates};

use crate::{ActionCall, CloneSession, Replica, Target};

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// It is done.
    Done,
    /// An entry is in, under this handle.
    Inserted(EntryHandle),
    /// The entries that were asked for.
    Entries(Vec<Entry>),
    /// What happens on a miss.
    Default(Target),
    /// The members that were asked for, by number.
    Members(Vec<ProfileMember>),
    /// The groups that were asked for, by number.
    Groups(Vec<Group>),
    /// The counters that were asked for, in order.
    Counters(Vec<Count>),
    /// The rates of the meters that were asked for, in order.
    Meters(Vec<Option<MeterRates>>),
    /// The places of the register that were asked for, in order: a value for each leaf of its type.
    Registers(Vec<Vec<Bits>>),
    /// The members of the value set, in the order of insertion.
    ValueSet(Vec<Vec<FieldMatch>>),
    /// The copies that the multicast group makes.
    MulticastGroup(Vec<Replica>),
    /// The clone session.
    CloneSession(CloneSession),
    /// The digests that waited, oldest first: a value for each leaf of their type.
    Digests(Vec<Vec<Bits>>),
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its handle.
    pub handle: EntryHandle,
    /// What each field must be, in its one spelling.
    pub key: Vec<FieldMatch>,
    /// The larger wins; 0 where entries have none.
    pub priority: u32,
    /// What happens to a packet that it matches.
    pub target: Target,
    /// Whether the program says that it stays.
    pub is_constant: bool,
}

/// A member of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileMember {
    /// Its number.
    pub member: u32,
    /// What it does.
    pub action: ActionCall,
}

/// A group of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub group: u32,
    /// Its members, in order.
    pub members: Vec<u32>,
}
