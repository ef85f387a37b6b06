//! Averages over windows of time of what probes sample: queues, registers and their conditions, and what arrived by kind.
//!
//! Between two samples a queue or a register is what it was at the first of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Instant;
use node::QueueLength;
use report::{Column, Columns};

use super::kinds::KINDS;
use super::outcome::Outcome;
use super::registers::RegisterSample;

/// A queue over a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueueAverage {
    /// The number of the window in the plan, from 0.
    pub window: usize,
    /// The number of the queue in [`Series::queues`](super::Series::queues).
    pub queue: usize,
    /// The number of packets that waited, averaged over the window.
    pub packets: f64,
    /// Their bytes with framing, averaged over the window.
    pub bytes: f64,
    /// The largest number of packets of a sample, or of the queue at the beginning of the window.
    pub most_packets: u64,
}

/// A register at one index over a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegisterAverage {
    /// The number of the window in the plan, from 0.
    pub window: usize,
    /// The number of the register among those of the plan.
    pub probe: usize,
    /// The switch, by its number.
    pub station: u32,
    /// Its pipe.
    pub pipe: u16,
    /// The index.
    pub index: u32,
    /// The part of the window during which the condition held; `None` if the register has none.
    pub held: Option<f64>,
    /// The value, averaged over the window.
    pub value: f64,
}

/// The packets of a kind that arrived at a port within a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArrivalAverage {
    /// The number of the window in the plan, from 0.
    pub window: usize,
    /// The number of the port in [`Arrivals::ports`](super::Arrivals::ports).
    pub port: u32,
    /// The kind, as an index into [`KINDS`].
    pub kind: u8,
    /// The number of packets.
    pub packets: u64,
    /// Their bytes without framing.
    pub bytes: u64,
    /// These packets over the length of the window.
    pub packets_per_second: f64,
}

/// A window whose end is known.
#[derive(Clone, Copy)]
struct Window {
    number: usize,
    from: Instant,
    until: Instant,
}

impl Window {
    /// The number of picoseconds from one time until another that lie within the window.
    fn overlap(&self, from: Instant, until: Instant) -> u128 {
        let (from, until) = (from.max(self.from), until.min(self.until));
        if from < until { until.since(from).picoseconds().into() } else { 0 }
    }

    /// A sum over picoseconds of the window, as an average; not a number for a window without an extent.
    fn average(&self, sum: u128) -> f64 {
        sum as f64 / self.until.since(self.from).picoseconds() as f64
    }
}

impl Outcome {
    /// Returns the windows of the plan in which something could happen, up to the end of the run.
    fn averaged(&self) -> impl Iterator<Item = Window> {
        let window = |(number, plan): (usize, &crate::plan::WindowPlan)| {
            let until = plan.until.unwrap_or(self.end).min(self.end);
            (plan.from < until).then_some(Window { number, from: plan.from, until })
        };
        self.plan.probes.windows.iter().enumerate().filter_map(window)
    }

    /// Returns what waited in each sampled queue, averaged over each window, in the order of windows, then of queues. A
    /// window ends with the run at the latest.
    pub fn queue_averages(&self) -> Vec<QueueAverage> {
        let mut all = Vec::new();
        let lengths = self.series.lengths();
        for window in self.averaged() {
            for (queue, of_queue) in lengths.iter().enumerate() {
                let (mut packets, mut bytes, mut most_packets) = (0, 0, 0);
                let end = (window.until, QueueLength::default());
                let mut last = (Instant::ZERO, QueueLength::default());
                for &(at, length) in of_queue.iter().chain([&end]) {
                    let time = window.overlap(last.0, at);
                    if time > 0 {
                        packets += time * u128::from(last.1.packets);
                        bytes += time * u128::from(last.1.bytes);
                        most_packets = most_packets.max(last.1.packets);
                    }
                    last = (at, length);
                }
                let (packets, bytes) = (window.average(packets), window.average(bytes));
                all.push(QueueAverage { window: window.number, queue, packets, bytes, most_packets });
            }
        }
        all
    }

    /// Returns each register that was ever sampled with another value than 0, averaged over each window: in the order of
    /// windows, registers of the plan, switches, pipes, indices. A window ends with the run at the latest.
    pub fn register_averages(&self) -> Vec<RegisterAverage> {
        let mut of_place: BTreeMap<_, Vec<&RegisterSample>> = BTreeMap::new();
        for sample in self.registers.samples() {
            let place = (sample.probe, sample.station, sample.pipe, sample.index);
            of_place.entry(place).or_default().push(sample);
        }
        let mut all = Vec::new();
        for window in self.averaged() {
            for (&(probe, station, pipe, index), samples) in &of_place {
                let (mut held, mut value) = (0, 0.0);
                let ends = samples.iter().skip(1).map(|sample| sample.at).chain([window.until]);
                for (sample, until) in samples.iter().zip(ends) {
                    let time = window.overlap(sample.at, until);
                    held += if sample.holds { time } else { 0 };
                    // Values may have 64 bits: their sum over time does not fit into an integer.
                    value += window.average(time) * sample.value as f64;
                }
                let has_condition = self.registers.probes()[probe as usize].condition.is_some();
                let held = has_condition.then(|| window.average(held));
                let probe = probe as usize;
                all.push(RegisterAverage { window: window.number, probe, station, pipe, index, held, value });
            }
        }
        all
    }

