//! Virtual networks: their identifiers, and their subnets.

use std::net::IpAddr;

use plans::Section;

use super::vpc;
use crate::configuration::{Prefix, number};

/// Reports VXLAN network identifiers that two VPCs have.
pub fn identifiers(root: &Section<'_>, vpcs: &[vpc::Placed]) {
    for (position, placed) in vpcs.iter().enumerate() {
        let vpc = &placed.value;
        if let Some(other) = vpcs[..position].iter().find(|other| other.value.vni == vpc.vni && vpc.vni != 0) {
            let message = format!("the VPC `{}` has the VNI {} too", other.value.name, vpc.vni);
            root.error(&placed.vni, message, "give each VPC a VNI of its own");
        }
    }
}

/// Reports subnets of a VPC that have addresses in common, and gateways at addresses that no host has.
pub fn subnets(root: &Section<'_>, vpcs: &[vpc::Placed]) {
    for placed in vpcs {
        let subnets = &placed.value.subnets;
        for (position, (subnet, [place, gateway])) in subnets.iter().zip(&placed.subnets).enumerate() {
            let prefix = subnet.prefix;
            let others = subnets[..position].iter().map(|other| other.prefix);
            let is_common = |other: &Prefix| other.has(prefix.number()) || prefix.has(other.number());
            if let Some(other) = others.into_iter().find(is_common) {
                let message = match other == prefix {
                    true => format!("a second subnet {prefix}"),
                    false => format!("the subnet {prefix} has addresses of the subnet {other}"),
                };
                root.error(place, message, "each address of a VPC belongs to one subnet");
            }
            // Routers have the subnet-router anycast address.
            if subnet.gateway.is_ipv4()
                && let Some(what) = reserved(prefix, subnet.gateway)
            {
                let hint = "use another address of the subnet";
                root.error(gateway, format!("{} is {what} of {prefix}", subnet.gateway), hint);
            }
        }
    }
}

/// Returns what an address of a subnet is that no guest can have, in words. Subnets of two addresses, which are those of the ends of a
/// link (RFC 3021, RFC 6164), and of one have no such addresses.
pub fn reserved(prefix: Prefix, address: IpAddr) -> Option<&'static str> {
    let own = number(address);
    if prefix.length() > 126 {
        return None;
    }
    match own == prefix.number() {
        true if address.is_ipv4() => Some("the address of the network"),
        // RFC 4291, section 2.6.1.
        true => Some("the subnet-router anycast address"),
        false => (address.is_ipv4() && own == prefix.number() | !prefix.mask()).then_some("the broadcast address"),
    }
}
