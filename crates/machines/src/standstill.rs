//! Driving a machine until it is idle or has demonstrably stopped making progress.

use std::fmt;

use basis::Instant;
use measure::Interest;
use node::{Endless, Offered, Sink};
use serde::Serialize;

use crate::Device;

/// The maximum number of packets that a report lists; it only counts the rest.
const NAMED: usize = 16;

/// The error of a run that ended with packets inside that make no progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standstill {
    /// The time of the machine's last call.
    pub at: Instant,
    /// The number of packets inside.
    pub inside: u64,
    /// The endless series of wakes that the machine asked for; `None` if it stopped asking.
    pub endless: Option<Endless>,
    /// The first packets inside in order of arrival, and what each one waits for.
    pub waiting: Vec<Stuck>,
}

/// A packet that makes no progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stuck {
    /// The number of the packet among those offered to the machine, from 0.
    pub packet: u64,
    /// The position of the packet and what it waits for, worded as the predicate of a sentence whose subject is the
    /// packet.
    pub why: String,
}

impl Standstill {
    /// Describes a machine that was last called at `at`; `endless` says how it went on forever, if it did.
    pub fn of<D: Device + ?Sized>(machine: &D, at: Instant, endless: Option<Endless>) -> Self {
        let waiting = machine.stuck().into_iter().take(NAMED).collect();
        Self { at, inside: machine.statistics().in_flight, endless, waiting }
    }

    /// Describes a machine that was last called at `at` and asks for no call that a run waits for, if packets are stuck inside.
    /// Those of timers that go on for ever may be inside of a machine that rests ([`node::Node::rests_after`]).
    pub fn at_end<D: Device + ?Sized>(machine: &D, at: Instant) -> Option<Self> {
        let is_stuck = machine.statistics().in_flight > 0 && !machine.rests(at);
        is_stuck.then(|| Self::of(machine, at, None))
    }
}

impl fmt::Display for Standstill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.at.picoseconds();
        let packets = if self.inside == 1 { "1 packet is".to_owned() } else { format!("{} packets are", self.inside) };
        writeln!(f, "the machine has stalled at {}.{:03} ns: {packets} inside", time / 1000, time % 1000)?;
        if let Some(endless) = &self.endless {
            writeln!(f, "- {endless}")?;
        }
        for Stuck { packet, why } in &self.waiting {
            writeln!(f, "- packet {packet} {why}")?;
        }
        match self.inside.saturating_sub(self.waiting.len() as u64) {
            0 => Ok(()),
            1 if self.waiting.is_empty() => writeln!(f, "- the machine does not say what it waits for"),
            _ if self.waiting.is_empty() => writeln!(f, "- the machine does not say what they wait for"),
            more => writeln!(f, "- and {more} more"),
        }
    }
}

impl std::error::Error for Standstill {}

/// Drives a machine with `packets`, which must be ordered by time, as [`node::drive()`] does, until it is idle. Returns
/// the time of the last call.
///
/// # Errors
/// Fails with [`Standstill`] if packets remain inside, or if the machine does not become idle within the default
/// [`node::Limit`].
pub fn drive<D: Device + ?Sized>(
    machine: &mut D,
    packets: impl IntoIterator<Item = Offered>,
    interest: Interest,
    sink: &mut impl Sink,
) -> Result<Instant, Standstill> {
    match node::drive(machine, packets, interest, sink) {
        Ok(at) => Standstill::at_end(machine, at).map_or(Ok(at), Err),
        Err(endless) => Err(Standstill::of(machine, endless.at, Some(endless))),
    }
}

impl From<Standstill> for diagnostics::Failure {
    fn from(standstill: Standstill) -> Self {
        Self::StandsStill(standstill.to_string())
    }
}
