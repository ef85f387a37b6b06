//! One core: what waits for it, and what it is at.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::pace;
use super::parameters::{Attention, Parameters};

/// A packet and when it was there for the core.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ready {
    at: Instant,
    packet: Packet,
}

/// What a core has done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// It has received a packet, which is the transport's now.
    Received(Packet),
    /// It has sent a packet, which can go to the network card.
    Sent(Packet),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Job {
    Receive,
    Send,
}

/// One core.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Core {
    /// Packets that have come.
    ring: VecDeque<Ready>,
    /// Packets that are to leave.
    queue: VecDeque<Ready>,
    /// What it does, and until when.
    at_work: Option<(Instant, Job, Packet)>,
    /// True if what it did last was to receive.
    has_received: bool,
    /// True if it takes from the ring what is there; false if it waits to be told.
    is_attending: bool,
    /// How long it has worked.
    pub busy: Duration,
    /// How often it was told that packets had come.
    pub calls: u64,
}

impl Core {
    /// Packets that have come and wait.
    pub fn waiting(&self) -> usize {
        self.ring.len()
    }

    /// Packets of which it has not said what became.
    pub fn held(&self) -> usize {
        self.ring.len() + self.queue.len() + usize::from(self.at_work.is_some())
    }

    /// A packet comes, and is in memory at `at`.
    pub fn arrives(&mut self, at: Instant, packet: Packet) {
        self.ring.push_back(Ready { at, packet });
    }

    /// A packet is to leave.
    pub fn leaves(&mut self, now: Instant, packet: Packet) {
        self.queue.push_back(Ready { at: now, packet });
    }

    /// When it has something to do, if nothing else happens until then.
    pub fn deadline(&self, parameters: &Parameters) -> Option<Instant> {
        match &self.at_work {
            Some((until, ..)) => Some(*until),
            None => self.call(parameters).into_iter().chain(self.queue.front().map(|ready| ready.at)).min(),
        }
    }

    /// When it is told of what is in its ring, or would go on with it by itself.
    fn call(&self, parameters: &Parameters) -> Option<Instant> {
        let first = self.ring.front()?.at;
        if self.is_attending {
            return Some(first);
        }
        Some(match parameters.attention {
            Attention::Polling { period: Duration::ZERO } => first,
            Attention::Polling { period } => {
                let rounds = first.picoseconds().div_ceil(period.picoseconds());
                Instant::ZERO + period.times(rounds)
            }
            Attention::Interrupt { latency, packets, time } => {
                let enough = self.ring.get(packets.saturating_sub(1) as usize).map_or(Instant::MAX, |ready| ready.at);
                (first + time).min(enough) + latency
            }
        })
    }

    /// Does what is due; says what is done, one thing at a time, until nothing is.
    pub fn advance(&mut self, now: Instant, parameters: &Parameters) -> Option<Done> {
        if let Some((until, job, packet)) = self.at_work.take() {
            if until > now {
                self.at_work = Some((until, job, packet));
                return None;
            }
            self.begin(now, parameters);
            return Some(match job {
                Job::Receive => Done::Received(packet),
                Job::Send => Done::Sent(packet),
            });
        }
        self.begin(now, parameters);
        match self.at_work {
            Some((until, ..)) if until <= now => self.advance(now, parameters),
            _ => None,
        }
    }

    /// Begins with what is there, if anything is. Where packets have come and others are to leave, they take turns: a host
    /// that only received would not answer, and be sent everything again.
    fn begin(&mut self, now: Instant, parameters: &Parameters) {
        if !self.is_attending && self.call(parameters).is_some_and(|call| call <= now) {
            self.is_attending = true;
            self.calls += 1;
        }
        let come = self.ring.front().map(|ready| ready.at).filter(|&at| self.is_attending && at <= now);
        // What is not there yet it will be told of.
        self.is_attending = come.is_some();
        let sends = !self.queue.is_empty() && (self.has_received || come.is_none());
        let (job, ready) = if sends {
            (Job::Send, self.queue.pop_front())
        } else if come.is_some() {
            (Job::Receive, self.ring.pop_front())
        } else {
            return;
        };
        self.has_received = job == Job::Receive;
        let Some(Ready { packet, .. }) = ready else { return };
        let work = match job {
            Job::Receive => parameters.receive,
            Job::Send => parameters.send,
        };
        let until = pace::done(&parameters.slow, now, work.of(packet.len()));
        self.busy = self.busy + until.since(now);
        self.at_work = Some((until, job, packet));
    }
}
