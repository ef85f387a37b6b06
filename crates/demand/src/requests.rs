//! Requests and responses: in a closed loop, or as probes at a fixed interval.

use basis::snapshot::{self, Loader, Saver, Snapshot};
use basis::{Duration, Instant, Random};
use serde::{Deserialize, Serialize};

use crate::draw::{Others, cycle, within};
use crate::workload::count_of;
use crate::{Application, Arrived, Extent, Making, Unfit, Wanted, WorkloadPlan};

/// A plan in which clients keep a number of requests outstanding, each to a server that is drawn at random, and send
/// the next one when a response arrives. Requests and responses that their transport abandons are not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// The length of a request in bytes.
    pub request: u64,
    /// The length of a response in bytes.
    pub response: u64,
    /// The number of requests of each client that wait for a response at a time; at least 1.
    pub outstanding: u32,
    /// The number of requests that each client makes; `None` for no limit.
    pub count: Option<u64>,
    /// The number of servers: the first hosts are servers and all others are clients. With `None`, every host is both.
    pub servers: Option<u32>,
}

/// A plan in which every host sends small messages to another host, which answers each with a message of equal length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping {
    /// The time between two messages of a host; the first one comes at a random time within it.
    pub interval: Duration,
    /// The time after the start of the plan at which hosts stop sending.
    pub until: Duration,
    /// The length of each message in bytes, in both directions.
    pub bytes: u64,
}

impl WorkloadPlan for Requests {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let hosts = making.hosts.len();
        let servers = self.servers.map_or(hosts, |servers| servers as usize);
        if servers == 0 || self.servers.is_some_and(|servers| servers as usize >= hosts) {
            let of = count_of(hosts);
            return Err(Unfit(format!(
                "{servers} servers among {of}: there must be at least one server and one client"
            )));
        }
        let service = making.message.service;
        let response = Wanted { service: service + 1, ..making.message.with_length(self.response) };
        Ok(making.each(|host| {
            let client = || Client {
                request: making.message.with_length(self.request),
                target: Target::Any { others: making.others(host), servers, random: making.random(host) },
                pace: Pace::Closed { start: Some(making.start), outstanding: self.outstanding, left: self.count },
            };
            Exchange {
                client: (self.servers.is_none() || host >= servers).then(client),
                response: (host < servers).then(|| response.clone()),
                service,
            }
        }))
    }

    fn messages(&self, extent: &Extent<'_>) -> f64 {
        // A request and a response count as two messages.
        let hosts = extent.hosts();
        let clients = hosts - f64::from(self.servers.unwrap_or(0)).min(hosts);
        let messages = self.count.map_or(f64::INFINITY, |each| 2.0 * each as f64 * clients);
        let bytes = (self.request as f64 + self.response as f64) / 2.0;
        messages.min(2.0 * clients * f64::from(self.outstanding) + extent.carried(extent.left(), bytes))
    }

    fn longest_message(&self) -> u64 {
        self.request.max(self.response)
    }

    fn is_endless(&self) -> bool {
        self.count.is_none()
    }
}

impl WorkloadPlan for Ping {
    fn applications(&self, making: &Making<'_>) -> Result<Vec<Box<dyn Application>>, Unfit> {
        let to = cycle(making.hosts.len(), &mut making.random_of_all());
        Ok(making.each(|host| {
            let request = making.message.with_length(self.bytes);
            let service = request.service;
            let response = Wanted { service: service + 1, ..request.clone() };
            let next = within(making.start, self.interval, &mut making.random(host));
            let pace = Pace::Every { next, interval: self.interval, until: making.start + self.until };
            let target = Target::One(making.addresses[to[host]]);
            Exchange { client: Some(Client { request, target, pace }), response: Some(response), service }
        }))
    }

    fn messages(&self, extent: &Extent<'_>) -> f64 {
        2.0 * extent.hosts() * (extent.seconds(self.until) / self.interval.seconds() + 1.0)
    }

    fn longest_message(&self) -> u64 {
        self.bytes
    }
}

/// The application of one host, which is a client, a server, or both.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) client: Option<Client>,
    /// The response, except for its destination.
    pub(crate) response: Option<Wanted>,
    /// The service of requests; responses have the service after it.
    pub(crate) service: u16,
}

/// The side that sends requests.
#[derive(Debug)]
pub(crate) struct Client {
    /// The request, except for its destination.
    pub(crate) request: Wanted,
    pub(crate) target: Target,
    pub(crate) pace: Pace,
}

/// The destination of requests.
#[derive(Debug)]
pub(crate) enum Target {
    /// Always the same host.
    One(u32),
    /// One of the first `servers` hosts, drawn at random for each request.
    Any { others: Others, servers: usize, random: Random },
}

/// The times at which requests are made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Pace {
    /// `outstanding` requests at the start and one more for each response, until none is left.
    Closed { start: Option<Instant>, outstanding: u32, left: Option<u64> },
    /// One request in each interval.
    Every { next: Instant, interval: Duration, until: Instant },
}

impl Client {
    fn ask(&mut self, wanted: &mut Vec<Wanted>) {
        if let Pace::Closed { left: Some(left), .. } = &mut self.pace {
            let Some(less) = left.checked_sub(1) else { return };
            *left = less;
        }
        let destination = match &mut self.target {
            Target::One(address) => *address,
            Target::Any { others, servers, random } => others.draw(*servers, random),
        };
        wanted.push(self.request.to(destination));
    }
}

impl Application for Exchange {
    fn deadline(&self) -> Option<Instant> {
        match self.client.as_ref()?.pace {
            Pace::Closed { start, .. } => start,
            Pace::Every { next, until, .. } => (next < until).then_some(next),
        }
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        while self.deadline().is_some_and(|deadline| deadline <= now) {
            let Some(client) = &mut self.client else { return };
            let mut count = 1;
            match &mut client.pace {
                Pace::Closed { start, outstanding, .. } => (*start, count) = (None, *outstanding),
                Pace::Every { next, interval, .. } => *next += *interval,
            }
            for _ in 0..count {
                client.ask(wanted);
            }
        }
    }

    fn arrived(&mut self, _now: Instant, message: Arrived, wanted: &mut Vec<Wanted>) {
        if message.service == self.service {
            if let Some(response) = &self.response {
                wanted.push(response.to(message.source));
            }
        } else if let Some(client) = &mut self.client
            && matches!(client.pace, Pace::Closed { .. })
        {
            client.ask(wanted);
        }
    }

    fn remaining(&self) -> Option<u64> {
        match self.client.as_ref().map(|client| &client.pace) {
            // A server sends nothing but responses.
            None => Some(0),
            Some(Pace::Closed { left, .. }) => *left,
            Some(Pace::Every { next, interval, until }) => {
                Some(until.since(*next).picoseconds().div_ceil(interval.picoseconds().max(1)))
            }
        }
    }
}

basis::snapshot!(Exchange { parts client; });
basis::snapshot!(Client { values pace; parts target; });

impl Snapshot for Target {
    fn save(&self, into: &mut Saver) -> Result<(), snapshot::Unfit> {
        match self {
            Self::One(_) => Ok(()),
            Self::Any { random, .. } => into.put(random),
        }
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), snapshot::Unfit> {
        if let Self::Any { random, .. } = self {
            *random = from.take()?;
        }
        Ok(())
    }
}
