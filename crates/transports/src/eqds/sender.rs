//! The packets that a sender builds, and its handling of answers.

use basis::Instant;
use node::Reason;
use wire::eqds;

use super::EqdsParameters;
use super::counters::Counters;
use super::format::{Demand, HEAD, Header, Says};
use super::outgoing::{Outgoing, Sending};
use crate::receiver_driven::Turn;
use crate::suspects;

/// Returns the next packet of a message and its path, if it has one and credit for it.
pub fn next_packet(
    outgoing: &mut Outgoing,
    turn: Turn<'_>,
    parameters: &EqdsParameters,
    counters: &mut Counters,
) -> Option<(Header, u16)> {
    let Turn { now, oldest, suspected, random } = turn;
    let sending = outgoing.next()?;
    let path = match sending {
        Sending::Data { is_retransmission, is_speculative, .. } => {
            counters.data_packets_sent += 1;
            counters.retransmissions += u64::from(is_retransmission);
            counters.speculative_sent += u64::from(is_speculative);
            let (choice, paths) = (parameters.path_choice, parameters.paths);
            outgoing.course.paths.choose(choice, paths, suspected, is_retransmission, random)
        }
        Sending::Request => {
            counters.requests_sent += 1;
            suspects::draw(suspected, parameters.paths, random)
        }
    };
    Some((header(now, outgoing, sending, path, oldest, parameters), path))
}

/// Handles an ACK, NACK or CREDIT.
///
/// # Errors
/// If the packet is none of them.
pub fn answered(
    outgoing: &mut Outgoing,
    now: Instant,
    header: &Header,
    parameters: &EqdsParameters,
) -> Result<(), Reason> {
    outgoing.heard(now);
    match header.says {
        Says::Ack { .. } if header.has(eqds::flag::LAST) => outgoing.course.window.acknowledge_all(),
        Says::Ack { cumulative, reference, bitmap, path } => {
            let is_copy = header.has(eqds::flag::RETRANSMISSION);
            outgoing.acknowledge(now, (cumulative, reference, bitmap), path, is_copy);
        }
        Says::Nack { sequence, path } => outgoing.refuse(now, sequence, path, parameters),
        Says::Credit { granted } => outgoing.granted(granted, parameters),
        Says::Data { .. } | Says::Rts { .. } => return Err(Reason::MALFORMED),
    }
    Ok(())
}

/// Builds the header of a packet that is sent now by a path, and records it.
fn header(
    now: Instant,
    outgoing: &mut Outgoing,
    sending: Sending,
    path: u16,
    oldest: u32,
    parameters: &EqdsParameters,
) -> Header {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let message = outgoing.course.message.number;
    let mut flags = 0;
    if let Sending::Data { sequence, is_retransmission, is_speculative } = sending {
        let asks = outgoing.sent(now, sequence, is_speculative, path);
        flags = flag(is_speculative, eqds::flag::SPECULATIVE)
            | flag(sequence == outgoing.course.packets - 1, eqds::flag::LAST)
            | flag(is_retransmission, eqds::flag::RETRANSMISSION)
            | flag(asks || is_retransmission, eqds::flag::ASK);
    }
    let (target, has_more) = outgoing.demand(parameters);
    outgoing.asked(now, target, (sending == Sending::Request).then_some(path));
    flags |= flag(has_more, eqds::flag::MORE);
    let demand = Demand {
        target: target as u16,
        oldest: u16::try_from(message - oldest).unwrap_or(u16::MAX),
        packets: outgoing.course.packets,
        service: outgoing.course.message.service,
    };
    let says = match sending {
        Sending::Data { sequence, .. } => {
            let payload_length = (outgoing.bytes_of(sequence) - HEAD as u32) as u16;
            Says::Data { sequence, payload_length, path, demand }
        }
        Sending::Request => Says::Rts { to_send_again: outgoing.to_send_again(), demand },
    };
    Header { flags, message, says }
}
