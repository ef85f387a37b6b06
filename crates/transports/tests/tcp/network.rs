//! Hosts with TCP, and a scripted network between them.

#[path = "../scripted/mod.rs"]
mod scripted;

use basis::{Duration, Instant, Rate};
use demand::Wanted;
use node::Link;
use transports::Transport;
use transports::tcp::{Algorithm, Tcp, TcpParameters};
use wire::tcp::{Options, flag};
use wire::{Ipv4, Packet, Tcp as Header};

use scripted::last_hop::Absent;
pub use scripted::{Fate, address, harm, microseconds, turns};
use scripted::{Left, Sight, Ways, wanted};

/// The one-way delay of a packet.
pub const DELAY: Duration = microseconds(50);

/// The payload of a full segment with timestamps, in bytes.
pub const SEGMENT: u64 = 1448;

/// Parameters for NewReno with timers for a data centre, and without ECN.
pub fn parameters() -> TcpParameters {
    TcpParameters::data_center(Algorithm::NEW_RENO)
}

/// The record of a packet that left a host. Sequence numbers are relative to the SYN of their stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub ports: (u16, u16),
    pub flags: u8,
    pub sequence: u32,
    pub acknowledgement: u32,
    pub window: u16,
    pub options: Options,
    pub payload: usize,
    pub congestion: u8,
    /// The number of earlier packets with this sequence number that had payload, SYN or FIN.
    pub copies: usize,
    pub packet: Packet,
}

impl Seen {
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn is_data(&self) -> bool {
        self.payload > 0
    }

    pub fn is_plain_ack(&self) -> bool {
        self.payload == 0 && self.flags & !flag::ECE == flag::ACK
    }

    /// Returns true if this is the first transmission of the full segment with this number, counted from 0.
    pub fn is_first(&self, number: u64) -> bool {
        self.is_data() && self.copies == 0 && u64::from(self.sequence) == 1 + number * SEGMENT
    }
}

impl Sight for Seen {
    type LastHop = Absent;

    fn of(left: Left<'_>, before: &[Self]) -> Self {
        let Left { at, from, to, packet } = left;
        let bytes = packet.head.bytes();
        let ipv4 = Ipv4::new(&bytes[14..]).unwrap();
        let header = Header::new(&bytes[34..]).unwrap();
        let ports = (header.source_port(), header.destination_port());
        let is_syn = header.flags() & flag::SYN != 0;
        let first = if is_syn { header.sequence() } else { first_number(before, (from, to, ports)) };
        let sequence = header.sequence().wrapping_sub(first);
        let other_first = first_number(before, (to, from, (ports.1, ports.0)));
        let payload = packet.len() - 34 - header.header_length();
        let takes = |flags: u8, payload: usize| payload > 0 || flags & (flag::SYN | flag::FIN) != 0;
        let is_copy = |seen: &&Seen| {
            (seen.from, seen.to, seen.ports, seen.sequence) == (from, to, ports, sequence)
                && takes(seen.flags, seen.payload)
        };
        let copies = if takes(header.flags(), payload) { before.iter().filter(is_copy).count() } else { 0 };
        Self {
            at,
            from,
            to,
            ports,
            flags: header.flags(),
            sequence,
            acknowledgement: header.acknowledgement().wrapping_sub(other_first),
            window: header.window(),
            options: Options::parse(header.options().unwrap()).unwrap(),
            payload,
            congestion: ipv4.ecn(),
            copies,
            packet: packet.clone(),
        }
    }
}

/// Returns the sequence number of a stream's last SYN, or 0 if there was none. A stream is identified by its hosts and
/// ports.
fn first_number(before: &[Seen], stream: (usize, usize, (u16, u16))) -> u32 {
    let is_it = |seen: &&Seen| seen.has(flag::SYN) && (seen.from, seen.to, seen.ports) == stream;
    let syn = before.iter().rev().find(is_it);
    syn.map_or(0, |syn| Header::new(&syn.packet.head.bytes()[34..]).unwrap().sequence())
}

pub type Network<'a> = scripted::Network<'a, Seen>;

/// A message to send: the time in microseconds, the source, the destination and the length in bytes.
pub type Sends = (u64, usize, usize, u64);

pub fn link() -> Link {
    Link::new(Rate::from_gigabits_per_second(10), Link::ETHERNET_FRAMING)
}

impl<'a> Network<'a> {
    pub fn new(hosts: usize, parameters: TcpParameters, sends: &[Sends], rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        Self::of(vec![parameters; hosts], sends, rule)
    }

    /// Creates a network in which each host has its own parameters.
    pub fn of(parameters: Vec<TcpParameters>, sends: &[Sends], rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let transport = |host| -> Box<dyn Transport> { Box::new(Tcp::new(address(host), parameters[host], 1)) };
        let wants = sends.iter().map(|&(at, from, to, bytes)| (at, from, Wanted { service: 7, ..wanted(to, bytes) }));
        let ways = Ways { link: link(), delay: DELAY, limit: Instant::from_microseconds(3_600_000_000) };
        Self::connect(parameters.len(), ways, transport, &wants.collect::<Vec<_>>(), rule)
    }

    /// Runs a network of two hosts, of which the first sends the second a message of `count` full segments, until
    /// nothing is left to do.
    pub fn one_message(count: u64, parameters: TcpParameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let mut network = Self::new(2, parameters, &[(0, 0, 1, count * SEGMENT)], rule);
        network.run();
        network
    }
}

/// Changes the window of a segment to 0.
pub fn close_window(packet: &mut Packet) {
    let mut header = Header::new(&mut packet.head.bytes_mut()[34..]).unwrap();
    let (sum, window) = (header.checksum(), header.window().to_be_bytes());
    header.set_window(0);
    header.set_checksum(wire::checksum::update(sum, &window, &[0, 0], false));
}
