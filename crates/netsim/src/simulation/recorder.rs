//! Who watches a run.

use basis::Instant;
use measure::Event;
use node::Reason;
use wire::Packet;

use super::{LineId, Simulation};

/// Watches a run: told of everything that it asked for, in the order of time.
///
/// Nothing that it does changes the run.
pub trait Recorder {
    /// A station told something.
    fn event(&mut self, at: Instant, station: usize, event: Event) {
        let _ = (at, station, event);
    }

    /// A packet went no further: at a station, or on a line, which is told of the end that sent it; of the end where it
    /// would have come in, if its check sequence was wrong there.
    fn discarded(&mut self, at: Instant, station: usize, packet: &Packet, reason: Reason) {
        let _ = (at, station, packet, reason);
    }

    /// The first bit of a packet was put on a line that is tapped.
    fn carried(&mut self, at: Instant, line: LineId, packet: &Packet) {
        let _ = (at, line, packet);
    }

    /// A packet on a line that is tapped will be there at `at`: told when it is put on the line, of each that is not lost
    /// on it, and of each of its copies.
    fn coming(&mut self, at: Instant, line: LineId, packet: &Packet) {
        let _ = (at, line, packet);
    }

    /// The time for a look at everything has come, as [`super::Settings::sample_every`] asks.
    fn sample(&mut self, at: Instant, simulation: &Simulation) {
        let _ = (at, simulation);
    }

    /// Many events have happened since the last call; says whether the run goes on.
    fn progress(&mut self, at: Instant, simulation: &Simulation) -> bool {
        let _ = (at, simulation);
        true
    }
}

/// Watches nothing.
#[derive(Debug, Default)]
pub struct Unwatched;

impl Recorder for Unwatched {}
