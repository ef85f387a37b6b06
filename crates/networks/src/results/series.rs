//! The samples of probes over time: queue lengths when they changed, and the bytes that links carried between samples.

use std::sync::Arc;

use basis::{Duration, Instant};
use diagnostics::Failure;
use netsim::topology::Role;
use netsim::{LinkId, Simulation};
use node::{Port, QueueLength};

use super::cabled_ports::{CabledPort, CabledPorts};
use crate::plan::NetworkPlan;
use plans::Pattern;
use report::{Column, Columns};

/// Periodic samples of chosen ports. A sample of a queue is stored only if it differs from the previous one; all
/// samples of links are stored, so that their sum is everything that a link has carried.
#[derive(Debug)]
pub struct Series {
    /// The ports with cables whose queues are sampled.
    ports: Vec<CabledPort>,
    queues: Vec<Probe>,
    /// The switches with queues of which inner ones are sampled.
    inner: Vec<InnerQueues>,
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

/// A queue. Those of ports with cables come first, then inner ones.
#[derive(Debug)]
struct Probe {
    name: String,
    last: QueueLength,
}

/// The queues inside a switch.
#[derive(Debug)]
struct InnerQueues {
    station: u32,
    /// For each queue, in the order in which the switch tells them, its index into the probes of queues if it is sampled.
    probes: Vec<Option<u32>>,
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
        let probe = |port: &CabledPort| Probe { name: ports.name(port), last: QueueLength::default() };
        let link_probe =
            |port: &CabledPort| LinkProbe { link: port.link(simulation), name: ports.name(port), bytes: 0 };
        Self {
            ports: ports.matching(queues).copied().collect(),
            queues: ports.matching(queues).map(probe).collect(),
            inner: Vec::new(),
            links: ports.matching(links).map(link_probe).collect(),
            lengths: Vec::new(),
            carried: Vec::new(),
            looked: Instant::ZERO,
            last_interval: None,
        }
    }

    /// Adds probes of the queues inside switches that the patterns of a plan name and that are not sampled yet.
    ///
    /// # Errors
    /// Fails with a diagnostic in the plan if a pattern names none.
    pub(super) fn add_inner_queues(&mut self, plan: &NetworkPlan, simulation: &Simulation) -> Result<(), Failure> {
        let patterns = &plan.probes.inner_queues;
        let mut is_met = vec![false; patterns.len()];
        for (number, station) in plan.topology.stations.iter().enumerate() {
            let mut probes = Vec::new();
            if !patterns.is_empty() && matches!(station.role, Role::Switch(_)) {
                simulation.station(number).queues(&mut |queue| {
                    let port = format!("{}:{}", station.name, queue.port.0);
                    let name = queue.queue.map_or(port.clone(), |queue| format!("{port}/{queue}"));
                    let names = [station.name.as_str(), &port, &name];
                    let mut is_chosen = false;
                    for ((pattern, _), is_met) in patterns.iter().zip(&mut is_met) {
                        let matches = names.iter().any(|name| pattern.matches(name));
                        *is_met |= matches;
                        is_chosen |= matches;
                    }
                    let is_new = is_chosen && self.queues.iter().all(|probe| probe.name != name);
                    probes.push(is_new.then_some(self.queues.len() as u32));
                    if is_new {
                        self.queues.push(Probe { name, last: QueueLength::default() });
                    }
                });
            }
            if probes.iter().any(Option::is_some) {
                self.inner.push(InnerQueues { station: number as u32, probes });
            }
        }
        match patterns.iter().zip(is_met).find(|(_, is_met)| !is_met) {
            Some(((pattern, place), _)) => {
                let hint = "a queue is called SWITCH:PORT, or SWITCH:PORT/QUEUE where the port has several, by the numbers \
                            that the switch gives them";
                Err(plan.mistake(place, format!("there is no queue called `{pattern}` in a switch"), hint))
            }
            None => Ok(()),
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
        let Self { ports, queues, inner, lengths, .. } = self;
        let mut note = |number: u32, length: QueueLength| {
            let last = &mut queues[number as usize].last;
            if length != *last {
                *last = length;
                lengths.push((at, number, length));
            }
        };
        for (port, number) in ports.iter().zip(0..) {
            note(number, simulation.station(port.station as usize).queue(Port(port.port)));
        }
        for InnerQueues { station, probes } in inner {
            let mut probes = probes.iter();
            simulation.station(*station as usize).queues(&mut |queue| {
                if let Some(Some(number)) = probes.next() {
                    note(*number, queue.length);
                }
            });
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

    /// Returns the time and the length of each change of each sampled queue, by the numbers of queues.
    pub fn lengths(&self) -> Vec<Vec<(Instant, QueueLength)>> {
        let mut queues = vec![Vec::new(); self.queues.len()];
        for &(at, queue, length) in &self.lengths {
            queues[queue as usize].push((at, length));
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
