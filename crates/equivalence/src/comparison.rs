//! The result of comparing a machine with the interpreter.

use std::fmt;

use machines::{Standstill, Statistics};
use serde::Serialize;

use crate::access_order::Overtaking;
use crate::difference::{PacketDifference, RegisterDifference};
use crate::flow_order::Reordering;

/// The verdict on a run: whether the machine behaved as the program means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// Registers and packets are the same, and all other requirements of the rules are met.
    Equal,
    /// A register or a packet differs, or another requirement of the rules is violated.
    Different,
    /// The machine lost packets, whereas the interpreter never does, so the results cannot be compared.
    Excluded {
        /// The number of packets that the machine lost.
        lost: u64,
    },
    /// Packets remain in the machine and never leave it.
    Unfinished {
        /// The number of packets that remain.
        inside: u64,
    },
    /// Packets appeared, vanished or were miscounted, which is a bug in the model of the machine regardless of the
    /// program.
    Unaccounted {
        /// The inconsistencies, one sentence each.
        faults: Vec<String>,
    },
}

impl Verdict {
    /// Returns whether the machine did not behave as the program means. The question does not arise for a machine that
    /// lost packets, so the result is false for it.
    pub fn shows_difference(&self) -> bool {
        match self {
            Self::Equal | Self::Excluded { .. } => false,
            Self::Different | Self::Unfinished { .. } | Self::Unaccounted { .. } => true,
        }
    }
}

/// The result of one run. Serialises to a form for scripts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The verdict: whether the machine behaved as the program means.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The number of packets offered.
    pub packets: u64,
    /// The number of offered packets to which the program does not apply.
    pub not_applicable: u64,
    /// The number of packets that differ; 0 in a run that lost packets.
    pub different_packets: u64,
    /// The first packets that differ, in the order in which they left.
    pub packet_differences: Vec<PacketDifference>,
    /// The number of register elements that differ; 0 in a run that lost packets.
    pub different_registers: u64,
    /// The first register elements that differ, in the order of the program.
    pub register_differences: Vec<RegisterDifference>,
    /// What differs beside packets that arrived and registers, in words: packets that programs make, messages to the control
    /// plane, and what a machine says of threads that no thread can do. Not all are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_differences: Vec<String>,
    /// The number of packets that violate C1 (MP5 section 2.2); see [`crate::AccessOrder`].
    pub access_violations: u64,
    /// The first packet that violates C1, with the packet that it overtook.
    pub first_overtaking: Option<Overtaking>,
    /// The number of packets that left after a later packet of their flow; see [`crate::FlowOrder`].
    pub reordered_packets: u64,
    /// The first packet that was reordered.
    pub first_reordering: Option<Reordering>,
    /// The times at which packets arrived and left.
    pub times: Times,
    /// The rate of departures relative to the rate of arrivals, from 0 to 1; see [`Times::throughput`].
    pub throughput: f64,
    /// The statistics of the machine.
    pub machine: Statistics,
    /// The packets that are stuck in the machine, and why; `None` if the run completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standstill: Option<Standstill>,
}

/// The times of the first and last arrival and departure, in picoseconds; `None` if there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// The time at which the first packet arrived.
    pub first_arrival: Option<u64>,
    /// The time at which the last packet arrived.
    pub last_arrival: Option<u64>,
    /// The time at which the first packet left or was dropped by the program.
    pub first_departure: Option<u64>,
    /// The time at which the last packet left or was dropped by the program.
    pub last_departure: Option<u64>,
}

impl Times {
    /// Returns the rate of departures relative to the rate of arrivals: `(processed / departures' span) / (offered /
    /// arrivals' span)`, at most 1.
    ///
    /// For packets that arrive at line rate, this is the share of line rate that MP5's section 4.3 plots. The two spans
    /// begin with different events, so the latency of an empty machine does not count, however long it is. If the
    /// departures take no longer than the arrivals, the result is the share of packets that were processed.
    pub fn throughput(&self, offered: u64, processed: u64) -> f64 {
        let span = |first: Option<u64>, last: Option<u64>| last.unwrap_or(0).saturating_sub(first.unwrap_or(0)) as f64;
        let (arrivals, departures) =
            (span(self.first_arrival, self.last_arrival), span(self.first_departure, self.last_departure));
        let share = if offered == 0 { 1.0 } else { processed as f64 / offered as f64 };
        if departures > arrivals { share * arrivals / departures } else { share }
    }

    /// Records an arrival at `at`, in picoseconds. Arrivals must be recorded in order of time.
    pub fn arrival(&mut self, at: u64) {
        self.first_arrival.get_or_insert(at);
        self.last_arrival = Some(at);
    }

    /// Records a departure, or a drop by the program, at `at`, in picoseconds. Departures may be recorded in any order.
    pub fn departure(&mut self, at: u64) {
        self.first_departure = Some(self.first_departure.map_or(at, |first| first.min(at)));
        self.last_departure = Some(self.last_departure.map_or(at, |last| last.max(at)));
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal => f.write_str("equal"),
            Self::Different => f.write_str("DIFFERENT"),
            Self::Excluded { lost: 1 } => f.write_str("excluded (lost 1 packet)"),
            Self::Excluded { lost } => write!(f, "excluded (lost {lost} packets)"),
            Self::Unfinished { inside: 1 } => f.write_str("UNFINISHED (1 packet stands still)"),
            Self::Unfinished { inside } => write!(f, "UNFINISHED ({inside} packets stand still)"),
            Self::Unaccounted { faults } => {
                write!(f, "INTERNAL ERROR, the machine's packets do not add up: {}", faults.join("; "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throughput_ignores_the_latency_of_an_empty_machine() {
        let times = |first, last, left, done| Times {
            first_arrival: Some(first),
            last_arrival: Some(last),
            first_departure: Some(left),
            last_departure: Some(done),
        };
        assert_eq!(times(0, 100, 7_000, 7_100).throughput(11, 11), 1.0, "only latency");
        assert_eq!(times(0, 100, 10, 210).throughput(11, 11), 0.5, "half as fast");
        assert_eq!(times(0, 100, 10, 110).throughput(12, 9), 0.75, "a quarter was lost");
        assert_eq!(times(0, 100, 90, 110).throughput(11, 11), 1.0, "never above 1");
        assert_eq!(times(5, 5, 9, 9).throughput(1, 1), 1.0);
        assert_eq!(Times::default().throughput(0, 0), 1.0);
    }
}
