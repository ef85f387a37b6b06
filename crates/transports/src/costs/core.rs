//! One core: its current work and the packets that wait for it.

use std::collections::VecDeque;

use basis::{Duration, Instant};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::pace;
use super::parameters::{Attention, CostParameters};

/// A packet, and the time at which it became available to the core.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Ready {
    at: Instant,
    packet: Packet,
}

/// Work that a core has completed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// The core has received a packet, which now goes to the transport.
    Received(Packet),
    /// The core has sent a packet, which now goes to the network card.
    Sent(Packet),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Job {
    Receive,
    Send,
}

/// A processor core.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Core {
    /// The packets that have arrived.
    ring: VecDeque<Ready>,
    /// The packets to send.
    queue: VecDeque<Ready>,
    /// The current job, with its end.
    at_work: Option<(Instant, Job, Packet)>,
    /// True if the last job was to receive a packet.
    has_received: bool,
    /// True if the core keeps taking packets from the ring; false if it waits for a notification.
    is_attending: bool,
    /// The total time for which the core has worked.
    pub busy: Duration,
    /// The number of notifications of arriving packets.
    pub calls: u64,
}

impl Core {
    /// Returns the number of received packets that wait.
    pub fn waiting(&self) -> usize {
        self.ring.len()
    }

    /// Returns the number of packets that wait or are being processed.
    pub fn held(&self) -> usize {
        self.ring.len() + self.queue.len() + usize::from(self.at_work.is_some())
    }

    /// Adds an arriving packet, which will be in memory at `at`.
    pub fn arrives(&mut self, at: Instant, packet: Packet) {
        self.ring.push_back(Ready { at, packet });
    }

    /// Adds a packet to send.
    pub fn leaves(&mut self, now: Instant, packet: Packet) {
        self.queue.push_back(Ready { at: now, packet });
    }

    /// Returns the time of the next work, if nothing else happens until then.
    pub fn deadline(&self, parameters: &CostParameters) -> Option<Instant> {
        match &self.at_work {
            Some((until, ..)) => Some(*until),
            None => self.call(parameters).into_iter().chain(self.queue.front().map(|ready| ready.at)).min(),
        }
    }

    /// Returns the time at which the core is notified of the packets in its ring, or at which it continues with them by
    /// itself.
    fn call(&self, parameters: &CostParameters) -> Option<Instant> {
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

    /// Does the work that is due, and returns one completed job at a time, until there is none.
    pub fn advance(&mut self, now: Instant, parameters: &CostParameters) -> Option<Done> {
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

    /// Begins the next job, if there is one. If there are packets both to receive and to send, they alternate: a host
    /// that only received would not send acknowledgements, and everything would be retransmitted to it.
    fn begin(&mut self, now: Instant, parameters: &CostParameters) {
        if !self.is_attending && self.call(parameters).is_some_and(|call| call <= now) {
            self.is_attending = true;
            self.calls += 1;
        }
        let come = self.ring.front().map(|ready| ready.at).filter(|&at| self.is_attending && at <= now);
        // The core will be notified of packets that are not there yet.
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
