//! Who takes part in a job.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use wire::atp::LEVELS;

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
    /// For each level of switches from 0 on: the number of the bit, from 0 to 31, by which the switch of the level tells what comes
    /// from this worker, at its first level, or from the switch before, at further ones.
    pub bits: [u8; LEVELS],
    /// For each level: the number of senders whose values the switch adds up, from 1 to 32. 0 at levels before the first
    /// switch that adds up what the worker sends, and at levels that the job does not have.
    pub fan_in: [u8; LEVELS],
}

impl WorkerPlace {
    /// The place of a worker in a job that has two levels, or for which levels mean nothing.
    pub fn with_two_levels(address: u32, bits: [u8; 2], fan_in: [u8; 2]) -> Self {
        let on = |[first, second]: [u8; 2]| [first, second, 0, 0, 0];
        Self { address, bits: on(bits), fan_in: on(fan_in) }
    }

    /// Returns the first level at which a switch adds up what the worker sends.
    pub fn first_level(&self) -> u8 {
        self.fan_in.iter().position(|&degree| degree > 0).unwrap_or(0) as u8
    }
}

impl Setup {
    /// Returns the number of levels of switches of the job, at least two.
    pub fn levels(&self) -> u8 {
        let last = |place: &WorkerPlace| place.fan_in.iter().rposition(|&degree| degree > 0).map_or(0, |last| last + 1);
        self.workers.iter().map(last).max().unwrap_or(0).max(2) as u8
    }

    /// Returns the rank of the worker with an address.
    pub fn rank(&self, address: u32) -> Option<usize> {
        self.workers.iter().position(|worker| worker.address == address)
    }
}
