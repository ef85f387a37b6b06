//! The bytes of an encrypted packet: the outer IP header, the ESP header, the encrypted datagram with its trailer, and the
//! integrity check value (RFC 4303, section 2; RFC 4106, section 3).

use node::Reason;
use wire::{ChecksumState, Ipv4, Ipv6, Layers, Network, Packet, checksum, protocol};

use super::cipher::Cipher;
use super::{ALIGNMENT, CHECK, HEADER, TRAILER};
use crate::reasons;

/// The numbers of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The security parameter index.
    pub index: u32,
    /// The sequence number, of which the packet carries the low 32 bits.
    pub sequence: u64,
    /// Whether the high 32 bits are covered by the integrity check value (RFC 4106, section 5).
    pub is_extended: bool,
    /// The initialization vector.
    pub vector: u64,
}

impl Numbers {
    /// Writes what is authenticated beside the datagram, and returns its length.
    fn associated(&self, into: &mut [u8; 12]) -> usize {
        into[..4].copy_from_slice(&self.index.to_be_bytes());
        if self.is_extended {
            into[4..].copy_from_slice(&self.sequence.to_be_bytes());
            12
        } else {
            into[4..8].copy_from_slice(&(self.sequence as u32).to_be_bytes());
            8
        }
    }
}

/// Returns the encrypted form of a packet of a tunnel, which has no headers between IP and UDP.
pub fn seal(packet: &Packet, cipher: &Cipher, numbers: &Numbers) -> Option<Packet> {
    let layers = Layers::of(packet);
    let start = layers.transport?;
    let datagram = layers.network_end.checked_sub(start)?;
    let padding = (ALIGNMENT - (datagram + TRAILER) % ALIGNMENT) % ALIGNMENT;
    let encrypted = datagram + padding + TRAILER;
    let mut sealed = Packet::blank(start + HEADER + encrypted + CHECK);
    sealed.sidecar = packet.sidecar;
    let bytes = sealed.head.bytes_mut();
    let head = packet.head.bytes();
    bytes[..start].copy_from_slice(head.get(..start)?);
    replace_protocol(&mut bytes[..start], &layers, protocol::ESP, HEADER + encrypted + CHECK)?;
    bytes[start..start + 4].copy_from_slice(&numbers.index.to_be_bytes());
    bytes[start + 4..start + 8].copy_from_slice(&(numbers.sequence as u32).to_be_bytes());
    bytes[start + 8..start + HEADER].copy_from_slice(&numbers.vector.to_be_bytes());
    let (inside, check) = bytes[start + HEADER..].split_at_mut(encrypted);
    copy(packet, start, &mut inside[..datagram]);
    // The padding counts from 1 (RFC 4303, section 2.4).
    for (number, byte) in inside[datagram..][..padding].iter_mut().enumerate() {
        *byte = number as u8 + 1;
    }
    inside[encrypted - 2..].copy_from_slice(&[padding as u8, protocol::UDP]);
    let mut associated = [0; 12];
    let length = numbers.associated(&mut associated);
    check.copy_from_slice(&cipher.seal(numbers.vector, &associated[..length], inside)?);
    sealed.sidecar.original_length = sealed.len() as u32;
    Some(sealed)
}

/// Returns the index, the sequence number as the packet carries it, and the initialization vector of an encrypted packet, of which
/// the layers are known; `None` if it is none.
pub fn numbers(packet: &Packet, layers: &Layers) -> Option<(u32, u32, u64)> {
    let start = start(packet, layers)?;
    let mut header = [0; HEADER];
    if layers.network_end.checked_sub(start)? < HEADER + TRAILER + CHECK {
        return None;
    }
    copy(packet, start, &mut header);
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    Some((word(0), word(4), u64::from(word(8)) << 32 | u64::from(word(12))))
}

