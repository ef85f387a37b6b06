//! What the control plane asks for. Names are resolved before, by [`crate::Info`].

use runtime::tables::{EntryHandle, FieldMatch};
use runtime::{Bits, Count, MeterRates};

use crate::{
    ActionNumber, CloneSession, CounterNumber, DigestNumber, MeterNumber, ProfileNumber, RegisterNumber, Replica,
    TableNumber, ValueSetNumber,
};

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// About a table.
    Table(TableNumber, TableRequest),
    /// About an action profile.
    Profile(ProfileNumber, ProfileRequest),
    /// About counters.
    Counter(CounterNumber, CounterRequest),
    /// About meters.
    Meter(MeterNumber, MeterRequest),
    /// About a register.
    Register(RegisterNumber, RegisterRequest),
    /// About a value set.
    ValueSet(ValueSetNumber, ValueSetRequest),
    /// About the multicast group of a number, which is not 0.
    MulticastGroup(u32, ReplicationRequest<Vec<Replica>>),
    /// About the clone session of a number.
    CloneSession(u32, ReplicationRequest<CloneSession>),
    /// Takes all digests of a kind that wait.
    TakeDigests(DigestNumber),
}

/// What is asked of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableRequest {
    /// Adds an entry.
    Insert {
        /// What each field must be, in the order of the key.
        key: Vec<FieldMatch>,
        /// The larger wins. Must be given if a field is ternary, range or optional; else it is `None` or 0.
        priority: Option<u32>,
        /// What happens to a packet that it matches.
        target: Target,
    },
    /// Changes what happens to the packets of an entry.
    Modify {
        /// Which one.
        entry: EntrySelection,
        /// What happens now.
        target: Target,
    },
    /// Takes an entry out.
    Delete(EntrySelection),
    /// Takes all entries out but those that are constant.
    Clear,
    /// Changes what happens on a miss.
    SetDefault(Target),
    /// Makes it what the program says again.
    ResetDefault,
    /// Reads one entry, or all in the order of insertion.
    Read(Option<EntrySelection>),
    /// Reads what happens on a miss.
    ReadDefault,
}

/// What happens to a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An action runs.
    Action(ActionCall),
    /// The action of a member of the table's profile runs.
    Member(u32),
    /// The action of a member of a group of the table's profile runs.
    Group(u32),
}

/// An action with what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCall {
    /// Which action.
    pub action: ActionNumber,
    /// A value for each parameter, in order. A number may have any [`Bits`] form that holds it.
    pub data: Vec<Bits>,
}

/// Which entry of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntrySelection {
    /// The one that [`crate::Response::Inserted`] named.
    Handle(EntryHandle),
    /// The one with this key, and this priority where entries have one.
    Key {
        /// What each field must be.
        key: Vec<FieldMatch>,
        /// The priority.
        priority: Option<u32>,
    },
}

impl From<EntryHandle> for EntrySelection {
    fn from(handle: EntryHandle) -> Self {
        Self::Handle(handle)
    }
}

/// What is asked of an action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileRequest {
    /// Adds a member of a number that is free.
    InsertMember(u32, ActionCall),
    /// Changes what a member does, in every group and entry that names it.
    ModifyMember(u32, ActionCall),
    /// Takes a member out that no group and no entry names.
    DeleteMember(u32),
    /// Reads one member, or all.
    ReadMembers(Option<u32>),
    /// Adds a group of a number that is free, with its members in order.
    InsertGroup(u32, Vec<u32>),
    /// Changes the members of a group.
    ModifyGroup(u32, Vec<u32>),
    /// Takes a group out that no entry names.
    DeleteGroup(u32),
    /// Reads one group, or all.
    ReadGroups(Option<u32>),
}

/// Which counters or meters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The one at an index of an array.
    Index(u32),
    /// The one of an entry.
    Entry(EntrySelection),
    /// All.
    All,
}

/// What is asked of counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterRequest {
    /// Reads them.
    Read(Place),
    /// Sets them.
    Write(Place, Count),
}

/// What is asked of meters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeterRequest {
    /// Reads their rates.
    Read(Place),
    /// Sets their rates; without, everything is green.
    Set(Place, Option<MeterRates>),
}

/// What is asked of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterRequest {
    /// Reads one place, or all.
    Read(Option<u32>),
    /// Sets one place, or all: a value for each leaf of its type.
    Write(Option<u32>, Vec<Bits>),
    /// Makes all places 0.
    Reset,
}

/// What is asked of a value set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSetRequest {
    /// Makes these all its members.
    Set(Vec<Vec<FieldMatch>>),
    /// Adds a member.
    Insert(Vec<FieldMatch>),
    /// Takes a member out.
    Delete(Vec<FieldMatch>),
    /// Reads the members.
    Read,
}

/// What is asked of a multicast group or a clone session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicationRequest<T> {
    /// Adds it; it must not be there.
    Insert(T),
    /// Changes it; it must be there.
    Modify(T),
    /// Adds or changes it.
    Put(T),
    /// Takes it out.
    Delete,
    /// Reads it.
    Read,
}
