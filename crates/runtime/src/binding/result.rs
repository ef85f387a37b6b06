//! The uses of fields' final values.

use std::fmt;

use wire::{Layers, Network, checksum, protocol};

use super::path::{self, Wrong};
use super::source::{HeaderBits, Layer, Source, View, is_icmp, number};

/// The use of a field's final value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// The packet leaves on this port, given by the lower 16 bits of the value.
    Port,
    /// The packet is dropped if the value is not zero.
    Drop,
    /// The value is written into a header.
    Header(HeaderBits),
}

impl Target {
    /// Parses a target in the syntax of binding files.
    pub(super) fn parse(text: &str) -> Result<Self, Wrong> {
        let short = match text {
            "port" => return Ok(Self::Port),
            "drop" => return Ok(Self::Drop),
            "dscp" => "ip.dscp",
            "ecn" => "ip.ecn",
            "ttl" => "ip.ttl",
            other => other,
        };
        match path::parse(short)? {
            Source::Header(field) => {
                check_writable(&field)?;
                Ok(Self::Header(field))
            }
            source => {
                let hint = match source {
                    Source::IpSource => "an IPv6 address is longer than a field: write `ipv4.src`",
                    Source::IpDestination => "an IPv6 address is longer than a field: write `ipv4.dst`",
                    _ => "a result is `port`, `drop`, or bits of a header such as `dscp` or `tcp.window`",
                };
                Err(Wrong { message: format!("`{text}` cannot be written"), hint: hint.to_owned() })
            }
        }
    }

    /// Returns true if two targets conflict: they are the same, or write common bits.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Header(a), Self::Header(b)) => {
                let all = |field: &HeaderBits| std::iter::once(field.bits).chain(field.in_ipv6).collect::<Vec<_>>();
                all(a).iter().any(|a| all(b).iter().any(|b| a.overlaps(b)))
            }
            (a, b) => a == b,
        }
    }

    /// Returns whether the packet has the part that is to be written.
    pub(super) fn is_there(&self, view: &View<'_>) -> bool {
        match self {
            Self::Port | Self::Drop => true,
            Self::Header(field) => field.bits(&view.layers).range(&view.layers, view.head).is_some(),
        }
    }
}

/// Requires a result to stay within one fixed header or the payload, and not to write checksums. Then it is known which
/// checksums cover it.
fn check_writable(field: &HeaderBits) -> Result<(), Wrong> {
    let (start, end) = (field.bits.offset, field.bits.offset + u16::from(field.bits.length));
    let (header, own_checksum) = match field.bits.layer {
        Layer::Ethernet => (14, None),
        Layer::Vlan => (4, None),
        Layer::Ipv4 => (20, Some(10)),
        Layer::Ipv6 => (40, None),
        Layer::Tcp => (20, Some(16)),
        Layer::Udp => (8, Some(6)),
        Layer::Icmp => (8, Some(2)),
        Layer::Payload => (u16::MAX, None),
        Layer::Ip | Layer::Ports => {
            return Err(Wrong {
                message: format!("`{}` cannot be written because its header differs from packet to packet", field.path),
                hint: "name the protocol: `ipv4…`, `ipv6…`, `tcp…` or `udp…`".to_owned(),
            });
        }
    };
    if end > header {
        return Err(Wrong {
            message: format!("`{}` goes beyond the header's {header} bytes and cannot be written", field.path),
            hint: "write the next layer by its own name".to_owned(),
        });
    }
    if own_checksum.is_some_and(|at| start < at + 2 && at < end) {
        return Err(Wrong {
            message: format!("`{}` holds a checksum and cannot be written", field.path),
            hint: "leave it out: checksums are updated automatically".to_owned(),
        });
    }
    Ok(())
}

/// Writes a value into a head, truncated to the bits of its field, and updates the checksums that cover it.
pub(super) fn write(head: &mut [u8], layers: &Layers, field: &HeaderBits, value: u64) {
    let bits = field.bits(layers);
    let Some(range) = bits.range(layers, head) else { return };
    let length = range.len();
    let mut old = [0; 8];
    old[..length].copy_from_slice(&head[range.clone()]);
    let mask = bits.mask << bits.shift;
    let changed = number(&old[..length]) & !mask | (value << bits.shift) & mask;
    let new = changed.to_be_bytes();
    let (old, new) = (&old[..length], &new[8 - length..]);
    if old == new {
        return;
    }
    head[range.clone()].copy_from_slice(new);

    let network = layers.network_start;
    let is_odd = |start: usize, of: usize| (start - of) % 2 == 1;
    match bits.layer {
        Layer::Ipv4 => {
            update(head, network + 10, old, new, is_odd(range.start, network));
            update_addresses(head, layers, network + 12..network + 20, range.start, old, new);
        }
        Layer::Ipv6 => update_addresses(head, layers, network + 8..network + 40, range.start, old, new),
        Layer::Tcp | Layer::Udp | Layer::Icmp | Layer::Payload => {
            if let (Some(transport), Some(at)) = (layers.transport, transport_checksum(head, layers)) {
                update(head, at, old, new, is_odd(range.start, transport));
                avoid_zero(head, layers, at);
            }
        }
        Layer::Ethernet | Layer::Vlan | Layer::Ip | Layer::Ports => {}
    }
}

/// Updates the checksums of TCP, UDP (RFC 9293, RFC 768) and ICMPv6 (RFC 4443), whose pseudo-header contains the
/// addresses.
fn update_addresses(
    head: &mut [u8],
    layers: &Layers,
    addresses: std::ops::Range<usize>,
    start: usize,
    old: &[u8],
    new: &[u8],
) {
    let (first, last) = (start.max(addresses.start), (start + old.len()).min(addresses.end));
    if first >= last || layers.network == Network::Ipv4 && is_icmp(layers) {
        return;
    }
    if let Some(at) = transport_checksum(head, layers) {
        let inside = first - start..last - start;
        update(head, at, &old[inside.clone()], &new[inside], (first - addresses.start) % 2 == 1);
        avoid_zero(head, layers, at);
    }
}

/// Returns the position of the transport checksum, if there is one and it is in the head.
fn transport_checksum(head: &[u8], layers: &Layers) -> Option<usize> {
    let offset = match layers.protocol {
        protocol::TCP => 16,
        protocol::UDP => 6,
        _ if is_icmp(layers) => 2,
        _ => return None,
    };
    let at = layers.transport? + offset;
    let sum = head.get(at..at + 2)?;
    // RFC 768: a checksum of zero means that the sender computed none.
    (layers.protocol != protocol::UDP || sum != [0, 0]).then_some(at)
}

fn update(head: &mut [u8], at: usize, old: &[u8], new: &[u8], at_odd_place: bool) {
    if let Some(sum) = head.get_mut(at..at + 2) {
        let updated = checksum::update(u16::from_be_bytes([sum[0], sum[1]]), old, new, at_odd_place);
        sum.copy_from_slice(&updated.to_be_bytes());
    }
}

/// RFC 768: a UDP checksum that is computed as zero is transmitted as all ones.
fn avoid_zero(head: &mut [u8], layers: &Layers, at: usize) {
    if layers.protocol == protocol::UDP && head[at..at + 2] == [0, 0] {
        head[at..at + 2].copy_from_slice(&[0xFF, 0xFF]);
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Port => "port",
            Self::Drop => "drop",
            Self::Header(field) => &field.path,
        })
    }
}
