//! A network of racks, and the jobs in it.

use std::sync::Arc;

use basis::Duration;
use machines::aggregator::atp::{AtpSwitchParameters, Defect};
use transports::aggregation::atp::AtpParameters;
use transports::aggregation::{Setup, Tensor, WorkerPlace};

/// A job: in which racks its workers are, and what they sum.
#[derive(Clone, Debug)]
pub struct Job {
    pub number: u8,
    /// The rack of each worker.
    pub workers: Vec<usize>,
    /// The rack of each server.
    pub servers: Vec<usize>,
    pub tensors: Vec<u64>,
    pub parameters: AtpParameters,
    /// The number of bits of each value.
    pub bits: u32,
    /// Whether the servers' edge switch adds up what the others have added up.
    pub has_second_level: bool,
    pub aggregators: std::ops::Range<u32>,
}

/// What happens to packets on each link.
#[derive(Clone, Copy, Debug, Default)]
pub struct Harm {
    /// Percentages.
    pub lost: u64,
    pub twice: u64,
    pub late: u64,
    pub marked: u64,
}

/// Something that happens at a time, in microseconds.
#[derive(Clone, Debug)]
pub enum Happening {
    SwitchForgets(usize),
    ServerRestarts {
        job: usize,
        server: usize,
    },
    WorkerFails {
        job: usize,
        rank: usize,
    },
    /// The worker begins again where it was.
    WorkerRestarts {
        job: usize,
        rank: usize,
    },
    /// The worker begins again in another rack, and all members get another setup.
    WorkerMoves {
        job: usize,
        rank: usize,
        rack: usize,
    },
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub racks: usize,
    pub jobs: Vec<Job>,
    pub harm: Harm,
    pub aggregators: u32,
    /// The age at which aggregators are freed, in microseconds.
    pub age: u64,
    pub defect: Option<Defect>,
    pub happenings: Vec<(u64, Happening)>,
    pub seed: u64,
    /// The time by which all must have ended, in microseconds.
    pub limit: u64,
}

impl Job {
    /// A job of these workers with one server in rack 0.
    pub fn new(number: u8, workers: Vec<usize>) -> Self {
        Self {
            number,
            workers,
            servers: vec![0],
            tensors: vec![5000, 62, 1, 9000],
            parameters: AtpParameters {
                timeout: Duration::from_microseconds(200),
                largest_window: 64,
                initial_window: 20,
                ..AtpParameters::default()
            },
            bits: 24,
            has_second_level: true,
            aggregators: 0..64,
        }
    }

    pub fn group(&self) -> u32 {
        0xEFC0_0000 + u32::from(self.number)
    }

    pub fn tensors(&self) -> impl Iterator<Item = Tensor> + '_ {
        (0..).zip(&self.tensors).map(|(number, &length)| Tensor { number, length })
    }

    /// Whether workers below this rack's switch are added up at the first level there.
    pub fn is_first_level(&self, rack: usize) -> bool {
        let is_servers = self.servers.contains(&rack);
        self.workers.contains(&rack) && !(is_servers && self.uses_second_level())
    }

    pub fn uses_second_level(&self) -> bool {
        self.has_second_level && self.workers.iter().any(|rack| !self.servers.contains(rack))
    }

    /// The setup, given the addresses of workers and servers.
    pub fn setup(&self, generation: u16, workers: &[u32], servers: &[u32]) -> Arc<Setup> {
        let mut racks: Vec<usize> = self.workers.clone();
        racks.sort_unstable();
        racks.dedup();
        let in_rack = |rack: usize| self.workers.iter().filter(|&&other| other == rack).count() as u8;
        let racks_before = |rack: usize| racks.iter().filter(|&&r| r < rack && self.is_first_level(r)).count() as u8;
        let direct = |rack: usize| !self.is_first_level(rack);
        let first_level = racks.iter().filter(|&&rack| !direct(rack)).count() as u8;
        let directs = self.workers.iter().filter(|&&rack| direct(rack)).count() as u8;
        let place = |(rank, (&rack, &address)): (usize, (&usize, &u32))| {
            let before = self.workers[..rank].iter();
            let (bits, first) = match direct(rack) {
                false => {
                    let own = before.filter(|&&other| other == rack).count() as u8;
                    ([own, racks_before(rack)], in_rack(rack))
                }
                true => ([0, first_level + before.filter(|&&other| direct(other)).count() as u8], 0),
            };
            WorkerPlace::with_two_levels(address, bits, [first, first_level + directs])
        };
        let workers = self.workers.iter().zip(workers).enumerate().map(place).collect();
        Arc::new(Setup {
            job: self.number,
            generation,
            group: self.group(),
            servers: servers.to_vec(),
            workers,
            aggregators: self.aggregators.clone(),
        })
    }
}

impl Plan {
    /// Two racks and a job of four workers, without harm.
    pub fn new(jobs: Vec<Job>) -> Self {
        Self {
            racks: 3,
            jobs,
            harm: Harm::default(),
            aggregators: 64,
            age: 2000,
            defect: None,
            happenings: Vec::new(),
            seed: 1,
            limit: 60_000_000,
        }
    }

    pub fn switch(&self) -> AtpSwitchParameters {
        AtpSwitchParameters { aggregators: self.aggregators, defect: self.defect }
    }
}
