//! The receiving half of NDP.

use std::collections::VecDeque;

use basis::Instant;
use demand::{Arrived, Content};
use node::{MessageProgress, Reason};
use serde::{Deserialize, Serialize};
use wire::{Packet, ndp};

use super::counters::Counters;
use super::format::{Header, Received};
use super::incoming::Incoming;
use super::pacer::Pacer;
use super::{NdpParameters, Rules};
use crate::Notice;
use crate::arrivals::Novelty;
use crate::receiver_driven::{self, Statement};
use crate::slots::Slots;
use crate::sources::Sources;

/// The messages that a host receives, and the answers that wait to be sent.
#[derive(Debug, Serialize, Deserialize)]
pub struct Receiver {
    messages: Slots<Incoming>,
    sources: Sources,
    pacer: Pacer,
    /// ACKs and NACKs that wait for the link, each with its destination.
    answers: VecDeque<(u32, Header)>,
}

impl receiver_driven::Receiver<Rules> for Receiver {
    fn new(parameters: &NdpParameters) -> Self {
        Self {
            messages: Slots::default(),
            sources: Sources::default(),
            pacer: Pacer::new(parameters.pull_order, parameters.pull_interval()),
            answers: VecDeque::new(),
        }
    }

    /// Handles a data packet, whole or trimmed.
    fn receive(
        &mut self,
        now: Instant,
        received: &Received,
        _parameters: &NdpParameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        let &Received { source, header, is_trimmed, .. } = received;
        if header.sequence >= header.packets || header.payload_length == 0 {
            return Err(Reason::MALFORMED);
        }
        let handle = match self.sources.open(source, header.message) {
            Some(handle) => handle,
            None if self.sources.is_over(source, header.message) => {
                // The last ACK was lost, or the network has duplicated the packet.
                count_arrival(is_trimmed, counters);
                counters.duplicates_received += 1;
                self.answer(source, &header, ndp::kind::ACK, ndp::flag::LAST, 0, counters);
                return Ok(());
            }
            None => {
                for abandoned in self.sources.raise_floor(source, header.pull) {
                    self.messages.remove(abandoned);
                    counters.messages_forgotten += 1;
                }
                let incoming = Incoming::new(source, header.message, header.packets, header.priority());
                let handle = self.messages.insert(incoming);
                self.sources.begin(source, header.message, handle);
                handle
            }
        };
        let incoming = self.messages.get_mut(handle).expect("open messages are there");
        let novelty = incoming.arrivals.novelty(header.sequence, header.packets);
        if novelty == Novelty::Impossible {
            return Err(Reason::MALFORMED);
        }
        count_arrival(is_trimmed, counters);
        counters.duplicates_received += u64::from(novelty == Novelty::Old);
        incoming.return_paths.came(header.path);
        let is_refused = is_trimmed && novelty == Novelty::New;
        if novelty == Novelty::New && !is_trimmed {
            incoming.arrived(header.sequence, header.payload_length);
        }
        if incoming.is_complete() {
            let bytes = incoming.arrivals.bytes();
            let (content, service) = (Content::Length(bytes), header.service);
            let pulls = incoming.pulls_sent;
            counters.messages_delivered += 1;
            counters.bytes_delivered += bytes;
            notices.push(Notice::Arrived(Arrived { source, number: header.message, content, service }));
            // Its waiting pulls are dropped with it, so that the pacer serves only messages that need pulls.
            self.messages.remove(handle);
            self.sources.complete(source, header.message);
            self.answer(source, &header, ndp::kind::ACK, ndp::flag::LAST, pulls, counters);
            return Ok(());
        }
        incoming.earn_pulls(header.has(ndp::flag::SYN), header.has(ndp::flag::MORE));
        let is_idle = self.pacer.next().is_none();
        self.pacer.enqueue(now, handle, incoming);
        if is_idle && self.pacer.take(now, &mut self.messages).is_some() {
            // No other message waits and a pull is due, so the answer carries it.
            counters.pulls_carried += 1;
        }
        let incoming = self.messages.get(handle).expect("still incomplete");
        let more = if incoming.pulls_waiting > 0 { ndp::flag::MORE } else { 0 };
        let copy = if novelty == Novelty::Old { ndp::flag::RETRANSMISSION } else { 0 };
        let pulls = incoming.pulls_sent;
        let kind = if is_refused { ndp::kind::NACK } else { ndp::kind::ACK };
        self.answer(source, &header, kind, more | copy, pulls, counters);
        Ok(())
    }

    fn next_paced(&self) -> Option<Instant> {
        self.pacer.next()
    }

    fn progress(&self, tell: &mut dyn FnMut(MessageProgress)) {
        for Incoming { source, message, arrivals, .. } in self.messages.iter() {
            tell(MessageProgress { source: *source, message: *message, bytes: arrivals.bytes() });
        }
    }

    fn is_ready(&self) -> bool {
        !self.answers.is_empty()
    }

    /// Returns the next control packet: a pull if one is due, and an answer otherwise.
    fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        _parameters: &NdpParameters,
        counters: &mut Counters,
    ) -> Option<Packet> {
        // Pulls have priority because they are paced and so leave room for answers. Answers to a burst of trimmed
        // packets would leave no room for pulls, and the link to this host would run idle.
        let (to, header, path) = match self.pacer.take(now, &mut self.messages) {
            Some(handle) => {
                let incoming = self.messages.get_mut(handle)?;
                counters.pulls_sent += 1;
                let header = Header {
                    kind: ndp::kind::PULL,
                    flags: if incoming.pulls_waiting > 0 { ndp::flag::MORE } else { 0 },
                    message: incoming.message,
                    pull: incoming.pulls_sent,
                    ..Header::default()
                };
                (incoming.source, header, incoming.return_paths.take())
            }
            None => {
                let (to, header) = self.answers.pop_front()?;
                // An answer takes the path of the packet that it answers.
                (to, header, header.path)
            }
        };
        Some(header.packet(now, address, to, path))
    }
}

impl Receiver {
    fn answer(&mut self, to: u32, data: &Header, kind: u8, flags: u8, pull: u32, counters: &mut Counters) {
        match kind {
            ndp::kind::ACK => counters.acks_sent += 1,
            _ => counters.nacks_sent += 1,
        }
        self.answers.push_back((to, Header { kind, flags, pull, ..*data }));
    }
}

fn count_arrival(is_trimmed: bool, counters: &mut Counters) {
    if is_trimmed {
        counters.trimmed_received += 1;
    } else {
        counters.data_packets_received += 1;
    }
}
