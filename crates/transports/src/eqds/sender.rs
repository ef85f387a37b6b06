//! All messages that a host sends.

use basis::{Instant, Random};
use demand::Message;
use node::{Reason, Waiting};
use serde::{Deserialize, Serialize};
use wire::{Packet, eqds};

use super::Parameters;
use super::counters::Counters;
use super::format::{Demand, HEAD, Header, Received, Says};
use super::outgoing::{Outgoing, Sending};
use crate::Notice;
use crate::outbound::{Outbound, TimedOut};
use crate::suspects;

/// All messages that a host sends: those that must ask for credit take turns before those with retransmissions, and
/// these before those with new packets.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sender {
    messages: Outbound<Outgoing, 3>,
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

    /// The next packet, if a message has one and credit for it.
    pub fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        parameters: &Parameters,
        counters: &mut Counters,
    ) -> Option<Packet> {
        if let Some((destination, header)) = self.probe.take().map(|probe| *probe) {
            counters.probes_sent += 1;
            return Some(header.packet(now, address, destination, 0));
        }
        while let Some(handle) = self.messages.next_turn() {
            let oldest = self.messages.oldest();
            let Some((outgoing, suspects)) = self.messages.with_suspects(handle) else { continue };
            let Some(sending) = outgoing.next() else { continue };
            let destination = outgoing.message.destination();
            let (known, random) = (suspects.of(destination), &mut self.random);
            let path = match sending {
                Sending::Data { is_retransmission, is_speculative, .. } => {
                    counters.data_packets_sent += 1;
                    counters.retransmissions += u64::from(is_retransmission);
                    counters.speculative_sent += u64::from(is_speculative);
                    outgoing.paths.choose(parameters.path_choice, parameters.paths, known, is_retransmission, random)
                }
                Sending::Request => {
                    counters.requests_sent += 1;
                    suspects::draw(known, parameters.paths, random)
                }
            };
            let header = header(now, outgoing, sending, path, oldest, parameters);
            if let Says::Data { sequence, payload_length, demand, .. } = header.says {
                let probed = suspects.probe(now, destination, parameters.longest_timeout);
                self.probe = probed.map(|path| {
                    // It is a copy: it costs no credit.
                    let flags = header.flags | eqds::flag::RETRANSMISSION | eqds::flag::ASK;
                    let says = Says::Data { sequence, payload_length, path, demand };
                    Box::new((destination, Header { flags, says, ..header }))
                });
            }
            self.messages.sent(handle, parameters);
            return Some(header.packet(now, address, destination, path));
        }
        None
    }

    /// An ACK, NACK or CREDIT has arrived.
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
        if let Says::Ack { path, .. } | Says::Nack { path, .. } = header.says {
            self.messages.path_is_alive(received.source, path);
        }
        let Some((handle, outgoing)) = self.messages.find(header.message, received.source)? else {
            counters.late_answers_received += 1;
            return Ok(());
        };
        let had_timeouts = outgoing.timeouts > 0;
        outgoing.heard(now);
        match header.says {
            Says::Ack { .. } if header.has(eqds::flag::LAST) => outgoing.acknowledge_all(),
            Says::Ack { cumulative, reference, bitmap, path } => {
                let is_copy = header.has(eqds::flag::RETRANSMISSION);
                outgoing.acknowledge(now, (cumulative, reference, bitmap), path, is_copy);
            }
            Says::Nack { sequence, path } => outgoing.refuse(now, sequence, path, parameters),
            Says::Credit { granted } => outgoing.granted(granted, parameters),
            Says::Data { .. } | Says::Rts { .. } => return Err(Reason::Malformed),
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
        let Says::Data { sequence, path, .. } = received.header.says else {
            // What it has said is said again when it is missed.
            return Ok(());
        };
        let Some((handle, outgoing)) = self.messages.find(received.header.message, received.source)? else {
            counters.late_answers_received += 1;
            return Ok(());
        };
        outgoing.returned(sequence, path);
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

/// What a packet says that is sent now by a path.
fn header(
    now: Instant,
    outgoing: &mut Outgoing,
    sending: Sending,
    path: u16,
    oldest: u32,
    parameters: &Parameters,
) -> Header {
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    let message = outgoing.message.number;
    let mut flags = 0;
    if let Sending::Data { sequence, is_retransmission, is_speculative } = sending {
        let asks = outgoing.sent(now, sequence, is_speculative, path);
        flags = flag(is_speculative, eqds::flag::SPECULATIVE)
            | flag(sequence == outgoing.packets - 1, eqds::flag::LAST)
            | flag(is_retransmission, eqds::flag::RETRANSMISSION)
            | flag(asks || is_retransmission, eqds::flag::ASK);
    }
    let (target, has_more) = outgoing.demand(parameters);
    outgoing.asked(now, target, (sending == Sending::Request).then_some(path));
    flags |= flag(has_more, eqds::flag::MORE);
    let demand = Demand {
        target: target as u16,
        oldest: u16::try_from(message - oldest).unwrap_or(u16::MAX),
        packets: outgoing.packets,
        service: outgoing.message.service,
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
