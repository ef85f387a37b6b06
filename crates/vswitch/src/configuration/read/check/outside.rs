//! The outside of the virtual networks: pools, and interfaces.

use std::net::IpAddr;

use plans::Section;

use super::{Sections, endpoint};
use crate::configuration::{MirrorTarget, NextHop};

/// Reports addresses of pools that somebody else has.
pub fn pools(root: &Section<'_>, sections: &Sections<'_>) {
    let all = || sections.nats.iter().flat_map(|placed| placed.value.addresses.iter().zip(&placed.addresses));
    for (position, (address, span)) in all().enumerate() {
        if all().take(position).any(|(other, _)| other == address) {
            root.error(span, format!("{address} is in a pool already"), "each address belongs to one pool");
            continue;
        }
        if sections.underlay.is_some_and(|underlay| underlay.value.addresses.contains(address)) {
            let hint = "use another address: packets to this one are those of tunnels";
            root.error(span, format!("{address} is a tunnel endpoint of this switch"), hint);
        } else if remote(sections).any(|remote| remote == *address) {
            let hint = "use an address that the underlay routes to this switch";
            root.error(span, format!("{address} is the address of another host of the underlay"), hint);
        } else if let Some(owner) = (0..sections.vpcs.len()).find_map(|vpc| super::owner(sections, vpc, *address)) {
            let hint = "use an address that the underlay routes to this switch, and that is in no VPC";
            root.error(span, format!("{address} is the address of {owner}"), hint);
        }
    }
}

/// Returns the addresses of other hosts of the underlay that the configuration names: tunnel endpoints and routers.
fn remote(sections: &Sections<'_>) -> impl Iterator<Item = IpAddr> {
    let of_routes = sections.vpcs.iter().flat_map(|vpc| &vpc.value.routes).filter_map(|route| route.endpoint());
    let of_mirrors = sections.mirrors.iter().filter_map(|mirror| match mirror.value.target {
        MirrorTarget::Endpoint { address, .. } => Some(address),
        MirrorTarget::Vnic(_) => None,
    });
    let of_reliable = sections.reliable.iter().flat_map(|reliable| reliable.value.endpoints.iter().copied());
    let paths = sections.underlay.iter().flat_map(|underlay| &underlay.value.paths);
    let routers = paths.filter_map(|path| match path.next_hop {
        NextHop::Router(address) => Some(address),
        NextHop::Mac(_) | NextHop::Neighbours => None,
    });
    of_routes.chain(of_mirrors).chain(of_reliable).chain(routers)
}

/// Reports interfaces that are used twice, and routers that this switch cannot ask for their Ethernet addresses.
pub fn interfaces(root: &Section<'_>, sections: &Sections<'_>) {
    let of_vnics = sections.vnics.iter().map(|placed| (&placed.value.interface, &placed.interface));
    let paths = sections.underlay.iter().flat_map(|underlay| underlay.value.paths.iter().zip(&underlay.paths));
    let of_underlay = paths.map(|(path, [interface, _])| (&path.interface, interface));
    let mut all: Vec<_> = of_vnics.chain(of_underlay).filter(|(name, _)| !name.is_empty()).collect();
    all.sort_by_key(|(_, span)| span.start);
    for (position, (name, span)) in all.iter().enumerate() {
        if all[..position].iter().any(|(other, _)| other == name) {
            root.error(span, format!("the interface `{name}` is used twice"), "each needs an interface of its own");
        }
    }
    let Some(underlay) = sections.underlay else { return };
    for (path, [_, place]) in underlay.value.paths.iter().zip(&underlay.paths) {
        if let NextHop::Router(address) = path.next_hop {
            endpoint(root, underlay, address, place);
        }
    }
}
