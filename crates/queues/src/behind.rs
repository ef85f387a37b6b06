//! The processing between the queues of a switch and its output links.

use std::ops::Range;

use basis::Instant;
use node::{Outbox, Port, Reason};
use wire::Packet;

use crate::{Queued, TrafficManager};

/// The processing between the queues of a switch and its links, which also learns what the queues refuse.
///
/// A fixed-function switch does nothing there: see [`Straight`]. In a programmable chip it is the egress pipeline,
/// which may drop a packet or emit further packets.
pub trait Behind<Q: Queued> {
    /// Processes an item taken from the queue of `port`, whose link is free, and returns the packet to transmit. If it
    /// returns `None`, the link stays free for the next item, unless [`Behind::paces_what_it_drops`]. `queues` are the
    /// queues that the item came from, without the item.
    fn leave(
        &mut self,
        now: Instant,
        port: Port,
        item: Q,
        queues: &TrafficManager<Q>,
        out: &mut Outbox,
    ) -> Option<Packet>;

    /// Returns true if an item of which [`Behind::leave`] has made no packet takes its time on the link all the same, because
    /// the queues give items away at the rate of the link, whatever becomes of them; by default it does not.
    #[inline]
    fn paces_what_it_drops(&self) -> bool {
        false
    }

    /// Returns the time from which the packet that [`Behind::leave`] has just returned occupies the link of `port`, at the
    /// earliest from `start` on; by default, it does from then on. What lies behind the queues may be busy with the packets
    /// of other ports.
    #[inline]
    fn begins(&mut self, start: Instant, port: Port) -> Instant {
        let _ = (self, port);
        start
    }

    /// Puts a packet on the link of `port`, which it occupies for the given time. By default, it is transmitted now on the
    /// port of the same number; a chip that numbers its ports otherwise, that loops some of them back, or in which packets
    /// take time on their way to the link, says so here.
    #[inline]
    fn send(&mut self, occupies: Range<Instant>, port: Port, packet: Packet, out: &mut Outbox) {
        let _ = (self, occupies);
        out.transmit(port, packet);
    }

    /// Asks that [`OutputQueues::ready`](crate::OutputQueues::ready) is called for `port` at a time, by default with
    /// [`Outbox::ready_at`].
    #[inline]
    fn ask(&mut self, port: Port, at: Instant, out: &mut Outbox) {
        let _ = self;
        out.ready_at(port, at);
    }

    /// Returns false while no packet can be sent on the link of `port`, however free it is.
    #[inline]
    fn has_room(&self, port: Port, out: &Outbox) -> bool {
        let _ = self;
        out.has_room(port)
    }

    /// Handles an item for which the queues have no room.
    fn refuse(&mut self, item: Q, reason: Reason, out: &mut Outbox);

    /// Handles an item that was queued for `port` and now returns to its sender: it must be routed afresh.
    fn turn_back(&mut self, port: Port, item: Q, out: &mut Outbox);
}

/// Passes packets from the queue straight to the link. Packets that return to their senders are appended to the list,
/// each with the port that it was queued for.
#[derive(Debug)]
pub struct Straight<'r>(pub &'r mut Vec<(Port, Packet)>);

impl Behind<Packet> for Straight<'_> {
    #[inline]
    fn leave(
        &mut self,
        _now: Instant,
        _port: Port,
        packet: Packet,
        _queues: &TrafficManager,
        _out: &mut Outbox,
    ) -> Option<Packet> {
        Some(packet)
    }

    fn refuse(&mut self, packet: Packet, reason: Reason, out: &mut Outbox) {
        out.discard(packet, reason);
    }

    fn turn_back(&mut self, port: Port, packet: Packet, _out: &mut Outbox) {
        self.0.push((port, packet));
    }
}
