//! The trace format of MP5's published artifact: which flow comes when, and which state it accesses in which stage.
//!
//! Two files belong together: `flows_*` (a flow a line: its number, then stage and index, as often as it accesses
//! state) and `uniform_*` or `heavytail_*` (a packet a line: port, size, flow, time in cycles of one pipeline). The
//! packets come port by port, so all of them are read before the first is given; a record takes 24 bytes.

mod stream;

use std::collections::BTreeMap;
use std::ops::Range;

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Sources};

use crate::input::TextFindings;
use crate::lines::{Cell, Line, Lines};
use crate::{Findings, Input, PacketSizes};

pub(crate) use stream::PublishedStream;

/// A published trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedTrace {
    /// By flow: the accesses of its packets, in order of stage.
    flows: Vec<Vec<StatefulAccess>>,
    /// In order of time, of equal times the smaller port first.
    packets: Vec<PublishedPacket>,
}

/// A packet of a published trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedPacket {
    /// When it arrives, in clock cycles of one pipeline.
    pub cycle: u64,
    /// Where it arrives, from 0.
    pub port: u16,
    /// Its length in bytes.
    pub size: u32,
    /// The number of its flow, as the files give it.
    pub flow: u32,
    /// Its flow's place among the flows.
    place: u32,
}

/// A state that a flow's packets access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatefulAccess {
    /// In which stage, from 0.
    pub stage: u32,
    /// Which index of that stage's register array, from 0.
    pub index: u32,
}

/// What the name of a published trace says of the switch that it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedShape {
    /// How many ports are used.
    pub ports: u32,
    /// How many pipelines there are.
    pub pipelines: u32,
    /// How many stages a pipeline has.
    pub stages: u32,
    /// How many of them keep state.
    pub stateful_stages: u32,
    /// How long each register array is.
    pub register_size: u32,
    /// How long packets are, in bytes.
    pub packet_size: u32,
}

impl PublishedShape {
    /// The shape in a file's name, such as `uniform_64_4_16_4_512_64.csv`.
    pub fn from_name(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.strip_suffix(".csv")?.split('_').collect();
        let [_, rest @ ..] = &parts[..] else { return None };
        let numbers: Vec<u32> = rest.iter().map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let &[ports, pipelines, stages, stateful_stages, register_size, packet_size] = &numbers[..] else {
            return None;
        };
        Some(Self { ports, pipelines, stages, stateful_stages, register_size, packet_size })
    }
}

/// More packets or accesses than this are no published trace, and would fill memory.
const MOST: usize = 1 << 24;

/// What a packet of a trace may be.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    ports: Range<u64>,
    /// In bytes.
    sizes: Range<u64>,
    cycles: Range<u64>,
}

impl Limits {
    /// What the format holds.
    const OF_FORMAT: Self = Self { ports: 0..1 << 16, sizes: 0..1 << 16, cycles: 0..1 << 48 };

    /// What packets can be that arrive on `ports` ports, at cycles of `period`: long enough for headers, and before
    /// time ends, which is after 213 days.
    pub(crate) fn of_packets(ports: u16, period: Duration) -> Self {
        let cycles = 0..(u64::MAX / period.picoseconds().max(1)).min(Self::OF_FORMAT.cycles.end);
        Self { ports: 0..ports.into(), sizes: PacketSizes::SHORTEST.into()..Self::OF_FORMAT.sizes.end, cycles }
    }
}

impl PublishedTrace {
    /// Reads the two files of a trace.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn read(flows: &Input, packets: &Input) -> Result<Self, Findings> {
        let (mut sources, mut found) = (Sources::new(), Diagnostics::new());
        let trace = Self::read_within(flows, packets, Limits::OF_FORMAT, &mut sources, &mut found);
        trace.ok_or((sources, found))
    }

    /// Reads a trace whose packets keep within `limits`; `None` if there are errors among the findings.
    pub(crate) fn read_within(
        flows: &Input,
        packets: &Input,
        limits: Limits,
        sources: &mut Sources,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let (places, all) = (BTreeMap::new(), Vec::new());
        let mut reading = Reading { limits, flows: Vec::new(), numbers: places, packets: all, accesses: 0 };
        read_lines(flows, sources, found, |line, findings| reading.flow(line, findings));
        read_lines(packets, sources, found, |line, findings| reading.packet(line, findings));
        let Reading { flows, mut packets, .. } = reading;
        packets.sort_by_key(|packet| (packet.cycle, packet.port)); // stable
        (!found.has_errors()).then_some(Self { flows, packets })
    }

    /// The packets, in order of time, of equal times the smaller port first; each with its flow's accesses, in order
    /// of stage.
    pub fn packets(&self) -> impl Iterator<Item = (&PublishedPacket, &[StatefulAccess])> {
        self.packets.iter().map(|packet| (packet, &self.flows[packet.place as usize][..]))
    }

    /// How many packets there are.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// True if there is no packet.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Every flow's accesses, in order of stage, in the order of the file.
    pub fn flows(&self) -> impl Iterator<Item = &[StatefulAccess]> {
        self.flows.iter().map(Vec::as_slice)
    }
}

