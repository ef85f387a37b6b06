//! NDP, in which receivers pull and switches trim (Handley et al., "Re-architecting datacenter networks and stacks for
//! low latency and high performance", SIGCOMM 2017). `docs/transports/ndp.md` describes its packets and rules.

mod counters;
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
use wire::ndp;

pub use format::HEAD;
pub use parameters::{NdpParameters, PullOrder};

pub use crate::paths::PathChoice;
use crate::receiver_driven::{Endpoint, Half, Protocol, Turn, check_common, transport};

/// The NDP transport of one host.
pub type Ndp = Endpoint<Rules, 2>;

/// The parts of the transport that are specific to NDP.
#[derive(Debug)]
pub enum Rules {}

impl Protocol for Rules {
    type Parameters = NdpParameters;
    type Counters = counters::Counters;
    type Header = format::Header;
    type Outgoing = outgoing::Outgoing;
    type Receiver = receiver::Receiver;

    fn check(parameters: &NdpParameters) {
        check_common(parameters.payload_bytes(), parameters.paths, parameters.retransmission_timeout);
    }

    fn longest_timeout(parameters: &NdpParameters) -> Duration {
        parameters.longest_timeout
    }

    fn begin(now: Instant, message: Message, parameters: &NdpParameters) -> Self::Outgoing {
        Self::Outgoing::new(now, message, parameters)
    }

    fn next_packet(
        outgoing: &mut Self::Outgoing,
        turn: Turn<'_>,
        parameters: &NdpParameters,
        counters: &mut Self::Counters,
    ) -> Option<(Self::Header, u16)> {
        sender::next_packet(outgoing, turn, parameters, counters)
    }

    fn answered(
        outgoing: &mut Self::Outgoing,
        now: Instant,
        header: &Self::Header,
        _parameters: &NdpParameters,
    ) -> Result<(), Reason> {
        sender::answered(outgoing, now, header);
        Ok(())
    }

    fn returned(outgoing: &mut Self::Outgoing, header: &Self::Header) {
        outgoing.returned(header.sequence, header.path, header.has(ndp::flag::MORE));
    }

    fn recipient(header: &Self::Header, counters: &mut Self::Counters) -> Result<Half, Reason> {
        match header.kind {
            ndp::kind::DATA => return Ok(Half::Receiver),
            ndp::kind::ACK => counters.acks_received += 1,
            ndp::kind::NACK => counters.nacks_received += 1,
            ndp::kind::PULL => counters.pulls_received += 1,
            _ => return Err(Reason::MALFORMED),
        }
        Ok(Half::Sender)
    }
}

transport!(Ndp, Rules);
