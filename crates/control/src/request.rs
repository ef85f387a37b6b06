//! The requests of the control plane. They contain numbers; [`crate::Info`] resolves names beforehand.

use runtime::tables::{EntryHandle, FieldMatch};
use runtime::{Bits, Count, MeterRates};

use crate::{
    ActionNumber, CloneSession, CounterNumber, DigestNumber, MeterNumber, ProfileNumber, RegisterNumber, Replica,
    TableNumber, ValueSetNumber,
};

/// A request of the control plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A request about a table.
    Table(TableNumber, TableRequest),
    /// A request about an action profile.
    Profile(ProfileNumber, ProfileRequest),
    /// A request about counters.
    Counter(CounterNumber, CounterRequest),
    /// A request about meters.
    Meter(MeterNumber, MeterRequest),
    /// A request about a register.
    Register(RegisterNumber, RegisterRequest),
    /// A request about a value set.
    ValueSet(ValueSetNumber, ValueSetRequest),
    /// A request about the multicast group with this number, which is not 0.
    MulticastGroup(u32, ReplicationRequest<Vec<Replica>>),
    /// A request about the clone session with this number.
    CloneSession(u32, ReplicationRequest<CloneSession>),
    /// Reads all multicast groups.
    ReadMulticastGroups,
    /// Reads all clone sessions.
    ReadCloneSessions,
    /// Removes and returns all waiting digests of a kind.
    TakeDigests(DigestNumber),
}

impl Request {
    /// Returns true if the request only reads, so that it leaves everything as it was.
    pub fn is_read(&self) -> bool {
        match self {
            Self::Table(_, request) => matches!(request, TableRequest::Read(_) | TableRequest::ReadDefault),
            Self::Profile(_, request) => {
                matches!(request, ProfileRequest::ReadMembers(_) | ProfileRequest::ReadGroups(_))
            }
            Self::Counter(_, request) => matches!(request, CounterRequest::Read(_)),
            Self::Meter(_, request) => matches!(request, MeterRequest::Read(_)),
            Self::Register(_, request) => matches!(request, RegisterRequest::Read(_)),
            Self::ValueSet(_, request) => matches!(request, ValueSetRequest::Read),
            Self::MulticastGroup(_, request) => matches!(request, ReplicationRequest::Read),
            Self::CloneSession(_, request) => matches!(request, ReplicationRequest::Read),
            Self::ReadMulticastGroups | Self::ReadCloneSessions => true,
            Self::TakeDigests(_) => false,
        }
    }
}

/// A request about a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableRequest {
    /// Adds an entry.
    Insert {
        /// The matches for the fields of the key, in order.
        key: Vec<FieldMatch>,
        /// The priority, of which the largest wins. It is required if a field is ternary, range or optional; otherwise
        /// it must be `None` or 0.
        priority: Option<u32>,
        /// The target of matching packets.
        target: Target,
    },
    /// Changes the target of an entry.
    Modify {
        /// The entry.
        entry: EntrySelection,
        /// The new target.
        target: Target,
    },
    /// Removes an entry.
    Delete(EntrySelection),
    /// Removes all entries except constant ones.
    Clear,
    /// Changes the target of packets that match no entry.
    SetDefault(Target),
    /// Resets the default target to that of the program.
    ResetDefault,
    /// Reads one entry, or all in order of insertion.
    Read(Option<EntrySelection>),
    /// Reads the target of packets that match no entry.
    ReadDefault,
}

/// The target of a table for a packet: an action, a member or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Run an action.
    Action(ActionCall),
    /// Run the action of this member of the table's profile.
    Member(u32),
    /// Run the action of a member of this group of the table's profile.
    Group(u32),
}

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCall {
    /// The action.
    pub action: ActionNumber,
    /// The values of the parameters, in order. A number may have any [`Bits`] form that holds it.
    pub data: Vec<Bits>,
}

/// The selection of a table entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntrySelection {
    /// The entry with the handle that [`crate::Response::Inserted`] returned.
    Handle(EntryHandle),
    /// The entry with this key, and with this priority if the table has priorities.
    Key {
        /// The matches for the fields of the key, in order.
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

/// A request about an action profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileRequest {
    /// Adds a member with an unused number.
    InsertMember(u32, ActionCall),
    /// Changes the action of a member, for every group and entry that uses it.
    ModifyMember(u32, ActionCall),
    /// Removes a member that no group and no entry uses.
    DeleteMember(u32),
    /// Reads one member, or all.
    ReadMembers(Option<u32>),
    /// Adds a group with an unused number and with these members, in order.
    InsertGroup(u32, Vec<u32>),
    /// Changes the members of a group.
    ModifyGroup(u32, Vec<u32>),
    /// Removes a group that no entry uses.
    DeleteGroup(u32),
    /// Reads one group, or all.
    ReadGroups(Option<u32>),
}

/// The selection of counters or meters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementSelection {
    /// The element at this index of an array.
    Index(u32),
    /// The one that belongs to an entry.
    Entry(EntrySelection),
    /// All of them.
    All,
}

/// A request about counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CounterRequest {
    /// Reads counters.
    Read(ElementSelection),
    /// Sets counters.
    Write(ElementSelection, Count),
    /// Sets the first counters to these values, in the order in which [`CounterRequest::Read`] returns all of them.
    WriteEach(Vec<Count>),
}

/// A request about meters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeterRequest {
    /// Reads the rates of meters.
    Read(ElementSelection),
    /// Sets the rates of meters. With `None`, all packets are green.
    Set(ElementSelection, Option<MeterRates>),
    /// Sets the rates of the first meters, in the order in which [`MeterRequest::Read`] returns all of them.
    SetEach(Vec<Option<MeterRates>>),
}

/// A request about a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisterRequest {
    /// Reads one element, or all.
    Read(Option<u32>),
    /// Sets one element, or all, to these values, one for each leaf of the register's type.
    Write(Option<u32>, Vec<Bits>),
    /// Sets the first elements to these, in the order in which [`RegisterRequest::Read`] returns all of them.
    WriteEach(Vec<Vec<Bits>>),
    /// Sets all elements to 0.
    Reset,
}

/// A request about a value set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueSetRequest {
    /// Replaces all members by these.
    Set(Vec<Vec<FieldMatch>>),
    /// Adds a member.
    Insert(Vec<FieldMatch>),
    /// Removes a member.
    Delete(Vec<FieldMatch>),
    /// Reads the members.
    Read,
}

/// A request about a multicast group or a clone session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplicationRequest<T> {
    /// Creates it; it must not exist.
    Insert(T),
    /// Changes it; it must exist.
    Modify(T),
    /// Creates or changes it.
    Put(T),
    /// Removes it.
    Delete,
    /// Reads it.
    Read,
}
