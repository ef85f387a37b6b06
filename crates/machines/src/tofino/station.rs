//! The chip as a network sees it.

use std::ops::Range;

use basis::Instant;
use node::{Account, Backpressure, Counter, InnerQueue, Port, QueueLength, RegisterValue, Station};
use queues::{OutputQueues, QueueStatus};

use super::item::Item;
use super::switch::Tofino;
use crate::blocks::{Executor, count_unread_digests};
use crate::device::Device;
use crate::registers;

impl<E: Executor> Tofino<E> {
    /// Returns everything that is known of a queue of a device port; `None` if there is no such queue.
    pub fn queue_status(&self, port: u16, queue: u8) -> Option<QueueStatus> {
        self.queues.as_ref()?.manager().queue_status(self.queue_ports.place(port)?, queue)
    }
}

impl<E: Executor> Station for Tofino<E> {
    /// A chip generates packets, makes mirrored ones and copies, and consumes none: every packet leaves, is discarded with a
    /// reason, or waits in a queue or on its way between the parts of the chip. The ports generate and consume pause frames.
    fn account(&self) -> Account {
        let of_queues = |number: fn(&OutputQueues<Item>) -> u64| self.queues.as_deref().map_or(0, number);
        Account {
            generated: self.generators.counts.packets + of_queues(OutputQueues::generated),
            replicated: self.statistics.replicated,
            consumed: of_queues(OutputQueues::consumed),
            held: (self.jobs.len() + self.agenda.len()) as u64 + of_queues(OutputQueues::held),
        }
    }

    fn queue(&self, port: Port) -> QueueLength {
        let (Some(queues), Some(place)) = (&self.queues, self.queue_ports.place(self.device_port(port))) else {
            return QueueLength::default();
        };
        queues.length(place)
    }

    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        if let Some(queues) = &self.queues {
            let number = |place| self.node_port(self.queue_ports.number(place));
            queues.each(&mut |queue| tell(InnerQueue { port: number(queue.port), ..queue }));
        }
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        registers::report(self.info(), self.states(), name, indices, tell)
    }

    fn high_water(&self, port: Port) -> Option<u64> {
        self.queues.as_ref()?.high_water(self.queue_ports.place(self.device_port(port))?)
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        let mut known = self.queues.as_ref().map_or(Backpressure::default(), |queues| queues.backpressure(now));
        known.renumber(|place| self.node_port(self.queue_ports.number(place)));
        known
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let statistics = &self.statistics;
        for (name, value) in [
            ("parser_errors", statistics.parser_errors),
            ("resubmissions", statistics.resubmissions),
            ("recirculations", statistics.recirculations),
            ("mirrored", statistics.mirrored),
            ("pruned", statistics.pruned),
            ("deflected", statistics.deflected),
            ("digests", statistics.digests),
        ] {
            tell(Counter { name, port: None, value });
        }
        count_unread_digests(&self.digests, tell);
        // What a chip does not have counts nothing.
        let of_ghosts = [("ghost_runs", statistics.ghost_runs), ("ghost_failures", statistics.ghost_failures)];
        let of_generators = self.generators.counts.all();
        let ghosts = of_ghosts.into_iter().filter(|_| self.has_ghost());
        let generators = of_generators.into_iter().filter(|_| !self.generators.are_idle(&self.settings.generators));
        ghosts.chain(generators).for_each(|(name, value)| tell(Counter { name, port: None, value }));
        if let Some(queues) = &self.queues {
            let number = |place| self.node_port(self.queue_ports.number(place));
            queues.counters(&mut |counter| tell(Counter { port: counter.port.map(number), ..counter }));
        }
    }
}
