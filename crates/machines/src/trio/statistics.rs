//! The counters of the chip.

use basis::Duration;
use ir::threads::Cause;
use measure::Counts;
use node::Reason;
use serde::{Deserialize, Serialize};

/// The counters of a chip. `received + generated + replicated` is `transmitted` plus all `discarded` plus what is inside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// The number of packets received.
    pub received: u64,
    /// The number of packets that threads have made and sent.
    pub generated: u64,
    /// The number of copies beyond the first that multicast has made.
    pub replicated: u64,
    /// The number of packets transmitted.
    pub transmitted: u64,
    /// The number of packets whose threads have neither sent nor dropped them yet.
    pub in_threads: u64,
    /// The number of threads that have begun: for packets, timers and events.
    pub threads: [u64; 3],
    /// The number of threads that were stopped by an error.
    pub faults: u64,
    /// The number of instructions executed.
    pub instructions: u64,
    /// The number of cycles in which places held threads, summed over all places.
    pub thread_cycles: u64,
    /// The number of digests that threads have sent.
    pub digests: u64,
    /// The time from a packet's arrival to the time at which the reorder engine lets it go.
    pub latency: Latency,
    /// The time for which packets waited for a free thread.
    pub waited: Latency,
    /// The number of packets that have left the reorder engine.
    pub left: u64,
    /// The cycles for which packets that had left their threads waited in the reorder engine.
    pub reordered: Latency,
    /// The number of discarded packets by reason.
    #[serde(skip)]
    pub discarded: Counts<Reason>,
}

/// How long something took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Latency {
    /// How often it happened.
    pub count: u64,
    /// The sum of all times, in picoseconds unless it is said otherwise.
    pub sum: u64,
    /// The longest time.
    pub most: u64,
}

impl Latency {
    pub(super) fn add(&mut self, time: Duration) {
        self.add_number(time.picoseconds());
    }

    pub(super) fn add_number(&mut self, time: u64) {
        self.count += 1;
        self.sum = self.sum.saturating_add(time);
        self.most = self.most.max(time);
    }

    /// Returns the mean time; 0 if it never happened.
    pub fn mean(&self) -> u64 {
        self.sum.checked_div(self.count).unwrap_or(0)
    }
}

impl Statistics {
    /// Returns the counters that all machines have.
    pub(super) fn of_any_machine(
        &self,
        cycles: u64,
        in_flight: u64,
        own: Vec<(&'static str, u64)>,
    ) -> crate::Statistics {
        crate::Statistics {
            received: self.received,
            transmitted: self.transmitted,
            discarded: self.discarded.clone(),
            in_flight,
            cycles,
            own,
            ..crate::Statistics::default()
        }
    }

    pub(super) fn count_thread(&mut self, cause: Cause) {
        self.threads[cause.number() as usize] += 1;
    }
}
