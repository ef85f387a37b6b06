//! Ports that report transmissions after these have started.
//!
//! A port whose packets wait would be called each time its link is free. If nobody has to know at once, it is called more rarely, and
//! whenever it is, it does first what it would have done until then: each packet that waited starts when the one before has ended.

use basis::{Duration, Instant};
use node::{Outbox, Port};
use wire::Packet;

use super::OutputQueues;
use crate::{Behind, Queued, Straight};

/// Only queues with nothing between them and their links can report late: what lies there would have to know when to do its work.
impl OutputQueues<Packet> {
    /// Returns true if packets of a port leave in the same order and at the same times however late the port is called: see
    /// [`node::Station::may_report_late`].
    pub fn may_report_late(&self, port: Port) -> bool {
        self.manager.is_independent(port)
    }

    /// Lets a port report transmissions up to so long after they have started. Zero ends this: see [`node::Control::ReportLate`].
    pub fn report_late(&mut self, now: Instant, port: Port, by: Duration, behind: &mut Straight<'_>, out: &mut Outbox) {
        if !self.has(port) {
            return;
        }
        self.catch_up(now, port, behind, out);
        let output = &mut self.ports[usize::from(port.0)];
        output.late = by;
        if by == Duration::ZERO {
            output.asked = Instant::MAX;
            self.serve(now, port, behind, out);
        }
    }
}

impl<Q: Queued> OutputQueues<Q> {
    /// Reports the packets that have started since the port was last called, up to and with `now`, if the port reports late.
    #[inline]
    pub(super) fn catch_up(&mut self, now: Instant, port: Port, behind: &mut impl Behind<Q>, out: &mut Outbox) {
        let Self { manager, ports, refusals, .. } = self;
        let output = &mut ports[usize::from(port.0)];
        if output.late == Duration::ZERO {
            return;
        }
        while output.link.free_at() <= now {
            let start = output.link.free_at();
            let Some(item) = manager.take(start, port, refusals) else { return };
            if let Some(packet) = behind.leave(start, port, item, manager, out) {
                output.link.begin(start, packet.len());
                out.transmit_late(port, packet, start);
            }
        }
    }
}
