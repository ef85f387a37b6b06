//! What the parser finds out about a packet (Triton, section 4.2).

use std::net::{IpAddr, Ipv4Addr};

use node::Reason;
use wire::{ChecksumState, Icmp, Ipv4, Ipv6, Layers, LinkLayer, Network, Packet, protocol};

use crate::preprocessor::{IndexUpdate, PayloadId};
use crate::reasons;
use crate::session::{FlowHasher, FlowId, FlowKey, Segment};

/// The properties of a packet that are known before any table is looked at. Its layout is fixed, and stands in
/// `docs/vswitch/metadata.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Metadata {
    /// The offsets of its headers.
    pub layers: Layers,
    /// The addresses of the IP packet: of the source and the destination.
    pub addresses: [IpAddr; 2],
    /// The flow, datagram or other packet that the packet belongs to.
    pub subject: Subject,
    /// The hash of the flow whose session the packet finds; of a fragment other than the first, that of the key without ports
    /// until the first one is found.
    pub hash: u64,
    /// The flow id that the flow index has for the hash. It may be stale, or that of another flow.
    pub flow: Option<FlowId>,
    /// What the flow index is told when the packet leaves.
    pub update: Option<IndexUpdate>,
    /// The place of the payload, if it waits apart from its headers.
    pub payload: Option<PayloadId>,
    /// In the first packet of a vector, the number of its packets; else 0.
    pub vector: u8,
}

/// The flow, datagram or other packet that a packet belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The flow with this key. If it is TCP, the segment says this.
    Flow {
        /// The key.
        key: FlowKey,
        /// What the packet says, if it is a whole segment of TCP.
        segment: Option<Segment>,
        /// The identification of the datagram, if the packet is its first fragment.
        first_of: Option<u32>,
    },
    /// A datagram of which this is a fragment other than the first, by the key without ports and its identification.
    Datagram {
        /// The key without ports.
        key: FlowKey,
        /// The identification of the datagram.
        identification: u32,
    },
    /// An ICMP error about a packet of the flow with this key, which went the other way.
    Error {
        /// The key of the packet that the error is about.
        about: FlowKey,
    },
}

/// The types of ICMP messages that ask something or answer it, with an identifier, and of errors about a packet, which they
/// contain (RFC 792, RFC 4443).
pub(crate) struct Messages {
    queries: &'static [u8],
    answers: &'static [u8],
    pub errors: &'static [u8],
}

pub(crate) const OF_ICMP: Messages = Messages { queries: &[8, 13], answers: &[0, 14], errors: &[3, 11, 12] };
pub(crate) const OF_ICMPV6: Messages = Messages { queries: &[128], answers: &[129], errors: &[1, 2, 3, 4] };

/// The length of an ICMP header, behind which an error has the packet that it is about.
const ICMP: usize = Icmp::<&[u8]>::LENGTH;
/// The length of an IPv6 header without extension headers.
const IPV6: usize = Ipv6::<&[u8]>::LENGTH;

impl Metadata {
    /// Reads a frame of a VPC, of which `vni` is the VXLAN network identifier, validates its headers, and hashes its flow.
    ///
    /// # Errors
    /// The reason to discard it.
    pub fn read(packet: &Packet, layers: Layers, vni: u32, hasher: &FlowHasher) -> Result<Self, Reason> {
        let head = packet.head.bytes();
        let addresses = addresses(head, &layers)?;
        if is_of_group(&addresses) {
            return Err(reasons::NOT_UNICAST_IP);
        }
        if layers.network_end > packet.len() {
            return Err(Reason::MALFORMED);
        }
        let subject = subject(head, &layers, vni, addresses)?;
        if matches!(subject, Subject::Error { .. }) && !is_error_right(packet, &layers) {
            return Err(Reason::MALFORMED);
        }
        let hash = hasher.hash(&match subject {
            Subject::Flow { key, .. } | Subject::Datagram { key, .. } => key,
            Subject::Error { about } => about.reversed(),
        });
        Ok(Self { layers, addresses, subject, hash, flow: None, update: None, payload: None, vector: 0 })
    }

    /// Returns the length of the IP packet, in bytes.
    pub fn ip_length(&self) -> usize {
        self.layers.network_end - self.layers.network_start
    }
}

/// Returns false if the checksum of an ICMP error, or that of the IPv4 header which it contains, is wrong (RFC 5508, REQ-3).
fn is_error_right(packet: &Packet, layers: &Layers) -> bool {
    let Some(start) = layers.transport else { return false };
    let head = packet.head.bytes();
    let about = head.get(start + ICMP..).unwrap_or(&[]);
    if layers.network == Network::Ipv4 && Ipv4::new(about).is_some_and(|ip| ip.is_checksum_right() == Some(false)) {
        return false;
    }
    is_icmp_right(packet, layers)
}