/// Calls `read` with every line but the first, which is a header.
fn read_lines(
    input: &Input,
    sources: &mut Sources,
    found: &mut Diagnostics,
    mut read: impl FnMut(&Line, &mut TextFindings),
) {
    let mut findings = TextFindings::default();
    let mut read_all = || {
        let mut lines = Lines::new(input.open()?);
        let mut is_first = true;
        while let Some(line) = lines.next()? {
            if line.is_too_long {
                findings.error(line.place(), "this line is too long", "a line is a flow or a packet");
            } else if !is_first {
                read(line, &mut findings);
            } else if line.cells().next().is_some_and(|cell| cell.number().is_some()) {
                findings.error(line.place(), "the header line is missing", "the first line names the columns");
            }
            is_first = false;
        }
        Ok(is_first)
    };
    let is_empty = read_all();
    findings.tell(input, sources, found);
    match is_empty {
        Ok(false) => {}
        Ok(true) => found.push(Diagnostic::without_place(format!("{input}: the trace is empty"))),
        Err(error) => found.push(input.unreadable(&error)),
    }
}

struct Reading {
    limits: Limits,
    flows: Vec<Vec<StatefulAccess>>,
    /// The place of each flow's number.
    numbers: BTreeMap<u32, u32>,
    packets: Vec<PublishedPacket>,
    accesses: usize,
}

/// A cell's number if it is in `range`; else the finding.
fn within(line: &Line, cell: Cell<'_>, range: &Range<u64>, what: &str, findings: &mut TextFindings) -> Option<u64> {
    let number = cell.number().and_then(|number| u64::try_from(number).ok()).filter(|number| range.contains(number));
    if number.is_none() {
        let message = format!("`{}` is no {what}", cell.text());
        findings.error(line.place_of(cell), message, format!("a number from {} to {}", range.start, range.end - 1));
    }
    number
}

const FLOWS: Range<u64> = 0..1 << 32;
const STAGES: Range<u64> = 0..1 << 16;
const INDICES: Range<u64> = 0..1 << 32;

impl Reading {
    fn flow(&mut self, line: &Line, findings: &mut TextFindings) {
        let mut cells = line.cells();
        let Some(first) = cells.next() else { return };
        let Some(number) = within(line, first, &FLOWS, "flow", findings) else { return };
        self.accesses += 1;
        if self.accesses > MOST {
            findings.error(line.place(), "this is more than a trace has", "at most 2^24 flows with their accesses");
            return;
        }
        // Known even if the rest of its line is wrong: then its packets are not wrong too.
        if self.numbers.insert(number as u32, self.flows.len() as u32).is_some() {
            findings.error(line.place_of(first), format!("flow {number} is there twice"), "a flow has one line");
        }
        let mut accesses: Vec<StatefulAccess> = Vec::new();
        while let Some(stage_cell) = cells.next() {
            let Some(index_cell) = cells.next() else {
                findings.error(
                    line.place_of(stage_cell),
                    "a stage without an index",
                    "after the flow come pairs: stage, index",
                );
                return;
            };
            let stage = within(line, stage_cell, &STAGES, "stage", findings);
            let index = within(line, index_cell, &INDICES, "index", findings);
            let (Some(stage), Some(index)) = (stage, index) else { continue };
            accesses.push(StatefulAccess { stage: stage as u32, index: index as u32 });
        }
        accesses.sort_unstable();
        if let Some(pair) = accesses.windows(2).find(|pair| pair[0].stage == pair[1].stage) {
            let message = format!("flow {number} accesses stage {} twice", pair[0].stage);
            findings.error(line.place(), message, "a packet accesses one index a stage");
        }
        self.accesses += accesses.len();
        self.flows.push(accesses);
    }

    fn packet(&mut self, line: &Line, findings: &mut TextFindings) {
        let cells: Vec<Cell<'_>> = line.cells().take(5).collect();
        let &[port, size, flow, time] = &cells[..] else {
            findings.error(line.place(), "this is no packet", "a packet is a port, a size, a flow and a time");
            return;
        };
        let port = within(line, port, &self.limits.ports, "port", findings);
        let size = within(line, size, &self.limits.sizes, "size", findings);
        let number = within(line, flow, &FLOWS, "flow", findings);
        let cycle = within(line, time, &self.limits.cycles, "time", findings);
        let (Some(port), Some(size), Some(number), Some(cycle)) = (port, size, number, cycle) else { return };
        let Some(&place) = self.numbers.get(&(number as u32)) else {
            let message = format!("flow {number} is not in the file of flows");
            findings.error(line.place_of(flow), message, "give the two files of one trace");
            return;
        };
        if self.packets.len() == MOST {
            findings.error(line.place(), "this is more than a trace has", "at most 2^24 packets");
            return;
        }
        let (port, size, flow) = (port as u16, size as u32, number as u32);
        self.packets.push(PublishedPacket { cycle, port, size, flow, place });
    }
}
