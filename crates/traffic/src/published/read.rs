//! Reading of the two files of a published trace.

use std::collections::BTreeMap;
use std::ops::Range;

use basis::Duration;
use diagnostics::{Diagnostic, Diagnostics, Findings, Sources};

use super::{PublishedPacket, PublishedShape, PublishedTrace, StatefulAccess};
use crate::input::TextFindings;
use crate::lines::{Cell, Lines, TextLine};
use crate::{Input, PacketSizes};

/// The most packets, and the most flows and accesses, of a trace. More are no published trace and would fill memory.
const MOST: usize = 1 << 24;

/// The ranges of values that a trace may contain.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    ports: Range<u64>,
    /// The sizes in bytes.
    sizes: Range<u64>,
    cycles: Range<u64>,
    stages: Range<u64>,
    indices: Range<u64>,
}

impl Limits {
    /// The ranges of the format.
    const OF_FORMAT: Self =
        Self { ports: 0..1 << 16, sizes: 0..1 << 16, cycles: 0..1 << 48, stages: 0..1 << 16, indices: 0..1 << 32 };

    /// Returns the ranges for packets that can arrive on `ports` ports at cycles of `period`: they are long enough for
    /// headers, and arrive before time ends, which is after 213 days.
    pub(crate) fn of_packets(ports: u16, period: Duration) -> Self {
        let cycles = 0..(u64::MAX / period.picoseconds().max(1)).min(Self::OF_FORMAT.cycles.end);
        let sizes = PacketSizes::SHORTEST.into()..Self::OF_FORMAT.sizes.end;
        Self { ports: 0..ports.into(), sizes, cycles, ..Self::OF_FORMAT }
    }

    /// Returns the ranges for a switch of this shape.
    fn of_shape(shape: &PublishedShape) -> Self {
        let (ports, stages, indices) = (0..shape.ports.into(), 0..shape.depth().into(), 0..shape.register_size.into());
        Self { ports, stages, indices, ..Self::OF_FORMAT }
    }
}

impl PublishedTrace {
    /// Reads the two files of a trace.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong with the files.
    pub fn read(flows: &Input, packets: &Input) -> Result<Self, Findings> {
        Self::read_limited(flows, packets, Limits::OF_FORMAT)
    }

    /// Reads a trace for a switch of `shape`; see [`PublishedTrace::read`].
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong with the files, including ports, stages and indices that the switch does not
    /// have.
    pub fn read_for(shape: &PublishedShape, flows: &Input, packets: &Input) -> Result<Self, Findings> {
        Self::read_limited(flows, packets, Limits::of_shape(shape))
    }

    fn read_limited(flows: &Input, packets: &Input, limits: Limits) -> Result<Self, Findings> {
        let (mut sources, mut found) = (Sources::new(), Diagnostics::new());
        let trace = Self::read_within(flows, packets, limits, &mut sources, &mut found);
        trace.ok_or((sources, found))
    }

    /// Reads a trace within `limits`. Returns `None` if there are errors among the findings.
    pub(crate) fn read_within(
        flows: &Input,
        packets: &Input,
        limits: Limits,
        sources: &mut Sources,
        found: &mut Diagnostics,
    ) -> Option<Self> {
        let trace = Self { flows: Vec::new(), numbers: Vec::new(), packets: Vec::new() };
        let mut reading = Reading { limits, trace, places: BTreeMap::new(), accesses: 0 };
        read_lines(flows, sources, found, |line, findings| reading.flow(line, findings));
        read_lines(packets, sources, found, |line, findings| reading.packet(line, findings));
        let mut trace = reading.trace;
        // The sort is stable: packets at the same port and time stay in the order of the file. MP5 section 2.2.1 puts
        // the smaller port first; the published simulator keeps the order of its file within a pipeline, which no
        // published result depends on.
        trace.packets.sort_by_key(|packet| (packet.cycle, packet.port));
        (!found.has_errors()).then_some(trace)
    }
}

