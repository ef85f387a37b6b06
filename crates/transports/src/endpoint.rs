//! What every protocol at a host has in common: packets in, packets out, and timers.

use basis::Instant;
use basis::snapshot::Snapshot;
use node::{Counter, Reason, UnfinishedWork};
use wire::Packet;

/// The packets and timers of a protocol at a host: a state machine that is told the time. It reports what has happened to
/// a value of type `R`, such as a list of notices.
///
/// After any call, the host calls [`Endpoint::transmit`] while the link is free, and then [`Endpoint::deadline`].
/// Packets are made only when the link can take them, so that none wait between protocol and link.
pub trait Endpoint<R: ?Sized>: Send + Snapshot {
    /// Returns true if a packet is meant for this protocol, by its addresses and ports. Hosts that run several protocols
    /// ask all but their transport.
    fn accepts(&self, packet: &Packet) -> bool {
        let _ = packet;
        true
    }

    /// Handles a packet that has arrived, and reports what follows from it.
    ///
    /// # Errors
    /// The packet and a reason to discard it, if this protocol does not accept it.
    fn receive(&mut self, now: Instant, packet: Packet, reports: &mut R) -> Result<(), (Packet, Reason)>;

    /// Handles the deadline having passed.
    fn wake(&mut self, now: Instant, reports: &mut R);

    /// Returns the next packet to send, now that the link is free; `None` if there is none until another method is
    /// called.
    fn transmit(&mut self, now: Instant) -> Option<Packet>;

    /// Returns the next packet to send while the link partner has paused data packets (IEEE 802.1Qbb): one of another
    /// priority. A protocol that does not distinguish its packets returns `None`.
    fn transmit_while_paused(&mut self, now: Instant) -> Option<Packet> {
        let _ = now;
        None
    }

    /// Returns true if [`Endpoint::transmit`] may return a packet at `at`, which is not before the last call, provided
    /// that no other method is called until then. A false positive costs the host a needless call; false negatives are
    /// not allowed.
    fn is_ready(&self, at: Instant) -> bool;

    /// Returns the time at which the protocol wants to be woken, if any: the earliest of its timers and pacers.
    fn deadline(&self) -> Option<Instant>;

    /// Returns the work that is not finished, each item with what it waits for.
    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork>;

    /// Reports all counters, in a fixed order.
    fn counters(&self, tell: &mut dyn FnMut(Counter));
}
