//! Who takes part in a job.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Who takes part in a job, and how the network adds up what they send. All hosts of a job have the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setup {
    /// The number of the job, by which switches tell jobs apart.
    pub job: u8,
    /// The number of this setup among those of the job, in ascending order from 0.
    pub generation: u16,
    /// The IPv4 address of the group of all workers, as a number.
    pub group: u32,
    /// The IPv4 addresses of the servers, as numbers; empty if the scheme has none.
    pub servers: Vec<u32>,
    /// The workers, by rank.
    pub workers: Vec<WorkerPlace>,
    /// The aggregators of each switch that the job may use.
    pub aggregators: Range<u32>,
}

/// The place of a worker in the tree of switches that add up what workers send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerPlace {
    /// The IPv4 address of the worker, as a number.
    pub address: u32,
    /// The number of the worker's bit at the first switch, and of that switch's bit at the second, each from 0 to 31.
    pub bits: [u8; 2],
    /// The number of senders whose values the first switch adds up, and of those whose values the second does, each from 1
    /// to 32.
    pub fan_in: [u8; 2],
}

impl Setup {
    /// Returns the rank of the worker with an address.
    pub fn rank(&self, address: u32) -> Option<usize> {
        self.workers.iter().position(|worker| worker.address == address)
    }
}
