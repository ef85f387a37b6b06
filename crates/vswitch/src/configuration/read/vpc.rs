//! `[[vpc]]`, with its subnets and routes.

use std::ops::Range;

use plans::Section;

use super::names::Names;
use super::values::{address, mac, prefix};
use crate::configuration::{MacAddress, Route, RouteTarget, Subnet, Vpc};

/// A VPC, and where its entries stand.
pub struct Placed {
    pub value: Vpc,
    pub vni: Range<usize>,
    /// The place of each route's prefix and of its endpoint.
    pub routes: Vec<[Range<usize>; 2]>,
}

/// The Ethernet address that gateways have unless a VPC says otherwise: locally administered, and the same on every switch,
/// so that a guest can move.
const GATEWAY: MacAddress = [0x02, 0x00, 0x00, 0x00, 0x00, 0xFE];

pub fn read(section: Section<'_>, pools: &Names, text: &mut String) -> Placed {
    let name = section.hidden_text("name").map(|(name, _)| name).unwrap_or_default();
    section.require("vni", "the VXLAN network identifier: vni = 7001");
    // RFC 7348, section 5: 24 bits. 0 is no network here.
    let vni = section.optional_count("vni", 1..=0xFF_FFFF).unwrap_or(0) as u32;
    let place = section.span_of("vni");
    let gateway_mac = mac(&section, "gateway_mac").unwrap_or(GATEWAY);
    let mut below = String::new();
    let subnets = section.sections("subnet").into_iter().filter_map(|section| subnet(section, &mut below)).collect();
    let (mut routes, mut places) = (Vec::new(), Vec::new());
    for section in section.sections("route") {
        if let Some((route, place)) = route(section, pools, &mut below) {
            routes.push(route);
            places.push(place);
        }
    }
    section.end(text);
    text.push_str(&below);
    Placed { value: Vpc { name, vni, gateway_mac, subnets, routes }, vni: place, routes: places }
}

fn subnet(section: Section<'_>, text: &mut String) -> Option<Subnet> {
    section.require("prefix", "the addresses: prefix = \"10.0.1.0/24\"");
    section.require("gateway", "the gateway's address: gateway = \"10.0.1.1\"");
    let (prefix, gateway) = (prefix(&section, "prefix"), address(&section, "gateway"));
    let subnet = match (prefix, gateway) {
        (Some((prefix, _)), Some((gateway, span))) => {
            if !prefix.contains(gateway) {
                section.error(
                    &span,
                    format!("the gateway {gateway} is not in {prefix}"),
                    "use an address of the subnet",
                );
            }
            Some(Subnet { prefix, gateway })
        }
        _ => None,
    };
    section.end(text);
    subnet
}

fn route(section: Section<'_>, pools: &Names, text: &mut String) -> Option<(Route, [Range<usize>; 2])> {
    section.require("prefix", "the destinations: prefix = \"10.0.2.0/24\"");
    let destinations = prefix(&section, "prefix");
    let endpoint = address(&section, "endpoint");
    let is_blackhole = section.flag("blackhole", false);
    let mac = mac(&section, "mac");
    let mtu = section.optional_count("mtu", 576..=65_535).map(|mtu| mtu as u32);
    let nat = section.text("nat");
    let targets = usize::from(section.has("endpoint")) + usize::from(is_blackhole) + usize::from(nat.is_some());
    if targets != 1 {
        let hint =
            "give one of `endpoint`, the tunnel endpoint of another switch, `nat`, a pool, or `blackhole = true`";
        section.error(section.span(), "a route leads to one place", hint);
    }
    let target = match (endpoint, nat) {
        (Some((address, span)), _) => Some((RouteTarget::Endpoint { address, mac }, span)),
        (None, Some((name, span))) => pools.find(&section, &name, &span).map(|nat| (RouteTarget::Nat(nat), span)),
        _ => Some((RouteTarget::Blackhole, section.span_of("blackhole"))),
    };
    section.end(text);
    let ((prefix, place), (target, span)) = (destinations?, target?);
    Some((Route { prefix, target, mtu }, [place, span]))
}
