//! Changes to the headers of a frame.

use node::Reason;
use wire::{Ethernet, Ipv4, Ipv6, Layers, Network, Packet, checksum};

use crate::configuration::MacAddress;
use crate::reasons;

/// Writes the Ethernet addresses of a frame.
pub fn set_ethernet(packet: &mut Packet, source: MacAddress, destination: MacAddress) {
    if let Some(mut ethernet) = Ethernet::new(packet.head.bytes_mut()) {
        ethernet.set_source(source);
        ethernet.set_destination(destination);
    }
}

/// Counts the time to live, or the hop limit, of a packet down.
///
/// # Errors
/// If it is used up.
pub fn decrement_time_to_live(packet: &mut Packet, layers: &Layers) -> Result<(), Reason> {
    let Some(network) = packet.head.bytes_mut().get_mut(layers.network_start..) else { return Err(Reason::MALFORMED) };
    match layers.network {
        Network::None => Err(Reason::MALFORMED),
        Network::Ipv4 => {
            let mut ip = Ipv4::new(network).ok_or(Reason::MALFORMED)?;
            let left = ip.time_to_live();
            if left <= 1 {
                return Err(reasons::TIME_EXCEEDED);
            }
            // The time to live is the high byte of a word (RFC 1141).
            let word = [left, ip.protocol()];
            let sum = checksum::update(ip.checksum(), &word, &[left - 1, word[1]], false);
            ip.set_time_to_live(left - 1);
            ip.set_checksum(sum);
            Ok(())
        }
        Network::Ipv6 => {
            let mut ip = Ipv6::new(network).ok_or(Reason::MALFORMED)?;
            if ip.hop_limit() <= 1 {
                return Err(reasons::TIME_EXCEEDED);
            }
            ip.set_hop_limit(ip.hop_limit() - 1);
            Ok(())
        }
    }
}

/// Writes the code point for Differentiated Services of an IP packet (RFC 2474), of which the layers are known.
pub fn set_dscp(packet: &mut Packet, layers: &Layers, dscp: u8) {
    set_class(packet.head.bytes_mut(), layers, |class| dscp << 2 | class & 3);
}

/// Changes the byte of an IP header that holds the code point for Differentiated Services and the congestion mark.
pub fn set_class(head: &mut [u8], layers: &Layers, change: impl FnOnce(u8) -> u8) {
    let Some(network) = head.get_mut(layers.network_start..) else { return };
    match layers.network {
        Network::Ipv4 => {
            if let Some(mut ip) = Ipv4::new(network) {
                let old = [ip.bytes()[0], ip.bytes()[1]];
                let new = [old[0], change(old[1])];
                let sum = checksum::update(ip.checksum(), &old, &new, false);
                ip.set_traffic_class(new[1]);
                ip.set_checksum(sum);
            }
        }
        Network::Ipv6 => {
            if let Some(mut ip) = Ipv6::new(network) {
                let word = ip.version_class_flow();
                let class = change((word >> 20) as u8);
                ip.set_version_class_flow(word & !(0xFF << 20) | u32::from(class) << 20);
            }
        }
        Network::None => {}
    }
}
