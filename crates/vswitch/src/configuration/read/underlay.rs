//! `[underlay]`, with its paths.

use std::net::IpAddr;
use std::ops::Range;

use node::Port;
use plans::Section;

use super::values::{mac, next_hop, some_addresses};
use crate::configuration::{NextHop, Probes, Underlay, UnderlayPath};

/// The underlay, and where its entries stand.
pub struct Placed {
    pub value: Underlay,
    /// The place of each path's interface, and of its next hop.
    pub paths: Vec<[Range<usize>; 2]>,
}

/// The lengths of IP packets that a network can carry: from what every IPv6 network carries (RFC 8200, section 5) on.
const MTU: std::ops::RangeInclusive<u64> = 1280..=65_535;

pub fn read(section: Section<'_>, text: &mut String) -> Option<Placed> {
    if !section.is_given() {
        section.end(text);
        return None;
    }
    section.require("addresses", "the tunnel endpoints of this switch: addresses = [\"192.0.2.1\"]");
    let own = some_addresses(&section, "addresses", "the underlay");
    let mut kept: Vec<IpAddr> = Vec::new();
    for (address, span) in own {
        if kept.iter().any(|other| other.is_ipv4() == address.is_ipv4()) {
            let version = if address.is_ipv4() { "IPv4" } else { "IPv6" };
            section.error(&span, format!("a second address of {version}"), "a switch has at most one of each version");
        } else {
            kept.push(address);
        }
    }
    let mut below = String::new();
    // The first path may stand in the section itself.
    let sections = section.sections("path");
    let has_own = sections.is_empty() || ["interface", "mac", "next_hop"].iter().any(|name| section.has(name));
    let mut paths: Vec<(UnderlayPath, [Range<usize>; 2])> = has_own.then(|| path(&section)).into_iter().collect();
    for section in sections {
        paths.push(path(&section));
        section.end(&mut below);
    }
    let usual = Probes::default();
    let probes = Probes {
        interval: section.positive("probe_interval", usual.interval),
        count: section.count("probe_count", 1..=1000, usual.count.into()) as u32,
    };
    let (paths, places) = paths.into_iter().unzip();
    let value = Underlay { paths, addresses: kept, mtu: section.count("mtu", MTU, 1500) as u32, probes };
    section.end(text);
    text.push_str(&below);
    Some(Placed { value, paths: places })
}

fn path(section: &Section<'_>) -> (UnderlayPath, [Range<usize>; 2]) {
    section.require("interface", "the interface that leads to the data centre: interface = \"eth1\"");
    section.require("mac", "its Ethernet address: mac = \"02:00:00:00:00:01\"");
    let path = UnderlayPath {
        interface: section.text("interface").map(|(name, _)| name).unwrap_or_default(),
        port: Port(0),
        mac: mac(section, "mac").unwrap_or_default(),
        next_hop: next_hop(section, "next_hop").unwrap_or(NextHop::Neighbours),
    };
    if path.next_hop == NextHop::Mac(path.mac) {
        let hint = "give the Ethernet address of the router, or leave it out: then neighbours are resolved";
        section.error(&section.span_of("next_hop"), "the next hop is this switch itself", hint);
    }
    (path, [section.span_of("interface"), section.span_of("next_hop")])
}
