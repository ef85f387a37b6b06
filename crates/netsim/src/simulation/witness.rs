//! The receivers of events while they happen: the recorder of the run, or a log that keeps them for the recorder.

use basis::Instant;
use measure::Event;
use node::Reason;
use wire::Packet;

use super::{LinkId, Recorder};

/// Receives what happens in a shard.
pub(super) trait Witness {
    /// Begins the event of this time and source: subsequent calls belong to it.
    fn begin(&mut self, at: Instant, source: u32);

    /// See [`Recorder::event`].
    fn event(&mut self, at: Instant, station: usize, event: Event);

    /// See [`Recorder::discarded`].
    fn discarded(&mut self, at: Instant, station: usize, packet: Packet, reason: Reason);

    /// See [`Recorder::carried`].
    fn carried(&mut self, at: Instant, link: LinkId, packet: &Packet);

    /// See [`Recorder::coming`].
    fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet);
}

/// Passes everything to the recorder at once, because there is only one shard, which runs in the order of time.
pub(super) struct AtOnce<'r>(pub &'r mut dyn Recorder);

impl Witness for AtOnce<'_> {
    #[inline]
    fn begin(&mut self, _at: Instant, _source: u32) {}

    fn event(&mut self, at: Instant, station: usize, event: Event) {
        self.0.event(at, station, event);
    }

    fn discarded(&mut self, at: Instant, station: usize, packet: Packet, reason: Reason) {
        self.0.discarded(at, station, &packet, reason);
    }

    fn carried(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.0.carried(at, link, packet);
    }

    fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.0.coming(at, link, packet);
    }
}
