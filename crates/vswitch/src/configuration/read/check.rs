//! What must hold between the sections of a configuration.

use std::net::IpAddr;
use std::ops::Range;

use plans::Section;

use super::{balancer, encryption, mirror, nat, reliable, underlay, vnic, vpc};
use crate::configuration::{LoadBalancer, MirrorTarget, NextHop, RouteTarget};

/// Reports everything that two sections say and that cannot both hold, at the later one.
pub fn places(
    root: &Section<'_>,
    underlay: Option<&underlay::Placed>,
    (vpcs, vnics): (&[vpc::Placed], &[vnic::Placed]),
    (nats, balancers): (&[nat::Placed], &[balancer::Placed]),
) {
    networks(root, vpcs);
    pools(root, underlay, nats);
    services(root, (vpcs, vnics), balancers);
    routes(root, underlay, vpcs);
    guests(root, vpcs, vnics);
    interfaces(root, underlay, vnics);
    routers(root, underlay);
}

/// Reports receivers of copies that no tunnel reaches.
pub fn receivers(root: &Section<'_>, underlay: Option<&underlay::Placed>, mirrors: &[mirror::Placed]) {
    for placed in mirrors {
        let MirrorTarget::Endpoint { address, .. } = placed.value.target else { continue };
        match underlay {
            None => root.error(&placed.target, "a way out without an underlay", "add [underlay]"),
            Some(underlay) => endpoint(root, underlay, address, &placed.target),
        }
    }
}

/// Reports ends of reliable tunnels that no tunnel reaches.
pub fn ends(root: &Section<'_>, underlay: Option<&underlay::Placed>, reliable: Option<&reliable::Placed>) {
    if let Some(placed) = reliable {
        for (address, place) in placed.value.endpoints.iter().zip(&placed.endpoints) {
            match underlay {
                None => root.error(place, "a way out without an underlay", "add [underlay]"),
                Some(underlay) => endpoint(root, underlay, *address, place),
            }
        }
    }
}

/// Reports VPCs that are encrypted twice, and copies of their packets that would leave this switch in the clear.
pub fn secrets(
    root: &Section<'_>,
    encryptions: &[encryption::Placed],
    (vpcs, vnics): (&[vpc::Placed], &[vnic::Placed]),
    mirrors: &[mirror::Placed],
) {
    for (position, placed) in encryptions.iter().enumerate() {
        if encryptions[..position].iter().any(|other| other.value.vni == placed.value.vni) {
            root.error(&placed.vpc, "the VPC is encrypted already", "a VPC has one file of keys, with several of them");
        }
    }
    let is_encrypted = |vni: u32| encryptions.iter().any(|placed| placed.value.vni == vni);
    for placed in mirrors {
        let MirrorTarget::Endpoint { vni, .. } = placed.value.target else { continue };
        let vpc = vnics.get(placed.value.vnic).filter(|vnic| vnic.has_vpc).map(|vnic| &vpcs[vnic.value.vpc].value);
        if let Some(vpc) = vpc.filter(|vpc| is_encrypted(vpc.vni) && !is_encrypted(vni)) {
            let message = format!("copies of packets of `{}`, which is encrypted, would leave in the clear", vpc.name);
            root.error(&placed.target, message, "use a `vni` that is encrypted too, or `to`, a vNIC of this switch");
        }
    }
}

/// Reports an address that is not the endpoint of a tunnel from this switch.
fn endpoint(root: &Section<'_>, underlay: &underlay::Placed, address: IpAddr, place: &Range<usize>) {
    let own = &underlay.value.addresses;
    if own.contains(&address) {
        root.error(place, format!("{address} is this switch itself"), "give the address of another host");
    } else if !own.is_empty() && underlay.value.own(address).is_none() {
        let version = if address.is_ipv4() { "IPv4" } else { "IPv6" };
        let hint = format!("add an address of {version} to `addresses` of [underlay]");
        root.error(place, format!("this switch has no address of {version} to speak to {address}"), hint);
    }
}

fn networks(root: &Section<'_>, vpcs: &[vpc::Placed]) {
    for (position, placed) in vpcs.iter().enumerate() {
        let vpc = &placed.value;
        if let Some(other) = vpcs[..position].iter().find(|other| other.value.vni == vpc.vni && vpc.vni != 0) {
            let message = format!("the VPC `{}` has the VNI {} too", other.value.name, vpc.vni);
            root.error(&placed.vni, message, "give each VPC a VNI of its own");
        }
    }
}

fn routes(root: &Section<'_>, underlay: Option<&underlay::Placed>, vpcs: &[vpc::Placed]) {
    for placed in vpcs {
        let routes = &placed.value.routes;
        for (position, (route, [prefix, target])) in routes.iter().zip(&placed.routes).enumerate() {
            if routes[..position].iter().any(|other| other.prefix == route.prefix) {
                root.error(prefix, format!("a second route to {}", route.prefix), "a VPC has one route to a prefix");
            }
            let Some(underlay) = underlay else {
                if route.target != RouteTarget::Blackhole {
                    root.error(target, "a way out without an underlay", "add [underlay]");
                }
                continue;
            };
            let RouteTarget::Endpoint { address, .. } = route.target else { continue };
            endpoint(root, underlay, address, target);
        }
    }
}

