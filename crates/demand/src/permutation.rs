//! Every host sends to one other and receives from one other.

use crate::draw::cycle;
use crate::scheduled::Scheduled;
use crate::{Application, Extent, Making, Unfit, WorkloadPlan};

/// A plan in which every host sends one message of the same size, such that no host sends to itself and each receives
/// exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation {
    /// The length of each message in bytes.
    pub bytes: u64,
}

impl WorkloadPlan for Permutation {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let to = cycle(making.hosts.len(), &mut making.random_of_all());
        let message = |host: usize| making.message.to(making.addresses[to[host]]).with_length(self.bytes);
        Ok(making.each(|host| Scheduled::new(vec![(making.start, message(host))])))
    }

    fn messages(&self, extent: &Extent<'_>) -> f64 {
        extent.hosts()
    }

    fn longest_message(&self) -> u64 {
        self.bytes
    }
}
