//! What a `Read` has found, and how it becomes messages.

use std::ops::ControlFlow;

use control::{
    CloneSession, CounterNumber, DigestNumber, Group, MeterNumber, MulticastGroup, ProfileMember, ProfileNumber,
    ReadEntry, RegisterNumber, TableNumber, Target, ValueSetNumber,
};
use prost::Message;
use runtime::tables::FieldMatch;
use runtime::{Bits, Count, MeterRates};

use crate::batch_status::batch_status;
use crate::failure::Failure;
use crate::message::google::rpc::Status;
use crate::message::p4::v1::entity::Entity as Kind;
use crate::message::p4::v1::{
    self, CounterEntry, DigestEntry, DirectCounterEntry, DirectMeterEntry, Index, MeterEntry, ReadResponse, TableEntry,
    digest_entry,
};
use crate::translate::{Translator, write_count, write_rates};

/// The size in bytes at which a message is sent. Clients refuse messages of more than 4 MiB if they are not told
/// otherwise, and the last entity of a message may be a long one.
const MESSAGE_SIZE: usize = 256 << 10;

/// What a `Read` has found, and which of its requests were refused.
pub struct Answer {
    pub(super) parts: Vec<Part>,
    pub(super) results: Vec<Result<(), Failure>>,
}

/// The entities that one request of the control plane has read.
pub(super) enum Part {
    Entries { table: TableNumber, entries: Vec<ReadEntry>, shape: Shape, filter: Filter },
    Default { table: TableNumber, target: Target, metadata: Vec<u8> },
    Members { profile: ProfileNumber, members: Vec<ProfileMember> },
    Groups { profile: ProfileNumber, groups: Vec<Group> },
    Counters { counter: CounterNumber, first: u32, counts: Vec<Count> },
    Meters { meter: MeterNumber, first: u32, rates: Vec<Option<MeterRates>> },
    Registers { register: RegisterNumber, first: u32, cells: Vec<Vec<Bits>> },
    ValueSet { set: ValueSetNumber, members: Vec<Vec<FieldMatch>> },
    MulticastGroups(Vec<(u32, MulticastGroup)>),
    Sessions(Vec<(u32, CloneSession)>),
    Digest { digest: DigestNumber, config: digest_entry::Config },
}

/// What is shown of table entries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Entry,
    Counter,
    Meter,
}

/// The entries that a request selects among those that were read (section 9.1.6). The default selects all.
#[derive(Default)]
pub(super) struct Filter {
    /// The key as it is written.
    pub(super) key: Option<Vec<v1::FieldMatch>>,
    /// The priority, or 0.
    pub(super) priority: u32,
    /// The id of the action.
    pub(super) action: Option<u32>,
    pub(super) metadata: Option<Vec<u8>>,
    /// The deprecated number of the controller, or 0.
    pub(super) controller_metadata: u64,
}

impl Filter {
    fn selects(&self, entry: &TableEntry) -> bool {
        use v1::table_action::Type;
        let action = || match entry.action.as_ref()?.r#type.as_ref()? {
            Type::Action(action) => Some(action.action_id),
            _ => None,
        };
        self.key.as_ref().is_none_or(|key| *key == entry.r#match)
            && (self.priority == 0 || self.priority == entry.priority as u32)
            && self.action.is_none_or(|own| action() == Some(own))
            && self.metadata.as_ref().is_none_or(|metadata| *metadata == entry.metadata)
            && (self.controller_metadata == 0 || self.controller_metadata == entry.controller_metadata)
    }
}

impl Answer {
    /// Writes the entities into messages of bounded size, until `send` breaks because nobody listens any more.
    ///
    /// # Errors
    /// Fails after the last message with `UNKNOWN` if a request was refused; the details have an error for each request,
    /// in order.
    pub fn send(
        self,
        translator: &Translator,
        send: &mut dyn FnMut(ReadResponse) -> ControlFlow<()>,
    ) -> Result<(), Status> {
        let mut pieces = Pieces { entities: Vec::new(), size: 0, send };
        for part in self.parts {
            if part.send(translator, &mut pieces).is_break() {
                return Ok(());
            }
        }
        if pieces.flush().is_break() {
            return Ok(());
        }
        batch_status("requests", &self.results).map_or(Ok(()), Err)
    }
}

