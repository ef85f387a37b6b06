//! Packets that wait for the link to their host.

use basis::Instant;
use wire::Packet;

use super::network::Due;
use super::{Network, Sight, destination};

/// The port of the last switch before a host.
pub trait LastHop {
    /// Accepts a packet on its way to the host.
    fn offer(&mut self, packet: Packet) -> Outcome;

    /// Returns the next packet if the link is free, and the time at which the link will be free again.
    fn take(&mut self, now: Instant) -> Option<(Packet, Instant)>;
}

pub enum Outcome {
    Waits,
    Dropped,
    /// The packet goes to its new destination.
    Returned(Packet),
}

/// The type for protocols whose tests have no such port.
pub enum Absent {}

impl LastHop for Absent {
    fn offer(&mut self, _packet: Packet) -> Outcome {
        match *self {}
    }

    fn take(&mut self, _now: Instant) -> Option<(Packet, Instant)> {
        match *self {}
    }
}

impl<Seen: Sight> Network<'_, Seen> {
    pub(super) fn at_last_hop(&mut self, host: usize, packet: Packet) {
        match self.ports[host].offer(packet) {
            Outcome::Waits => self.serve(host),
            Outcome::Dropped => {}
            Outcome::Returned(packet) => self.at_last_hop(destination(&packet), packet),
        }
    }

    pub(super) fn serve(&mut self, host: usize) {
        if let Some((packet, free_at)) = self.ports[host].take(self.now) {
            self.push(free_at, Due::LastHopFree(host));
            self.push(free_at + self.ways.delay, Due::Packet(host, packet));
        }
    }
}
