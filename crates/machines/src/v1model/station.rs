//! The switch as a network sees it.

use node::{Account, Counter, Station};

use super::Switch;
use super::executor::Executor;

impl<E: Executor> Station for Switch<E> {
    /// A switch makes clones and copies for multicast groups, and ends nothing: what does not leave is discarded, with
    /// a reason. Nothing waits between calls.
    fn account(&self) -> Account {
        Account { replicated: self.statistics.replicated, held: self.queue.len() as u64, ..Account::default() }
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
    }
}
