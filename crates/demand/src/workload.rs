//! Workloads: plans for all hosts of a network, and the applications that carry them out.

use std::fmt;
use std::sync::Arc;

use basis::{Duration, Instant, Random};

use crate::all_to_all::{AllToAll, ToAll};
use crate::draw::{Others, cycle, within};
use crate::matrix::{Matrix, MatrixHost};
use crate::on_off::{Bursts, OnOff};
use crate::poisson::{Arrivals, End, Poisson, SizesToDraw};
use crate::requests::{Client, Exchange, Pace, Ping, Requests, Target};
use crate::scheduled::Scheduled;
use crate::together::{SERVICES, Together};
use crate::{Application, HostOf, Wanted};

/// A traffic plan for the hosts of a network, with its start time and priority.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// The traffic that the hosts ask for.
    pub plan: WorkloadPlan,
    /// The time from the beginning of the run to the start of the plan; all times in the plan count from that start.
    pub start: Duration,
    /// The priority of its messages; 0 is the least urgent.
    pub priority: u8,
}

/// The kinds of traffic plan.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkloadPlan {
    /// Many hosts send to one.
    Incast(Incast),
    /// Every host sends one message of the same size, such that no host sends to itself and each receives exactly one.
    Permutation {
        /// The length of each message in bytes.
        bytes: u64,
    },
    /// Every host sends one message to every other host.
    AllToAll(AllToAll),
    /// Messages arrive as a Poisson process at a given load.
    Poisson(Poisson),
    /// Bursts at full link rate alternate with silence.
    OnOff(OnOff),
    /// Clients send requests and servers respond, in a closed loop.
    Requests(Requests),
    /// Hosts send small probes at a fixed interval.
    Ping(Ping),
    /// The connections of an htsim connection matrix.
    Matrix(Arc<Matrix>),
}

/// A plan in which many hosts send to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incast {
    /// The number of senders, which are drawn at random.
    pub senders: u32,
    /// The number of bytes that each sender sends.
    pub bytes: u64,
    /// The interval within which each sender starts at a uniformly random time.
    pub spread: Duration,
    /// The index of the receiving host, from 0; `None` to draw it at random.
    pub receiver: Option<u32>,
}

/// The reason why a plan does not fit the given hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unfit {}

impl Workload {
    /// Creates a workload that starts at once with the lowest priority.
    pub fn new(plan: WorkloadPlan) -> Self {
        Self { plan, start: Duration::ZERO, priority: 0 }
    }

    /// Makes one application for each host, in the order of `hosts`. The result depends only on the plan, the hosts and
    /// the seed.
    ///
    /// # Errors
    /// If the hosts are too few for the plan, or do not include those that it names.
    pub fn applications(&self, hosts: &[HostOf], seed: u64) -> Result<Vec<Box<dyn Application>>, Unfit> {
        self.applications_of_service(hosts, seed, 0)
    }

    /// Makes one application for each host that carries out several plans at once. Each plan draws from its own random
    /// stream, so that its traffic does not depend on the plans after it in the list.
    ///
    /// # Errors
    /// If there are too many plans, or the hosts are too few for one of them or do not include those that it names.
    pub fn combined(workloads: &[Self], hosts: &[HostOf], seed: u64) -> Result<Vec<Box<dyn Application>>, Unfit> {
        if workloads.len() > usize::from(u16::MAX / SERVICES) {
            return Err(Unfit(format!(
                "{} workloads are too many: at most {} can be combined",
                workloads.len(),
                u16::MAX / SERVICES
            )));
        }
        if let [workload] = workloads {
            return workload.applications(hosts, seed);
        }
        let mut together: Vec<Vec<Box<dyn Application>>> = hosts.iter().map(|_| Vec::new()).collect();
        for (number, workload) in workloads.iter().enumerate() {
            // The first plan draws the same numbers as it would alone.
            let seed = if number == 0 { seed } else { Random::for_part(seed, number as u64).bits() };
            let applications = workload.applications_of_service(hosts, seed, number as u16 * SERVICES)?;
            for (host, application) in together.iter_mut().zip(applications) {
                host.push(application);
            }
        }
        Ok(together.into_iter().map(|applications| Box::new(Together(applications)) as _).collect())
    }

    fn applications_of_service(
        &self,
        hosts: &[HostOf],
        seed: u64,
        service: u16,
    ) -> Result<Vec<Box<dyn Application>>, Unfit> {
        if hosts.len() < 2 {
            return Err(Unfit(format!("{} is too few: a workload needs at least two", count_of(hosts.len()))));
        }
        let addresses = hosts.iter().map(|host| host.address).collect();
        let message = Wanted { priority: self.priority, service, ..Wanted::default() };
        Making { hosts, addresses, seed, message, start: Instant::ZERO + self.start }.applications(&self.plan)
    }
}

fn count_of(hosts: usize) -> String {
    if hosts == 1 { "1 host".to_owned() } else { format!("{hosts} hosts") }
}

/// The common inputs from which the applications of a workload are made.
struct Making<'h> {
    hosts: &'h [HostOf],
    addresses: Arc<[u32]>,
    seed: u64,
    /// The properties that all messages share.
    message: Wanted,
    start: Instant,
}

