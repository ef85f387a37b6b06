//! `[[vpc]]`, with its subnets and routes.

use std::ops::Range;

use plans::Section;

use super::names::Names;
use super::values::{address, mac, prefix};
use crate::configuration::{MacAddress, Prefix, Route, RouteTarget, Subnet, Vpc, address as first_address};

/// A VPC, and where its entries stand.
pub struct Placed {
    pub value: Vpc,
    pub vni: Range<usize>,
    /// The place of each subnet's prefix and of its gateway.
    pub subnets: Vec<[Range<usize>; 2]>,
    /// Whether every subnet could be read.
    pub has_all_subnets: bool,
    pub routes: Vec<RoutePlaces>,
}

/// Where the entries of a route stand.
#[derive(Clone)]
pub struct RoutePlaces {
    pub prefix: Range<usize>,
    /// The place of the endpoint, of the pool, or of `blackhole`.
    pub target: Range<usize>,
    pub mtu: Range<usize>,
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
    let errors = section.errors();
    let sections = section.sections("subnet");
    let has_list = section.errors() == errors;
    let read: Vec<_> = sections.into_iter().map(|section| subnet(section, &mut below)).collect();
    let has_all_subnets = has_list && read.iter().all(Option::is_some);
    let (subnets, subnet_places) = read.into_iter().flatten().unzip();
    let routes = section.sections("route").into_iter().filter_map(|section| route(section, pools, &mut below));
    let (routes, route_places) = routes.unzip();
    section.end(text);
    text.push_str(&below);
    Placed {
        value: Vpc { name, vni, gateway_mac, subnets, routes },
        vni: place,
        subnets: subnet_places,
        has_all_subnets,
        routes: route_places,
    }
}

fn subnet(section: Section<'_>, text: &mut String) -> Option<(Subnet, [Range<usize>; 2])> {
    section.require("prefix", "the addresses: prefix = \"10.0.1.0/24\"");
    section.require("gateway", "the gateway's address: gateway = \"10.0.1.1\"");
    let (prefix, gateway) = (prefix(&section, "prefix"), address(&section, "gateway"));
    let subnet = match (prefix, gateway) {
        (Some((prefix, place)), Some((gateway, span))) => {
            if !prefix.contains(gateway) {
                section.error(
                    &span,
                    format!("the gateway {gateway} is not in {prefix}"),
                    "use an address of the subnet",
                );
            }
            Some((Subnet { prefix, gateway }, [place, span]))
        }
        _ => None,
    };
    section.end(text);
    subnet
}

fn route(section: Section<'_>, pools: &Names, text: &mut String) -> Option<(Route, RoutePlaces)> {
    section.require("prefix", "the destinations: prefix = \"10.0.2.0/24\"");
    let destinations = prefix(&section, "prefix");
    if let Some((prefix, span)) = destinations.as_ref().filter(|(prefix, _)| is_of_groups(prefix)) {
        let hint = "packets to groups are dropped whatever routes there are: leave it out";
        section.error(span, format!("{prefix} has addresses of groups alone"), hint);
    }
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
    } else if section.has("mac") && !section.has("endpoint") {
        let hint = "leave it out: frames in a tunnel to an `endpoint` have it";
        section.error(&section.span_of("mac"), "`mac` of a route without `endpoint`", hint);
    } else if section.has("mtu") && is_blackhole {
        section.error(&section.span_of("mtu"), "`mtu` of a route that leads nowhere", "leave it out");
    }
    let place_of_mtu = section.span_of("mtu");
    let target = match (endpoint, nat) {
        (Some((address, span)), _) => Some((RouteTarget::Endpoint { address, mac }, span)),
        (None, Some((name, span))) => pools.find(&section, &name, &span).map(|nat| (RouteTarget::Nat(nat), span)),
        _ => Some((RouteTarget::Blackhole, section.span_of("blackhole"))),
    };
    section.end(text);
    let ((prefix, place), (target, span)) = (destinations?, target?);
    Some((Route { prefix, target, mtu }, RoutePlaces { prefix: place, target: span, mtu: place_of_mtu }))
}

/// Returns true for prefixes that have nothing but addresses of groups: 224.0.0.0/4 (RFC 5771) and ff00::/8 (RFC 4291, section 2.7).
fn is_of_groups(prefix: &Prefix) -> bool {
    let (length, least) = prefix.of_ipv4().map_or((prefix.length(), 8), |(_, length)| (length, 4));
    length >= least && first_address(prefix.number()).is_multicast()
}
