//! What came of holding a machine against the interpreter.

use std::fmt;

use machines::{Standstill, Statistics};
use serde::Serialize;

use crate::access_order::Overtaking;
use crate::difference::{PacketDifference, RegisterDifference};
use crate::flow_order::Reordering;

/// Whether a machine did what the program means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// Registers and packets came out the same, and whatever else was required held.
    Equal,
    /// Something came out otherwise.
    Different,
    /// The machine lost packets, of which the interpreter loses none: nothing can be said about equality.
    Excluded {
        /// How many it lost.
        lost: u64,
    },
    /// Packets are inside that never come out.
    Unfinished {
        /// The number of them.
        inside: u64,
    },
    /// Packets appeared, vanished or were miscounted: a fault of the machine's model, whatever it computes.
    Unaccounted {
        /// What does not add up, a sentence each.
        faults: Vec<String>,
    },
}

impl Verdict {
    /// True if the machine did not do what the program means. One that lost packets was not asked.
    pub fn shows_difference(&self) -> bool {
        match self {
            Self::Equal | Self::Excluded { .. } => false,
            Self::Different | Self::Unfinished { .. } | Self::Unaccounted { .. } => true,
        }
    }
}

/// What came of one run. Serialises to what scripts read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Whether the machine did what the program means.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Packets offered.
    pub packets: u64,
    /// Of these, packets that the program does not apply to.
    pub not_applicable: u64,
    /// Packets that came out otherwise. Not counted in a run that lost packets, nor are registers.
    pub different_packets: u64,
    /// The first of them, in the order in which they left.
    pub packet_differences: Vec<PacketDifference>,
    /// Places of registers that came out otherwise.
    pub different_registers: u64,
    /// The first of them, in the order of the program.
    pub register_differences: Vec<RegisterDifference>,
    /// Packets that violate C1 (MP5 section 2.2); see [`crate::AccessOrder`].
    pub access_violations: u64,
    /// The first of them.
    pub first_overtaking: Option<Overtaking>,
    /// Packets that left after a later one of their flow; see [`crate::FlowOrder`].
    pub reordered_packets: u64,
    /// The first of them.
    pub first_reordering: Option<Reordering>,
    /// When packets came and went.
    pub times: Times,
    /// Packets out against packets in, per time; see [`Times::throughput`].
    pub throughput: f64,
    /// What the machine counted.
    pub machine: Statistics,
    /// What stands still in the machine, and why; `None` if the run came to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standstill: Option<Standstill>,
}

/// When packets came and went, in picoseconds; `None` if none did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Times {
    /// When the first packet arrived.
    pub first_arrival: Option<u64>,
    /// When the last packet arrived.
    pub last_arrival: Option<u64>,
    /// When the first packet left, or was dropped by the program.
    pub first_departure: Option<u64>,
    /// When the last packet left, or was dropped by the program.
    pub last_departure: Option<u64>,
}

impl Times {
    /// How fast packets left against how fast they came: `(processed / departures' span) / (offered / arrivals'
    /// span)`, at most 1.
    ///
    /// Packets that arrive at line rate make it the share of line rate that MP5's section 4.3 plots. The two spans
    /// begin with different packets, so that the time through an empty machine does not count, however long. Where
    /// no time passes between departures it is the share of packets that were processed.
    pub fn throughput(&self, offered: u64, processed: u64) -> f64 {
        let span = |first: Option<u64>, last: Option<u64>| last.unwrap_or(0).saturating_sub(first.unwrap_or(0)) as f64;
        let (arrivals, departures) =
            (span(self.first_arrival, self.last_arrival), span(self.first_departure, self.last_departure));
        let share = if offered == 0 { 1.0 } else { processed as f64 / offered as f64 };
        if departures > arrivals { share * arrivals / departures } else { share }
    }

    /// A packet arrived. They come in order of time.
    pub fn arrival(&mut self, at: u64) {
        self.first_arrival.get_or_insert(at);
        self.last_arrival = Some(at);
    }

    /// A packet left, or was dropped by the program. Departures may be announced in any order.
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
    fn throughput_is_departures_against_arrivals_without_the_time_through_an_empty_machine() {
        let times = |first, last, left, done| Times {
            first_arrival: Some(first),
            last_arrival: Some(last),
            first_departure: Some(left),
            last_departure: Some(done),
        };
        assert_eq!(times(0, 100, 7_000, 7_100).throughput(11, 11), 1.0, "only latency");
        assert_eq!(times(0, 100, 10, 210).throughput(11, 11), 0.5, "half as fast");
        assert_eq!(times(0, 100, 10, 110).throughput(12, 9), 0.75, "a quarter was lost");
        assert_eq!(times(0, 100, 90, 110).throughput(11, 11), 1.0, "never above the line");
        assert_eq!(times(5, 5, 9, 9).throughput(1, 1), 1.0);
        assert_eq!(Times::default().throughput(0, 0), 1.0);
    }
}
