//! EQDS, in which receivers grant credit for what senders demand (Olteanu et al., "An edge-queued datagram service for
//! all datacenter traffic", NSDI 2022). `docs/transports/eqds.md` describes its packets and rules.

mod counters;
mod credit;
mod format;
mod incoming;
mod outgoing;
mod pacer;
mod parameters;
mod receiver;
mod sender;

use basis::{Duration, Instant};
use demand::Message;
use node::Reason;

pub use format::HEAD;
use format::Says;
pub use parameters::EqdsParameters;

pub use crate::paths::PathChoice;
use crate::receiver_driven::{Endpoint, Half, Protocol, Turn, check_common, transport};

/// The EQDS transport of one host.
pub type Eqds = Endpoint<Rules, 3>;

/// The parts of the transport that are specific to EQDS.
#[derive(Debug)]
pub enum Rules {}

impl Protocol for Rules {
    type Parameters = EqdsParameters;
    type Counters = counters::Counters;
    type Header = format::Header;
    type Outgoing = outgoing::Outgoing;
    type Receiver = receiver::Receiver;

    fn check(parameters: &EqdsParameters) {
        check_common(parameters.payload_bytes(), parameters.paths, parameters.retransmission_timeout);
        assert!(parameters.quantum > 0 && parameters.window > 0, "the quantum and the window are at least 1");
        assert!(parameters.window_quanta() <= EqdsParameters::MOST_QUANTA, "the window has at most MOST_QUANTA quanta");
    }

    fn longest_timeout(parameters: &EqdsParameters) -> Duration {
        parameters.longest_timeout
    }

    fn begin(now: Instant, message: Message, parameters: &EqdsParameters) -> Self::Outgoing {
        Self::Outgoing::new(now, message, parameters)
    }

    fn next_packet(
        outgoing: &mut Self::Outgoing,
        turn: Turn<'_>,
        parameters: &EqdsParameters,
        counters: &mut Self::Counters,
    ) -> Option<(Self::Header, u16)> {
        sender::next_packet(outgoing, turn, parameters, counters)
    }

    fn answered(
        outgoing: &mut Self::Outgoing,
        now: Instant,
        header: &Self::Header,
        parameters: &EqdsParameters,
    ) -> Result<(), Reason> {
        sender::answered(outgoing, now, header, parameters)
    }

    fn returned(outgoing: &mut Self::Outgoing, header: &Self::Header) {
        if let Says::Data { sequence, path, .. } = header.says {
            outgoing.returned(sequence, path);
        }
    }

    fn recipient(header: &Self::Header, counters: &mut Self::Counters) -> Result<Half, Reason> {
        match header.says {
            Says::Data { .. } | Says::Rts { .. } => return Ok(Half::Receiver),
            Says::Ack { .. } => counters.acks_received += 1,
            Says::Nack { .. } => counters.nacks_received += 1,
            Says::Credit { .. } => counters.credits_received += 1,
        }
        Ok(Half::Sender)
    }
}

transport!(Eqds, Rules);
