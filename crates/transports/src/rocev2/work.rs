//! The work of a queue pair: messages as writes, split into packets.

use std::collections::VecDeque;

use demand::{Content, Message};
use serde::{Deserialize, Serialize};
use wire::SharedBytes;
use wire::infiniband::opcode;

use super::format::{WriteTarget, has_target};
use super::parameters::RoceV2Parameters;

/// The send queue of a queue pair. Its packets have consecutive positions from 0.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SendQueue {
    work: VecDeque<Work>,
    /// The position after the last packet.
    end: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Work {
    message: Message,
    first: u64,
    /// The position after its last packet.
    end: u64,
}

/// The part of a message that a packet carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessagePart {
    pub opcode: u8,
    pub target: Option<WriteTarget>,
    pub immediate: Option<u32>,
    pub payload: u32,
    /// The payload, if it is more than a length.
    pub content: Option<SharedBytes>,
    /// True if this is the last packet of the message.
    pub is_end: bool,
}

impl SendQueue {
    /// Appends a message.
    pub fn push(&mut self, message: Message, parameters: &RoceV2Parameters) {
        let packets = message.bytes().div_ceil(u64::from(parameters.payload)).max(1);
        let first = self.end;
        self.end += packets;
        self.work.push_back(Work { message, first, end: self.end });
    }

    /// The position after the last packet.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Removes and returns the first message if all its packets are below a position.
    pub fn pop_below(&mut self, position: u64) -> Option<Message> {
        self.work.pop_front_if(|work| work.end <= position).map(|work| work.message)
    }

    /// Removes and returns the first message.
    pub fn pop(&mut self) -> Option<Message> {
        self.work.pop_front().map(|work| work.message)
    }

    /// Returns the messages in the queue, each with the position of its first packet and the position after its last.
    pub fn messages(&self) -> impl Iterator<Item = (&Message, u64, u64)> {
        self.work.iter().map(|work| (&work.message, work.first, work.end))
    }

    /// Returns the part that the packet at a position carries; `None` if its message is not in the queue.
    pub fn part(&self, position: u64, parameters: &RoceV2Parameters) -> Option<MessagePart> {
        let work = self.work.get(self.work.partition_point(|work| work.end <= position))?;
        let number = position.checked_sub(work.first)?;
        let (per_write, payload) = (parameters.packets_per_write(), u64::from(parameters.payload));
        let first_of_write = number / per_write * per_write;
        let end_of_write = (first_of_write + per_write).min(work.end - work.first);
        let is_end = position == work.end - 1;
        let code = match (number == first_of_write, number == end_of_write - 1, is_end) {
            (true, true, true) => opcode::WRITE_ONLY_IMMEDIATE,
            (true, true, false) => opcode::WRITE_ONLY,
            (true, false, _) => opcode::WRITE_FIRST,
            (false, true, true) => opcode::WRITE_LAST_IMMEDIATE,
            (false, true, false) => opcode::WRITE_LAST,
            (false, false, _) => opcode::WRITE_MIDDLE,
        };
        let address = number * payload;
        let until = (end_of_write * payload).min(work.message.bytes());
        let target = has_target(code, parameters.recovery).then_some(WriteTarget {
            address,
            key: u32::from(work.message.service),
            // A write has at most 2^31 bytes.
            length: (until - address) as u32,
        });
        let payload = (until - address).min(payload);
        let content = match &work.message.content {
            Content::Length(_) => None,
            Content::Bytes(bytes) => Some(bytes[address as usize..(address + payload) as usize].into()),
        };
        Some(MessagePart {
            opcode: code,
            target,
            immediate: is_end.then_some(work.message.number),
            payload: payload as u32,
            content,
            is_end,
        })
    }
}
