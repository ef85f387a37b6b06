//! `[underlay]`.

use std::net::IpAddr;
use std::ops::Range;

use node::Port;
use plans::Section;

use super::values::{addresses, mac};
use crate::configuration::Underlay;

/// The underlay, and where its entries stand.
pub struct Placed {
    pub value: Underlay,
    pub interface: Range<usize>,
}

/// The lengths of IP packets that a network can carry: from what every IPv6 network carries (RFC 8200, section 5) on.
const MTU: std::ops::RangeInclusive<u64> = 1280..=65_535;

pub fn read(section: Section<'_>, text: &mut String) -> Option<Placed> {
    if !section.is_given() {
        section.end(text);
        return None;
    }
    section.require("interface", "the interface that leads to the data centre: interface = \"eth1\"");
    section.require("mac", "its Ethernet address: mac = \"02:00:00:00:00:01\"");
    section.require("addresses", "the tunnel endpoints of this switch: addresses = [\"192.0.2.1\"]");
    section.require("next_hop", "the Ethernet address of the router, or of the only other switch: next_hop = \"02:…\"");
    let name = section.text("interface").map(|(name, _)| name).unwrap_or_default();
    let own = addresses(&section, "addresses");
    let mut kept: Vec<IpAddr> = Vec::new();
    for (address, span) in own {
        if kept.iter().any(|other| other.is_ipv4() == address.is_ipv4()) {
            let version = if address.is_ipv4() { "IPv4" } else { "IPv6" };
            section.error(&span, format!("a second address of {version}"), "a switch has at most one of each version");
        } else {
            kept.push(address);
        }
    }
    let value = Underlay {
        interface: name,
        port: Port(0),
        mac: mac(&section, "mac").unwrap_or_default(),
        addresses: kept,
        mtu: section.count("mtu", MTU, 1500) as u32,
        next_hop: mac(&section, "next_hop").unwrap_or_default(),
    };
    let interface = section.span_of("interface");
    section.end(text);
    Some(Placed { value, interface })
}
