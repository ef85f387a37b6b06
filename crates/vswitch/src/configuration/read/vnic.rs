//! `[[vnic]]`.

use std::ops::Range;

use node::Port;
use plans::Section;

use super::limits::session_rate;
use super::names::Names;
use super::values::{mac, some_addresses};
use crate::configuration::{SessionRate, Vnic};

/// A vNIC, and where its entries stand.
pub struct Placed {
    pub value: Vnic,
    pub interface: Range<usize>,
    pub mac: Range<usize>,
    pub addresses: Vec<Range<usize>>,
    pub mtu: Range<usize>,
    pub name: Range<usize>,
    /// Whether its VPC is known.
    pub has_vpc: bool,
}

pub fn read(
    section: Section<'_>,
    port: Port,
    (vpcs, groups): (&Names, &Names),
    rate: SessionRate,
    text: &mut String,
) -> Placed {
    let name = section.hidden_text("name").map(|(name, _)| name).unwrap_or_default();
    section.require("interface", "the interface that leads to the guest: interface = \"tap0\"");
    section.require("vpc", "the VPC: vpc = \"…\"");
    section.require("mac", "the guest's Ethernet address: mac = \"02:00:00:00:00:01\"");
    section.require("addresses", "the guest's IP addresses: addresses = [\"10.0.1.7\"]");
    let interface = section.text("interface").map(|(name, _)| name).unwrap_or_default();
    let vpc = section.text("vpc").and_then(|(name, span)| vpcs.find(&section, &name, &span));
    let named = section.texts("security_groups").into_iter();
    let groups = named.filter_map(|(name, span)| groups.find(&section, &name, &span)).collect();
    let (own, places) = some_addresses(&section, "addresses", "the vNIC").into_iter().unzip();
    let value = Vnic {
        name,
        interface,
        port,
        vpc: vpc.unwrap_or(0),
        mac: mac(&section, "mac").unwrap_or_default(),
        addresses: own,
        groups,
        mtu: section.count("mtu", 576..=65_535, 1500) as u32,
        session_rate: session_rate(&section, rate),
    };
    let places = Placed {
        value,
        interface: section.span_of("interface"),
        mac: section.span_of("mac"),
        addresses: places,
        mtu: section.span_of("mtu"),
        name: section.span_of("name"),
        has_vpc: vpc.is_some(),
    };
    section.end(text);
    places
}
