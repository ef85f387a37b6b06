//! The chip as a network sees it.

use std::ops::Range;

use basis::Instant;
use ir::interpret::threads::Instructions;
use node::{Account, Backpressure, Counter, InnerQueue, Port, QueueLength, RegisterValue, Station};
use queues::OutputQueues;

use super::chip::Trio;
use super::output::Item;
use crate::blocks::count_unread_digests;
use crate::device::Device;
use crate::registers;

impl<C: Instructions> Trio<C> {
    /// Returns the number of packets in the chip that are not in the queues of ports.
    pub(super) fn held(&self) -> u64 {
        self.statistics.in_threads + self.dispatch.packets.len() as u64 + self.reorder.held()
    }

    /// Returns the counters that only this kind of machine has, by name.
    pub(super) fn own_counters(&self) -> Vec<(&'static str, u64)> {
        let statistics = &self.statistics;
        let off_chip = self.memory.off_chip().into_iter().flatten();
        let [packets, timers, events] = statistics.threads;
        let counters = [
            ("instructions", statistics.instructions),
            ("thread_cycles", statistics.thread_cycles),
            ("threads_of_packets", packets),
            ("threads_of_timers", timers),
            ("threads_of_events", events),
            ("faults", statistics.faults),
            ("packets_made", statistics.generated),
            ("digests", statistics.digests),
            ("most_waiting_for_threads", self.dispatch.most_waiting),
            ("most_in_reorder_engine", self.reorder.most_held()),
            ("timer_overruns", self.timers.overruns()),
            ("lost_events", self.dispatch.lost_events),
        ];
        counters.into_iter().chain(off_chip).collect()
    }
}

impl<C: Instructions> Station for Trio<C> {
    /// Threads make packets, and multicast copies them; the ports generate and consume pause frames.
    fn account(&self) -> Account {
        let of_queues = |number: fn(&OutputQueues<Item>) -> u64| self.queues.as_deref().map_or(0, number);
        Account {
            generated: self.statistics.generated + of_queues(OutputQueues::generated),
            replicated: self.statistics.replicated,
            consumed: of_queues(OutputQueues::consumed),
            held: self.held() + of_queues(OutputQueues::held),
        }
    }

    fn queue(&self, port: Port) -> QueueLength {
        self.queues.as_ref().map_or(QueueLength::default(), |queues| queues.length(port))
    }

    fn queues(&self, tell: &mut dyn FnMut(InnerQueue)) {
        if let Some(queues) = &self.queues {
            queues.each(tell);
        }
    }

    fn register(&self, name: &str, indices: Range<u32>, tell: &mut dyn FnMut(RegisterValue)) -> bool {
        registers::report(self.info(), [&self.state], name, indices, tell)
    }

    fn high_water(&self, port: Port) -> Option<u64> {
        self.queues.as_ref()?.high_water(port)
    }

    fn backpressure(&self, now: Instant) -> Backpressure {
        self.queues.as_ref().map_or(Backpressure::default(), |queues| queues.backpressure(now))
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        for (name, value) in self.own_counters() {
            tell(Counter { name, port: None, value });
        }
        count_unread_digests(&self.digests, tell);
        if let Some(queues) = &self.queues {
            queues.counters(tell);
        }
    }
}
