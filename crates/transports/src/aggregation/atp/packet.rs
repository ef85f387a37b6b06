//! The packets of ATP as hosts write and read them.

use std::borrow::Cow;

use basis::Instant;
use wire::atp::{AtpLevels, LEVELS, Tree, flag};
use wire::{Atp, Packet, Tail, atp};

use crate::frame::{ENVELOPE, Envelope, congestion};

/// The length of the headers that all packets have, in bytes.
const HEADERS: usize = ENVELOPE + Atp::<&[u8]>::LENGTH;
/// The length of the fields for further levels.
const FURTHER: usize = AtpLevels::<&[u8]>::LENGTH;
/// The length of a packet with as many values as there can be.
const LONGEST: usize = HEADERS + FURTHER + 4 * atp::VALUES;

/// A packet to be made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draft {
    pub source: u32,
    pub destination: u32,
    /// The UDP source port; see [`super::numbering`].
    pub port: u16,
    pub bitmaps: [u32; LEVELS],
    pub fan_in: [u8; LEVELS],
    /// The level to which the packet is on its way.
    pub level: u8,
    /// Whether the job has more than two levels, so that packets have fields for them.
    pub has_further: bool,
    pub flags: u16,
    pub word: u32,
    pub aggregator: u16,
}

impl Draft {
    /// Makes the packet with the values that `fill` writes, as the bits of a number of 32 bits each.
    pub fn packet(&self, now: Instant, values: usize, fill: impl FnOnce(&mut [[u8; 4]])) -> Packet {
        let mut frame = [0; LONGEST];
        let headers = HEADERS + if self.has_further { FURTHER } else { 0 };
        let frame = &mut frame[..headers + 4 * values];
        let (header, further) = frame[ENVELOPE..headers].split_at_mut(HEADERS - ENVELOPE);
        let mut atp = Atp::new(header).expect("as long as the header");
        atp.set_degrees_and_flags(self.flags);
        atp.set_job_and_sequence(self.word);
        atp.set_aggregator(self.aggregator);
        let mut tree = Tree { atp, further: AtpLevels::new(further) };
        (0..).zip(self.bitmaps).for_each(|(level, bitmap)| tree.set_bitmap(level, bitmap));
        tree.set_fan_in(self.fan_in);
        tree.set_level(self.level);
        fill(frame[headers..].as_chunks_mut().0);
        let envelope = Envelope {
            source: self.source,
            destination: self.destination,
            dscp: 0,
            ecn: congestion::CAPABLE,
            source_port: self.port,
            destination_port: atp::PORT,
        };
        envelope.seal(now, frame, 0)
    }
}

/// A packet of ATP.
pub(super) struct Opened<'p> {
    pub envelope: Envelope,
    /// What is behind UDP.
    bytes: Cow<'p, [u8]>,
    /// The length of the headers in it.
    headers: usize,
}

impl<'p> Opened<'p> {
    /// Opens a packet; `None` if it is none of ATP with so many values, and with fields for further levels or without them.
    pub fn new(packet: &'p Packet, values: usize, has_further: bool) -> Option<Self> {
        let (envelope, _) = Envelope::open(packet).filter(|(envelope, _)| envelope.destination_port == atp::PORT)?;
        let headers = HEADERS + if has_further { FURTHER } else { 0 };
        let length = headers + 4 * values;
        let head = packet.head.bytes();
        let bytes = match &packet.tail {
            _ if head.len() >= length => Cow::Borrowed(&head[ENVELOPE..length]),
            Tail::Bytes(tail) if head.len() >= ENVELOPE && packet.len() >= length => {
                Cow::Owned([&head[ENVELOPE..], &tail[..length - head.len()]].concat())
            }
            _ => return None,
        };
        Some(Self { envelope, bytes, headers: headers - ENVELOPE })
    }

    pub fn header(&self) -> Atp<&[u8]> {
        Atp::new(&self.bytes[..]).expect("checked when opened")
    }

    /// Returns the header with the fields for further levels.
    pub fn tree(&self) -> Tree<&[u8]> {
        Tree { atp: self.header(), further: AtpLevels::new(&self.bytes[HEADERS - ENVELOPE..self.headers]) }
    }

    /// Returns the bits of the values.
    pub fn values(&self) -> impl Iterator<Item = u32> + '_ {
        let chunks = self.bytes[self.headers..].as_chunks().0;
        chunks.iter().map(|bytes| u32::from_be_bytes(*bytes))
    }

    /// Returns true if the packet, or one that is part of its sum, has met congestion.
    pub fn has_met_congestion(&self) -> bool {
        self.header().has(flag::ECN) || self.envelope.ecn == congestion::EXPERIENCED
    }
}

/// Returns the flags and the job of a packet of ATP, of whatever length, and its destination.
pub(super) fn peek(packet: &Packet) -> Option<(u16, u8, u32)> {
    let (envelope, rest) = Envelope::open(packet)?;
    if envelope.destination_port != atp::PORT {
        return None;
    }
    let header = Atp::new(rest)?;
    Some((header.degrees_and_flags(), header.job(), envelope.destination))
}