/// Calls `read` with every line but the first, which is a header.
fn read_lines(
    input: &Input,
    sources: &mut Sources,
    found: &mut Diagnostics,
    mut read: impl FnMut(&TextLine, &mut TextFindings),
) {
    let mut findings = TextFindings::default();
    let mut read_all = || {
        let mut lines = Lines::new(input.open()?);
        let mut is_first = true;
        while let Some(line) = lines.next()? {
            if line.is_too_long {
                findings.error(line.position(), "this line is too long", "each line holds one flow or one packet");
            } else if !is_first {
                read(line, &mut findings);
            } else if line.cells().next().is_some_and(|cell| cell.number().is_some()) {
                findings.error(line.position(), "the header line is missing", "the first line names the columns");
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
    trace: PublishedTrace,
    /// The position of each flow by its number.
    places: BTreeMap<u32, u32>,
    accesses: usize,
}

/// Parses a cell as a number in `range`, or reports that it is not a valid `what`.
fn within(line: &TextLine, cell: Cell<'_>, range: &Range<u64>, what: &str, findings: &mut TextFindings) -> Option<u64> {
    let number = cell.number().and_then(|number| u64::try_from(number).ok()).filter(|number| range.contains(number));
    if number.is_none() {
        let message = format!("`{}` is not a valid {what}", cell.text());
        findings.error(line.position_of(cell), message, format!("a number from {} to {}", range.start, range.end - 1));
    }
    number
}

const FLOWS: Range<u64> = 0..1 << 32;

impl Reading {
    fn flow(&mut self, line: &TextLine, findings: &mut TextFindings) {
        let mut cells = line.cells();
        let Some(first) = cells.next() else { return };
        let Some(number) = within(line, first, &FLOWS, "flow", findings) else { return };
        self.accesses += 1;
        if self.accesses > MOST {
            findings.error(line.position(), "the trace is too long", "at most 2^24 flows with their accesses");
            return;
        }
        // The flow counts as known even if the rest of its line is wrong, so that its packets are not reported as
        // well.
        if self.places.insert(number as u32, self.trace.flows.len() as u32).is_some() {
            findings.error(line.position_of(first), format!("flow {number} appears twice"), "give each flow one line");
        }
        let mut accesses: Vec<StatefulAccess> = Vec::new();
        while let Some(stage_cell) = cells.next() {
            let Some(index_cell) = cells.next() else {
                findings.error(
                    line.position_of(stage_cell),
                    "a stage without an index",
                    "the flow is followed by pairs: stage, index",
                );
                return;
            };
            let stage = within(line, stage_cell, &self.limits.stages, "stage", findings);
            let index = within(line, index_cell, &self.limits.indices, "index", findings);
            let (Some(stage), Some(index)) = (stage, index) else { continue };
            accesses.push(StatefulAccess { stage: stage as u32, index: index as u32 });
        }
        accesses.sort_unstable();
        if let Some(pair) = accesses.windows(2).find(|pair| pair[0].stage == pair[1].stage) {
            let message = format!("flow {number} accesses stage {} twice", pair[0].stage);
            findings.error(line.position(), message, "a packet accesses at most one index per stage");
        }
        self.accesses += accesses.len();
        self.trace.flows.push(accesses);
        self.trace.numbers.push(number as u32);
    }

    /// Returns the position of a flow. Flow 0 need not be in the file of flows: it accesses nothing, and it is the
    /// only flow of a trace without state.
    fn place_of(&mut self, number: u32) -> Option<u32> {
        if number == 0 && !self.places.contains_key(&0) {
            self.places.insert(0, self.trace.flows.len() as u32);
            self.trace.flows.push(Vec::new());
            self.trace.numbers.push(0);
        }
        self.places.get(&number).copied()
    }

    fn packet(&mut self, line: &TextLine, findings: &mut TextFindings) {
        let cells: Vec<Cell<'_>> = line.cells().take(5).collect();
        let &[port, size, flow, time] = &cells[..] else {
            findings.error(
                line.position(),
                "this line is not a packet",
                "a packet is a port, a size, a flow and a time",
            );
            return;
        };
        let port = within(line, port, &self.limits.ports, "port", findings);
        let size = within(line, size, &self.limits.sizes, "size", findings);
        let number = within(line, flow, &FLOWS, "flow", findings);
        let cycle = within(line, time, &self.limits.cycles, "time", findings);
        let (Some(port), Some(size), Some(number), Some(cycle)) = (port, size, number, cycle) else { return };
        let Some(place) = self.place_of(number as u32) else {
            let message = format!("flow {number} is not in the file of flows");
            findings.error(line.position_of(flow), message, "give the two files of one trace");
            return;
        };
        if self.trace.packets.len() == MOST {
            findings.error(line.position(), "the trace is too long", "at most 2^24 packets");
            return;
        }
        let (port, size, flow) = (port as u16, size as u32, number as u32);
        self.trace.packets.push(PublishedPacket { cycle, port, size, flow, place });
    }
}
