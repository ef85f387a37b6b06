//! The requests of the control plane. They contain numbers; [`crate::Info`] resolves names beforehand.

use runtime::filter::FilterSettings;
use runtime::tables::{EntryHandle, FieldMatch};
use runtime::wred::WredSettings;
use runtime::{Bits, Count, MeterRates};

use crate::{
    ActionNumber, CloneSession, CounterNumber, DigestNumber, EntryAttributes, EntryDetails, EventNumber, FilterNumber,
    Group, MeterNumber, MulticastGroup, ProfileNumber, RecordTableNumber, RegisterNumber, SegmentNumber, TableNumber,
    ValueSetNumber, WeightedAction, WredNumber,
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
    /// A request about low-pass filters.
    Filter(FilterNumber, SettingsRequest<FilterSettings>),
    /// A request about random early detectors.
    Wred(WredNumber, SettingsRequest<WredSettings>),
    /// A request about a register.
    Register(RegisterNumber, RegisterRequest),
    /// A request about a value set.
    ValueSet(ValueSetNumber, ValueSetRequest),
    /// A request about a segment of shared memory.
    Memory(SegmentNumber, MemoryRequest),
    /// A request about a table of records.
    Records(RecordTableNumber, RecordRequest),
    /// Raises an event, which begins a thread and carries this number to it.
    RaiseEvent(EventNumber, u64),
    /// A request about the multicast group with this number, which is not 0.
    MulticastGroup(u32, ReplicationRequest<MulticastGroup>),
    /// A request about the clone session with this number.
    CloneSession(u32, ReplicationRequest<CloneSession>),
    /// Reads all multicast groups.
    ReadMulticastGroups,
    /// Reads all clone sessions.
    ReadCloneSessions,
    /// Removes and returns all waiting digests of a kind.
    TakeDigests(DigestNumber),
    /// Removes and returns all waiting notifications of idle entries, of all tables.
    TakeIdleEntries,
    /// A request about the state of one pipe of a machine with several; pipes are numbered from 0. A machine with one
    /// pipe has the pipe 0. Without a pipe, requests that write concern all of them.
    InPipe(u32, Box<Request>),
    /// A request about the settings of the machine, which are not those of the program.
    Configure(ConfigureRequest),
}

impl Request {
    /// Makes the request one about the state of this pipe, or leaves it as it is with `None`.
    pub fn in_pipe(self, pipe: Option<u32>) -> Self {
        match pipe {
            Some(pipe) => Self::InPipe(pipe, Box::new(self)),
            None => self,
        }
    }

    /// Returns the pipe that the request names, if it names one, and the request without it.
    pub fn by_pipe(&self) -> (Option<u32>, &Self) {
        match self {
            Self::InPipe(pipe, request) => (Some(*pipe), request),
            request => (None, request),
        }
    }

    /// Returns the request without the pipe that it names, if it names one.
    pub fn without_pipe(&self) -> &Self {
        self.by_pipe().1
    }

    /// Returns true if the request only reads, so that it leaves everything as it was.
    pub fn is_read(&self) -> bool {
        match self {
            Self::Table(_, request) => {
                matches!(request, TableRequest::Read(..) | TableRequest::ReadPart { .. } | TableRequest::ReadDefault)
            }
            Self::Profile(_, request) => {
                matches!(request, ProfileRequest::ReadMembers(_) | ProfileRequest::ReadGroups(_))
            }
            Self::Counter(_, request) => matches!(request, CounterRequest::Read(_)),
            Self::Meter(_, request) => matches!(request, MeterRequest::Read(_)),
            Self::Filter(_, request) => matches!(request, SettingsRequest::Read(_)),
            Self::Wred(_, request) => matches!(request, SettingsRequest::Read(_)),
            Self::Register(_, request) => matches!(request, RegisterRequest::Read(_)),
            Self::ValueSet(_, request) => matches!(request, ValueSetRequest::Read),
            Self::Memory(_, request) => matches!(request, MemoryRequest::Read { .. } | MemoryRequest::ReadWritten),
            Self::Records(_, request) => matches!(request, RecordRequest::Read(_)),
            Self::RaiseEvent(..) => false,
            Self::MulticastGroup(_, request) => matches!(request, ReplicationRequest::Read),
            Self::CloneSession(_, request) => matches!(request, ReplicationRequest::Read),
            Self::ReadMulticastGroups | Self::ReadCloneSessions => true,
            Self::TakeDigests(_) | Self::TakeIdleEntries => false,
            Self::InPipe(_, request) => request.is_read(),
            Self::Configure(request) => matches!(request, ConfigureRequest::Read),
        }
    }
}

