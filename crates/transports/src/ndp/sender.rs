//! The packets that a sender builds, and its handling of answers.

use basis::Instant;
use wire::ndp;

use super::NdpParameters;
use super::counters::Counters;
use super::format::Header;
use super::outgoing::{Outgoing, Sending};
use crate::receiver_driven::Turn;

/// Returns the next data packet of a message and its path, if it has one and credit for it. Retransmissions precede new
/// packets.
pub fn next_packet(
    outgoing: &mut Outgoing,
    turn: Turn<'_>,
    parameters: &NdpParameters,
    counters: &mut Counters,
) -> Option<(Header, u16)> {
    let Turn { now, oldest, suspected, random } = turn;
    let sending = outgoing.next()?;
    let (choice, paths) = (parameters.path_choice, parameters.paths);
    let path = outgoing.course.paths.choose(choice, paths, suspected, sending.is_retransmission, random);
    outgoing.sent(now, sending, path);
    counters.data_packets_sent += 1;
    counters.retransmissions += u64::from(sending.is_retransmission);
    Some((data_header(outgoing, sending, path, oldest, parameters), path))
}

/// Handles an ACK, NACK or PULL.
pub fn answered(outgoing: &mut Outgoing, now: Instant, header: &Header) {
    outgoing.heard(now, header.pull, header.has(ndp::flag::MORE));
    match header.kind {
        ndp::kind::ACK => {
            outgoing.acknowledge(now, header.sequence, header.path, header.has(ndp::flag::RETRANSMISSION));
        }
        ndp::kind::NACK => outgoing.refuse(now, header.sequence, header.path),
        _ => {}
    }
    if header.kind == ndp::kind::ACK && header.has(ndp::flag::LAST) {
        outgoing.course.window.acknowledge_all();
    }
}

fn data_header(outgoing: &Outgoing, sending: Sending, path: u16, oldest: u32, parameters: &NdpParameters) -> Header {
    let is_last = sending.sequence == outgoing.course.packets - 1;
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    Header {
        kind: ndp::kind::DATA,
        flags: flag(sending.is_pushed, ndp::flag::SYN)
            | flag(is_last, ndp::flag::LAST)
            | flag(sending.is_retransmission, ndp::flag::RETRANSMISSION)
            | flag(sending.asks_for_pull, ndp::flag::MORE)
            | outgoing.course.message.priority.min(15) << 4,
        message: outgoing.course.message.number,
        sequence: sending.sequence,
        pull: oldest,
        path,
        service: outgoing.course.message.service,
        payload_length: if is_last { outgoing.course.last_payload } else { parameters.payload_bytes() },
        packets: outgoing.course.packets,
    }
}