    /// Returns what arrived of each kind at each port whose arrivals are noted, in the order of windows, ports, kinds. A
    /// window ends with the run at the latest; its end is not a part of it.
    pub fn arrival_averages(&self) -> Vec<ArrivalAverage> {
        let mut all = Vec::new();
        let arrivals = self.arrivals.all();
        for window in self.averaged() {
            let [first, end] =
                [window.from, window.until].map(|at| arrivals.partition_point(|arrival| arrival.at < at));
            let mut sums: BTreeMap<(u32, u8), (u64, u64)> = BTreeMap::new();
            for arrival in &arrivals[first..end] {
                let sum = sums.entry((arrival.port, arrival.kind)).or_default();
                *sum = (sum.0 + 1, sum.1 + u64::from(arrival.bytes));
            }
            let seconds = window.until.since(window.from).seconds();
            all.extend(sums.into_iter().map(|((port, kind), (packets, bytes))| {
                let packets_per_second = packets as f64 / seconds;
                ArrivalAverage { window: window.number, port, kind, packets, bytes, packets_per_second }
            }));
        }
        all
    }

    /// Returns the tables of averages, for what the plan samples: `window-queues`, `window-registers` and
    /// `window-arrivals`; none without windows.
    pub(super) fn average_tables(&self) -> Vec<Columns> {
        let probes = &self.plan.probes;
        if probes.windows.is_empty() {
            return Vec::new();
        }
        let mut tables = Vec::new();
        if !(probes.queues.is_empty() && probes.inner_queues.is_empty()) {
            tables.push(self.queue_table());
        }
        if !probes.registers.is_empty() {
            tables.push(self.register_table());
        }
        if !probes.arrivals.is_empty() {
            tables.push(self.arrival_table());
        }
        tables
    }

    fn queue_table(&self) -> Columns {
        let rows = self.queue_averages();
        let names: Arc<[String]> = self.series.queues().into_iter().map(|(name, _)| name.to_owned()).collect();
        let mut columns = self.window_columns(rows.iter().map(|row| row.window));
        columns.extend([
            ("queue", Column::Names { names, rows: rows.iter().map(|row| row.queue as u32).collect() }),
            ("mean_packets", Column::Numbers(rows.iter().map(|row| row.packets).collect())),
            ("mean_bytes_on_wire", Column::Numbers(rows.iter().map(|row| row.bytes).collect())),
            ("most_packets", Column::Counts(rows.iter().map(|row| row.most_packets).collect())),
        ]);
        Columns { name: "window-queues", columns }
    }

    fn register_table(&self) -> Columns {
        let rows = self.register_averages();
        let names = |names: Arc<[String]>, of: &dyn Fn(&RegisterAverage) -> u32| Column::Names {
            names,
            rows: rows.iter().map(of).collect(),
        };
        let counts = |of: &dyn Fn(&RegisterAverage) -> u64| Column::Counts(rows.iter().map(of).collect());
        let labels = self.registers.probes().iter().map(|probe| probe.label.clone()).collect();
        let stations = self.plan.topology.stations.iter().map(|station| station.name.clone()).collect();
        let mut columns = self.window_columns(rows.iter().map(|row| row.window));
        columns.extend([
            ("label", names(labels, &|row| row.probe as u32)),
            ("station", names(stations, &|row| row.station)),
            ("pipe", counts(&|row| row.pipe.into())),
            ("index", counts(&|row| row.index.into())),
            ("held", Column::Numbers(rows.iter().map(|row| row.held.unwrap_or(f64::NAN)).collect())),
            ("mean_value", Column::Numbers(rows.iter().map(|row| row.value).collect())),
        ]);
        Columns { name: "window-registers", columns }
    }

    fn arrival_table(&self) -> Columns {
        let rows = self.arrival_averages();
        let ports: Arc<[String]> = self.arrivals.ports().iter().cloned().collect();
        let kinds: Arc<[String]> = KINDS.iter().map(|&kind| kind.to_owned()).collect();
        let mut columns = self.window_columns(rows.iter().map(|row| row.window));
        columns.extend([
            ("port", Column::Names { names: ports, rows: rows.iter().map(|row| row.port).collect() }),
            ("kind", Column::Names { names: kinds, rows: rows.iter().map(|row| row.kind.into()).collect() }),
            ("packets", Column::Counts(rows.iter().map(|row| row.packets).collect())),
            ("bytes", Column::Counts(rows.iter().map(|row| row.bytes).collect())),
            ("packets_per_second", Column::Numbers(rows.iter().map(|row| row.packets_per_second).collect())),
        ]);
        Columns { name: "window-arrivals", columns }
    }

    /// The columns that say which window each row is of.
    fn window_columns(&self, windows: impl Iterator<Item = usize> + Clone) -> Vec<(&'static str, Column)> {
        let known: BTreeMap<usize, Window> = self.averaged().map(|window| (window.number, window)).collect();
        let counts = |of: &dyn Fn(&Window) -> u64| {
            Column::Counts(windows.clone().filter_map(|number| known.get(&number)).map(of).collect())
        };
        vec![
            ("window", counts(&|window| window.number as u64 + 1)),
            ("from_ps", counts(&|window| window.from.picoseconds())),
            ("until_ps", counts(&|window| window.until.picoseconds())),
        ]
    }
}