/// Returns false if the checksum of a message of ICMP is wrong. It cannot be compared without the bytes of the tail, nor behind extension
/// headers of IPv6: if one has a route, the checksum is about the last address of that (RFC 8200, section 8.1).
pub(crate) fn is_icmp_right(packet: &Packet, layers: &Layers) -> bool {
    let Some(start) = layers.transport else { return false };
    let is_extended = layers.network == Network::Ipv6 && start != layers.network_start + IPV6;
    if is_extended || !packet.has_bytes() || packet.sidecar.checksum != ChecksumState::Unknown {
        return true;
    }
    let mut sum = packet.sum(start..layers.network_end);
    if layers.network == Network::Ipv6 {
        // RFC 4443, section 2.3: the pseudo-header is summed too.
        sum.add_sum(packet.sum(layers.network_start + 8..layers.network_start + 40));
        sum.add_word(u16::from(layers.protocol));
        sum.add_word((layers.network_end - start) as u16);
    }
    sum.checksum() == 0
}

/// Returns true if the source or the destination of a packet is a group, or the destination is everybody.
pub(crate) fn is_of_group(addresses: &[IpAddr; 2]) -> bool {
    addresses[1] == IpAddr::V4(Ipv4Addr::BROADCAST) || addresses.iter().any(IpAddr::is_multicast)
}

/// Returns the key of a packet whose addresses may be those of groups, if it can be read; as [`Metadata::read`] would find it.
pub(crate) fn key_of(packet: &Packet, layers: &Layers, vni: u32) -> Option<FlowKey> {
    let head = packet.head.bytes();
    match subject(head, layers, vni, addresses(head, layers).ok()?).ok()? {
        Subject::Flow { key, .. } | Subject::Datagram { key, .. } => Some(key),
        Subject::Error { .. } => None,
    }
}

/// Returns the addresses of an IP packet whose header is valid.
fn addresses(head: &[u8], layers: &Layers) -> Result<[IpAddr; 2], Reason> {
    let network = head.get(layers.network_start..).ok_or(Reason::MALFORMED)?;
    match layers.network {
        Network::None => Err(reasons::NOT_UNICAST_IP),
        Network::Ipv4 => {
            let header = Ipv4::new(network).ok_or(Reason::MALFORMED)?;
            if header.is_checksum_right() == Some(false) {
                return Err(Reason::MALFORMED);
            }
            Ok([header.source().into(), header.destination().into()])
        }
        Network::Ipv6 => {
            let header = Ipv6::new(network).ok_or(Reason::MALFORMED)?;
            let addresses = [header.source(), header.destination()];
            // An address that stands for one of IPv4 never is on the wire (RFC 4291, section 2.5.5.2; RFC 6890).
            if addresses.iter().any(|address| address.to_ipv4_mapped().is_some()) {
                return Err(Reason::MALFORMED);
            }
            Ok(addresses.map(Into::into))
        }
    }
}

fn subject(head: &[u8], layers: &Layers, vni: u32, addresses: [IpAddr; 2]) -> Result<Subject, Reason> {
    let key = |ports| FlowKey::new(vni, addresses, layers.protocol, ports);
    let identification = if layers.is_fragment { Some(identification(head, layers)?) } else { None };
    let Some(start) = layers.transport else {
        return match identification {
            Some(_) if is_header_overlapped(head, layers) => Err(Reason::MALFORMED),
            Some(identification) => Ok(Subject::Datagram { key: key([0, 0]), identification }),
            // Encryption hides the transport layer, or there is none.
            None if matches!(layers.protocol, protocol::ESP | protocol::NO_NEXT_HEADER) => {
                Ok(Subject::Flow { key: key([0, 0]), segment: None, first_of: None })
            }
            None => Err(Reason::MALFORMED),
        };
    };
    // What lies behind the end of the packet is none of it.
    let head = &head[..head.len().min(layers.network_end)];
    let transport = head.get(start..).unwrap_or(&[]);
    let messages = match layers.protocol {
        protocol::ICMP if layers.network == Network::Ipv4 => Some(OF_ICMP),
        protocol::ICMPV6 if layers.network == Network::Ipv6 => Some(OF_ICMPV6),
        protocol::ICMP | protocol::ICMPV6 => return Err(Reason::MALFORMED),
        _ => None,
    };
    let mut is_answer = false;
    let ports = match messages {
        Some(messages) => {
            let message = Icmp::new(transport).ok_or(Reason::MALFORMED)?;
            if messages.errors.contains(&message.kind()) && identification.is_none() {
                return about(head, start + ICMP, layers, vni).map(|about| Subject::Error { about });
            }
            is_answer = messages.answers.contains(&message.kind());
            if !is_answer && !messages.queries.contains(&message.kind()) {
                return Err(reasons::UNSUPPORTED);
            }
            [message.identifier(); 2]
        }
        None => ports(layers, transport)?,
    };
    let segment = match layers.protocol {
        protocol::TCP => {
            let payload = layers.payload.ok_or(Reason::MALFORMED)?;
            Some(Segment::read(transport, (layers.network_end - payload) as u32).ok_or(Reason::MALFORMED)?)
        }
        _ => None,
    };
    let key = if is_answer { key(ports).answer() } else { key(ports) };
    Ok(Subject::Flow { key, segment, first_of: identification })
}

