//! Hosts with RoCEv2, and a scripted network between them.

#[path = "../scripted/mod.rs"]
mod scripted;

use basis::{Duration, Instant, Rate};
use demand::Wanted;
use node::Link;
use transports::Transport;
use transports::rocev2::{Recovery, RoceV2, RoceV2Parameters};
use wire::infiniband::{self, opcode, syndrome};
use wire::{Aeth, Bth, Packet};

use scripted::last_hop::Absent;
pub use scripted::{Fate, address, harm, microseconds, turns};
use scripted::{Left, Sight, Ways, wanted};

/// The one-way delay of a packet.
pub const DELAY: Duration = microseconds(5);

/// The payload of a full packet in bytes.
pub const PAYLOAD: u64 = 1024;

/// The sequence number of the first packet of a queue pair.
pub const FIRST: u32 = infiniband::NUMBERS - 200;

pub fn link() -> Link {
    Link::new(Rate::from_gigabits_per_second(10), Link::ETHERNET_FRAMING)
}

/// The default parameters without DCQCN.
pub fn parameters(recovery: Recovery) -> RoceV2Parameters {
    RoceV2Parameters { dcqcn: None, ..RoceV2Parameters::new(link(), recovery) }
}

/// The record of a packet that left a host. Its number is relative to the first packet of its queue pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub opcode: u8,
    pub queue_pair: u32,
    pub number: u32,
    pub asks: bool,
    pub is_error: bool,
    /// The number of earlier transmissions of this packet.
    pub copies: usize,
    pub packet: Packet,
}

impl Seen {
    pub fn is_data(&self) -> bool {
        (opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMMEDIATE).contains(&self.opcode)
    }

    pub fn is_ack(&self) -> bool {
        self.opcode == opcode::ACKNOWLEDGE && !self.is_error
    }

    pub fn is_notification(&self) -> bool {
        self.opcode == opcode::CONGESTION_NOTIFICATION
    }

    /// Returns true if this is the first transmission of the packet with this number.
    pub fn is_first(&self, number: u32) -> bool {
        self.is_data() && self.copies == 0 && self.number == number
    }
}

impl Sight for Seen {
    type LastHop = Absent;

    fn of(left: Left<'_>, before: &[Self]) -> Self {
        let Left { at, from, to, packet } = left;
        let bytes = packet.head.bytes();
        let bth = Bth::new(&bytes[42..]).expect("a base transport header");
        let (queue_pair, number) = (bth.queue_pair(), bth.sequence().wrapping_sub(FIRST) % infiniband::NUMBERS);
        let same = |other: &&Self| {
            other.is_data() && (other.from, other.to, other.queue_pair, other.number) == (from, to, queue_pair, number)
        };
        Self {
            at,
            from,
            to,
            opcode: bth.opcode(),
            queue_pair,
            number,
            asks: bth.asks(),
            is_error: bth.opcode() == opcode::ACKNOWLEDGE
                && Aeth::new(&bytes[54..]).expect("AETH").syndrome() == syndrome::SEQUENCE_ERROR,
            copies: before.iter().filter(same).count(),
            packet: packet.clone(),
        }
    }
}

pub type Network<'a> = scripted::Network<'a, Seen>;

/// A message to send: the time in microseconds, the source, the destination, the length in bytes and the service.
pub type Sends = (u64, usize, usize, u64, u16);

impl<'a> Network<'a> {
    pub fn new(
        hosts: usize,
        parameters: RoceV2Parameters,
        sends: &[Sends],
        rule: impl FnMut(&Seen) -> Fate + 'a,
    ) -> Self {
        let transport = |host| -> Box<dyn Transport> { Box::new(RoceV2::new(address(host), parameters)) };
        let wants =
            sends.iter().map(|&(at, from, to, bytes, service)| (at, from, Wanted { service, ..wanted(to, bytes) }));
        let ways = Ways { link: link(), delay: DELAY, limit: Instant::from_microseconds(3_600_000_000) };
        Self::connect(hosts, ways, transport, &wants.collect::<Vec<_>>(), rule)
    }

    /// Runs a network of two hosts, of which the first sends the second a message of `count` full packets, until
    /// nothing is left to do.
    pub fn one_message(count: u64, parameters: RoceV2Parameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let mut network = Self::new(2, parameters, &[(0, 0, 1, count * PAYLOAD, 7)], rule);
        network.run();
        network
    }

    /// The numbers of all data packets, in the order in which they were sent.
    pub fn sent(&self) -> Vec<u32> {
        self.seen.iter().filter(|seen| seen.is_data()).map(|seen| seen.number).collect()
    }
}
