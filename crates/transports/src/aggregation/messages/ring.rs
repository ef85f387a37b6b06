//! Ring all-reduce: each worker sends to the next, first sums of parts, then the parts that are complete.
//!
//! A tensor has as many parts as there are workers. In step s, from 0, the worker of rank r sends part r - s modulo n to
//! the next. In the first n - 1 steps (*reduce-scatter*) the receiver adds its own contribution; then each worker has one
//! part that is complete, and in the last n - 1 steps (*all-gather*) it is passed on as it is. Each worker sends and
//! receives 2 (n - 1) / n of the tensor (Patarasuk and Yuan, *Bandwidth optimal all-reduce algorithms for clusters of
//! workstations*, 2009, section 3).

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Instant;
use demand::{Arrived, Wanted};
use node::UnfinishedWork;
use serde::{Deserialize, Serialize};

use super::part::Part;
use super::{MessageParameters, MessageScheme};
use crate::aggregation::{Gradients, Outcomes, Setup, Tensor};

/// A worker in a ring.
#[derive(Debug)]
pub struct Ring {
    rank: u64,
    workers: u64,
    next: u32,
    gradients: Arc<dyn Gradients>,
    sums_floats: bool,
    message: Wanted,
    open: BTreeMap<u32, Open>,
    /// Parts of tensors that this worker has not begun.
    early: BTreeMap<u32, Vec<Part>>,
}

/// A tensor under way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Open {
    length: u64,
    /// The number of parts that have come out.
    complete: u64,
    /// The number of messages that have arrived.
    arrived: u64,
}

impl Ring {
    /// Creates the worker of a rank.
    ///
    /// # Panics
    /// If there is no worker of this rank, or it contributes nothing.
    pub fn new(setup: &Setup, rank: u16, parameters: MessageParameters) -> Self {
        let workers = setup.workers.len();
        Self {
            rank: rank.into(),
            workers: workers as u64,
            next: setup.workers[(usize::from(rank) + 1) % workers].address,
            gradients: parameters.gradients.expect("a worker contributes"),
            sums_floats: parameters.sums_floats,
            message: parameters.message,
            open: BTreeMap::new(),
            early: BTreeMap::new(),
        }
    }

    /// Returns the position of the first value of a part, and the number of its values.
    fn extent(&self, length: u64, part: u64) -> (u64, usize) {
        let begin = |part: u64| (u128::from(length) * u128::from(part) / u128::from(self.workers)) as u64;
        (begin(part), (begin(part + 1) - begin(part)) as usize)
    }

    fn send(&self, part: &Part, step: u32, wanted: &mut Vec<Wanted>) {
        let content = Part { step, ..part.clone() }.content();
        wanted.push(Wanted { content, tag: part.tensor, ..self.message.to(self.next) });
    }

    fn complete(&mut self, part: &Part, outcomes: &mut Outcomes) {
        part.report(self.workers as u16, self.sums_floats, outcomes);
        let Some(open) = self.open.get_mut(&part.tensor) else { return };
        open.complete += 1;
        if open.complete == self.workers {
            self.open.remove(&part.tensor);
            outcomes.finished(part.tensor);
        }
    }

    fn take(&mut self, mut part: Part, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes) {
        let Some(open) = self.open.get_mut(&part.tensor) else {
            return self.early.entry(part.tensor).or_default().push(part);
        };
        open.arrived += 1;
        let step = u64::from(part.step);
        if step < self.workers - 1 {
            part.add_contribution(&*self.gradients, self.sums_floats);
        }
        if step + 1 < 2 * (self.workers - 1) {
            self.send(&part, part.step + 1, wanted);
        }
        if step + 2 >= self.workers {
            self.complete(&part, outcomes);
        }
    }
}

impl MessageScheme for Ring {
    fn begin(&mut self, tensor: Tensor, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes) {
        let Tensor { number, length } = tensor;
        self.open.insert(number, Open { length, complete: 0, arrived: 0 });
        let extent = self.extent(length, self.rank);
        let own = Part::contribution(&*self.gradients, self.sums_floats, number, extent);
        if self.workers == 1 {
            return self.complete(&own, outcomes);
        }
        self.send(&own, 0, wanted);
        for part in self.early.remove(&number).unwrap_or_default() {
            self.take(part, wanted, outcomes);
        }
    }

    fn arrived(&mut self, message: &Arrived, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes) {
        if let Some(part) = Part::of(message) {
            self.take(part, wanted, outcomes);
        }
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        let before = (self.rank + self.workers - 1) % self.workers;
        let describe = |(number, open): (&u32, &Open)| UnfinishedWork {
            what: format!("tensor {number} of {} values in a ring", open.length),
            why: format!(
                "waits for message {} of {} from the worker of rank {before}",
                open.arrived + 1,
                2 * (self.workers - 1)
            ),
        };
        self.open.iter().map(describe).collect()
    }
}

basis::snapshot!(Ring { values open, early; });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregation::messages::tests::{Fleet, fleet};

    fn ring(workers: usize, length: u64) -> Fleet {
        fleet(workers, 0, length, |setup, member, parameters| Box::new(Ring::new(setup, member as u16, parameters)))
    }

    #[test]
    fn every_worker_gets_every_sum_and_sends_as_much_as_the_paper_says() {
        for (workers, length) in [(1, 5), (2, 7), (3, 3), (4, 1000), (5, 3), (8, 100)] {
            let mut ring = ring(workers, length);
            ring.run();
            let n = workers as u64;
            // The headers of messages are not part of U; a worker sends its parts, which differ by one value at most.
            let least = 2 * (n - 1) * (length / n) * 4;
            let most = 2 * (n - 1) * length.div_ceil(n) * 4;
            assert!(ring.sent.iter().all(|sent| (least..=most).contains(sent)), "{workers}: {:?}", ring.sent);
            if length.is_multiple_of(n) {
                assert_eq!(ring.sent, vec![2 * (n - 1) * length / n * 4; workers], "4 (n-1) U / n sent and received");
            }
        }
    }
}
