//! The errors of requests, which always name the table, key and limit concerned.

use runtime::Bits;
use runtime::filter::FilterError;
use runtime::meter::MeterError;
use runtime::tables::MatchKind;

use crate::EntityKind;
use crate::memory_error::{MemoryError, RecordError};
use crate::pipe_error::PipeError;
use crate::settings_finding::SettingsFinding;

/// The reason why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A name is unknown or ambiguous.
    Name(NameError),
    /// A table has no action of this name.
    NoSuchAction {
        /// The table.
        table: String,
        /// The name that was looked up.
        action: String,
        /// The actions of the table.
        actions: Vec<String>,
    },
    /// An entry is not valid for its table, or a member for its value set.
    Entry {
        /// The kind of entity: a table or a value set.
        kind: EntityKind,
        /// The name of the entity.
        name: String,
        /// The error.
        error: EntryError,
    },
    /// A number is too large for its destination.
    TooWide {
        /// The destination, such as "parameter `port` of action `forward`".
        place: String,
        /// The width of the destination, in bits.
        width: u32,
        /// The number.
        value: Bits,
        /// The number as written in a file, if it comes from one.
        written: Option<String>,
    },
    /// An action is given too few or too many parameters.
    ParameterCount {
        /// The action.
        action: String,
        /// The names of the action's parameters.
        parameters: Vec<String>,
        /// The number of parameters that were given.
        given: usize,
    },
    /// A member or a group is not valid for its profile.
    Profile {
        /// The profile.
        profile: String,
        /// The error.
        error: ProfileError,
    },
    /// No table uses this profile.
    ProfileWithoutTable {
        /// The profile.
        profile: String,
    },
    /// An index is outside an array.
    OutOfRange {
        /// The kind of array.
        kind: EntityKind,
        /// The name of the entity.
        name: String,
        /// The index.
        index: u32,
        /// The number of elements in the array.
        size: u32,
    },
    /// An index is used for direct counters or meters, which belong to table entries, or an entry for others.
    WrongPlace {
        /// The kind of entity: counters or meters.
        kind: EntityKind,
        /// The name of the counters or meters.
        name: String,
        /// The table whose entries they belong to, or `None` if they are an array.
        table: Option<String>,
    },
    /// The rates are not valid for a meter (RFC 2698, section 2).
    Rates {
        /// The meter.
        meter: String,
        /// The error.
        error: MeterError,
    },
    /// The settings are not valid for a filter or a random early detector.
    Settings {
        /// The kind.
        kind: EntityKind,
        /// The name.
        name: String,
        /// The error.
        error: FilterError,
    },
    /// The number of values is wrong for an element of a register.
    LeafCount {
        /// The register.
        register: String,
        /// The names of the values that an element holds.
        leaves: Vec<String>,
        /// The number of values that were given.
        given: usize,
    },
    /// A value set is full.
    ValueSetFull {
        /// The name of the entity.
        value_set: String,
        /// The maximum number of members.
        size: u32,
    },
    /// The machine still holds packets that arrived before the request and must not see the changed state.
    PacketsInside {
        /// The kind of entity that the request would change.
        kind: EntityKind,
        /// The name of the entity.
        name: String,
        /// The number of packets in the machine.
        inside: u64,
    },
    /// Multicast group 0 was used, which stands for no group.
    GroupZero,
    /// The multicast group or clone session already exists.
    ReplicationExists {
        /// "multicast group" or "clone session".
        what: &'static str,
        /// The number of the multicast group or clone session.
        number: u32,
    },
    /// The multicast group or clone session does not exist.
    NoReplication {
        /// "multicast group" or "clone session".
        what: &'static str,
        /// The number of the multicast group or clone session.
        number: u32,
    },
    /// A replica of a multicast group has a backup at its own port, or there are backups for a replica that the group
    /// does not have.
    Backup {
        /// The multicast group.
        group: u32,
        /// The position of the replica.
        position: u32,
    },
    /// A request about a segment of shared memory is wrong.
    Memory {
        /// The segment.
        segment: String,
        /// The error.
        error: MemoryError,
    },
    /// A request about a table of records is refused.
    Record {
        /// The table.
        table: String,
        /// The error.
        error: RecordError,
    },
    /// A request cannot be about the pipe that it names, or must name one.
    Pipe(PipeError),
    /// The machine has no settings that can change while it runs.
    NoSettings,
    /// A change of the machine's settings is one of several requests of which all are carried out or none.
    SettingsTogether,
    /// The settings are wrong, or cannot change while the machine runs; there is at least one finding.
    Configuration(Vec<SettingsFinding>),
}

/// The first of several requests that is refused, where all are carried out or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRequest {
    /// The position of the request among them.
    pub at: usize,
    /// The reason.
    pub error: Error,
}

/// The reason why a name cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// Nothing has this name.
    Unknown {
        /// The kind of entity that was looked up.
        kind: EntityKind,
        /// The name that was looked up.
        name: String,
        /// The most similar name, as a hint.
        hint: Option<String>,
        /// The existing names.
        known: Vec<String>,
    },
    /// Several names have this suffix.
    Ambiguous {
        /// The kind of entity that was looked up.
        kind: EntityKind,
        /// The name that was looked up.
        name: String,
        /// The full names with this suffix.
        candidates: Vec<String>,
    },
}

