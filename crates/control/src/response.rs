//! The responses to requests of the control plane.

use runtime::filter::FilterSettings;
use runtime::tables::{EntryHandle, FieldMatch};
use runtime::wred::WredSettings;
use runtime::{Bits, Count, GroupMember, MeterRates};

use crate::{ActionCall, CloneSession, IdleEntry, MulticastGroup, Target};

/// The response to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Response {
    /// The request was executed and has no result.
    Done,
    /// An entry was inserted and has this handle.
    Inserted(EntryHandle),
    /// The entries read.
    Entries(Vec<ReadEntry>),
    /// The target of packets that match no entry, and its metadata.
    Default {
        /// The target.
        target: Target,
        /// The metadata with which it was set.
        metadata: Vec<u8>,
    },
    /// The members read, in order of their numbers.
    Members(Vec<ProfileMember>),
    /// The groups read, in order of their numbers.
    Groups(Vec<Group>),
    /// The counters read, in order.
    Counters(Vec<Count>),
    /// The rates of the meters read, in order; `None` for a meter without rates.
    Meters(Vec<Option<MeterRates>>),
    /// The settings of the low-pass filters read, in order; `None` for one that is not configured.
    Filters(Vec<Option<FilterSettings>>),
    /// The settings of the random early detectors read, in order; `None` for one that is not configured.
    Wreds(Vec<Option<WredSettings>>),
    /// The register elements read, in order, each with a value for each leaf of the register's type.
    Registers(Vec<Vec<Bits>>),
    /// The words of shared memory read, in order.
    Words(Vec<u64>),
    /// The words of a segment that are not what it was filled with at first, in order, each with its distance from the
    /// beginning of the segment in bytes.
    WrittenWords(Vec<(u64, u64)>),
    /// The records read, in the order of their places.
    Records(Vec<ReadRecord>),
    /// The members of the value set, in order of insertion.
    ValueSet(Vec<Vec<FieldMatch>>),
    /// The multicast group.
    MulticastGroup(MulticastGroup),
    /// The clone session.
    CloneSession(CloneSession),
    /// All multicast groups, in order of their numbers.
    MulticastGroups(Vec<(u32, MulticastGroup)>),
    /// All clone sessions, in order of their numbers.
    CloneSessions(Vec<(u32, CloneSession)>),
    /// The digests that were waiting, oldest first, each with a value for each leaf of the digest's type.
    Digests(Vec<Vec<Bits>>),
    /// The notifications of idle entries that were waiting, oldest first.
    IdleEntries(Vec<IdleEntry>),
    /// What was read in each pipe of a machine with several, in order of the pipes.
    ByPipe(Vec<Response>),
    /// The settings of the machine, as TOML.
    Settings(String),
}

impl Response {
    /// Returns what was read in each pipe as one answer, if it can be one: counts are added up, and an answer that all
    /// pipes give is given once. Other answers stay as they are.
    pub fn merged(self) -> Self {
        let Self::ByPipe(mut pipes) = self else { return self };
        let is_counts = |response: &Self| matches!(response, Self::Counters(_));
        if pipes.is_empty() || !pipes.iter().all(is_counts) {
            let is_same = !pipes.is_empty() && pipes.windows(2).all(|pair| pair[0] == pair[1]);
            return if is_same { pipes.remove(0) } else { Self::ByPipe(pipes) };
        }
        let mut sum: Vec<Count> = Vec::new();
        for response in pipes {
            let Self::Counters(counts) = response else { continue };
            sum.resize(sum.len().max(counts.len()), Count::default());
            sum.iter_mut().zip(counts).for_each(|(sum, count)| sum.count(count.packets, count.bytes));
        }
        Self::Counters(sum)
    }

    /// Returns the answer of each pipe with its number, or the one answer without a number.
    pub fn by_pipe(self) -> Vec<(Option<u32>, Self)> {
        match self {
            Self::ByPipe(pipes) => (0..).map(Some).zip(pipes).collect(),
            one => vec![(None, one)],
        }
    }
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
    /// The idle timeout in nanoseconds; 0 for none.
    pub idle_timeout: u64,
    /// The metadata with which the entry was written.
    pub metadata: Vec<u8>,
    /// The value of the direct counter, if it was asked for and the table has one.
    pub count: Option<Count>,
    /// The rates of the direct meter, if they were asked for and the meter is configured.
    pub meter: Option<MeterRates>,
    /// The time since the last hit, or since the insertion if there was none, if it was asked for.
    pub time_since_hit: Option<basis::Duration>,
}

/// A record of a table of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRecord {
    /// The place, from 0.
    pub place: u32,
    /// The address in shared memory.
    pub address: u64,
    /// The key, in network order.
    pub key: Vec<u8>,
    /// Whether it has been referenced since it was last scanned.
    pub is_referenced: bool,
    /// The bytes of the record.
    pub contents: Vec<u8>,
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
    /// The number of the group.
    pub group: u32,
    /// The members of the group. They are read in order of their numbers.
    pub members: Vec<GroupMember>,
    /// The maximum size that the control plane foresees for the group, in the quantity that
    /// [`crate::Selector::counts`] says; 0 for the maximum group size of the profile. It is fixed when the group is
    /// inserted.
    pub maximum_size: u32,
}

impl Group {
    /// Creates a group of members, for which numbers do if each has weight 1 and depends on no port.
    pub fn new<M: Into<GroupMember>>(group: u32, members: impl IntoIterator<Item = M>) -> Self {
        Self { group, members: members.into_iter().map(Into::into).collect(), maximum_size: 0 }
    }
}
