//! Why a request is refused: always with the table, the key and the limit that it is about.

use runtime::Bits;
use runtime::meter::MeterError;
use runtime::tables::MatchKind;

use crate::Kind;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A name says nothing or too much.
    Name(NameError),
    /// No action of a table has such a name.
    NoSuchAction {
        /// The table.
        table: String,
        /// The name.
        action: String,
        /// The actions that it has.
        actions: Vec<String>,
    },
    /// An entry does not suit its table, or a member its value set.
    Entry {
        /// A table or a value set.
        kind: Kind,
        /// Its name.
        name: String,
        /// What is wrong.
        error: EntryError,
    },
    /// A number is too large for what takes it.
    TooWide {
        /// What takes it, such as "parameter `port` of action `forward`".
        place: String,
        /// Its width in bits.
        width: u32,
        /// The number.
        value: Bits,
        /// The number as it stands in a file, if it comes from one.
        written: Option<String>,
    },
    /// An action gets too few or too many parameters.
    ParameterCount {
        /// The action.
        action: String,
        /// The names of what it takes.
        parameters: Vec<String>,
        /// How many it gets.
        given: usize,
    },
    /// Members and groups of a profile.
    Profile {
        /// The profile.
        profile: String,
        /// What is wrong.
        error: ProfileError,
    },
    /// No table takes its actions from this profile.
    ProfileWithoutTable {
        /// The profile.
        profile: String,
    },
    /// An index is outside an array.
    OutOfRange {
        /// The kind of array.
        kind: Kind,
        /// Its name.
        name: String,
        /// The index.
        index: u32,
        /// How many there are.
        size: u32,
    },
    /// An index is asked of counters or meters that belong to entries, or an entry of others.
    WrongPlace {
        /// Counters or meters.
        kind: Kind,
        /// Their name.
        name: String,
        /// The table whose entries they belong to, if they do.
        table: Option<String>,
    },
    /// Rates that no meter can have (RFC 2698, section 2).
    Rates {
        /// The meter.
        meter: String,
        /// What is wrong.
        error: MeterError,
    },
    /// A place of a register takes another number of values.
    LeafCount {
        /// The register.
        register: String,
        /// What a place holds.
        leaves: Vec<String>,
        /// How many values were given.
        given: usize,
    },
    /// A value set is full.
    ValueSetFull {
        /// Its name.
        value_set: String,
        /// How many members it can hold.
        size: u32,
    },
    /// Packets are inside of the machine that arrived before the request, and must not see what it writes.
    PacketsInside {
        /// What was to be written.
        kind: Kind,
        /// Its name.
        name: String,
        /// The number of packets that are inside.
        inside: u64,
    },
    /// The multicast group 0 means none.
    GroupZero,
    /// A multicast group or clone session is there already.
    ReplicationExists {
        /// "multicast group" or "clone session".
        what: &'static str,
        /// Its number.
        number: u32,
    },
    /// There is no such multicast group or clone session.
    NoReplication {
        /// "multicast group" or "clone session".
        what: &'static str,
        /// Its number.
        number: u32,
    },
}

/// What is wrong with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// Nothing is called so.
    Unknown {
        /// What was looked for.
        kind: Kind,
        /// The name.
        name: String,
        /// The nearest name, as a hint.
        hint: Option<String>,
        /// The names that there are.
        known: Vec<String>,
    },
    /// Several names end so.
    Ambiguous {
        /// What was looked for.
        kind: Kind,
        /// The name.
        name: String,
        /// The whole names that end so.
        candidates: Vec<String>,
    },
}

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryError {
    /// The table is full.
    Full {
        /// How many entries it holds.
        size: u32,
    },
    /// There is an entry of this key.
    Duplicate {
        /// The key.
        key: String,
        /// The priority of the request, where entries have one. Clients of files in which the smaller one wins wrote
        /// another number, so that the text does not say it.
        priority: Option<u32>,
    },
    /// There is no such entry.
    Missing {
        /// Its key or handle.
        key: String,
    },
    /// The program says that the entry stays.
    ConstantEntry {
        /// Its key.
        key: String,
    },
    /// The program says that all entries stay, and no others come.
    ConstantTable,
    /// The program says that the default action stays.
    ConstantDefault,
    /// The table has no key.
    NoKey,
    /// The key has another number of fields.
    FieldCount {
        /// The names of its fields.
        fields: Vec<String>,
        /// How many were given.
        given: usize,
    },
    /// A field is compared in another way.
    Mismatch {
        /// The field.
        field: String,
        /// How it is compared.
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
    /// Bits are set that the mask or prefix leaves out.
    BitsOutsideMask {
        /// The field.
        field: String,
        /// What was given for it.
        value: String,
    },
    /// A range ends before it begins.
    EmptyRange {
        /// The field.
        field: String,
        /// What was given for it.
        value: String,
    },
    /// A priority is missing.
    NoPriority {
        /// The field that makes it necessary.
        field: String,
    },
    /// A priority means nothing here.
    Priority {
        /// The priority.
        priority: u32,
    },
    /// Only the default may run the action.
    OnlyDefault {
        /// The action.
        action: String,
    },
    /// Only entries may run the action.
    OnlyEntries {
        /// The action.
        action: String,
    },
    /// The table takes its actions from a profile.
    Indirect {
        /// The profile.
        profile: String,
    },
    /// The table has no profile, or one without groups.
    NotIndirect {
        /// "members" or "groups".
        what: &'static str,
    },
    /// The table has had 2^32 entries.
    Exhausted,
}

/// What is wrong with a member or group of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileError {
    /// There are as many members as there can be.
    Full {
        /// How many.
        size: u32,
    },
    /// The member is there already.
    MemberExists(u32),
    /// There is no such member.
    NoMember(u32),
    /// A group or entry names the member.
    MemberInUse(u32),
    /// The group is there already.
    GroupExists(u32),
    /// There is no such group.
    NoGroup(u32),
    /// An entry names the group.
    GroupInUse(u32),
    /// There are as many groups as there can be.
    TooManyGroups {
        /// How many.
        size: u32,
    },
    /// The group has more members than it can hold.
    GroupFull {
        /// The group.
        group: u32,
        /// How many members it can hold.
        size: u32,
    },
    /// A member is twice in a group.
    SameMember {
        /// The group.
        group: u32,
        /// The member.
        member: u32,
    },
    /// The profile has no selector.
    NoGroups,
}

impl std::error::Error for Error {}
