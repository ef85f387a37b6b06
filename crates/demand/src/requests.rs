//! Requests and responses: in a closed loop, or as probes at a pace.

use basis::snapshot::{Loader, Saver, Snapshot, Unfit};
use basis::{Duration, Instant, Random};
use serde::{Deserialize, Serialize};

use crate::draw::Others;
use crate::{Application, Arrived, Wanted};

/// A plan: clients keep a number of requests under way, each to a server drawn anew, and ask for the next one when a
/// response is here. A request or a response that its transport gives up is not asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requests {
    /// How many bytes a request has.
    pub request: u64,
    /// How many bytes a response has.
    pub response: u64,
    /// How many requests of a client wait for their responses at a time; at least 1.
    pub outstanding: u32,
    /// How many requests each client makes; `None` is no end.
    pub count: Option<u64>,
    /// The first so many hosts are servers and the others are clients; `None`: every host is both.
    pub servers: Option<u32>,
}

/// A plan: every host sends small messages to another one, which answers each with an equal one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ping {
    /// The time between messages of a host; the first one comes at random within it.
    pub interval: Duration,
    /// How long after the start the last one may come.
    pub until: Duration,
    /// How many bytes each has, there and back.
    pub bytes: u64,
}

/// One host: a client, a server, or both.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) client: Option<Client>,
    /// What it answers with, but for the destination.
    pub(crate) response: Option<Wanted>,
    /// For which service requests are; responses are for the next one.
    pub(crate) service: u16,
}

/// The asking side.
#[derive(Debug)]
pub(crate) struct Client {
    /// What each request is, but for its destination.
    pub(crate) request: Wanted,
    pub(crate) target: Target,
    pub(crate) pace: Pace,
}

/// Where requests go.
#[derive(Debug)]
pub(crate) enum Target {
    /// To one host.
    One(u32),
    /// To one of the first hosts, drawn anew for each request.
    Any { others: Others, servers: usize, random: Random },
}

/// When requests are made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Pace {
    /// So many at the start, one more for each response, until none is left.
    Closed { start: Option<Instant>, outstanding: u32, left: Option<u64> },
    /// By the clock.
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
            // A server asks for nothing of its own accord.
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
    fn save(&self, into: &mut Saver) -> Result<(), Unfit> {
        match self {
            Self::One(_) => Ok(()),
            Self::Any { random, .. } => into.put(random),
        }
    }

    fn restore(&mut self, from: &mut Loader<'_>) -> Result<(), Unfit> {
        if let Self::Any { random, .. } = self {
            *random = from.take()?;
        }
        Ok(())
    }
}
