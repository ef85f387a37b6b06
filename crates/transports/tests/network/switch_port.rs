//! A minimal port of an NDP switch, with short queues for data and for headers, of which headers have priority.

use std::collections::VecDeque;

use basis::Instant;
use node::Link;
use wire::{Ipv4, Packet, dscp};

use super::scripted::last_hop::{LastHop, Outcome};
use super::{parameters, trim_as, turn_back};

pub struct SwitchPort {
    pub link: Link,
    data: VecDeque<Packet>,
    headers: VecDeque<Packet>,
    /// The capacity of the header queue.
    header_room: usize,
    /// True if data packets for whose headers there is no room are returned rather than dropped.
    returns: bool,
    /// The number of headers sent since the last data packet; after 200 of them, a data packet is sent.
    headers_in_turn: u32,
    pub trimmed: u64,
    pub dropped: u64,
    pub returned: u64,
    pub bytes_on_link: u64,
}

/// The capacity of the data queue.
const DATA_ROOM: usize = 8;

impl SwitchPort {
    pub fn new(header_room: usize, returns: bool) -> Self {
        Self {
            link: parameters().link,
            data: VecDeque::new(),
            headers: VecDeque::new(),
            header_room,
            returns,
            headers_in_turn: 0,
            trimmed: 0,
            dropped: 0,
            returned: 0,
            bytes_on_link: 0,
        }
    }
}

impl LastHop for SwitchPort {
    fn offer(&mut self, mut packet: Packet) -> Outcome {
        let ipv4 = Ipv4::new(&packet.head.bytes()[14..]).unwrap();
        let is_data = ipv4.dscp() == dscp::DATA;
        let is_returned = ipv4.dscp() == dscp::RETURNED;
        if is_data && self.data.len() < DATA_ROOM {
            self.data.push_back(packet);
            return Outcome::Waits;
        }
        if is_data {
            self.trimmed += 1;
            trim_as(&mut packet, dscp::TRIMMED_AT_LAST_HOP);
        }
        if self.headers.len() < self.header_room || is_returned {
            self.headers.push_back(packet);
            return Outcome::Waits;
        }
        if is_data && self.returns {
            self.returned += 1;
            turn_back(&mut packet);
            return Outcome::Returned(packet);
        }
        self.dropped += 1;
        Outcome::Dropped
    }

    fn take(&mut self, now: Instant) -> Option<(Packet, Instant)> {
        if !self.link.is_free(now) {
            return None;
        }
        let is_data = self.headers.is_empty() || self.headers_in_turn >= 200 && !self.data.is_empty();
        let packet = if is_data { self.data.pop_front()? } else { self.headers.pop_front()? };
        self.headers_in_turn = if is_data { 0 } else { self.headers_in_turn + 1 };
        self.bytes_on_link += packet.len() as u64 + u64::from(self.link.framing());
        self.link.begin(now, packet.len());
        Some((packet, self.link.free_at()))
    }
}
