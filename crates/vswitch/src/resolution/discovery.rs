//! Neighbour discovery (RFC 4861).

use std::net::Ipv6Addr;

use wire::checksum::Sum;
use wire::{Ethernet, Icmp, Ipv6, Layers, Network, Packet, ether_type, protocol};

use crate::configuration::MacAddress;

const ETHERNET: usize = Ethernet::<&[u8]>::LENGTH;
const IPV6: usize = Ipv6::<&[u8]>::LENGTH;
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;
/// The length of a message without options, and with that for an Ethernet address.
const SHORTEST: usize = 24;
const LENGTH: usize = 32;
/// The options for the Ethernet address of the source, in solicitations, and of the target, in advertisements.
const OPTIONS: [u8; 2] = [1, 2];

/// The flags of advertisements.
pub mod flag {
    /// It comes from a router.
    pub const ROUTER: u8 = 0x80;
    /// It answers a solicitation.
    pub const SOLICITED: u8 = 0x40;
    /// It takes the place of what is known.
    pub const OVERRIDE: u8 = 0x20;
}

/// What a message of neighbour discovery says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoveryKind {
    /// Somebody asks who has the target.
    Solicitation,
    /// Somebody has the target, with these flags.
    Advertisement(u8),
}

/// Returns true if a type of ICMPv6 is that of a message of neighbour discovery that is read.
pub fn is_kind(kind: u8) -> bool {
    matches!(kind, SOLICITATION | ADVERTISEMENT)
}

/// A solicitation or an advertisement of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiscoveryMessage {
    /// What it says.
    pub kind: DiscoveryKind,
    /// The source address; the unspecified one for a host that has none yet.
    pub source: Ipv6Addr,
    /// The destination address.
    pub destination: Ipv6Addr,
    /// The address that it is about.
    pub target: Ipv6Addr,
    /// The Ethernet address of the one who solicits, or of the target that is advertised.
    pub mac: Option<MacAddress>,
}

impl DiscoveryMessage {
    /// Reads the message in a frame. Returns `None` if there is none, and the error if it must be discarded (RFC 4861, sections
    /// 7.1.1 and 7.1.2).
    pub fn read(head: &[u8], layers: &Layers) -> Option<Result<Self, Malformed>> {
        let message = layers.transport.and_then(|start| head.get(start..layers.network_end.min(head.len())))?;
        let is_icmp = layers.network == Network::Ipv6 && layers.protocol == protocol::ICMPV6 && !layers.is_fragment;
        let kind = match Icmp::new(message).filter(|_| is_icmp)?.kind() {
            SOLICITATION => DiscoveryKind::Solicitation,
            ADVERTISEMENT => DiscoveryKind::Advertisement(message.get(4).copied().unwrap_or(0)),
            _ => return None,
        };
        let ip = Ipv6::new(&head[layers.network_start..])?;
        let (source, destination) = (ip.source(), ip.destination());
        if ip.hop_limit() != 255 || message.len() < SHORTEST || sum(&ip, message).checksum() != 0 {
            return Some(Err(Malformed));
        }
        let target = Ipv6Addr::from_bits(u128::from_be_bytes(*message[8..].first_chunk()?));
        let wanted = OPTIONS[usize::from(kind != DiscoveryKind::Solicitation)];
        let mut options = &message[SHORTEST..];
        let mut mac = None;
        while let [kind, length, rest @ ..] = options {
            // Lengths are in units of eight bytes; one of zero makes the whole message invalid (section 4.6).
            let end = usize::from(*length) * 8;
            if end == 0 || end > options.len() {
                return Some(Err(Malformed));
            }
            if *kind == wanted && *length == 1 {
                mac = rest.first_chunk::<6>().copied();
            }
            options = &options[end..];
        }
        Some(Ok(Self { kind, source, destination, target, mac }))
    }

    /// Returns the frame with the message, between two Ethernet addresses.
    pub fn frame(&self, [from, to]: [MacAddress; 2]) -> Packet {
        let length = if self.mac.is_some() { LENGTH } else { SHORTEST };
        let mut frame = vec![0; ETHERNET + IPV6 + length];
        let mut ethernet = Ethernet::new(&mut frame[..]).expect("long enough");
        ethernet.set_destination(to);
        ethernet.set_source(from);
        ethernet.set_ether_type(ether_type::IPV6);
        let message = &mut frame[ETHERNET + IPV6..];
        let option = match self.kind {
            DiscoveryKind::Solicitation => {
                message[0] = SOLICITATION;
                OPTIONS[0]
            }
            DiscoveryKind::Advertisement(flags) => {
                (message[0], message[4]) = (ADVERTISEMENT, flags);
                OPTIONS[1]
            }
        };
        message[8..24].copy_from_slice(&self.target.octets());
        if let Some(mac) = self.mac {
            message[24..26].copy_from_slice(&[option, 1]);
            message[26..32].copy_from_slice(&mac);
        }
        let mut ip = Ipv6::new(&mut frame[ETHERNET..]).expect("long enough");
        ip.set_version_class_flow(6 << 28);
        ip.set_payload_length(length as u16);
        ip.set_next_header(protocol::ICMPV6);
        ip.set_hop_limit(255);
        ip.set_source_bits(self.source.to_bits());
        ip.set_destination_bits(self.destination.to_bits());
        let checksum = sum(&ip, &ip.bytes()[IPV6..]).checksum();
        Icmp::new(&mut frame[ETHERNET + IPV6..]).expect("long enough").set_checksum(checksum);
        Packet::of_bytes(&frame)
    }
}

/// The reason why a message is discarded: it does not hold what RFC 4861 demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Returns the sum of the pseudo-header (RFC 8200, section 8.1) and of a message of ICMPv6.
fn sum<T: AsRef<[u8]>>(ip: &Ipv6<T>, message: &[u8]) -> Sum {
    let mut sum = Sum::default();
    sum.add(&ip.bytes()[8..40]);
    sum.add_word(message.len() as u16);
    sum.add_word(u16::from(protocol::ICMPV6));
    sum.add(message);
    sum
}
