//! The receiving half of EQDS.

use std::collections::VecDeque;

use basis::Instant;
use demand::{Arrived, Content};
use node::{MessageProgress, Reason};
use serde::{Deserialize, Serialize};
use wire::{Packet, eqds};

use super::counters::Counters;
use super::format::{Demand, Header, Received, Says};
use super::incoming::{Class, Incoming};
use super::pacer::Pacer;
use super::{EqdsParameters, Rules};
use crate::Notice;
use crate::arrivals::Novelty;
use crate::receiver_driven::{self, Statement};
use crate::slots::{Handle, Slots};
use crate::sources::Sources;

/// The messages that a host receives, and the answers that wait to be sent.
#[derive(Debug, Serialize, Deserialize)]
pub struct Receiver {
    messages: Slots<Incoming>,
    sources: Sources,
    pacer: Pacer,
    /// ACKs that answer an RTS and wait for the link, each with its destination. They precede the credit, so that it is
    /// not used to retransmit what has arrived. There is at most one per timeout of a message.
    answers_to_requests: VecDeque<(u32, Header)>,
    /// The other ACKs and NACKs that wait for the link, each with its destination.
    answers: VecDeque<(u32, Header)>,
}

impl receiver_driven::Receiver<Rules> for Receiver {
    fn new(parameters: &EqdsParameters) -> Self {
        Self {
            messages: Slots::default(),
            sources: Sources::default(),
            pacer: Pacer::new(parameters),
            answers_to_requests: VecDeque::new(),
            answers: VecDeque::new(),
        }
    }

    /// Handles a data packet or an RTS.
    fn receive(
        &mut self,
        now: Instant,
        received: &Received,
        parameters: &EqdsParameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        let &Received { source, header, path, .. } = received;
        let demand = match header.says {
            Says::Data { sequence, payload_length, demand, .. } if sequence < demand.packets && payload_length > 0 => {
                demand
            }
            Says::Rts { demand, .. } if demand.packets > 0 => demand,
            _ => return Err(Reason::MALFORMED),
        };
        let Some(handle) = self.find(source, header.message, demand, counters) else {
            // The last ACK was lost, or the network has duplicated the packet.
            match header.says {
                Says::Data { .. } => {
                    counters.count_data(received.is_trimmed);
                    counters.duplicates_received += 1;
                }
                _ => counters.requests_received += 1,
            }
            self.answer_in_full(source, header.message, demand.packets, path, counters);
            return Ok(());
        };
        let incoming = self.messages.get_mut(handle).expect("open messages are there");
        let has_more = header.has(eqds::flag::MORE);
        incoming.return_paths.came(path);
        match header.says {
            Says::Rts { to_send_again, .. } => {
                if incoming.arrivals.novelty(0, demand.packets) == Novelty::Impossible {
                    return Err(Reason::MALFORMED);
                }
                counters.requests_received += 1;
                incoming.want(demand.target, has_more, parameters);
                incoming.request(to_send_again, parameters);
                let says = incoming.acknowledge(path);
                counters.acks_sent += 1;
                self.answers_to_requests.push_back((source, Header { flags: 0, message: header.message, says }));
            }
            _ => self.receive_data(handle, received, demand, parameters, counters, notices)?,
        }
        if let Some(incoming) = self.messages.get_mut(handle) {
            self.pacer.enlist(now, handle, incoming, parameters);
        }
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
        !self.answers.is_empty() || !self.answers_to_requests.is_empty()
    }

    /// Returns the next control packet: an answer to an RTS, a CREDIT if one is due, or another answer.
    fn transmit(
        &mut self,
        now: Instant,
        address: u32,
        parameters: &EqdsParameters,
        counters: &mut Counters,
    ) -> Option<Packet> {
        // Credit has priority because it is paced and so leaves room for answers. Answers to a burst of trimmed packets
        // would leave no room for credit.
        let (to, header, path) = if let Some(answer) = self.answers_to_requests.pop_front() {
            back(answer)
        } else if let Some((handle, class)) = self.pacer.take(now, &mut self.messages, parameters) {
            let incoming = self.messages.get_mut(handle)?;
            counters.credits_sent += 1;
            counters.credits_to_idle += u64::from(class == Class::Idle);
            let says = Says::Credit { granted: incoming.granted() };
            let header = Header { flags: 0, message: incoming.message, says };
            (incoming.source, header, incoming.return_paths.take())
        } else {
            back(self.answers.pop_front()?)
        };
        Some(header.packet(now, address, to, path))
    }
}

