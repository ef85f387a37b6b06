//! A job of a plan, and the network in which it runs.

use std::ops::Range;
use std::sync::Arc;

use basis::Instant;
use netsim::topology::{Role, Topology};
use transports::jobs::{Arithmetic, Check, Distribution, RepeatedTensors, TensorSchedule, Values};

use super::{MemberParts, SchemePlan};

/// A job: tensors to which workers contribute, and whose sums all of them get.
#[derive(Clone, Debug)]
pub struct JobPlan {
    /// The name for users.
    pub name: String,
    /// The number by which packets and switches tell jobs apart, from 1.
    pub number: u8,
    /// The hosts of the workers by rank, as indices into the stations of the topology.
    pub workers: Vec<usize>,
    /// The hosts of the servers, as indices into the stations of the topology; empty if the scheme has none.
    pub servers: Vec<usize>,
    /// The tensors, and when they are begun.
    pub schedule: TensorSchedule,
    /// The numbers that are summed.
    pub arithmetic: Arithmetic,
    /// How they are distributed.
    pub distribution: Distribution,
    /// What the job's values are drawn from, beside the seed of the run.
    pub seed: u64,
    /// The scheme, and its name in plans.
    pub scheme: (&'static str, Arc<dyn SchemePlan>),
    /// Processes that fail and are started again.
    pub failures: Vec<Failure>,
    /// The place of the job in the plan.
    pub place: Range<usize>,
}

/// The processes of a job at a host that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The host, as an index into the stations of the topology.
    pub host: usize,
    /// The time at which they fail.
    pub at: Instant,
    /// The time at which they are started again, and the host on which; `None` if nobody starts them.
    pub again: Option<(Instant, usize)>,
}

/// A time from which on a job has the same workers and servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epoch {
    /// The beginning.
    pub from: Instant,
    /// The hosts of the workers by rank.
    pub workers: Vec<usize>,
    /// The hosts of the servers.
    pub servers: Vec<usize>,
}

/// The network in which a job runs.
pub struct JobNetwork<'n> {
    /// The stations and cables.
    pub topology: &'n Topology,
    /// Returns whether a switch, by its index in the topology, runs a program whose tables a job can fill.
    pub is_programmable: &'n dyn Fn(usize) -> bool,
    /// Returns the longest content in bytes of messages that the transport of a host carries, by the host's index in the
    /// topology; 0 if it carries only lengths.
    pub longest_content: &'n dyn Fn(usize) -> u64,
    /// Returns the number of aggregators of a switch, by its index in the topology; `None` if it is not known.
    pub aggregators: &'n dyn Fn(usize) -> Option<u32>,
}

impl JobNetwork<'_> {
    /// Returns the name of a station.
    pub fn name(&self, station: usize) -> &str {
        &self.topology.stations[station].name
    }

    /// Returns the IPv4 address of a host, as a number; 0 for switches.
    pub fn address(&self, host: usize) -> u32 {
        match self.topology.stations[host].role {
            Role::Host { address, .. } => address,
            Role::Switch(_) => 0,
        }
    }
}

impl JobPlan {
    /// Returns the contributions of all workers, in a run with this seed.
    pub fn values(&self, seed: u64) -> Values {
        let seed = basis::mix(seed ^ self.seed.rotate_left(32) ^ u64::from(self.number));
        Values { seed, arithmetic: self.arithmetic, distribution: self.distribution }
    }

    /// Returns what the worker of a rank has beside its scheme, in a run with this seed.
    pub fn of_worker(&self, rank: u16, seed: u64) -> MemberParts {
        let values = self.values(seed);
        let check = Check { values, workers: self.workers.len() as u16 };
        MemberParts {
            job: Some(Box::new(RepeatedTensors::new(self.number, rank, check, self.schedule))),
            gradients: Some(values.of(rank)),
            ..self.of_server()
        }
    }

    /// Returns what a server has beside its scheme.
    pub fn of_server(&self) -> MemberParts {
        let point = match self.arithmetic {
            Arithmetic::Floats { point, .. } => Some(point),
            Arithmetic::Integers { .. } => None,
        };
        MemberParts { job: None, gradients: None, point }
    }

    /// Returns the times from which on the job has the same workers and servers: the first from its start, and one from
    /// each time at which processes that failed are started again.
    pub fn epochs(&self) -> Vec<Epoch> {
        let first = Epoch { from: self.schedule.start, workers: self.workers.clone(), servers: self.servers.clone() };
        let mut epochs = vec![first];
        let mut again: Vec<(Instant, usize, usize)> =
            self.failures.iter().filter_map(|failure| failure.again.map(|(at, to)| (at, failure.host, to))).collect();
        again.sort_unstable();
        for (at, from, to) in again {
            let mut epoch = epochs.last().expect("the first").clone();
            for host in epoch.workers.iter_mut().chain(&mut epoch.servers) {
                if *host == from {
                    *host = to;
                }
            }
            if epoch.from < at {
                epoch.from = at;
                epochs.push(epoch);
            } else if let Some(last) = epochs.last_mut() {
                (last.workers, last.servers) = (epoch.workers, epoch.servers);
            }
        }
        epochs
    }

    /// Returns the number of values of all tensors together.
    pub fn all_values(&self) -> u64 {
        u64::from(self.schedule.count).saturating_mul(self.schedule.length)
    }
}