fn pools(root: &Section<'_>, underlay: Option<&underlay::Placed>, nats: &[nat::Placed]) {
    let all: Vec<_> = nats.iter().flat_map(|placed| placed.value.addresses.iter().zip(&placed.addresses)).collect();
    for (position, (address, span)) in all.iter().enumerate() {
        if all[..position].iter().any(|(other, _)| other == address) {
            root.error(span, format!("{address} is in a pool already"), "each address belongs to one pool");
        }
        if underlay.is_some_and(|underlay| underlay.value.addresses.contains(address)) {
            let hint = "use another address: packets to this one are those of tunnels";
            root.error(span, format!("{address} is a tunnel endpoint of this switch"), hint);
        }
    }
}

fn services(root: &Section<'_>, (vpcs, vnics): (&[vpc::Placed], &[vnic::Placed]), balancers: &[balancer::Placed]) {
    for (position, placed) in balancers.iter().enumerate() {
        let own = &placed.value;
        let service = |balancer: &LoadBalancer| (balancer.vpc, balancer.address, balancer.protocol, balancer.port);
        if balancers[..position].iter().any(|other| service(&other.value) == service(own)) {
            let message = format!("another load balancer has {} and port {}", own.address, own.port);
            root.error(&placed.address, message, "each has an address, a protocol and a port of its own");
        }
        let is_of_vnic = |vnic: &&vnic::Placed| {
            vnic.has_vpc && vnic.value.vpc == own.vpc && vnic.value.addresses.contains(&own.address)
        };
        if let Some(vnic) = vnics.iter().find(is_of_vnic) {
            let message = format!("the vNIC `{}` has the address {}", vnic.value.name, own.address);
            root.error(&placed.address, message, "a load balancer needs an address of its own");
        }
        if vpcs[own.vpc].value.subnets.iter().any(|subnet| subnet.gateway == own.address) {
            root.error(&placed.address, format!("{} is the address of a gateway", own.address), "use another one");
        }
    }
}

fn guests(root: &Section<'_>, vpcs: &[vpc::Placed], vnics: &[vnic::Placed]) {
    for (position, placed) in vnics.iter().enumerate().filter(|(_, placed)| placed.has_vpc) {
        let vnic = &placed.value;
        let vpc = &vpcs[vnic.vpc].value;
        let others: Vec<_> =
            vnics[..position].iter().filter(|other| other.has_vpc && other.value.vpc == vnic.vpc).collect();
        if let Some(other) = others.iter().find(|other| other.value.mac == vnic.mac && vnic.mac != [0; 6]) {
            let message = format!("the vNIC `{}` has this Ethernet address too", other.value.name);
            root.error(&placed.mac, message, "each vNIC of a VPC needs one of its own");
        }
        if vnic.mac == vpc.gateway_mac {
            root.error(&placed.mac, "this is the Ethernet address of the gateway", "use another one");
        }
        for (address, span) in vnic.addresses.iter().zip(&placed.addresses) {
            let subnet = vpc.subnets.iter().find(|subnet| subnet.prefix.contains(*address));
            let Some(subnet) = subnet else {
                let hint = "add a [[vpc.subnet]] with it, or use an address of one";
                root.error(span, format!("{address} is in no subnet of the VPC `{}`", vpc.name), hint);
                continue;
            };
            if subnet.gateway == *address {
                root.error(span, format!("{address} is the address of the gateway"), "use another one");
            }
            if let Some(other) = others.iter().find(|other| other.value.addresses.contains(address)) {
                let message = format!("the vNIC `{}` has the address {address} too", other.value.name);
                root.error(span, message, "each address of a VPC belongs to one vNIC");
            }
        }
    }
}

/// Reports routers that this switch cannot ask for their Ethernet addresses.
fn routers(root: &Section<'_>, underlay: Option<&underlay::Placed>) {
    let Some(underlay) = underlay else { return };
    for (path, [_, place]) in underlay.value.paths.iter().zip(&underlay.paths) {
        if let NextHop::Router(address) = path.next_hop {
            endpoint(root, underlay, address, place);
        }
    }
}

fn interfaces(root: &Section<'_>, underlay: Option<&underlay::Placed>, vnics: &[vnic::Placed]) {
    let of_vnics = vnics.iter().map(|placed| (&placed.value.interface, &placed.interface));
    let paths = underlay.into_iter().flat_map(|underlay| underlay.value.paths.iter().zip(&underlay.paths));
    let of_underlay = paths.map(|(path, [interface, _])| (&path.interface, interface));
    let mut all: Vec<_> = of_vnics.chain(of_underlay).filter(|(name, _)| !name.is_empty()).collect();
    all.sort_by_key(|(_, span)| span.start);
    for (position, (name, span)) in all.iter().enumerate() {
        if all[..position].iter().any(|(other, _)| other == name) {
            root.error(span, format!("the interface `{name}` is used twice"), "each needs an interface of its own");
        }
    }
}
