//! The summary of a run.

use std::collections::BTreeMap;

use basis::{Duration, Instant};
use netsim::{Conservation, Ended};
use serde::Serialize;

use super::busiest::Busy;
use super::counters::Counters;
use super::drops::Drops;
use super::faults::Struck;
use super::flows::Flow;
use super::jobs::JobSummary;
use super::kinds::KINDS;

/// The summary of a run. Times are in microseconds, rates in bits per second.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// The name of the plan.
    pub name: String,
    /// A description of the network in words.
    pub network: String,
    /// The reason why the run ended: `idle` if nothing was left to happen, `time limit`, `deadlock`, `stopped`.
    pub ended: &'static str,
    /// The simulated time at the end: that of the last packet, unless the time limit was reached.
    pub end_us: f64,
    /// The interval in which there was traffic on any link, to which the utilisation in `links.csv` is relative; `None`
    /// if no packet was sent.
    pub traffic_us: Option<(f64, f64)>,
    /// The number of flows that started.
    pub flows: usize,
    /// The number of flows of which every byte arrived.
    pub delivered: usize,
    /// The number of flows that their senders abandoned.
    pub abandoned: usize,
    /// The number of flows that had not begun at the end, in addition to those that started; a lower bound.
    pub not_begun: u64,
    /// The flow completion times, from start to delivery; `None` if nothing was delivered.
    pub completion_time_us: Option<Quantiles>,
    /// The slowdown of flows: completion time over the ideal completion time.
    pub slowdown: Option<Quantiles>,
    /// The goodput of flows: bytes over completion time.
    pub goodput_bits_per_second: Option<Quantiles>,
    /// The total goodput: all bytes delivered over the time from the first start to the last delivery.
    pub total_goodput_bits_per_second: f64,
    /// The number of bytes delivered, without headers.
    pub bytes_delivered: u64,
    /// The number of packets that switches trimmed.
    pub trims: u64,
    /// The number of drops by reason.
    pub drops: BTreeMap<String, u64>,
    /// The counters, summed over all stations.
    pub counters: BTreeMap<&'static str, u64>,
    /// The number of packets sent on links, by kind.
    pub hops: BTreeMap<&'static str, u64>,
    /// The number of packets sent on links.
    pub packet_hops: u64,
    /// The number of events of the simulation.
    pub events: u64,
    /// The number of packets that were made, and their fates.
    pub packets: Packets,
    /// The effects of each fault, in the order of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Struck>,
    /// The busiest resources, the busiest first, if hosts have processing costs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub busiest: Vec<Busy>,
    /// The jobs, in the order of the plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobSummary>,
}

/// The numbers of packets by their fates.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Packets {
    /// Made by hosts.
    pub generated: u64,
    /// Made as copies.
    pub replicated: u64,
    /// Consumed at their destination.
    pub consumed: u64,
    /// Dropped.
    pub dropped: u64,
    /// In stations or on links at the end.
    pub in_flight: u64,
}

/// Quantiles of some numbers, by the nearest-rank method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    /// The minimum.
    pub minimum: f64,
    /// The median.
    pub median: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The maximum.
    pub maximum: f64,
}

impl Quantiles {
    /// Computes the quantiles of numbers; `None` if there are none.
    pub fn of(mut numbers: Vec<f64>) -> Option<Self> {
        numbers.sort_by(f64::total_cmp);
        let rank = |percent| percentile(&numbers, percent);
        Some(Self { minimum: rank(0)?, median: rank(50)?, p99: rank(99)?, maximum: rank(100)? })
    }
}

/// Returns the smallest of the numbers, which are in ascending order, that at least so many percent of them do not exceed
/// (the nearest-rank method); `None` if there are no numbers.
pub fn percentile(sorted: &[f64], percent: usize) -> Option<f64> {
    sorted.get((sorted.len() * percent).div_ceil(100).max(1) - 1).copied()
}

/// The data from which a summary is made.
pub(super) struct Collected<'c> {
    pub name: &'c str,
    pub network: &'c str,
    pub ended: Ended,
    pub end: Instant,
    pub flows: &'c [Flow],
    pub not_begun: u64,
    pub traffic: Option<(Instant, Instant)>,
    pub ideal: &'c [Option<Duration>],
    pub drops: &'c Drops,
    pub counters: &'c Counters,
    pub hops: &'c [u64; 256],
    pub packet_hops: u64,
    pub events: u64,
    pub conservation: Conservation,
    pub faults: Vec<Struck>,
    pub busiest: Vec<Busy>,
    pub jobs: Vec<JobSummary>,
}

