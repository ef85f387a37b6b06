//! The receiving half of a queue pair: the packets and messages that have arrived.

use std::collections::VecDeque;

use basis::Instant;
use demand::Arrived;
use node::Reason;
use serde::{Deserialize, Serialize};
use wire::infiniband::{NUMBERS, opcode};

use super::contents::Contents;
use super::counters::Counters;
use super::format::{Request, WriteTarget};
use super::parameters::{Recovery, RoceV2Parameters};
use super::sequence;
use crate::Notice;
use crate::ranges::Ranges;

/// The receiving half of a queue pair.
#[derive(Debug, Serialize, Deserialize)]
pub struct Responder {
    pub source: u32,
    /// The number that the sender has given the queue pair.
    pub number: u32,
    /// The position of the first missing packet.
    pub expected: u64,
    /// The number of complete messages, modulo 2^24.
    pub messages: u32,
    /// With selective repeat, the packets that have arrived after the first missing one.
    early: Ranges,
    /// The ends of messages among those packets, in ascending order of their positions.
    early_ends: VecDeque<(u64, MessageEnd)>,
    contents: Contents,
    /// The current write, if it is not complete.
    write: Option<WriteTarget>,
    /// True if a sequence error was sent for the first missing packet.
    has_reported: bool,
    /// True if an acknowledgement waits for the link.
    pub is_queued: bool,
    /// The time of the last congestion notification.
    pub notified: Option<Instant>,
}

/// The end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MessageEnd {
    number: u32,
    bytes: u64,
    service: u16,
}

/// The answer to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    Nothing,
    Acknowledge,
    /// A packet before it is missing; holds the position of the packet that has arrived.
    SequenceError(u64),
}

impl Responder {
    pub fn new(source: u32, number: u32) -> Self {
        Self {
            source,
            number,
            expected: 0,
            messages: 0,
            early: Ranges::default(),
            early_ends: VecDeque::new(),
            contents: Contents::default(),
            write: None,
            has_reported: false,
            is_queued: false,
            notified: None,
        }
    }

    /// Handles a packet; `payload` is what it carries, or empty if only the length of that matters.
    ///
    /// # Errors
    /// If the packet is inconsistent with those before it.
    pub fn receive(
        &mut self,
        (request, payload): (&Request, &[u8]),
        parameters: &RoceV2Parameters,
        counters: &mut Counters,
        notices: &mut Vec<Notice>,
    ) -> Result<Answer, Reason> {
        let position = sequence::position(request.sequence, self.expected).ok_or(Reason::MALFORMED)?;
        if position < self.expected {
            counters.data_packets_received += 1;
            counters.duplicates_received += 1;
            return Ok(Answer::Acknowledge);
        }
        if position > self.expected {
            counters.data_packets_received += 1;
            counters.out_of_order_received += 1;
            return Ok(match parameters.recovery {
                // Only one error is sent for a gap, and none for the packets after it.
                Recovery::GoBackN if std::mem::replace(&mut self.has_reported, true) => Answer::Nothing,
                Recovery::GoBackN => Answer::SequenceError(position),
                Recovery::SelectiveRepeat => {
                    self.keep(position, request, payload, counters);
                    Answer::SequenceError(position)
                }
            });
        }
        let write = match request.target {
            Some(write) => write,
            // A middle or last packet belongs to the current write.
            None => self.write.ok_or(Reason::MALFORMED)?,
        };
        counters.data_packets_received += 1;
        self.has_reported = false;
        self.expected += 1;
        let is_last = !matches!(request.opcode, opcode::WRITE_FIRST | opcode::WRITE_MIDDLE);
        self.write = (!is_last).then_some(write);
        self.contents.append(payload, parameters.longest_content);
        if let Some(end) = end_of(request, write) {
            self.deliver(end, counters, notices);
        }
        let has_filled = !self.early.is_empty();
        if has_filled {
            self.take_early(parameters, counters, notices);
        }
        Ok(if request.asks || has_filled { Answer::Acknowledge } else { Answer::Nothing })
    }

    /// Records a packet that has arrived out of order.
    fn keep(&mut self, position: u64, request: &Request, payload: &[u8], counters: &mut Counters) {
        if self.early.insert(position, position + 1, 0).all == 0 {
            counters.duplicates_received += 1;
            return;
        }
        self.contents.keep(position, payload);
        if let Some(end) = request.target.and_then(|write| end_of(request, write)) {
            let at = self.early_ends.partition_point(|&(other, _)| other < position);
            self.early_ends.insert(at, (position, end));
        }
    }

    /// Advances over packets that have arrived out of order and are next now.
    fn take_early(&mut self, parameters: &RoceV2Parameters, counters: &mut Counters, notices: &mut Vec<Notice>) {
        if let Some((_, end)) = self.early.containing(self.expected) {
            self.expected = end;
            self.early.cut_below(end, 0);
        }
        while let Some((position, end)) = self.early_ends.pop_front_if(|&mut (position, _)| position < self.expected) {
            self.contents.take_early(position + 1, parameters.longest_content);
            self.deliver(end, counters, notices);
        }
        self.contents.take_early(self.expected, parameters.longest_content);
    }

    fn deliver(&mut self, end: MessageEnd, counters: &mut Counters, notices: &mut Vec<Notice>) {
        let MessageEnd { number, bytes, service } = end;
        self.messages = (self.messages + 1) % NUMBERS;
        counters.messages_delivered += 1;
        counters.bytes_delivered += bytes;
        let content = self.contents.finish(bytes);
        notices.push(Notice::Arrived(Arrived { source: self.source, number, content, service }));
    }
}

/// Returns the end of the message if a packet is its last one, given its write or the rest of it.
fn end_of(request: &Request, write: WriteTarget) -> Option<MessageEnd> {
    let number = request.immediate?;
    Some(MessageEnd { number, bytes: write.address + u64::from(write.length), service: write.key as u16 })
}
