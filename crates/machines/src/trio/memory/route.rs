//! Which engine serves a request, and how long it is busy with it.

use ir::Threads;
use ir::interpret::threads::Request;
use ir::threads::{Contents, LINE_BYTES, MemoryKind};
use serde::{Deserialize, Serialize};

use super::Requester;
use super::parameters::{BlockParameters, MemoryParameters};
use super::statistics::{Block, EngineName};

/// What the way of a request depends on.
#[derive(Clone, Debug)]
pub(super) struct Routes {
    banks: u32,
    word_cycles: u64,
    add_cycles: u64,
    policer_cycles: u64,
    hash: Group,
    filters: Group,
    packet_buffer: Group,
    services: Group,
    /// For each segment, whether it lies off chip.
    segments_off_chip: Vec<bool>,
    /// For each array of meters, whether its policers lie off chip.
    policers_off_chip: Vec<bool>,
    /// For each table of records, the lines that a new record has.
    record_lines: Vec<u64>,
}

/// Engines of one kind, which follow each other.
#[derive(Clone, Copy, Debug)]
struct Group {
    first: u32,
    engines: u32,
    cycles: u64,
}

impl Group {
    fn engine(self, number: u32) -> u32 {
        self.first + number % self.engines
    }
}

/// The way of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Route {
    /// The number of the engine.
    pub engine: u32,
    /// The cycles for which the engine is busy.
    pub service: u64,
    /// The line of shared memory off chip that the engine needs.
    pub off_chip: Option<u32>,
    /// Whether the request changes the line.
    pub is_change: bool,
}

impl Routes {
    pub fn new(parameters: &MemoryParameters, threads: &Threads) -> Self {
        let mut first = parameters.banks;
        let mut group = |block: BlockParameters| {
            let group = Group { first, engines: block.engines, cycles: block.cycles.into() };
            first += block.engines;
            group
        };
        let off_chip = |kind| kind == MemoryKind::OffChip;
        let arrays = threads.segments.iter().filter_map(|segment| match segment.contents {
            Contents::Policers(meter) => Some((meter.index(), off_chip(segment.kind))),
            Contents::Words(_) => None,
        });
        let mut policers_off_chip = Vec::new();
        for (array, is_off_chip) in arrays {
            policers_off_chip.resize(policers_off_chip.len().max(array + 1), false);
            policers_off_chip[array] = is_off_chip;
        }
        let lines = |bytes: u32| u64::from(bytes).div_ceil(LINE_BYTES);
        Self {
            banks: parameters.banks,
            word_cycles: parameters.word_cycles.into(),
            add_cycles: parameters.add_cycles.into(),
            policer_cycles: parameters.policer_cycles.into(),
            hash: group(parameters.hash),
            filters: group(parameters.filters),
            packet_buffer: group(parameters.packet_buffer),
            services: group(parameters.services),
            segments_off_chip: threads.segments.iter().map(|segment| off_chip(segment.kind)).collect(),
            policers_off_chip,
            record_lines: threads.records.iter().map(|table| lines(table.record_bytes)).collect(),
        }
    }

    /// Returns the names of all engines, by number.
    pub fn names(&self) -> impl Iterator<Item = EngineName> {
        let groups = [
            (Block::Bank, self.banks),
            (Block::Hash, self.hash.engines),
            (Block::Filter, self.filters.engines),
            (Block::PacketBuffer, self.packet_buffer.engines),
            (Block::Service, self.services.engines),
        ];
        groups.into_iter().flat_map(|(block, count)| (0..count).map(move |number| EngineName { block, number }))
    }

    /// Returns the way of a request. Those that touch the same ([`Request::touches`]) have the same engine.
    #[inline]
    pub fn route(&self, from: Requester, request: &Request) -> Route {
        let words = |bytes: usize| self.word_cycles * (bytes as u64).div_ceil(8);
        match *request {
            Request::Read { segment, address, bytes } => self.words(segment, address, words(bytes as usize), false),
            Request::Write { segment, address, data } => self.words(segment, address, words(data.len()), true),
            Request::Count { segment, address, .. } => self.words(segment, address, words(16), true),
            Request::Fetch { segment, address, .. } | Request::WriteMasked { segment, address, .. } => {
                self.words(segment, address, words(8), true)
            }
            Request::Add { segment, address, data } => {
                self.words(segment, address, self.add_cycles * (data.len() as u64 / 4), true)
            }
            Request::Police { address, array, .. } => {
                self.bank(self.policers_off_chip[array as usize], address, self.policer_cycles, true)
            }
            // A table is served by one engine, for what its operations do depends on their order.
            Request::Find { records, .. }
            | Request::Delete { records, .. }
            | Request::Remove { records, .. }
            | Request::Scan { records, .. } => block(self.hash, records.0, self.hash.cycles),
            // A new record is written, a line a cycle.
            Request::Insert { records, .. } => {
                block(self.hash, records.0, self.hash.cycles + self.record_lines[records.index()])
            }
            Request::Hash { .. } => block(self.hash, from.ppe, self.hash.cycles),
            Request::Filter { .. } => block(self.filters, from.ppe, self.filters.cycles),
            // What concerns the packets of a thread keeps its order.
            Request::ReadTail { .. }
            | Request::WriteTail { .. }
            | Request::CutTail { .. }
            | Request::Make { .. }
            | Request::Send { .. }
            | Request::Multicast { .. }
            | Request::Drop { .. } => block(self.packet_buffer, from.thread, self.packet_buffer.cycles),
            Request::StartTimer { timer, .. } | Request::StopTimer { timer } => {
                block(self.services, timer.0, self.services.cycles)
            }
            Request::Digest { .. } | Request::Time => block(self.services, 0, self.services.cycles),
        }
    }

    #[inline]
    fn words(&self, segment: u32, address: u64, service: u64, is_change: bool) -> Route {
        self.bank(self.segments_off_chip[segment as usize], address, service, is_change)
    }

    /// A range of memory locations is handled by one engine (section 2.3); ours: lines are dealt to the banks in turns.
    #[inline]
    fn bank(&self, is_off_chip: bool, address: u64, service: u64, is_change: bool) -> Route {
        // Shared memory has 2^36 bytes (`ir::threads::MAX_SHARED_MEMORY`), hence 2^30 lines.
        let line = (address / LINE_BYTES) as u32;
        Route { engine: line % self.banks, service, off_chip: is_off_chip.then_some(line), is_change }
    }
}

#[inline]
fn block(group: Group, number: u32, service: u64) -> Route {
    Route { engine: group.engine(number), service, off_chip: None, is_change: false }
}
