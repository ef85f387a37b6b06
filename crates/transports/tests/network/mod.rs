//! Hosts with NDP or EQDS, whose headers begin in the same way, and a scripted network between them.
#![allow(dead_code)] // Each test file uses a part of it.

pub mod harm;
#[path = "../scripted/mod.rs"]
pub mod scripted;
pub mod switch_port;

use basis::{Duration, Instant, Rate};
use demand::Wanted;
use node::Link;
use transports::Transport;
use transports::frame::ENVELOPE;
use transports::ndp::{HEAD, Ndp, NdpParameters};
use wire::{Packet, Tail, Udp, dscp, ndp};

pub use scripted::{Fate, address};
use scripted::{Left, Sight, Ways, ipv4_of, wanted};
use switch_port::SwitchPort;

/// The one-way delay of a packet.
pub const DELAY: Duration = Duration::from_microseconds(5);

/// The record of a packet that left a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub kind: u8,
    pub flags: u8,
    pub message: u32,
    pub sequence: u32,
    pub pull: u32,
    pub path: u16,
    pub bytes: usize,
    pub packet: Packet,
}

impl Seen {
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn is_data(&self) -> bool {
        self.kind == ndp::kind::DATA
    }
}

impl Sight for Seen {
    type LastHop = SwitchPort;

    fn of(left: Left<'_>, _before: &[Self]) -> Self {
        let Left { at, from, to, packet } = left;
        let bytes = packet.head.bytes();
        let port = Udp::new(&bytes[34..]).unwrap().source_port();
        let header = wire::Ndp::new(&bytes[ENVELOPE..]).unwrap();
        Self {
            at,
            from,
            to,
            kind: header.kind(),
            flags: header.flags(),
            message: header.message(),
            sequence: header.sequence(),
            pull: header.pull(),
            path: if header.kind() == ndp::kind::DATA { port & (wire::path::PATHS - 1) } else { header.path() },
            bytes: packet.len(),
            packet: packet.clone(),
        }
    }
}

pub type Network<'a> = scripted::Network<'a, Seen>;

/// A message to send: the time in microseconds, the source, the destination and the length in bytes.
pub type Sends = (u64, usize, usize, u64);

/// Parameters for 100 Gb/s, packets of 1500 bytes and a first window of 8 packets.
pub fn parameters() -> NdpParameters {
    let link = Link::new(Rate::from_gigabits_per_second(100), Link::ETHERNET_FRAMING);
    NdpParameters { packet_bytes: 1500, first_window: 8, ..NdpParameters::new(link) }
}

/// The payload of `count` full packets, in bytes.
pub fn packets(count: u64) -> u64 {
    count * (1500 - HEAD as u64)
}

impl<'a> Network<'a> {
    /// Creates a network of `hosts` hosts with NDP, which send messages with priorities.
    pub fn new(
        hosts: usize,
        parameters: NdpParameters,
        sends: &[(Sends, u8)],
        rule: impl FnMut(&Seen) -> Fate + 'a,
    ) -> Self {
        let transport = |host| -> Box<dyn Transport> { Box::new(Ndp::new(address(host), parameters, 1)) };
        Self::of(hosts, transport, sends, rule)
    }

    /// Creates a network with any transport, on links of 100 Gb/s.
    pub fn of(
        hosts: usize,
        transport: impl Fn(usize) -> Box<dyn Transport>,
        sends: &[(Sends, u8)],
        rule: impl FnMut(&Seen) -> Fate + 'a,
    ) -> Self {
        let wants =
            sends.iter().map(|&((at, from, to, bytes), priority)| (at, from, Wanted { priority, ..wanted(to, bytes) }));
        let ways = Ways { link: parameters().link, delay: DELAY, limit: Instant::from_microseconds(60_000_000) };
        Self::connect(hosts, ways, transport, &wants.collect::<Vec<_>>(), rule)
    }

    /// Runs a network of two hosts, of which the first sends the second a message of `count` full packets, until
    /// nothing is left to do.
    pub fn one_message(count: u64, parameters: NdpParameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let mut network = Self::new(2, parameters, &[((0, 0, 1, packets(count)), 0)], rule);
        network.run();
        network
    }
}

/// Trims a packet, with the code point of trimmed packets and a correct length.
pub fn trim(packet: &mut Packet) {
    trim_as(packet, dscp::TRIMMED);
}

/// Trims a packet without updating its header.
pub fn trim_carelessly(packet: &mut Packet) {
    packet.tail = Tail::Length(0);
}

/// Trims a packet and returns it to its sender.
pub fn turn_back(packet: &mut Packet) {
    trim_as(packet, dscp::RETURNED);
    let mut ipv4 = ipv4_of(packet);
    let (source, destination) = (ipv4.source_bits(), ipv4.destination_bits());
    ipv4.set_source_bits(destination);
    ipv4.set_destination_bits(source);
    ipv4.fill_checksum();
}

fn trim_as(packet: &mut Packet, code_point: u8) {
    packet.tail = Tail::Length(0);
    let mut ipv4 = ipv4_of(packet);
    ipv4.set_total_length((HEAD - 14) as u16);
    ipv4.set_traffic_class(code_point << 2);
    ipv4.fill_checksum();
}