impl Receiver {
    /// Handles a data packet of an incomplete message.
    fn receive_data(
        &mut self,
        handle: Handle,
        received: &Received,
        demand: Demand,
        parameters: &EqdsParameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<(), Reason> {
        let &Received { source, header, is_trimmed, .. } = received;
        let Says::Data { sequence, payload_length, path, .. } = header.says else { return Err(Reason::MALFORMED) };
        let incoming = self.messages.get_mut(handle).expect("open messages are there");
        let novelty = incoming.arrivals.novelty(sequence, demand.packets);
        if novelty == Novelty::Impossible {
            return Err(Reason::MALFORMED);
        }
        counters.count_data(is_trimmed);
        incoming.want(demand.target, header.has(eqds::flag::MORE), parameters);
        let message = header.message;
        if novelty == Novelty::Old {
            counters.duplicates_received += 1;
            let says = incoming.acknowledge_from(sequence, path);
            counters.acks_sent += 1;
            self.answers.push_back((source, Header { flags: eqds::flag::RETRANSMISSION, message, says }));
            return Ok(());
        }
        if is_trimmed {
            incoming.trimmed(payload_length, parameters);
            self.answer(source, message, Says::Nack { sequence, path }, counters);
            return Ok(());
        }
        // The first packet is acknowledged at once, so that its sender learns that the receiver will grant credit.
        let is_first = incoming.arrivals.bytes() == 0;
        let full = incoming.arrived(sequence, payload_length, path);
        if incoming.arrivals.missing() == 0 {
            let bytes = incoming.arrivals.bytes();
            counters.messages_delivered += 1;
            counters.bytes_delivered += bytes;
            let (content, service) = (Content::Length(bytes), demand.service);
            notices.push(Notice::Arrived(Arrived { source, number: message, content, service }));
            self.messages.remove(handle);
            self.sources.complete(source, message);
            self.answer_in_full(source, message, demand.packets, path, counters);
            return Ok(());
        }
        let is_due =
            is_first || header.has(eqds::flag::ASK) || incoming.unacknowledged_bytes() >= parameters.acknowledge_bytes;
        let due = is_due.then(|| incoming.acknowledge(path));
        for says in full.into_iter().chain(due) {
            self.answer(source, message, says, counters);
        }
        Ok(())
    }

    /// Returns the message of a packet, which may be its first one; `None` if the message is complete or abandoned.
    fn find(&mut self, source: u32, message: u32, demand: Demand, counters: &mut Counters) -> Option<Handle> {
        if let Some(handle) = self.sources.open(source, message) {
            return Some(handle);
        }
        if self.sources.is_over(source, message) {
            return None;
        }
        if demand.oldest < u16::MAX {
            for abandoned in self.sources.raise_floor(source, message.saturating_sub(u32::from(demand.oldest))) {
                self.messages.remove(abandoned);
                counters.messages_forgotten += 1;
            }
        }
        let handle = self.messages.insert(Incoming::new(source, message, demand.packets));
        self.sources.begin(source, message, handle);
        Some(handle)
    }

    fn answer(&mut self, to: u32, message: u32, says: Says, counters: &mut Counters) {
        match says {
            Says::Nack { .. } => counters.nacks_sent += 1,
            _ => counters.acks_sent += 1,
        }
        self.answers.push_back((to, Header { flags: 0, message, says }));
    }

    /// Queues an ACK for all packets of a message, the last of which has arrived by `path`.
    fn answer_in_full(&mut self, to: u32, message: u32, packets: u32, path: u16, counters: &mut Counters) {
        counters.acks_sent += 1;
        let says = Says::Ack { cumulative: packets, reference: 0, bitmap: 0, path };
        self.answers.push_back((to, Header { flags: eqds::flag::LAST, message, says }));
    }
}

/// Returns the destination, the header and the path of an ACK or NACK; the path is that of the packet that it answers.
fn back((to, header): (u32, Header)) -> (u32, Header, u16) {
    let path = match header.says {
        Says::Ack { path, .. } | Says::Nack { path, .. } => path,
        _ => 0,
    };
    (to, header, path)
}

impl Counters {
    fn count_data(&mut self, is_trimmed: bool) {
        if is_trimmed {
            self.trimmed_received += 1;
        } else {
            self.data_packets_received += 1;
        }
    }
}
