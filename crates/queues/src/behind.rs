//! What lies behind the queues of a switch.

use basis::Instant;
use node::{Outbox, Port, Reason};
use wire::Packet;

use crate::{Queued, TrafficManager};

/// What lies between the queues of a switch and its lines, and who is told what the queues refuse.
///
/// In a fixed-function switch that is nothing: see [`Straight`]. In a chip it is the egress pipeline, which may drop a
/// packet, or make others of it.
pub trait Behind<Q: Queued> {
    /// Something comes out of the queue of `port`, whose line is free: what of it goes on that line. If nothing does, the
    /// line stays free for what waits next. `queues` are those that it came from, without it.
    fn leave(
        &mut self,
        now: Instant,
        port: Port,
        item: Q,
        queues: &TrafficManager<Q>,
        out: &mut Outbox,
    ) -> Option<Packet>;

    /// The queues have no place for something, which goes no further.
    fn refuse(&mut self, item: Q, reason: Reason, out: &mut Outbox);

    /// Something that was going to `port` returns to its sender: it is to be routed afresh.
    fn turn_back(&mut self, port: Port, item: Q, out: &mut Outbox);
}

/// Nothing between queue and line. Packets that return to their senders are added to a list, with the ports to which they
/// were going.
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