/// The reason why a table entry, or a member of a value set, is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryError {
    /// The table is full.
    Full {
        /// The maximum number of entries.
        size: u32,
    },
    /// An entry with this key (and priority) already exists.
    Duplicate {
        /// The key.
        key: String,
        /// The priority of the request, if the table has priorities. The error text does not show it, because some file
        /// formats use a different number (where the smaller one wins).
        priority: Option<u32>,
    },
    /// The entry does not exist.
    Missing {
        /// The key or handle of the entry.
        key: String,
    },
    /// The program declares the entry as constant.
    ConstantEntry {
        /// The key of the entry.
        key: String,
    },
    /// The program declares all entries as constant, so none can be added, changed or removed.
    ConstantTable,
    /// The program declares the default action as constant.
    ConstantDefault,
    /// The table has no key.
    NoKey,
    /// The key has the wrong number of fields.
    FieldCount {
        /// The names of the table's key fields.
        fields: Vec<String>,
        /// The number of fields that were given.
        given: usize,
    },
    /// The match for a field is of the wrong kind.
    Mismatch {
        /// The field.
        field: String,
        /// The match kind of the field.
        kind: MatchKind,
    },
    /// A prefix is longer than its field.
    PrefixTooLong {
        /// The field.
        field: String,
        /// The length of the prefix.
        length: u32,
        /// The width of the field.
        width: u32,
    },
    /// Bits are set outside the mask or prefix.
    BitsOutsideMask {
        /// The field.
        field: String,
        /// The match that was given.
        value: String,
    },
    /// A range ends before it begins.
    EmptyRange {
        /// The field.
        field: String,
        /// The match that was given.
        value: String,
    },
    /// A priority is missing.
    NoPriority {
        /// A field whose match kind requires a priority.
        field: String,
    },
    /// A priority is given for a table without priorities.
    Priority {
        /// The priority.
        priority: u32,
    },
    /// The action is reserved for the default of the table.
    OnlyDefault {
        /// The action.
        action: String,
    },
    /// The action is reserved for entries of the table.
    OnlyEntries {
        /// The action.
        action: String,
    },
    /// The table takes its actions from a profile, so its entries refer to members or groups.
    Indirect {
        /// The profile.
        profile: String,
    },
    /// The table has no profile, or its profile has no groups.
    NotIndirect {
        /// "members" or "groups".
        what: &'static str,
    },
    /// The table has had 2^32 entries, so that no handles are left.
    Exhausted,
    /// An idle timeout or the time since a hit is used, but the program does not ask for them.
    NoIdleTimeout,
    /// An idle timeout or the time since a hit is used, but the machine does not record when entries are hit.
    HitsNotRecorded,
    /// The default action of a table is to be an action set, which only entries can have.
    DefaultActionSet,
    /// A value for a direct counter is given, but the table has none.
    NoCounter,
    /// Rates for a direct meter are given, but the table has none.
    NoMeter,
}

/// The reason why a request about a member or group of a profile is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// The profile has the maximum number of members.
    Full {
        /// The maximum number.
        size: u32,
    },
    /// The member already exists.
    MemberExists(u32),
    /// The member does not exist.
    NoMember(u32),
    /// A group or an entry uses the member.
    MemberInUse(u32),
    /// The group already exists.
    GroupExists(u32),
    /// The group does not exist.
    NoGroup(u32),
    /// An entry uses the group.
    GroupInUse(u32),
    /// The profile has the maximum number of groups.
    TooManyGroups {
        /// The maximum number.
        size: u32,
    },
    /// The group would have more members than it can hold.
    GroupFull {
        /// The group.
        group: u32,
        /// The maximum number of members.
        size: u32,
    },
    /// A member occurs twice in a group.
    SameMember {
        /// The group.
        group: u32,
        /// The member.
        member: u32,
    },
    /// The profile has no selector.
    NoGroups,
    /// A member of a group or an action of an action set has weight 0.
    NoWeight,
    /// The weight of a member of a group or of an action of an action set is too large.
    WeightTooLarge {
        /// The weight.
        weight: u32,
        /// The maximum.
        maximum: u32,
    },
    /// The maximum size that is given with a group is larger than a group of the profile can be.
    MaximumSizeTooLarge {
        /// The group.
        group: u32,
        /// The maximum size that is given.
        given: u32,
        /// The maximum size of groups of the profile.
        size: u32,
    },
    /// The maximum size of a group is changed.
    MaximumSizeChanged {
        /// The group.
        group: u32,
        /// The maximum size with which it was inserted.
        size: u32,
    },
    /// An action set is larger than a group can be.
    ActionSetTooLarge {
        /// The maximum size of groups of the profile.
        size: u32,
    },
    /// The groups and action sets of the profile would be too large together.
    SelectorFull {
        /// The size of the profile.
        size: u32,
    },
    /// An action set is given, but the profile has members or groups.
    HasMembers,
    /// A member or a group is given, but entries have action sets.
    HasActionSets,
}

impl std::error::Error for Error {}
