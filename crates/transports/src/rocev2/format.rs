//! RoCEv2 packets, and their conversion to and from bytes.

use std::borrow::Cow;

use basis::Instant;
use node::Reason;
use serde::{Deserialize, Serialize};
use wire::infiniband::{
    BACKWARD_CONGESTION, DEFAULT_PARTITION, IMMEDIATE, NOTIFICATION_RESERVED, NUMBERS, PORT, opcode, syndrome,
};
use wire::invariant_crc::{self, InvariantCrc};
use wire::{Aeth, Bth, Ethernet, Packet, Reth, Tail, dscp, path};

use super::parameters::{Recovery, RoceV2Parameters};
use crate::frame::{ENVELOPE, Envelope, congestion};
use crate::reasons;

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const BTH: usize = Bth::<&[u8]>::LENGTH;
/// The length in bytes of the extended header with the memory location of a write.
pub const RETH: usize = Reth::<&[u8]>::LENGTH;
const AETH: usize = Aeth::<&[u8]>::LENGTH;
const CRC: usize = invariant_crc::LENGTH;
/// The number of bytes before the payload of a packet with all extended headers.
const LONGEST_HEAD: usize = ENVELOPE + BTH + RETH + IMMEDIATE;
/// The number of bytes besides payload and padding in a packet with all extended headers.
pub const HEADERS_OF_ANY: usize = LONGEST_HEAD + CRC;
/// The number of bytes besides payload and padding in a packet without extended headers.
pub const HEADERS_OF_MOST: usize = ENVELOPE + BTH + CRC;
/// The length in bytes of what follows the AETH in IRN's sequence errors: the sequence number of the packet that has
/// arrived (24 bits of 32).
const ARRIVED: usize = 4;

/// The location of a write in the receiver's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteTarget {
    /// The address, used here for the number of bytes of the message before this write.
    pub address: u64,
    /// The remote key, used here for the service of the message.
    pub key: u32,
    /// The length of the write in bytes.
    pub length: u32,
}

/// A packet of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub opcode: u8,
    /// The number of the receiver's queue pair.
    pub queue_pair: u32,
    pub sequence: u32,
    /// True if the packet requests an acknowledgement.
    pub asks: bool,
    pub target: Option<WriteTarget>,
    /// The immediate data, used here for the number of the message that ends with this packet.
    pub immediate: Option<u32>,
    /// The length of the payload in bytes, without padding.
    pub payload: u32,
}

/// An acknowledgement or a sequence error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The number of the sender's queue pair.
    pub queue_pair: u32,
    pub sequence: u32,
    pub is_error: bool,
    /// The number of complete messages of the queue pair, modulo 2^24.
    pub messages: u32,
    /// In IRN's sequence errors, the sequence number of the packet that has arrived.
    pub arrived: Option<u32>,
}

/// The contents of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Said {
    Request(Request),
    Answer(Answer),
    /// A packet of this queue pair has met congestion.
    Notification {
        queue_pair: u32,
    },
}

/// A parsed packet that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    pub source: u32,
    pub said: Said,
    /// True if a switch has marked the packet.
    pub is_marked: bool,
}

/// Returns the number of padding bytes that make a payload a multiple of four.
fn padding_of(payload: u32) -> u32 {
    payload.wrapping_neg() % 4
}

/// Returns true if a packet has the extended header with its location. All packets of IRN have it, so that they can be
/// written in any order.
pub fn has_target(code: u8, recovery: Recovery) -> bool {
    recovery == Recovery::SelectiveRepeat
        || matches!(code, opcode::WRITE_FIRST | opcode::WRITE_ONLY | opcode::WRITE_ONLY_IMMEDIATE)
}

fn has_immediate(code: u8) -> bool {
    matches!(code, opcode::WRITE_LAST_IMMEDIATE | opcode::WRITE_ONLY_IMMEDIATE)
}

