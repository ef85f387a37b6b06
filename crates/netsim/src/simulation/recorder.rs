//! Recorders, which watch a run.

use basis::Instant;
use measure::Event;
use node::Reason;
use wire::Packet;

use super::{LinkId, Simulation};

/// Watches a run: it is called for everything that it asked for, in the order of time.
///
/// A recorder cannot influence the run.
pub trait Recorder {
    /// A station reported an event.
    fn event(&mut self, at: Instant, station: usize, event: Event) {
        let _ = (at, station, event);
    }

    /// A packet was discarded by a station or on a link. A packet lost on a link is reported for the station that sent
    /// it, and one that arrives with a wrong check sequence for the station that would have received it.
    fn discarded(&mut self, at: Instant, station: usize, packet: &Packet, reason: Reason) {
        let _ = (at, station, packet, reason);
    }

    /// The first bit of a packet was put on a tapped link.
    fn carried(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        let _ = (at, link, packet);
    }

    /// A packet on a tapped link will arrive at `at`. This is called when the packet is put on the link, for each
    /// packet that is not lost on it and for each of its copies.
    fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        let _ = (at, link, packet);
    }

    /// It is time for a sample of the whole network; see [`super::Settings::sample_every`].
    fn sample(&mut self, at: Instant, simulation: &Simulation) {
        let _ = (at, simulation);
    }

    /// It is one of the times of [`Simulation::look_at`].
    fn look(&mut self, at: Instant, simulation: &Simulation) {
        let _ = (at, simulation);
    }

    /// Many events have happened since the last call. Returns whether the run should continue. Queues and counts of routers may be
    /// late by the delay of a link here, and nothing can be saved before the run has stopped.
    fn progress(&mut self, at: Instant, simulation: &Simulation) -> bool {
        let _ = (at, simulation);
        true
    }
}

/// A recorder that ignores everything.
#[derive(Debug, Default)]
pub struct Unwatched;

impl Recorder for Unwatched {}