impl Summary {
    pub(super) fn new(collected: &Collected<'_>) -> Self {
        let Collected { flows, ideal, conservation, .. } = *collected;
        let delivered = || flows.iter().filter(|flow| flow.delivered.is_some());
        let times = || flows.iter().map(Flow::completion_time);
        let bytes_delivered = delivered().map(|flow| flow.bytes).sum();
        let first = flows.iter().map(|flow| flow.started).min().unwrap_or_default();
        let last = flows.iter().filter_map(|flow| flow.delivered).max().unwrap_or(first);
        let lasted = last.since(first).seconds();
        let slowdowns = times()
            .zip(ideal)
            .filter_map(|(time, ideal)| Some(time?.picoseconds() as f64 / (*ideal)?.picoseconds() as f64));
        Self {
            name: collected.name.to_owned(),
            network: collected.network.to_owned(),
            ended: match collected.ended {
                Ended::Idle => "idle",
                Ended::TimeLimit => "time limit",
                Ended::Deadlock => "deadlock",
                Ended::Stopped => "stopped",
            },
            end_us: microseconds(collected.end.since(Instant::ZERO)),
            traffic_us: collected.traffic.map(|(first, last)| (at(first), at(last))),
            flows: flows.len(),
            delivered: delivered().count(),
            abandoned: flows.iter().filter(|flow| flow.abandoned.is_some()).count(),
            not_begun: collected.not_begun,
            completion_time_us: Quantiles::of(times().flatten().map(microseconds).collect()),
            slowdown: Quantiles::of(slowdowns.collect()),
            goodput_bits_per_second: Quantiles::of(flows.iter().filter_map(Flow::goodput).collect()),
            total_goodput_bits_per_second: if lasted > 0.0 { bytes_delivered as f64 * 8.0 / lasted } else { 0.0 },
            bytes_delivered,
            trims: collected.counters.sum("SAI_PORT_STAT_TRIM_PACKETS"),
            drops: collected.drops.by_reason().into_iter().map(|(reason, n)| (reason.to_string(), n)).collect(),
            counters: collected.counters.sums(),
            hops: KINDS.iter().zip(collected.hops).filter(|(_, hops)| **hops > 0).map(|(k, n)| (*k, *n)).collect(),
            packet_hops: collected.packet_hops,
            events: collected.events,
            packets: Packets {
                generated: conservation.generated,
                replicated: conservation.replicated,
                consumed: conservation.consumed,
                dropped: conservation.discarded,
                in_flight: conservation.held + conservation.on_links,
            },
            faults: collected.faults.clone(),
            busiest: collected.busiest.clone(),
            jobs: collected.jobs.clone(),
        }
    }

    /// Returns the summary as rows of a name and a value, for people.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let quantiles = |of: Option<Quantiles>, unit: f64, name: &str| match of {
            Some(of) => format!(
                "min {}, median {}, p99 {}, max {} {name}",
                short(of.minimum / unit),
                short(of.median / unit),
                short(of.p99 / unit),
                short(of.maximum / unit),
            ),
            None => "none".to_owned(),
        };
        let all_flows = self.not_begun.saturating_add(self.flows as u64);
        let mut finished = format!("{} of {all_flows} finished", self.delivered);
        if self.abandoned > 0 {
            finished.push_str(&format!(", {} abandoned", self.abandoned));
        }
        if self.not_begun > 0 {
            finished.push_str(&format!(", {} not begun", self.not_begun));
        }
        let all = |counts: &mut dyn Iterator<Item = (String, u64)>| {
            let texts: Vec<String> = counts.map(|(name, count)| format!("{count} {name}")).collect();
            if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
        };
        let total = short(self.total_goodput_bits_per_second / 1e9);
        let packets = &self.packets;
        let mut rows = vec![
            ("network", self.network.clone()),
            ("flows", finished),
            ("completion time", quantiles(self.completion_time_us, 1.0, "us")),
            ("slowdown", quantiles(self.slowdown, 1.0, "x alone")),
            ("total goodput", format!("{total} Gb/s in all, {} MB", short(self.bytes_delivered as f64 / 1e6))),
            ("flow goodput", quantiles(self.goodput_bits_per_second, 1e9, "Gb/s")),
            ("trims", self.trims.to_string()),
            ("drops", all(&mut self.drops.iter().map(|(name, &count)| (name.clone(), count)))),
            ("retransmissions", self.counters.get("retransmissions").copied().unwrap_or_default().to_string()),
            ("hops", all(&mut KINDS.iter().filter_map(|kind| Some(((*kind).to_owned(), *self.hops.get(kind)?))))),
            (
                "packets",
                format!(
                    "{} sent, {} delivered, {} dropped, {} in flight at the end",
                    packets.generated + packets.replicated,
                    packets.consumed,
                    packets.dropped,
                    packets.in_flight
                ),
            ),
            ("events", self.events.to_string()),
            ("end", format!("{} us ({})", short(self.end_us), self.ended)),
        ];
        rows.extend(self.faults.iter().map(|struck| ("fault", struck.text())));
        rows.extend(self.jobs.iter().map(|job| ("job", job.text())));
        if !self.busiest.is_empty() {
            let busy = |busy: &Busy| format!("{} {} %", busy.what, short(busy.utilisation * 100.0));
            rows.push(("busiest", self.busiest.iter().map(busy).collect::<Vec<_>>().join(", ")));
        }
        rows
    }
}

fn at(instant: Instant) -> f64 {
    microseconds(instant.since(Instant::ZERO))
}

fn microseconds(duration: Duration) -> f64 {
    duration.picoseconds() as f64 * 1e-6
}

/// Formats a number with at most three decimal places and no trailing zeros.
pub(super) fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn a_percentile_is_one_of_the_numbers() {
        let numbers = [1.0, 2.0, 3.0, 4.0];
        assert_eq!([0, 50, 90, 100].map(|percent| percentile(&numbers, percent)), [1.0, 2.0, 4.0, 4.0].map(Some));
        assert_eq!(percentile(&[], 50), None);
    }
}