fn ports(layers: &Layers, transport: &[u8]) -> Result<[u16; 2], Reason> {
    if !layers.has_ports() {
        return Ok([0, 0]);
    }
    let ports = transport.first_chunk::<4>().ok_or(Reason::MALFORMED)?;
    Ok([[ports[0], ports[1]], [ports[2], ports[3]]].map(u16::from_be_bytes))
}

/// Returns the identification of the datagram that a fragment belongs to.
fn identification(head: &[u8], layers: &Layers) -> Result<u32, Reason> {
    let network = head.get(layers.network_start..).ok_or(Reason::MALFORMED)?;
    match layers.network {
        Network::Ipv4 => Ok(Ipv4::new(network).ok_or(Reason::MALFORMED)?.identification().into()),
        // RFC 8200, section 4.5: the last four bytes of the fragment header, which is the last one before the fragment.
        _ => fragment_header(network).map(|header| u32::from_be_bytes([header[4], header[5], header[6], header[7]])),
    }
}

/// Returns the fragment header of an IPv6 packet.
fn fragment_header(network: &[u8]) -> Result<&[u8; 8], Reason> {
    let mut number = network.get(6).copied().ok_or(Reason::MALFORMED)?;
    let mut at = Ipv6::<&[u8]>::LENGTH;
    // Not more headers than the layers were looked for in.
    for _ in 0..8 {
        let header = network.get(at..).and_then(<[u8]>::first_chunk::<8>).ok_or(Reason::MALFORMED)?;
        if number == protocol::FRAGMENT {
            return Ok(header);
        }
        let units = usize::from(header[1]);
        at += if number == protocol::AUTHENTICATION { (units + 2) * 4 } else { (units + 1) * 8 };
        number = header[0];
    }
    Err(Reason::MALFORMED)
}

/// Returns true if a fragment other than the first lies where the header of TCP was, which is never so in good faith (RFC
/// 3128, section 2).
fn is_header_overlapped(head: &[u8], layers: &Layers) -> bool {
    let offset = match layers.network {
        Network::Ipv4 => head.get(layers.network_start..).and_then(Ipv4::new).map_or(0, |ip| ip.fragment_offset()),
        _ => return false,
    };
    layers.protocol == protocol::TCP && offset < 20
}

/// Returns the key of the packet that an ICMP error contains from an offset on.
fn about(head: &[u8], start: usize, outer: &Layers, vni: u32) -> Result<FlowKey, Reason> {
    // Only the beginning of the packet is there, so that its own length says nothing.
    let inner = Layers::parse_from(LinkLayer::Ip, head, start, outer.network_end);
    if inner.network != outer.network {
        return Err(Reason::MALFORMED);
    }
    let addresses = match inner.network {
        Network::Ipv4 => {
            let header = head.get(start..).and_then(Ipv4::new).ok_or(Reason::MALFORMED)?;
            [header.source().into(), header.destination().into()]
        }
        _ => {
            let header = head.get(start..).and_then(Ipv6::new).ok_or(Reason::MALFORMED)?;
            [header.source().into(), header.destination().into()]
        }
    };
    let transport = inner.transport.and_then(|at| head.get(at..)).ok_or(reasons::UNSUPPORTED)?;
    let key = |ports| FlowKey::new(vni, addresses, inner.protocol, ports);
    let messages = match inner.protocol {
        protocol::ICMP => OF_ICMP,
        protocol::ICMPV6 => OF_ICMPV6,
        _ => return Ok(key(ports(&inner, transport)?)),
    };
    let message = Icmp::new(transport).ok_or(reasons::UNSUPPORTED)?;
    let key = key([message.identifier(); 2]);
    Ok(if messages.answers.contains(&message.kind()) { key.answer() } else { key })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::mem::offset_of;

    use super::*;

    /// The page of the documentation has the offset and the size of every part.
    #[test]
    fn the_layout_is_the_one_of_the_documentation() {
        let page = include_str!("../../../docs/vswitch/metadata.md");
        let mut rows = String::new();
        macro_rules! row {
            ($name:ident, $kind:ty) => {
                let _ = writeln!(
                    rows,
                    "| {} | {} | `{}` |",
                    offset_of!(Metadata, $name),
                    size_of::<$kind>(),
                    stringify!($name)
                );
            };
        }
        row!(layers, Layers);
        row!(addresses, [IpAddr; 2]);
        row!(subject, Subject);
        row!(hash, u64);
        row!(flow, Option<FlowId>);
        row!(update, Option<IndexUpdate>);
        row!(payload, Option<PayloadId>);
        row!(vector, u8);
        for row in rows.lines() {
            assert!(page.contains(row), "the page lacks {row}");
        }
        assert!(page.contains(&format!("{} bytes", size_of::<Metadata>())), "{} bytes", size_of::<Metadata>());
    }
}