impl Said {
    /// Builds the packet from one host to another; `content` is its payload, if that is more than a length.
    pub fn packet(
        &self,
        now: Instant,
        source: u32,
        destination: u32,
        content: Option<&[u8]>,
        parameters: &RoceV2Parameters,
    ) -> Packet {
        let mut frame = [0; LONGEST_HEAD + CRC];
        let head = &mut frame[ENVELOPE..];
        // The lengths of the head without CRC and of the tail, and the code point.
        let (length, tail, dscp) = match self {
            Self::Request(request) => (request.write(head), request.payload + padding_of(request.payload), dscp::DATA),
            Self::Answer(answer) => (answer.write(head), 0, parameters.ack_dscp),
            Self::Notification { queue_pair } => {
                let mut bth = header(head, opcode::CONGESTION_NOTIFICATION, *queue_pair, 0);
                bth.set_congestion(BACKWARD_CONGESTION);
                (BTH + NOTIFICATION_RESERVED, 0, parameters.notification_dscp)
            }
        };
        let envelope = Envelope {
            source,
            destination,
            dscp,
            ecn: if parameters.dcqcn.is_some() { congestion::CAPABLE } else { congestion::NOT_CAPABLE },
            source_port: path::source_port(path_of(self.queue_pair(), source)),
            destination_port: PORT,
        };
        let end = ENVELOPE + length;
        if tail > 0 {
            if let Some(content) = content {
                let packet = envelope.seal(now, &mut frame[..end], tail + CRC as u32);
                let bytes = with_crc(&packet.head.bytes()[ETHERNET..], content, tail as usize);
                return packet.with_tail(Tail::Bytes(bytes.into()));
            }
            // The CRC follows a payload of which only the length is known, so only its length is counted too.
            return envelope.seal(now, &mut frame[..end], tail + CRC as u32);
        }
        let mut packet = envelope.seal(now, &mut frame[..end + CRC], 0);
        let bytes = packet.head.bytes_mut();
        if let Some(crc) = InvariantCrc::new(&bytes[ETHERNET..end]) {
            bytes[end..].copy_from_slice(&crc.bytes());
        }
        packet
    }

    fn queue_pair(&self) -> u32 {
        match self {
            Self::Request(Request { queue_pair, .. })
            | Self::Answer(Answer { queue_pair, .. })
            | Self::Notification { queue_pair } => *queue_pair,
        }
    }
}

/// Returns a payload of `length` bytes with padding, and the CRC of it and of the headers before it.
fn with_crc(headers: &[u8], payload: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length + CRC);
    bytes.extend_from_slice(payload);
    bytes.resize(length, 0);
    if let Some(mut crc) = InvariantCrc::new(headers) {
        crc.add(&bytes);
        bytes.extend_from_slice(&crc.bytes());
    }
    bytes
}

/// Returns the payload of a packet, given the request that [`read`] has returned for it; empty if only its length matters.
pub fn payload<'a>(packet: &'a Packet, request: &Request) -> Cow<'a, [u8]> {
    let head = packet.head.bytes();
    let length = request.payload as usize;
    let start = (packet.len() - CRC).saturating_sub(length + padding_of(request.payload) as usize);
    let in_head = head.get(start..head.len().min(start + length)).unwrap_or(&[]);
    match &packet.tail {
        Tail::Bytes(tail) => {
            let skip = start.saturating_sub(head.len());
            let in_tail = tail.get(skip..skip + length - in_head.len()).unwrap_or(&[]);
            if in_head.is_empty() { Cow::Borrowed(in_tail) } else { Cow::Owned([in_head, in_tail].concat()) }
        }
        Tail::Length(0) => Cow::Borrowed(in_head),
        Tail::Length(_) => Cow::Borrowed(&[]),
    }
}

/// Returns the path of all packets that `source` sends for a queue pair. They share one path to keep their order.
fn path_of(queue_pair: u32, source: u32) -> u16 {
    (basis::mix(u64::from(source) << 32 | u64::from(queue_pair)) % u64::from(path::PATHS)) as u16
}

fn header(bytes: &mut [u8], opcode: u8, queue_pair: u32, order: u32) -> Bth<&mut [u8]> {
    let mut bth = Bth::new(bytes).expect("the frame has room");
    bth.set_opcode(opcode);
    bth.set_partition(DEFAULT_PARTITION);
    bth.set_destination(queue_pair);
    bth.set_order(order);
    bth
}

impl Request {
    /// Writes the headers, and returns their length in bytes.
    fn write(&self, bytes: &mut [u8]) -> usize {
        let mut bth = header(bytes, self.opcode, self.queue_pair, u32::from(self.asks) << 31 | self.sequence);
        bth.set_flags((padding_of(self.payload) as u8) << 4);
        let mut at = BTH;
        if let Some(target) = &self.target {
            let mut reth = Reth::new(&mut bytes[at..]).expect("the frame has room");
            reth.set_address(target.address);
            reth.set_key(target.key);
            reth.set_length(target.length);
            at += RETH;
        }
        if let Some(immediate) = self.immediate {
            bytes[at..at + IMMEDIATE].copy_from_slice(&immediate.to_be_bytes());
            at += IMMEDIATE;
        }
        at
    }

