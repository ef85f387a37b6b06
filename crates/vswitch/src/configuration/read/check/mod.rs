//! What must hold between the sections of a configuration.

mod guests;
mod networks;
mod outside;
mod routes;
mod services;
mod tunnels;

use std::net::IpAddr;
use std::ops::Range;

use plans::Section;

use super::{balancer, encryption, limiter, mirror, nat, reliable, underlay, vnic, vpc};
use crate::configuration::{FlowLog, MirrorTarget};

pub use tunnels::tunnels;

/// The shortest greatest length of IPv6 packets that a link may have, in bytes (RFC 8200, section 5).
const LEAST_OF_IPV6: u32 = 1280;

/// What was read of a configuration, as far as sections depend on one another.
pub struct Sections<'a> {
    pub underlay: Option<&'a underlay::Placed>,
    pub vpcs: &'a [vpc::Placed],
    pub vnics: &'a [vnic::Placed],
    pub nats: &'a [nat::Placed],
    pub balancers: &'a [balancer::Placed],
    pub limiters: &'a [limiter::Placed],
    pub mirrors: &'a [mirror::Placed],
    pub encryptions: &'a [encryption::Placed],
    pub reliable: Option<&'a reliable::Placed>,
    pub flow_log: Option<&'a FlowLog>,
}

/// Reports everything that two sections say and that cannot both hold, at the later one.
pub fn places(root: &Section<'_>, sections: &Sections<'_>) {
    networks::identifiers(root, sections.vpcs);
    networks::subnets(root, sections.vpcs);
    outside::pools(root, sections);
    outside::interfaces(root, sections);
    services::balancers(root, sections);
    services::limiters(root, sections);
    routes::routes(root, sections);
    guests::guests(root, sections);
    guests::flow_logs(root, sections);
    receivers(root, sections.underlay, sections.mirrors);
    ends(root, sections.underlay, sections.reliable);
    secrets(root, sections.encryptions, (sections.vpcs, sections.vnics), sections.mirrors);
}

/// Returns the owner of an address in a VPC, in words: a gateway, a vNIC of this switch, or a load balancer.
fn owner(sections: &Sections<'_>, vpc: usize, address: IpAddr) -> Option<String> {
    let is_gateway = sections.vpcs.get(vpc)?.value.subnets.iter().any(|subnet| subnet.gateway == address);
    let is_of_vnic =
        |vnic: &&vnic::Placed| vnic.has_vpc && vnic.value.vpc == vpc && vnic.value.addresses.contains(&address);
    let is_of_balancer = |balancer: &&balancer::Placed| balancer.value.vpc == vpc && balancer.value.address == address;
    if is_gateway {
        return Some("a gateway".to_owned());
    }
    if let Some(vnic) = sections.vnics.iter().find(is_of_vnic) {
        return Some(format!("the vNIC `{}`", vnic.value.name));
    }
    let balancer = sections.balancers.iter().find(is_of_balancer)?;
    Some(format!("the load balancer `{}`", balancer.value.name))
}

/// Reports receivers of copies that no tunnel reaches.
fn receivers(root: &Section<'_>, underlay: Option<&underlay::Placed>, mirrors: &[mirror::Placed]) {
    for placed in mirrors {
        let MirrorTarget::Endpoint { address, .. } = placed.value.target else { continue };
        match underlay {
            None => root.error(&placed.target, "a way out without an underlay", "add [underlay]"),
            Some(underlay) => endpoint(root, underlay, address, &placed.target),
        }
    }
}

/// Reports ends of reliable tunnels that no tunnel reaches.
fn ends(root: &Section<'_>, underlay: Option<&underlay::Placed>, reliable: Option<&reliable::Placed>) {
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
fn secrets(
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
