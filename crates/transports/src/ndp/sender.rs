//! All messages that a host sends.

use basis::{Instant, Random};
use demand::Message;
use node::{Reason, Waiting};
use serde::{Deserialize, Serialize};
use wire::{Packet, ndp};

use super::Parameters;
use super::counters::Counters;
use super::format::{Header, Received};
use super::outgoing::{Outgoing, Sending};
use crate::Notice;
use crate::outbound::{Outbound, TimedOut};

/// All messages that a host sends: those with retransmissions take turns before those with new packets.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sender {
    messages: Outbound<Outgoing, 2>,
    /// A copy of the last data packet, for a path that is suspected to be dead, and to whom it goes.
    probe: Option<Box<(u32, Header)>>,
    random: Random,
}

impl Sender {
    pub fn new(random: Random) -> Self {
        Self { messages: Outbound::default(), probe: None, random }
    }

    pub fn submit(&mut self, now: Instant, message: Message, parameters: &Parameters) {
        self.messages.begin(Outgoing::new(now, message, parameters), now + parameters.timeout(0));
    }

    /// True if there may be a packet to send.
    pub fn is_ready(&self) -> bool {
        self.messages.has_turns() || self.probe.is_some()
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.messages.deadline()
    }

    /// The next packet, if a message has one and credit for it: retransmissions before what is new.
    pub fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        parameters: &Parameters,
        counters: &mut Counters,
    ) -> Option<Packet> {
        if let Some((destination, header)) = self.probe.take().map(|probe| *probe) {
            counters.probes_sent += 1;
            return Some(header.packet(now, address, destination, header.path));
        }
        while let Some(handle) = self.messages.next_turn() {
            let oldest = self.messages.oldest();
            let Some((outgoing, suspects)) = self.messages.with_suspects(handle) else { continue };
            let Some(sending) = outgoing.next() else { continue };
            let choice = parameters.path_choice;
            let random = &mut self.random;
            let destination = outgoing.message.destination();
            let known = suspects.of(destination);
            let path = outgoing.paths.choose(choice, parameters.paths, known, sending.is_retransmission, random);
            outgoing.sent(now, sending, path);
            counters.data_packets_sent += 1;
            counters.retransmissions += u64::from(sending.is_retransmission);
            let header = data_header(outgoing, sending, path, oldest, parameters);
            let probed = suspects.probe(now, destination, parameters.longest_timeout);
            self.probe = probed.map(|path| {
                // It is a copy: it has not cost credit, and asks for none.
                let flags = header.flags & !ndp::flag::MORE | ndp::flag::SYN | ndp::flag::RETRANSMISSION;
                Box::new((destination, Header { path, flags, ..header }))
            });
            self.messages.sent(handle, parameters);
            return Some(header.packet(now, address, destination, path));
        }
        None
    }

    /// An ACK, NACK or PULL has arrived.
    ///
    /// # Errors
    /// If it answers nothing that was sent to its source.
    pub fn answered(
        &mut self,
        now: Instant,
        received: &Received,
        parameters: &Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        let header = &received.header;
        if header.kind != ndp::kind::PULL {
            self.messages.path_is_alive(received.source, header.path);
        }
        let Some((handle, outgoing)) = self.messages.find(received.header.message, received.source)? else {
            counters.late_answers_received += 1;
            return Ok(());
        };
        let had_timeouts = outgoing.timeouts > 0;
        outgoing.heard(now, header.pull, header.has(ndp::flag::MORE));
        match header.kind {
            ndp::kind::ACK => {
                outgoing.acknowledge(now, header.sequence, header.path, header.has(ndp::flag::RETRANSMISSION));
            }
            ndp::kind::NACK => outgoing.refuse(now, header.sequence, header.path),
            _ => {}
        }
        if header.kind == ndp::kind::ACK && header.has(ndp::flag::LAST) {
            outgoing.acknowledge_all();
        }
        if let Some(message) = self.messages.heard(now, handle, had_timeouts, parameters) {
            counters.messages_completed += 1;
            notices.push(Notice::Completed(message));
        }
        Ok(())
    }

    /// A packet of ours has been sent back.
    ///
    /// # Errors
    /// If nothing like it was sent to where it comes from.
    pub fn returned(&mut self, received: &Received, counters: &mut Counters) -> Result<(), Reason> {
        counters.returned_received += 1;
        if received.header.kind != ndp::kind::DATA {
            // What an ACK or a PULL has said is said again by the next, for their numbers are cumulative.
            return Ok(());
        }
        let Some((handle, outgoing)) = self.messages.find(received.header.message, received.source)? else {
            counters.late_answers_received += 1;
            return Ok(());
        };
        let header = &received.header;
        outgoing.returned(header.sequence, header.path, header.has(ndp::flag::MORE));
        self.messages.take_turns(handle);
        Ok(())
    }

    /// Looks at every timer that has come.
    pub fn wake(&mut self, now: Instant, parameters: &Parameters, counters: &mut Counters, notices: &mut Vec<Notice>) {
        while let Some(timed_out) = self.messages.next_timeout(now, parameters) {
            counters.timeouts += 1;
            if let TimedOut::Abandoned(message) = timed_out {
                counters.messages_abandoned += 1;
                notices.push(Notice::Abandoned(message));
            }
        }
    }

    pub fn waiting(&self, parameters: &Parameters) -> Vec<Waiting> {
        self.messages.waiting(|outgoing| outgoing.explain(parameters))
    }
}

fn data_header(outgoing: &Outgoing, sending: Sending, path: u16, oldest: u32, parameters: &Parameters) -> Header {
    let is_last = sending.sequence == outgoing.packets - 1;
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    Header {
        kind: ndp::kind::DATA,
        flags: flag(sending.is_pushed, ndp::flag::SYN)
            | flag(is_last, ndp::flag::LAST)
            | flag(sending.is_retransmission, ndp::flag::RETRANSMISSION)
            | flag(sending.asks_for_pull, ndp::flag::MORE)
            | outgoing.message.priority.min(15) << 4,
        message: outgoing.message.number,
        sequence: sending.sequence,
        pull: oldest,
        path,
        service: outgoing.message.service,
        payload_length: if is_last { outgoing.last_payload } else { parameters.payload_bytes() },
        packets: outgoing.packets,
    }
}