    /// Parses what follows a BTH; `length` is the number of bytes after the BTH, without CRC.
    fn read(bth: &Bth<&[u8]>, length: usize, recovery: Recovery) -> Option<Self> {
        let mut rest = &bth.bytes()[BTH..];
        let mut headers = 0;
        let mut target = None;
        if has_target(bth.opcode(), recovery) {
            let reth = Reth::new(rest)?;
            target = Some(WriteTarget { address: reth.address(), key: reth.key(), length: reth.length() });
            headers += RETH;
            rest = &rest[RETH..];
        }
        let mut immediate = None;
        if has_immediate(bth.opcode()) {
            immediate = Some(u32::from_be_bytes(*rest.first_chunk()?));
            headers += IMMEDIATE;
        }
        let payload = length.checked_sub(headers + usize::from(bth.padding()))? as u32;
        Some(Self {
            opcode: bth.opcode(),
            queue_pair: bth.queue_pair(),
            sequence: bth.sequence(),
            asks: bth.asks(),
            target,
            immediate,
            payload,
        })
    }
}

impl Answer {
    fn write(&self, bytes: &mut [u8]) -> usize {
        header(bytes, opcode::ACKNOWLEDGE, self.queue_pair, self.sequence);
        let said = if self.is_error { syndrome::SEQUENCE_ERROR } else { syndrome::ACKNOWLEDGED };
        let mut aeth = Aeth::new(&mut bytes[BTH..]).expect("the frame has room");
        aeth.set_said(u32::from(said) << 24 | self.messages);
        let Some(arrived) = self.arrived else { return BTH + AETH };
        bytes[BTH + AETH..][..ARRIVED].copy_from_slice(&arrived.to_be_bytes());
        BTH + AETH + ARRIVED
    }

    fn read(bth: &Bth<&[u8]>, length: usize) -> Option<Self> {
        let rest = bth.bytes()[BTH..].get(..length)?;
        let aeth = Aeth::new(rest)?;
        let is_error = match aeth.syndrome() {
            syndrome::SEQUENCE_ERROR => true,
            // Acknowledgements of any credit count, which is ignored here.
            said if said & 0xE0 == 0 => false,
            _ => return None,
        };
        let arrived = rest[AETH..].first_chunk().map(|&bytes| u32::from_be_bytes(bytes) & (NUMBERS - 1));
        Some(Self {
            queue_pair: bth.queue_pair(),
            sequence: bth.sequence(),
            is_error,
            messages: aeth.said() & (NUMBERS - 1),
            arrived: arrived.filter(|_| is_error),
        })
    }
}

/// Parses a packet.
///
/// # Errors
/// The reason to discard the packet: it is not RoCEv2, or it was changed on the way, for example by trimming.
pub fn read(packet: &Packet, recovery: Recovery) -> Result<Received, Reason> {
    let (envelope, rest) = Envelope::open(packet).ok_or(reasons::UNEXPECTED)?;
    if envelope.destination_port != PORT {
        return Err(reasons::UNEXPECTED);
    }
    let end = packet.len().checked_sub(CRC).ok_or(Reason::MALFORMED)?;
    let bth = Bth::new(rest).ok_or(Reason::MALFORMED)?;
    let length = end.checked_sub(ENVELOPE + BTH).ok_or(Reason::MALFORMED)?;
    if is_changed(packet, end) || bth.flags() & 0x0F != 0 {
        return Err(Reason::MALFORMED);
    }
    let said = match bth.opcode() {
        opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMMEDIATE => Request::read(&bth, length, recovery).map(Said::Request),
        opcode::ACKNOWLEDGE => Answer::read(&bth, length).map(Said::Answer),
        opcode::CONGESTION_NOTIFICATION => Some(Said::Notification { queue_pair: bth.queue_pair() }),
        _ => None,
    };
    let is_marked = envelope.ecn == congestion::EXPERIENCED;
    said.map(|said| Received { source: envelope.source, said, is_marked }).ok_or(Reason::MALFORMED)
}

/// Returns true if the CRC at `end` does not match the bytes before it. If only the length of the payload is known,
/// there are no bytes to compute it from; the packet then counts as unchanged if nothing was cut off or added.
fn is_changed(packet: &Packet, end: usize) -> bool {
    let head = packet.head.bytes();
    let tail = match &packet.tail {
        Tail::Length(0) => &[][..],
        Tail::Bytes(tail) => tail,
        Tail::Length(_) => return packet.len() != packet.sidecar.original_length as usize,
    };
    let (first, second) = (&head[..end.min(head.len())], &tail[..end.saturating_sub(head.len())]);
    let Some(mut crc) = first.get(ETHERNET..).and_then(InvariantCrc::new) else { return true };
    crc.add(second);
    let there = head[first.len()..].iter().chain(&tail[second.len()..]);
    !there.eq(crc.bytes().iter())
}
