//! Schemes that carry sums as messages with content, over any transport of a host.

mod member;
mod parameter_servers;
mod part;
mod ring;

use std::sync::Arc;

use basis::Instant;
use basis::snapshot::Snapshot;
use demand::{Arrived, Wanted};
use node::UnfinishedWork;

pub use member::MessageMember;
pub use parameter_servers::ParameterServers;
pub use part::HEADER;
pub use ring::Ring;

use super::{Gradients, Outcomes, Tensor};

/// The side of one host of a scheme that carries sums as messages. It wants messages with content, and is told those that
/// arrive. It is a state machine without a clock.
pub trait MessageScheme: Send + Snapshot {
    /// Begins to contribute to a tensor. Tensors are begun in the order of their numbers, and several may be under way.
    fn begin(&mut self, tensor: Tensor, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes);

    /// Handles a message of the scheme that has arrived.
    fn arrived(&mut self, message: &Arrived, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes);

    /// Returns the tensors that are under way, each with what it waits for.
    fn waiting(&self, now: Instant) -> Vec<UnfinishedWork>;
}

/// What a scheme over messages has beside who takes part.
#[derive(Clone, Debug)]
pub struct MessageParameters {
    /// What this worker contributes; `None` at a host that is only a server.
    pub gradients: Option<Arc<dyn Gradients>>,
    /// Whether floating-point numbers are summed, rather than integers.
    pub sums_floats: bool,
    /// What all messages of the job have in common, such as their service and priority.
    pub message: Wanted,
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;
    use crate::aggregation::{Outcome, Setup, WorkerPlace};
    use crate::jobs::{Arithmetic, Check, Checked, Distribution, Values};

    /// Workers and servers that send messages to each other, each of which arrives; their addresses are their numbers.
    pub struct Fleet {
        members: Vec<Box<dyn MessageScheme>>,
        check: Check,
        length: u64,
        /// The bytes of values that each member has sent.
        pub sent: Vec<u64>,
    }

    pub fn fleet(
        workers: usize,
        servers: usize,
        length: u64,
        make: fn(&Setup, usize, MessageParameters) -> Box<dyn MessageScheme>,
    ) -> Fleet {
        let (arithmetic, distribution) = (Arithmetic::Integers { size: 1_000_000 }, Distribution::Uniform);
        let check = Check { values: Values { seed: 5, arithmetic, distribution }, workers: workers as u16 };
        let place = |address: usize| WorkerPlace::with_two_levels(address as u32, [0; 2], [1; 2]);
        let setup = Setup {
            job: 1,
            generation: 0,
            group: 0,
            servers: (workers..workers + servers).map(|server| server as u32).collect(),
            workers: (0..workers).map(place).collect(),
            aggregators: 0..0,
        };
        let member = |member: usize| {
            let gradients = (member < workers).then(|| check.values.of(member as u16));
            let parameters = MessageParameters { gradients, sums_floats: false, message: Wanted::default() };
            make(&setup, member, parameters)
        };
        let members: Vec<_> = (0..workers + servers).map(member).collect();
        Fleet { sent: vec![0; members.len()], members, check, length }
    }

    impl Fleet {
        /// Sums two tensors; the later a worker is in the order of ranks, the later it begins.
        pub fn run(&mut self) {
            let workers = usize::from(self.check.workers);
            let mut covered = vec![[0; 2]; workers];
            for number in 0..2 {
                self.sent.fill(0);
                for worker in 0..workers {
                    let (mut wanted, mut outcomes) = (Vec::new(), Outcomes::default());
                    let tensor = Tensor { number, length: self.length };
                    self.members[worker].begin(tensor, &mut wanted, &mut outcomes);
                    self.judge(worker, &mut outcomes, &mut covered);
                    let under_way = wanted.into_iter().map(|message| (worker, message)).collect();
                    self.carry(under_way, &mut covered);
                }
            }
            assert!(covered.iter().flatten().all(|&count| count == self.length), "{covered:?}");
            assert!(self.members.iter().all(|member| member.waiting(Instant::ZERO).is_empty()));
        }

        fn carry(&mut self, mut under_way: VecDeque<(usize, Wanted)>, covered: &mut [[u64; 2]]) {
            while let Some((from, message)) = under_way.pop_front() {
                for message in message.unfolded() {
                    let to = message.destinations.one().expect("one") as usize;
                    self.sent[from] += message.content.length() - part::HEADER as u64;
                    let arrived = Arrived {
                        source: from as u32,
                        number: 0,
                        content: message.content.clone(),
                        service: message.service,
                    };
                    let (mut wanted, mut outcomes) = (Vec::new(), Outcomes::default());
                    self.members[to].arrived(&arrived, &mut wanted, &mut outcomes);
                    self.judge(to, &mut outcomes, covered);
                    under_way.extend(wanted.into_iter().map(|message| (to, message)));
                }
            }
        }

        fn judge(&self, member: usize, outcomes: &mut Outcomes, covered: &mut [[u64; 2]]) {
            outcomes.drain(|outcome| match outcome {
                Outcome::Part { tensor, first, sources, sum } => {
                    assert_eq!(self.check.part(tensor, first, sources, sum), Checked::Right);
                    covered[member][tensor as usize] += match sum {
                        crate::aggregation::Sum::Integers(sums) => sums.len() as u64,
                        crate::aggregation::Sum::Floats(_) => panic!("the sums are integers"),
                    };
                }
                Outcome::Finished { tensor } => assert_eq!(covered[member][tensor as usize], self.length),
                other => panic!("{other:?}"),
            });
        }
    }
}
