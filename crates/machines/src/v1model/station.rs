//! The switch as a network sees it.

use std::ops::Range;

use basis::Instant;
use node::{Account, Backpressure, Counter, InnerQueue, Port, QueueLength, RegisterValue, Station};
use queues::OutputQueues;

use super::Switch;
use super::buffer::Ticket;
use crate::blocks::{Executor, count_unread_digests};
use crate::device::Device;
use crate::registers;

impl<E: Executor> Station for Switch<E> {
    /// A switch makes clones and multicast copies and consumes no packets: every packet leaves, is discarded with a
    /// reason, or waits in a queue. The ports generate and consume pause frames.
    fn account(&self) -> Account {
        let of_queues = |number: fn(&OutputQueues<Ticket>) -> u64| self.queues().map_or(0, number);
        Account {
            generated: of_queues(OutputQueues::generated),
            replicated: self.statistics.replicated,
            consumed: of_queues(OutputQueues::consumed),
            held: self.queue.len() as u64 + of_queues(OutputQueues::held),
        }
    }

    fn queue(&self, port: Port) -> QueueLength {
        self.queues().map_or(QueueLength::default(), |queues| queues.length(port))
    }

    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        if let Some(queues) = self.queues() {
            queues.each(tell);
        }
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        registers::report(self.info(), [&*self.state()], name, indices, tell)
    }

    fn high_water(&self, port: Port) -> Option<u64> {
        self.queues()?.high_water(port)
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        self.queues().map_or(Backpressure::default(), |queues| queues.backpressure(now))
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        let statistics = &self.statistics;
        for (name, value) in [
            ("parser_errors", statistics.parser_errors),
            ("resubmissions", statistics.resubmissions),
            ("recirculations", statistics.recirculations),
            ("clones", statistics.clones),
            ("digests", statistics.digests),
            ("ignored_requests", statistics.ignored_requests),
            ("tail_reads", statistics.tail_reads),
        ] {
            tell(Counter { name, port: None, value });
        }
        count_unread_digests(&self.digests, tell);
        if let Some(queues) = self.queues() {
            queues.counters(tell);
        }
    }
}