impl Part {
    fn send(self, translator: &Translator, pieces: &mut Pieces<'_>) -> ControlFlow<()> {
        let info = translator.info();
        match self {
            Self::Entries { table, entries, shape, filter } => entries.into_iter().try_for_each(|entry| match shape {
                Shape::Entry => {
                    let entry = translator.read_entry(table, entry);
                    if filter.selects(&entry) { pieces.add(Kind::TableEntry(entry)) } else { ControlFlow::Continue(()) }
                }
                Shape::Counter | Shape::Meter => {
                    let key = translator.entry_key(table, &entry);
                    if !filter.selects(&key) {
                        return ControlFlow::Continue(());
                    }
                    let table_entry = Some(key);
                    pieces.add(if shape == Shape::Counter {
                        let data = entry.count.map(write_count);
                        Kind::DirectCounterEntry(DirectCounterEntry { table_entry, data })
                    } else {
                        let config = entry.meter.as_ref().map(write_rates);
                        Kind::DirectMeterEntry(DirectMeterEntry { table_entry, config, counter_data: None })
                    })
                }
            }),
            Self::Default { table, target, metadata } => {
                pieces.add(Kind::TableEntry(translator.read_default(table, &target, metadata)))
            }
            Self::Members { profile, members } => members
                .iter()
                .try_for_each(|own| pieces.add(Kind::ActionProfileMember(translator.read_member(profile, own)))),
            Self::Groups { profile, groups } => groups
                .iter()
                .try_for_each(|own| pieces.add(Kind::ActionProfileGroup(translator.write_read_group(profile, own)))),
            Self::Counters { counter, first, counts } => (first..).zip(counts).try_for_each(|(at, count)| {
                let counter_id = info.counter(counter).identity.id;
                let index = Some(Index { index: i64::from(at) });
                pieces.add(Kind::CounterEntry(CounterEntry { counter_id, index, data: Some(write_count(count)) }))
            }),
            Self::Meters { meter, first, rates } => (first..).zip(rates).try_for_each(|(at, rates)| {
                let (meter_id, index) = (info.meter(meter).identity.id, Some(Index { index: i64::from(at) }));
                let config = rates.as_ref().map(write_rates);
                pieces.add(Kind::MeterEntry(MeterEntry { meter_id, index, config, counter_data: None }))
            }),
            Self::Registers { register, first, cells } => (first..).zip(cells).try_for_each(|(at, values)| {
                pieces.add(Kind::RegisterEntry(translator.read_register(register, at, &values)))
            }),
            Self::ValueSet { set, members } => {
                pieces.add(Kind::ValueSetEntry(translator.read_value_set(set, &members)))
            }
            Self::MulticastGroups(groups) => groups.iter().try_for_each(|(number, group)| {
                pieces.add(Kind::PacketReplicationEngineEntry(translator.read_group_entry(*number, group)))
            }),
            Self::Sessions(sessions) => sessions.iter().try_for_each(|(number, session)| {
                pieces.add(Kind::PacketReplicationEngineEntry(translator.read_session_entry(*number, session)))
            }),
            Self::Digest { digest, config } => {
                let digest_id = info.digest(digest).identity.id;
                pieces.add(Kind::DigestEntry(DigestEntry { digest_id, config: Some(config) }))
            }
        }
    }
}

/// Entities that wait for a message to be full.
struct Pieces<'p> {
    entities: Vec<v1::Entity>,
    size: usize,
    send: &'p mut dyn FnMut(ReadResponse) -> ControlFlow<()>,
}

impl Pieces<'_> {
    fn add(&mut self, entity: Kind) -> ControlFlow<()> {
        let entity = v1::Entity { entity: Some(entity) };
        self.size += entity.encoded_len();
        self.entities.push(entity);
        if self.size >= MESSAGE_SIZE { self.flush() } else { ControlFlow::Continue(()) }
    }

    fn flush(&mut self) -> ControlFlow<()> {
        if self.entities.is_empty() {
            return ControlFlow::Continue(());
        }
        self.size = 0;
        (self.send)(ReadResponse { entities: std::mem::take(&mut self.entities) })
    }
}
