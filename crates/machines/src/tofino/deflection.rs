//! Deflection: packets that find no room in their queue go to the deflection port of the pipe of their ingress.

use node::{Outbox, Reason};

use super::item::Item;
use super::ports::pipe_of;
use super::reasons;
use super::switch::{Job, Tofino};
use crate::blocks::Executor;

impl<E: Executor> Tofino<E> {
    /// Deflects a packet that the queues refuse, if its program wants that and its pipe has a deflection port, or else
    /// discards it.
    pub(super) fn deflect_or_discard(&mut self, mut item: Item, reason: Reason, out: &mut Outbox) {
        let side = &mut item.side;
        // A queue that does not exist is a mistake of the program, and no want of room.
        let lacks_room = reason != queues::reasons::NO_SUCH_QUEUE && reason != Reason::NO_SUCH_PORT;
        let port = self.settings.deflection.of_pipe(pipe_of(side.from));
        let (reason, to) = match port {
            Some(port) if side.deflects && lacks_room && !side.is_deflected => (reason, Some(port)),
            _ if side.is_deflected && lacks_room => (reasons::DEFLECTION_FULL, None),
            _ => (reason, None),
        };
        let Some(to) = to else {
            let block = self.ingress_deparser();
            return self.discard((item.packet, item.side.pass), reason, block, out);
        };
        (side.is_deflected, side.queue) = (true, to.queue);
        if let Some(length) = to.length {
            item.packet.truncate(length as usize);
        }
        self.statistics.deflected += 1;
        // Deferred, because the queues are in the middle of a call.
        self.jobs.push_back(Job::Queue(item, to.port.into()));
    }
}
