//! A machine driven until it is idle, or until it is plain that it never will be.

use std::fmt;

use basis::Instant;
use measure::Interest;
use node::{Endless, Offered, Sink};
use serde::Serialize;

use crate::Device;

/// The packets that a report names; it counts the rest.
const NAMED: usize = 16;

/// Why a run did not come to an end: packets are inside, and none of them goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Standstill {
    /// The time of the machine's last call.
    pub at: Instant,
    /// The number of packets that are inside.
    pub inside: u64,
    /// How the machine went on for ever; `None` if it asked for nothing any more.
    pub endless: Option<Endless>,
    /// The first packets that wait, in order of arrival, and what each waits for.
    pub waiting: Vec<Stuck>,
}

/// A packet that does not go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stuck {
    /// The packet's place among those that the machine was offered, from 0.
    pub packet: u64,
    /// Where it is and what it waits for, as the end of a sentence that begins with the packet.
    pub why: String,
}

impl Standstill {
    /// What waits in a machine that was last called at `at`, and how it went on for ever if it did.
    pub fn of<D: Device + ?Sized>(machine: &D, at: Instant, endless: Option<Endless>) -> Self {
        let waiting = machine.stuck().into_iter().take(NAMED).collect();
        Self { at, inside: machine.statistics().in_flight, endless, waiting }
    }
}

impl fmt::Display for Standstill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.at.picoseconds();
        let packets = if self.inside == 1 { "1 packet is".to_owned() } else { format!("{} packets are", self.inside) };
        writeln!(f, "the machine stands still at {}.{:03} ns: {packets} inside", time / 1000, time % 1000)?;
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

/// Drives a machine with `packets`, which come in order of time, as [`node::drive`] does, until it is idle. Returns when
/// it was last called.
///
/// # Errors
/// [`Standstill`] if packets are inside in the end, or if there is no end within the default [`node::Limit`].
pub fn drive<D: Device + ?Sized>(
    machine: &mut D,
    packets: impl IntoIterator<Item = Offered>,
    interest: Interest,
    sink: &mut impl Sink,
) -> Result<Instant, Standstill> {
    match node::drive(machine, packets, interest, sink) {
        Ok(at) if machine.statistics().in_flight == 0 => Ok(at),
        Ok(at) => Err(Standstill::of(machine, at, None)),
        Err(endless) => Err(Standstill::of(machine, endless.at, Some(endless))),
    }
}

impl From<Standstill> for diagnostics::Failure {
    fn from(standstill: Standstill) -> Self {
        Self::StandsStill(standstill.to_string())
    }
}
