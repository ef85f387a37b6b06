//! The samples of probes over time: queue lengths when they changed, and the bytes that links carried between samples.

use std::sync::Arc;

use basis::{Duration, Instant};
use netsim::{LinkId, Simulation};
use node::{Port, QueueLength};

use super::cabled_ports::{CabledPort, CabledPorts};
use plans::Pattern;
use report::{Column, Columns};

/// Periodic samples of chosen ports. A sample of a queue is stored only if it differs from the previous one; all
/// samples of links are stored, so that their sum is everything that a link has carried.
#[derive(Debug)]
pub struct Series {
    queues: Vec<Probe>,
    links: Vec<LinkProbe>,
    /// The time, the index into `queues`, and the length then.
    lengths: Vec<(Instant, u32, QueueLength)>,
    /// The time, the index into `links`, and the bytes since the previous sample.
    carried: Vec<(Instant, u32, u64)>,
    /// The time of the last sample of links.
    looked: Instant,
    /// The time between the last two samples, if it is not the usual one: the last sample is at the end of the run.
    last_interval: Option<Duration>,
}

#[derive(Debug)]
struct Probe {
    port: CabledPort,
    name: String,
    last: QueueLength,
}

#[derive(Debug)]
struct LinkProbe {
    link: LinkId,
    name: String,
    bytes: u64,
}

impl Series {
    /// Makes probes of the ports that the patterns name.
    pub(super) fn new(ports: &CabledPorts, simulation: &Simulation, queues: &[Pattern], links: &[Pattern]) -> Self {
        let probe = |port: &CabledPort| Probe { port: *port, name: ports.name(port), last: QueueLength::default() };
        let link_probe =
            |port: &CabledPort| LinkProbe { link: port.link(simulation), name: ports.name(port), bytes: 0 };
        Self {
            queues: ports.matching(queues).map(probe).collect(),
            links: ports.matching(links).map(link_probe).collect(),
            lengths: Vec::new(),
            carried: Vec::new(),
            looked: Instant::ZERO,
            last_interval: None,
        }
    }

    /// Takes a sample.
    pub(super) fn sample(&mut self, at: Instant, simulation: &Simulation) {
        self.look_at_queues(at, simulation);
        // Nothing has been carried before time 0.
        if at > self.looked {
            self.look_at_links(at, simulation);
        }
    }

    fn look_at_queues(&mut self, at: Instant, simulation: &Simulation) {
        for (probe, number) in self.queues.iter_mut().zip(0..) {
            let length = simulation.station(probe.port.station as usize).queue(Port(probe.port.port));
            if length != probe.last {
                probe.last = length;
                self.lengths.push((at, number, length));
            }
        }
    }

    fn look_at_links(&mut self, at: Instant, simulation: &Simulation) {
        self.looked = at;
        for (probe, number) in self.links.iter_mut().zip(0..) {
            let bytes = simulation.carried(probe.link).1.bytes;
            self.carried.push((at, number, bytes - probe.bytes));
            probe.bytes = bytes;
        }
    }

    /// Takes the last sample at the end of the run, and discards samples after it, which were taken while timers ran
    /// and show only packets that had been sent before.
    pub(super) fn end(&mut self, end: Instant, simulation: &Simulation) {
        self.lengths.truncate(self.lengths.partition_point(|&(at, ..)| at <= end));
        self.queues.iter_mut().for_each(|probe| probe.last = QueueLength::default());
        for &(_, queue, length) in &self.lengths {
            self.queues[queue as usize].last = length;
        }
        self.look_at_queues(end, simulation);
        let behind = self.carried.partition_point(|&(at, ..)| at <= end);
        for (_, number, bytes) in self.carried.drain(behind..) {
            self.links[number as usize].bytes -= bytes;
        }
        let before = self.carried.last().map_or(Instant::ZERO, |&(at, ..)| at);
        if before < end {
            self.last_interval = Some(end.since(before));
            self.look_at_links(end, simulation);
            return;
        }
        // Packets sent at the very end came after the sample, so they are added to it.
        let last = self.carried.len().saturating_sub(self.links.len());
        for (_, number, bytes) in &mut self.carried[last..] {
            let probe = &mut self.links[*number as usize];
            let all = simulation.carried(probe.link).1.bytes;
            *bytes += all - probe.bytes;
            probe.bytes = all;
        }
    }

    /// Returns the names of the sampled queues, with the time and the bytes of each change.
    pub fn queues(&self) -> Vec<(&str, Vec<(Instant, u64)>)> {
        let mut queues: Vec<_> = self.queues.iter().map(|probe| (probe.name.as_str(), Vec::new())).collect();
        for (at, queue, length) in &self.lengths {
            queues[*queue as usize].1.push((*at, length.bytes));
        }
        queues
    }

    /// Returns the names of the sampled links with their samples: the time, and the bytes since the previous sample.
    pub fn links(&self) -> Vec<(&str, Vec<(Instant, u64)>)> {
        let mut links: Vec<_> = self.links.iter().map(|probe| (probe.name.as_str(), Vec::new())).collect();
        for (at, link, bytes) in &self.carried {
            links[*link as usize].1.push((*at, *bytes));
        }
        links
    }

    /// Returns `queues.csv` from a row on: a row each time that a sample of a queue differs from the previous one.
    /// Queues begin empty.
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

    /// Returns `rates.csv` from a row on: a row for each link and sample, except at time 0; `None` if no link is
    /// sampled.
    pub(super) fn link_table(&self, every: Duration, from: usize) -> Option<Columns> {
        if self.links.is_empty() {
            return None;
        }
        let carried = &self.carried[from..];
        let names: Arc<[String]> = self.links.iter().map(|probe| probe.name.clone()).collect();
        let rate = |row: &(Instant, u32, u64)| {
            let interval = self.last_interval.filter(|_| row.0 == self.looked).unwrap_or(every);
            row.2 as f64 * 8.0 / interval.seconds()
        };
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

basis::snapshot!(Series { values lengths, carried, looked; parts queues, links; });
basis::snapshot!(Probe { values last; });
basis::snapshot!(LinkProbe { values bytes; });
