//! EQDS: receivers grant credit, senders say how much they want (Olteanu et al., "An edge-queued datagram service for
//! all datacenter traffic", NSDI 2022). `docs/transports/eqds.md` has its packets and rules.

mod counters;
mod credit;
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
use wire::Packet;

use counters::Counters;
pub use format::HEAD;
use format::Says;
pub use parameters::Parameters;
use receiver::Receiver;
use sender::Sender;

pub use crate::paths::PathChoice;
use crate::{Notice, Refusal, Transport};

/// EQDS on one host.
#[derive(Debug)]
pub struct Eqds {
    address: u32,
    parameters: Parameters,
    sender: Sender,
    receiver: Receiver,
    counters: Counters,
}

impl Eqds {
    /// EQDS on the host with an IPv4 address. All draws are functions of `seed` and the address.
    ///
    /// Panics if a parameter is out of the range that [`Parameters`] gives.
    pub fn new(address: u32, parameters: Parameters, seed: u64) -> Self {
        assert!(parameters.payload_bytes() > 0, "packets need room for payload, and IPv4 has 16 bits for their length");
        assert!((1..=wire::path::PATHS).contains(&parameters.paths), "source ports tell 1 to 16384 paths apart");
        assert!(parameters.retransmission_timeout > Duration::ZERO, "a timeout takes time");
        assert!(parameters.quantum > 0 && parameters.window > 0, "nobody could ask for anything");
        assert!(parameters.window_quanta() <= Parameters::MOST_QUANTA, "demand has 16 bits on the wire");
        let part = u64::from(address);
        let sender = Sender::new(Random::for_part(seed, part));
        let receiver = Receiver::new(&parameters);
        Self { address, parameters, sender, receiver, counters: Counters::default() }
    }
}

impl Transport for Eqds {
    fn submit(&mut self, now: Instant, message: Message) -> Result<(), (Message, Refusal)> {
        self.sender.submit(now, Refusal::unless_length_for_one(message)?, &self.parameters);
        Ok(())
    }

    fn receive(&mut self, now: Instant, packet: Packet, notices: &mut Vec<Notice>) -> Result<(), (Packet, Reason)> {
        let Self { parameters, sender, receiver, counters, .. } = self;
        let result = format::read(&packet).and_then(|received| {
            match received.header.says {
                _ if received.is_returned => return sender.returned(&received, counters),
                Says::Data { .. } | Says::Rts { .. } => {
                    return receiver.receive(now, &received, parameters, counters, notices);
                }
                Says::Ack { .. } => counters.acks_received += 1,
                Says::Nack { .. } => counters.nacks_received += 1,
                Says::Credit { .. } => counters.credits_received += 1,
            }
            sender.answered(now, &received, parameters, counters, notices)
        });
        result.map_err(|reason| (packet, reason))
    }

    fn wake(&mut self, now: Instant, notices: &mut Vec<Notice>) {
        self.sender.wake(now, &self.parameters, &mut self.counters, notices);
    }

    fn transmit(&mut self, now: Instant) -> Option<Packet> {
        let Self { address, parameters, sender, receiver, counters } = self;
        receiver
            .transmit(now, *address, parameters, counters)
            .or_else(|| sender.transmit(now, *address, parameters, counters))
    }

    fn is_ready(&self, at: Instant) -> bool {
        self.receiver.is_ready() || self.sender.is_ready() || self.receiver.next_credit().is_some_and(|next| next <= at)
    }

    fn deadline(&self) -> Option<Instant> {
        self.sender.deadline().into_iter().chain(self.receiver.next_credit()).min()
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

basis::snapshot!(Eqds { values sender, receiver, counters; });
