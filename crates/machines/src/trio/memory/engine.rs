//! An engine with its queue: it serves requests one after the other, in the order in which they came.

use serde::{Deserialize, Serialize};

use super::statistics::{EngineName, EngineStatistics};

/// An engine behind a queue of a fixed number of places.
///
/// Requests are served in the order in which they are enqueued, and how long each takes is known, so all times are known as
/// soon as a request has its turn: the `k`-th one enters the queue when it arrives, but not before the one `places` earlier
/// has left it, and leaves the queue when the engine is free.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Engine {
    /// The cycles in which the last requests were or will be taken up, as many as the queue has places, in a ring.
    starts: Vec<u64>,
    /// The place in the ring of the next request.
    next: usize,
    /// The number of requests before the first one that had not been taken up when the last one entered.
    taken: u64,
    /// The cycle from which on the engine is free.
    free: u64,
    requests: u64,
    busy: u64,
    waited: u64,
    stalled: u64,
    longest_queue: u64,
    latency: u64,
    longest_latency: u64,
}

impl Engine {
    /// Creates an engine with so many places in its queue, at least 1.
    pub fn new(places: u32) -> Self {
        Self {
            starts: vec![0; places as usize],
            next: 0,
            taken: 0,
            free: 0,
            requests: 0,
            busy: 0,
            waited: 0,
            stalled: 0,
            longest_queue: 0,
            latency: 0,
            longest_latency: 0,
        }
    }

    /// Returns whether the engine, which was saved, can take the place of another one.
    pub fn suits(&self, other: &Self) -> bool {
        self.starts.len() == other.starts.len() && self.next < self.starts.len() && self.taken <= self.requests
    }

    /// Enqueues a request that arrives in a cycle, not before earlier ones, and keeps the engine busy for `service` cycles. The
    /// engine takes it up in cycle `possible` at the earliest, and stands still if its turn comes before.
    /// Returns the cycle in which it enters the queue, which is later than that of its arrival if the queue is full, and
    /// that in which the engine takes it up.
    #[inline]
    pub fn enqueue(&mut self, arrival: u64, service: u64, possible: u64) -> (u64, u64) {
        // A place that was never taken says 0.
        let enters = arrival.max(self.starts[self.next]);
        let turn = enters.max(self.free);
        let start = turn.max(possible);
        self.stalled += start - turn;
        self.starts[self.next] = start;
        self.next = if self.next + 1 == self.starts.len() { 0 } else { self.next + 1 };
        self.requests += 1;
        self.free = start + service;
        self.busy += service;
        self.waited += start - enters;
        if start > enters {
            self.measure_queue(enters);
        }
        (enters, start)
    }

    /// Counts the requests that wait when the last one has entered.
    #[inline]
    fn measure_queue(&mut self, enters: u64) {
        let places = self.starts.len() as u64;
        self.taken = self.taken.max(self.requests.saturating_sub(places));
        while self.taken < self.requests && self.start(self.taken) <= enters {
            self.taken += 1;
        }
        self.longest_queue = self.longest_queue.max(self.requests - self.taken);
    }

    /// Returns when one of the last requests, by its number from 0, is taken up.
    #[inline]
    fn start(&self, number: u64) -> u64 {
        let back = (self.requests - number) as usize;
        let place = if back <= self.next { self.next - back } else { self.next + self.starts.len() - back };
        self.starts[place]
    }

    /// Counts the cycles between the moment at which a thread asked for a request and that of its reply.
    #[inline]
    pub fn replied(&mut self, latency: u64) {
        self.latency += latency;
        self.longest_latency = self.longest_latency.max(latency);
    }

    /// Returns the number of cycles in which the engine has stood still.
    pub fn stalled(&self) -> u64 {
        self.stalled
    }

    /// Returns what has been counted, and how many requests wait now.
    pub fn statistics(&self, name: EngineName, cycle: u64) -> EngineStatistics {
        let known = self.requests.min(self.starts.len() as u64);
        let queued = (self.requests - known..self.requests).filter(|number| self.start(*number) > cycle).count() as u64;
        let Self { requests, waited, stalled, longest_queue, latency, longest_latency, .. } = *self;
        // What the engine has not done yet does not count as busy.
        let busy = self.busy.saturating_sub(self.free.saturating_sub(cycle));
        EngineStatistics { name, requests, busy, waited, stalled, queued, longest_queue, latency, longest_latency }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::*;

    const NAME: EngineName = EngineName { block: Block::Bank, number: 0 };

    #[test]
    fn requests_are_served_in_order_and_wait_outside_of_a_full_queue() {
        let mut engine = Engine::new(2);
        assert_eq!(engine.enqueue(10, 4, 0), (10, 10));
        assert_eq!(engine.enqueue(10, 4, 0), (10, 14));
        assert_eq!(engine.enqueue(11, 4, 0), (11, 18));
        // The queue holds those of 14 and 18 until 14.
        assert_eq!(engine.enqueue(12, 4, 0), (14, 22));
        assert_eq!(engine.enqueue(12, 4, 0), (18, 26));
        assert_eq!(engine.enqueue(100, 1, 0), (100, 100));
        let statistics = engine.statistics(NAME, 1000);
        assert_eq!((statistics.requests, statistics.busy, statistics.longest_queue), (6, 21, 2));
        assert_eq!(statistics.waited, 4 + 7 + 8 + 8);
    }

    #[test]
    fn the_queue_and_the_busy_time_are_those_of_the_moment() {
        let mut engine = Engine::new(8);
        for _ in 0..5 {
            engine.enqueue(0, 10, 0);
        }
        let at = |cycle| {
            let statistics = engine.statistics(NAME, cycle);
            (statistics.queued, statistics.busy)
        };
        assert_eq!((at(0), at(10), at(25), at(50)), ((4, 0), (3, 10), (2, 25), (0, 50)));
        assert_eq!(engine.statistics(NAME, 0).longest_queue, 4);
    }
}
