//! The switch as a network sees it.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
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

/// Tables, registers and what waits are state, in many forms; nobody has needed them written down yet.
impl<E: Executor> Snapshot for Switch<E> {
    fn save(&self, _into: &mut Saver) -> Result<(), Unfit> {
        Err(Unfit("the state of a switch that runs a P4 program cannot be written down".to_owned()))
    }

    fn restore(&mut self, _from: &mut Loader<'_>) -> Result<(), Unfit> {
        Err(Unfit("the state of a switch that runs a P4 program was never written down".to_owned()))
    }
}
