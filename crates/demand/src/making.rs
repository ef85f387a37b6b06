//! The inputs from which the applications of a workload are made, and of which its size is estimated.

use std::sync::Arc;

use basis::{Duration, Instant, Random};

use crate::draw::Others;
use crate::{Application, HostOf, Wanted};

/// The common inputs from which the applications of a workload are made.
pub struct Making<'h> {
    pub(crate) hosts: &'h [HostOf],
    pub(crate) addresses: Arc<[u32]>,
    pub(crate) seed: u64,
    pub(crate) message: Wanted,
    pub(crate) start: Instant,
}

impl Making<'_> {
    /// Returns the hosts, for each of which an application is made.
    pub fn hosts(&self) -> &[HostOf] {
        self.hosts
    }

    /// Returns the properties that all messages of the workload share: their priority and their service. The service behind
    /// it is the workload's too, for answers.
    pub fn message(&self) -> &Wanted {
        &self.message
    }

    /// Returns the time at which the workload begins.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// Makes one application for each host, given its index.
    pub fn each<A: Application + 'static>(&self, make: impl Fn(usize) -> A) -> Vec<Box<dyn Application>> {
        (0..self.hosts.len()).map(|host| Box::new(make(host)) as Box<dyn Application>).collect()
    }

    /// Returns the random stream for draws that concern all hosts; each call returns the same.
    pub fn random_of_all(&self) -> Random {
        Random::new(self.seed)
    }

    /// Returns the random stream of a host, given its index.
    pub fn random(&self, host: usize) -> Random {
        Random::for_part(self.seed, host as u64 + 1)
    }

    pub(crate) fn others(&self, own: usize) -> Others {
        Others { addresses: Arc::clone(&self.addresses), own }
    }
}

/// The hosts and the time for which the size of a workload is estimated.
pub struct Extent<'h> {
    hosts: &'h [HostOf],
    /// The time for which the workload can last, in seconds; infinite if nothing ends the run.
    left: f64,
}

impl<'h> Extent<'h> {
    pub(crate) fn new(hosts: &'h [HostOf], time: Option<Duration>, start: Duration) -> Self {
        // Messages after the end of the run are never asked for.
        let left = time.map_or(f64::INFINITY, |time| (time.seconds() - start.seconds()).max(0.0));
        Self { hosts, left }
    }

    /// Returns the number of hosts.
    pub fn hosts(&self) -> f64 {
        self.hosts.len() as f64
    }

    /// Returns the time for which the workload can last, in seconds; infinite if nothing ends the run.
    pub fn left(&self) -> f64 {
        self.left
    }

    /// Returns the time in seconds for which a workload lasts that ends at `until` after its start.
    pub fn seconds(&self, until: Duration) -> f64 {
        until.seconds().min(self.left)
    }

    /// Returns the number of messages of so many bytes that the links of all hosts together carry in some seconds.
    pub fn carried(&self, seconds: f64, bytes: f64) -> f64 {
        let bits: f64 = self.hosts.iter().map(|host| host.rate.bits_per_second() as f64).sum();
        bits * seconds / (8.0 * bytes)
    }
}
