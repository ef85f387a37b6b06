//! What probes saw over time: lengths of queues, and what lines carried.

use std::sync::Arc;

use basis::{Duration, Instant};
use netsim::{LineId, Simulation};
use node::{Port, QueueLength};

use super::places::{Place, Places};
use crate::network::plan::Pattern;
use crate::results::{Column, Columns};

/// Looks at chosen ports again and again, and remembers what differs from the look before.
#[derive(Debug)]
pub struct Series {
    queues: Vec<Probe>,
    lines: Vec<LineProbe>,
    /// Time, index into `queues`, and the length then.
    lengths: Vec<(Instant, u32, QueueLength)>,
    /// Time, index into `lines`, and the bytes since the look before.
    carried: Vec<(Instant, u32, u64)>,
}

#[derive(Debug)]
struct Probe {
    place: Place,
    name: String,
    last: QueueLength,
}

#[derive(Debug)]
struct LineProbe {
    line: LineId,
    name: String,
    bytes: u64,
    last: u64,
}

impl Series {
    /// Probes of the ports that the patterns name.
    pub(super) fn new(places: &Places, simulation: &Simulation, queues: &[Pattern], lines: &[Pattern]) -> Self {
        let probe = |place: &Place| Probe { place: *place, name: places.name(place), last: QueueLength::default() };
        let line_probe =
            |place: &Place| LineProbe { line: place.line(simulation), name: places.name(place), bytes: 0, last: 0 };
        Self {
            queues: places.matching(queues).map(probe).collect(),
            lines: places.matching(lines).map(line_probe).collect(),
            lengths: Vec::new(),
            carried: Vec::new(),
        }
    }

    /// One look.
    pub(super) fn sample(&mut self, at: Instant, simulation: &Simulation) {
        for (probe, number) in self.queues.iter_mut().zip(0..) {
            let length = simulation.station(probe.place.station as usize).queue(Port(probe.place.port));
            if length != probe.last {
                probe.last = length;
                self.lengths.push((at, number, length));
            }
        }
        for (probe, number) in self.lines.iter_mut().zip(0..) {
            let bytes = simulation.carried(probe.line).1.bytes;
            let since = bytes - probe.bytes;
            probe.bytes = bytes;
            if since != probe.last {
                probe.last = since;
                self.carried.push((at, number, since));
            }
        }
    }

    /// Names of the queues that were looked at, with time and bytes of each change.
    pub fn queues(&self) -> Vec<(&str, Vec<(Instant, u64)>)> {
        let mut queues: Vec<_> = self.queues.iter().map(|probe| (probe.name.as_str(), Vec::new())).collect();
        for (at, queue, length) in &self.lengths {
            queues[*queue as usize].1.push((*at, length.bytes));
        }
        queues
    }

    /// `queues.csv` from a row on: a row each time that a queue was seen to differ from the look before; it begins empty.
    pub(super) fn queue_table(&self, from: usize) -> Columns {
        let lengths = &self.lengths[from..];
        let names: Arc<[String]> = self.queues.iter().map(|probe| probe.name.clone()).collect();
        Columns {
            name: "queues",
            columns: vec![
                ("time_ps", Column::Counts(lengths.iter().map(|row| row.0.picoseconds()).collect())),
                ("queue", Column::Names { names, rows: lengths.iter().map(|row| row.1).collect() }),
                ("packets", Column::Counts(lengths.iter().map(|row| row.2.packets).collect())),
                ("bytes_on_wire", Column::Counts(lengths.iter().map(|row| row.2.bytes).collect())),
            ],
        }
    }

    /// `rates.csv` from a row on: a row each time that a line was seen to carry more or less since the look before than until that
    /// look; `None` if no line was looked at.
    pub(super) fn line_table(&self, every: Duration, from: usize) -> Option<Columns> {
        if self.lines.is_empty() {
            return None;
        }
        let carried = &self.carried[from..];
        let names: Arc<[String]> = self.lines.iter().map(|probe| probe.name.clone()).collect();
        let rate = |row: &(Instant, u32, u64)| row.2 as f64 * 8.0 / every.seconds();
        Some(Columns {
            name: "rates",
            columns: vec![
                ("time_ps", Column::Counts(carried.iter().map(|row| row.0.picoseconds()).collect())),
                ("line", Column::Names { names, rows: carried.iter().map(|row| row.1).collect() }),
                ("bytes_on_wire", Column::Counts(carried.iter().map(|row| row.2).collect())),
                ("bits_per_second", Column::Numbers(carried.iter().map(rate).collect())),
            ],
        })
    }
}

basis::snapshot!(Series { values lengths, carried; parts queues, lines; });
basis::snapshot!(Probe { values last; });
basis::snapshot!(LineProbe { values bytes, last; });