/// A request about the settings of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigureRequest {
    /// Changes the settings that this text gives and leaves the others, or nothing if any of it is wrong. The text is TOML
    /// with the sections and fields of the file with which a machine of this kind is set up.
    Change(String),
    /// Reads the settings as they are now.
    Read,
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
        /// The further attributes of the entry.
        attributes: EntryAttributes,
    },
    /// Changes an entry. Its key and its handle stay.
    Modify {
        /// The entry.
        entry: EntrySelection,
        /// The new target; with `None` it stays. The target of a constant entry can only stay.
        target: Option<Target>,
        /// What else the entry has from now on; with `None` that stays too. Of a constant entry only its counter and its
        /// meter can change.
        attributes: Option<EntryAttributes>,
    },
    /// Changes the idle timeout of an entry, in nanoseconds (0 for never), and nothing else.
    SetIdleTimeout(EntrySelection, u64),
    /// Removes an entry.
    Delete(EntrySelection),
    /// Removes all entries except constant ones.
    Clear,
    /// Changes the target of packets that match no entry.
    SetDefault {
        /// The new target.
        target: Target,
        /// Bytes that only the control plane understands, for reading back.
        metadata: Vec<u8>,
    },
    /// Resets the default target to that of the program, without metadata.
    ResetDefault,
    /// Reads one entry, or all in order of insertion.
    Read(Option<EntrySelection>, EntryDetails),
    /// Reads a part of all entries, in order of insertion, so that somebody else may ask between two parts. Entries that are
    /// inserted meanwhile come in a later part; one that is deleted meanwhile is missing if its part was not read before.
    ReadPart {
        /// The last entry of the part before, whether it is still there or not; `None` for the first part.
        after: Option<EntryHandle>,
        /// The most entries of the part. If there are fewer, this part is the last one.
        most: usize,
        /// The parts of each entry that are read.
        details: EntryDetails,
    },
    /// Reads the target of packets that match no entry.
    ReadDefault,
}

impl TableRequest {
    /// Inserts an entry without further attributes.
    pub fn insert(key: Vec<FieldMatch>, priority: Option<u32>, target: Target) -> Self {
        Self::Insert { key, priority, target, attributes: EntryAttributes::default() }
    }

    /// Changes the target of an entry and nothing else.
    pub fn modify(entry: impl Into<EntrySelection>, target: Target) -> Self {
        Self::Modify { entry: entry.into(), target: Some(target), attributes: None }
    }

    /// Changes the target of packets that match no entry, without metadata.
    pub fn set_default(target: Target) -> Self {
        Self::SetDefault { target, metadata: Vec::new() }
    }

    /// Reads all entries in order of insertion, without further details.
    pub fn read_all() -> Self {
        Self::Read(None, EntryDetails::NONE)
    }

    /// Reads an entry without further details.
    pub fn read(entry: impl Into<EntrySelection>) -> Self {
        Self::Read(Some(entry.into()), EntryDetails::NONE)
    }
}

/// The target of a table for a packet: an action, a member, a group or an action set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Run an action.
    Action(ActionCall),
    /// Run the action of this member of the table's profile.
    Member(u32),
    /// Run the action of a member of this group of the table's profile.
    Group(u32),
    /// Run one of these actions, which belong to the entry alone and are counted as a group of the table's profile
    /// (P4Runtime specification 1.4, section 9.2.3, "One Shot Action Selector Programming"). All tables of a profile have
    /// either such targets or members and groups.
    ActionSet(Vec<WeightedAction>),
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
    /// Adds a group with an unused number.
    InsertGroup(Group),
    /// Changes the members of a group. Its maximum size must be what it was.
    ModifyGroup(Group),
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

/// A request about an array whose elements have settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsRequest<S> {
    /// Reads the settings of one element, or of all.
    Read(Option<u32>),
    /// Gives one element, or all, these settings, with which they begin anew; `None` takes them away.
    Set(Option<u32>, Option<S>),
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

/// A request about a segment of shared memory. Words have 64 bits, in network order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryRequest {
    /// Reads successive words.
    Read {
        /// The distance of the first byte from the beginning of the segment, a multiple of 8.
        offset: u64,
        /// The number of words, at most [`MemoryRequest::MOST_WORDS`].
        words: u64,
    },
    /// Reads all words that are not what the segment was filled with at first.
    ReadWritten,
    /// Writes successive words.
    Write {
        /// The distance of the first byte from the beginning of the segment, a multiple of 8.
        offset: u64,
        /// The words.
        words: Vec<u64>,
    },
}

impl MemoryRequest {
    /// The greatest number of words that one request reads.
    pub const MOST_WORDS: u64 = 65_536;
}

/// A request about a table of records. Keys have the size of the table's keys, in network order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordRequest {
    /// Reads the record of a key, or all in the order of their places. This is no reference to a record.
    Read(Option<Vec<u8>>),
    /// Makes a record, which counts as referenced.
    Insert {
        /// The key, which no record has.
        key: Vec<u8>,
        /// The bytes with which the record begins; zeros follow.
        contents: Vec<u8>,
    },
    /// Deletes the record of a key.
    Delete(Vec<u8>),
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