impl Making<'_> {
    fn applications(&self, plan: &WorkloadPlan) -> Result<Vec<Box<dyn Application>>, Unfit> {
        // The random stream for draws that concern all hosts; each host has another one of its own.
        let mut random = Random::new(self.seed);
        match plan {
            WorkloadPlan::Incast(plan) => self.incast(plan, &mut random),
            &WorkloadPlan::Permutation { bytes } => {
                let to = cycle(self.hosts.len(), &mut random);
                let message = |host: usize| self.message.to(self.addresses[to[host]]).with_length(bytes);
                Ok(self.each(|host| Scheduled::new(vec![(self.start, message(host))])))
            }
            &WorkloadPlan::AllToAll(AllToAll { bytes, outstanding }) => Ok(self.each(|host| ToAll {
                others: self.others(host),
                message: self.message.with_length(bytes),
                outstanding: outstanding as usize,
                start: Some(self.start),
                asked: 0,
            })),
            WorkloadPlan::Poisson(plan) => Ok(self.poisson(plan)),
            WorkloadPlan::OnOff(plan) => Ok(self.each(|host| {
                let place = (self.others(host), self.message.clone(), self.hosts[host].rate);
                Bursts::new(place, plan, self.start, self.random(host))
            })),
            WorkloadPlan::Requests(plan) => self.requests(plan),
            WorkloadPlan::Ping(plan) => {
                let to = cycle(self.hosts.len(), &mut random);
                Ok(self.each(|host| self.ping(plan, self.addresses[to[host]], host)))
            }
            WorkloadPlan::Matrix(matrix) => {
                if matrix.nodes() as usize > self.hosts.len() {
                    let (nodes, hosts) = (matrix.nodes(), count_of(self.hosts.len()));
                    return Err(Unfit(format!("the connection matrix needs {nodes} hosts, but there are {hosts}")));
                }
                Ok(self.each(|host| MatrixHost::new(matrix, host, &self.addresses, self.message.clone(), self.start)))
            }
        }
    }

    fn each<A: Application + 'static>(&self, make: impl Fn(usize) -> A) -> Vec<Box<dyn Application>> {
        (0..self.hosts.len()).map(|host| Box::new(make(host)) as Box<dyn Application>).collect()
    }

    fn others(&self, own: usize) -> Others {
        Others { addresses: Arc::clone(&self.addresses), own }
    }

    fn random(&self, host: usize) -> Random {
        Random::for_part(self.seed, host as u64 + 1)
    }

    fn incast(&self, plan: &Incast, random: &mut Random) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let hosts = self.hosts.len();
        let receiver = plan.receiver.map_or_else(|| random.below(hosts as u64) as usize, |receiver| receiver as usize);
        if receiver >= hosts {
            return Err(Unfit(format!(
                "receiver {receiver} does not exist: there are {}, numbered from 0",
                count_of(hosts)
            )));
        }
        let mut senders: Vec<usize> = (0..hosts).filter(|&host| host != receiver).collect();
        if plan.senders as usize > senders.len() {
            let (wanted, most) = (plan.senders, senders.len());
            return Err(Unfit(format!(
                "{wanted} senders are too many: with {}, at most {most} can send to one",
                count_of(hosts)
            )));
        }
        random.shuffle(&mut senders);
        let mut messages = vec![Vec::new(); hosts];
        for &sender in &senders[..plan.senders as usize] {
            let message = self.message.to(self.addresses[receiver]).with_length(plan.bytes);
            messages[sender].push((within(self.start, plan.spread, random), message));
        }
        Ok(messages.into_iter().map(|messages| Box::new(Scheduled::new(messages)) as _).collect())
    }

    fn poisson(&self, plan: &Poisson) -> Vec<Box<dyn Application>> {
        let (sizes, hosts) = (SizesToDraw::new(plan.sizes), self.hosts.len() as u64);
        self.each(|host| {
            let (until, left) = match plan.end {
                End::After(time) => (self.start + time, u64::MAX),
                End::Messages(count) => (Instant::MAX, count / hosts + u64::from((host as u64) < count % hosts)),
            };
            let place = (self.others(host), self.message.clone(), self.hosts[host].rate);
            Arrivals::new(place, (sizes.clone(), plan.load), (self.start, until, left), self.random(host))
        })
    }

    fn requests(&self, plan: &Requests) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let hosts = self.hosts.len();
        let servers = plan.servers.map_or(hosts, |servers| servers as usize);
        if servers == 0 || plan.servers.is_some_and(|servers| servers as usize >= hosts) {
            let of = count_of(hosts);
            return Err(Unfit(format!(
                "{servers} servers among {of}: there must be at least one server and one client"
            )));
        }
        let response = Wanted { service: self.message.service + 1, ..self.message.with_length(plan.response) };
        Ok(self.each(|host| {
            let client = || Client {
                request: self.message.with_length(plan.request),
                target: Target::Any { others: self.others(host), servers, random: self.random(host) },
                pace: Pace::Closed { start: Some(self.start), outstanding: plan.outstanding, left: plan.count },
            };
            Exchange {
                client: (plan.servers.is_none() || host >= servers).then(client),
                response: (host < servers).then(|| response.clone()),
                service: self.message.service,
            }
        }))
    }

    fn ping(&self, plan: &Ping, destination: u32, host: usize) -> Exchange {
        let request = self.message.with_length(plan.bytes);
        let service = request.service;
        let response = Wanted { service: service + 1, ..request.clone() };
        let next = within(self.start, plan.interval, &mut self.random(host));
        let pace = Pace::Every { next, interval: plan.interval, until: self.start + plan.until };
        Exchange {
            client: Some(Client { request, target: Target::One(destination), pace }),
            response: Some(response),
            service,
        }
    }
}
