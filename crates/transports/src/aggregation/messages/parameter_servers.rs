//! Parameter servers: each adds up one part of every tensor, and sends the sums to all workers.
//!
//! Servers may be hosts of their own, or the hosts of workers, as BytePS has them. What a worker has for a server at its
//! own host does not go through the network.

use std::collections::BTreeMap;
use std::sync::Arc;

use basis::Instant;
use demand::{Arrived, Destinations, Wanted};
use node::UnfinishedWork;
use serde::{Deserialize, Serialize};

use super::part::Part;
use super::{MessageParameters, MessageScheme};
use crate::aggregation::{Gradients, Outcomes, Setup, Tensor};

/// The step of messages to servers.
const PUSH: u32 = 0;
/// The step of messages from servers.
const RESULT: u32 = 1;

/// A worker, a server, or both at one host.
#[derive(Debug)]
pub struct ParameterServers {
    workers: u16,
    servers: Vec<u32>,
    address: u32,
    /// All workers but one at this host.
    other_workers: Arc<[u32]>,
    gradients: Option<Arc<dyn Gradients>>,
    sums_floats: bool,
    message: Wanted,
    /// The tensors under way at the worker.
    open: BTreeMap<u32, Open>,
    /// The sums of the server that lack workers, by tensor.
    sums: BTreeMap<u32, Sum>,
}

/// A tensor under way at a worker.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Open {
    length: u64,
    /// The number of servers whose sums have come.
    complete: u32,
}

/// A sum under way at a server.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sum {
    part: Part,
    /// The addresses of the workers that it contains.
    from: Vec<u32>,
}

impl ParameterServers {
    /// Creates what runs at the host with an address.
    pub fn new(setup: &Setup, address: u32, parameters: MessageParameters) -> Self {
        let others = setup.workers.iter().map(|worker| worker.address).filter(|&worker| worker != address);
        Self {
            workers: setup.workers.len() as u16,
            servers: setup.servers.clone(),
            address,
            other_workers: others.collect(),
            gradients: parameters.gradients,
            sums_floats: parameters.sums_floats,
            message: parameters.message,
            open: BTreeMap::new(),
            sums: BTreeMap::new(),
        }
    }

    /// Returns the position of the first value of a server's part, and the number of its values.
    fn extent(&self, length: u64, server: usize) -> (u64, usize) {
        let servers = self.servers.len() as u128;
        let begin = |server: usize| (u128::from(length) * server as u128 / servers) as u64;
        (begin(server), (begin(server + 1) - begin(server)) as usize)
    }

    /// Adds the contribution of a worker at a server, and sends the sum to all workers once it is complete.
    fn push(&mut self, from: u32, part: Part, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes) {
        let tensor = part.tensor;
        if let Some(sum) = self.sums.get_mut(&tensor) {
            if sum.from.contains(&from) || sum.part.numbers.len() != part.numbers.len() {
                return;
            }
            sum.part.add(&part, self.sums_floats);
            sum.from.push(from);
        } else {
            self.sums.insert(tensor, Sum { part, from: vec![from] });
        }
        let is_complete = self.sums.get(&tensor).is_some_and(|sum| sum.from.len() == usize::from(self.workers));
        if let Some(Sum { part, .. }) = is_complete.then(|| self.sums.remove(&tensor)).flatten() {
            let part = Part { step: RESULT, ..part };
            let destinations = Destinations::Several(Arc::clone(&self.other_workers));
            wanted.push(Wanted { destinations, content: part.content(), tag: tensor, ..self.message.clone() });
            if self.gradients.is_some() {
                self.result(&part, outcomes);
            }
        }
    }

    /// Handles a sum at a worker.
    fn result(&mut self, part: &Part, outcomes: &mut Outcomes) {
        part.report(self.workers, self.sums_floats, outcomes);
        let Some(open) = self.open.get_mut(&part.tensor) else { return };
        open.complete += 1;
        if open.complete as usize == self.servers.len() {
            self.open.remove(&part.tensor);
            outcomes.finished(part.tensor);
        }
    }
}

impl MessageScheme for ParameterServers {
    fn begin(&mut self, tensor: Tensor, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes) {
        let Some(gradients) = self.gradients.clone() else { return };
        let Tensor { number, length } = tensor;
        self.open.insert(number, Open { length, complete: 0 });
        for server in 0..self.servers.len() {
            let extent = self.extent(length, server);
            let part = Part { step: PUSH, ..Part::contribution(&*gradients, self.sums_floats, number, extent) };
            let to = self.servers[server];
            if to == self.address {
                self.push(self.address, part, wanted, outcomes);
            } else {
                wanted.push(Wanted { content: part.content(), tag: number, ..self.message.to(to) });
            }
        }
    }

    fn arrived(&mut self, message: &Arrived, wanted: &mut Vec<Wanted>, outcomes: &mut Outcomes) {
        match Part::of(message) {
            Some(part) if part.step == PUSH => self.push(message.source, part, wanted, outcomes),
            Some(part) => self.result(&part, outcomes),
            None => {}
        }
    }

    fn waiting(&self, _now: Instant) -> Vec<UnfinishedWork> {
        let at_worker = |(number, open): (&u32, &Open)| UnfinishedWork {
            what: format!("tensor {number} of {} values", open.length),
            why: format!(
                "waits for the sums of {} of {} servers",
                self.servers.len() - open.complete as usize,
                self.servers.len()
            ),
        };
        let at_server = |(number, sum): (&u32, &Sum)| UnfinishedWork {
            what: format!("the sum of a part of tensor {number} at a server"),
            why: format!("waits for {} of {} workers", usize::from(self.workers) - sum.from.len(), self.workers),
        };
        self.open.iter().map(at_worker).chain(self.sums.iter().map(at_server)).collect()
    }
}

basis::snapshot!(ParameterServers { values open, sums; });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregation::messages::tests::{Fleet, fleet};

    fn servers(workers: usize, servers: usize, length: u64) -> Fleet {
        fleet(workers, servers, length, |setup, member, parameters| {
            Box::new(ParameterServers::new(setup, member as u32, parameters))
        })
    }

    #[test]
    fn one_server_gets_everything_and_sends_it_to_all() {
        for (workers, length) in [(1, 1), (2, 9), (7, 100)] {
            let mut fleet = servers(workers, 1, length);
            fleet.run();
            let each = 4 * length;
            assert_eq!(fleet.sent[..workers], vec![each; workers]);
            assert_eq!(fleet.sent[workers], each * workers as u64);
        }
    }

    #[test]
    fn servers_share_every_tensor() {
        for (workers, count, length) in [(3, 3, 2), (4, 2, 1000), (5, 5, 77)] {
            let mut fleet = servers(workers, count, length);
            fleet.run();
            assert_eq!(fleet.sent[..workers], vec![4 * length; workers]);
        }
    }
}