/// Returns the packet of a tunnel that was encrypted.
///
/// # Errors
/// The reason, if the packet is not what was encrypted, or something else than a datagram was.
pub fn open(packet: &Packet, layers: &Layers, cipher: &Cipher, numbers: &Numbers) -> Result<Packet, Reason> {
    let start = start(packet, layers).ok_or(Reason::MALFORMED)?;
    let end = layers.network_end;
    let mut opened = Packet::blank(end - HEADER);
    opened.sidecar = packet.sidecar;
    let bytes = opened.head.bytes_mut();
    copy(packet, 0, &mut bytes[..start]);
    copy(packet, start + HEADER, &mut bytes[start..]);
    let mut associated = [0; 12];
    let length = numbers.associated(&mut associated);
    if !cipher.open(numbers.vector, &associated[..length], &mut bytes[start..]) {
        return Err(reasons::UNVERIFIED);
    }
    let trailer = bytes.len() - CHECK - TRAILER;
    let (padding, next) = (usize::from(bytes[trailer]), bytes[trailer + 1]);
    let datagram = trailer.checked_sub(start + padding).ok_or(Reason::MALFORMED)?;
    if next != protocol::UDP {
        return Err(reasons::UNKNOWN_TUNNEL);
    }
    replace_protocol(&mut bytes[..start], layers, protocol::UDP, datagram).ok_or(Reason::MALFORMED)?;
    opened.truncate(start + datagram);
    opened.sidecar.checksum = ChecksumState::Unknown;
    Ok(opened)
}

/// Returns the offset of the ESP header, which is the first one behind that of IP.
fn start(packet: &Packet, layers: &Layers) -> Option<usize> {
    let network = packet.head.bytes().get(layers.network_start..)?;
    let (next, length) = match layers.network {
        Network::None => return None,
        Network::Ipv4 => Ipv4::new(network).map(|ip| (ip.protocol(), ip.header_length()))?,
        Network::Ipv6 => Ipv6::new(network).map(|ip| (ip.next_header(), Ipv6::<&[u8]>::LENGTH))?,
    };
    let start = layers.network_start + length;
    let is_whole = next == protocol::ESP && !layers.is_fragment && layers.network_end <= packet.len();
    (is_whole && start <= packet.head.len()).then_some(start)
}

/// Copies bytes of a packet from a place on. Those of a tail that is only a length are zeros.
fn copy(packet: &Packet, from: usize, into: &mut [u8]) {
    let head = packet.head.bytes();
    let of_head = head.get(from..).unwrap_or(&[]);
    let count = of_head.len().min(into.len());
    into[..count].copy_from_slice(&of_head[..count]);
    let (rest, skipped) = (&mut into[count..], from.saturating_sub(head.len()));
    match &packet.tail {
        wire::Tail::Bytes(tail) => {
            let tail = tail.get(skipped..).unwrap_or(&[]);
            let count = tail.len().min(rest.len());
            rest[..count].copy_from_slice(&tail[..count]);
            rest[count..].fill(0);
        }
        wire::Tail::Length(_) => rest.fill(0),
    }
}

/// Writes another protocol and length into an IP header. A wrong checksum stays wrong.
fn replace_protocol(head: &mut [u8], layers: &Layers, next: u8, length: usize) -> Option<()> {
    let network = head.get_mut(layers.network_start..)?;
    match layers.network {
        Network::None => None,
        Network::Ipv4 => {
            let mut ip = Ipv4::new(network)?;
            let header = ip.header_length();
            let words = |ip: &Ipv4<&mut [u8]>| {
                let bytes = ip.bytes();
                [bytes[2], bytes[3], bytes[8], bytes[9]]
            };
            let old = words(&ip);
            ip.set_total_length(u16::try_from(header + length).ok()?);
            ip.set_protocol(next);
            let sum = checksum::update(ip.checksum(), &old, &words(&ip), false);
            ip.set_checksum(sum);
            Some(())
        }
        Network::Ipv6 => {
            let mut ip = Ipv6::new(network)?;
            ip.set_payload_length(u16::try_from(length).ok()?);
            ip.set_next_header(next);
            Some(())
        }
    }
}
