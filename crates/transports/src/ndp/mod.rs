//! NDP: receivers pull, switches trim (Handley et al., "Re-architecting datacenter networks and stacks for low latency
//! and high performance", SIGCOMM 2017). `docs/transports/ndp.md` has its packets and rules.

mod counters;
mod format;
mod incoming;
mod outgoing;
mod pacer;
mod parameters;
mod receiver;
mod sender;

use basis::{Duration, Instant, Random};
use demand::Message;
use node::{Counter, Progress, Reason, Waiting};
use wire::{Packet, ndp};

use counters::Counters;
pub use format::HEAD;
pub use parameters::{Parameters, PullOrder};
use receiver::Receiver;
use sender::Sender;

pub use crate::paths::PathChoice;
use crate::{Notice, Refusal, Transport};

/// NDP on one host.
#[derive(Debug)]
pub struct Ndp {
    address: u32,
    parameters: Parameters,
    sender: Sender,
    receiver: Receiver,
    counters: Counters,
}

impl Ndp {
    /// NDP on the host with an IPv4 address. All draws are functions of `seed` and the address.
    ///
    /// Panics if a parameter is out of the range that [`Parameters`] gives.
    pub fn new(address: u32, parameters: Parameters, seed: u64) -> Self {
        assert!(parameters.payload_bytes() > 0, "packets need room for payload, and IPv4 has 16 bits for their length");
        assert!((1..=wire::path::PATHS).contains(&parameters.paths), "source ports tell 1 to 16384 paths apart");
        assert!(parameters.retransmission_timeout > Duration::ZERO, "a timeout takes time");
        let part = u64::from(address);
        let sender = Sender::new(Random::for_part(seed, part));
        let receiver = Receiver::new(&parameters);
        Self { address, parameters, sender, receiver, counters: Counters::default() }
    }
}

impl Transport for Ndp {
    fn submit(&mut self, now: Instant, message: Message) -> Result<(), (Message, Refusal)> {
        self.sender.submit(now, Refusal::unless_length_for_one(message)?, &self.parameters);
        Ok(())
    }

    fn receive(&mut self, now: Instant, packet: Packet, notices: &mut Vec<Notice>) -> Result<(), (Packet, Reason)> {
        let Self { parameters, sender, receiver, counters, .. } = self;
        let result = format::read(&packet).and_then(|received| match received.header.kind {
            _ if received.is_returned => sender.returned(&received, counters),
            ndp::kind::DATA => receiver.receive(now, &received, counters, notices),
            kind @ (ndp::kind::ACK | ndp::kind::NACK | ndp::kind::PULL) => {
                match kind {
                    ndp::kind::ACK => counters.acks_received += 1,
                    ndp::kind::NACK => counters.nacks_received += 1,
                    _ => counters.pulls_received += 1,
                }
                sender.answered(now, &received, parameters, counters, notices)
            }
            _ => Err(Reason::Malformed),
        });
        result.map_err(|reason| (packet, reason))
    }

    fn wake(&mut self, now: Instant, notices: &mut Vec<Notice>) {
        self.sender.wake(now, &self.parameters, &mut self.counters, notices);
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        let Self { address, parameters, sender, receiver, counters } = self;
        receiver.transmit(now, *address, counters).or_else(|| sender.transmit(now, *address, parameters, counters))
    }

    fn is_ready(&self, at: Instant) -> bool {
        self.receiver.is_ready() || self.sender.is_ready() || self.receiver.next_pull().is_some_and(|next| next <= at)
    }

    fn deadline(&self) -> Option<Instant> {
        self.sender.deadline().into_iter().chain(self.receiver.next_pull()).min()
    }

    fn waiting(&self, _now: Instant) -> Vec<Waiting> {
        self.sender.waiting(&self.parameters)
    }

    fn progress(&self, tell: &mut dyn FnMut(Progress)) {
        self.receiver.progress(tell);
    }

    fn counters(&self, tell: &mut dyn FnMut(Counter)) {
        self.counters.tell(tell);
    }
}

basis::snapshot!(Ndp { values sender, receiver, counters; });
