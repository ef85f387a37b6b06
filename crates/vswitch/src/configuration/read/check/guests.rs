//! vNICs: their addresses, and the files of their flow logs.

use plans::Section;

use super::networks::reserved;
use super::{LEAST_OF_IPV6, Sections, vnic};
use crate::flow_log::word;

/// Reports addresses and lengths that vNICs cannot have.
pub fn guests(root: &Section<'_>, sections: &Sections<'_>) {
    for (position, placed) in sections.vnics.iter().enumerate() {
        let vnic = &placed.value;
        let has_ipv6 = vnic.addresses.iter().any(|address| address.is_ipv6());
        if has_ipv6 && vnic.mtu < LEAST_OF_IPV6 {
            let message = format!("a vNIC with an address of IPv6 takes packets of {} bytes", vnic.mtu);
            root.error(&placed.mtu, message, format!("at least {LEAST_OF_IPV6} (RFC 8200, section 5)"));
        }
        if placed.has_vpc {
            in_vpc(root, sections, placed, &sections.vnics[..position]);
        }
    }
}

/// Reports what a vNIC cannot have in its VPC, beside vNICs before it.
fn in_vpc(root: &Section<'_>, sections: &Sections<'_>, placed: &vnic::Placed, before: &[vnic::Placed]) {
    let (vnic, network) = (&placed.value, &sections.vpcs[placed.value.vpc]);
    let vpc = &network.value;
    let others: Vec<_> = before.iter().filter(|other| other.has_vpc && other.value.vpc == vnic.vpc).collect();
    if let Some(other) = others.iter().find(|other| other.value.mac == vnic.mac && vnic.mac != [0; 6]) {
        let message = format!("the vNIC `{}` has this Ethernet address too", other.value.name);
        root.error(&placed.mac, message, "each vNIC of a VPC needs one of its own");
    }
    if vnic.mac == vpc.gateway_mac {
        root.error(&placed.mac, "this is the Ethernet address of the gateway", "use another one");
    }
    for (number, (address, span)) in vnic.addresses.iter().zip(&placed.addresses).enumerate() {
        if vnic.addresses[..number].contains(address) {
            root.error(span, format!("{address} is there twice"), "name each address once");
            continue;
        }
        let subnet = vpc.subnets.iter().find(|subnet| subnet.prefix.contains(*address));
        let Some(subnet) = subnet else {
            // It may be in a subnet that could not be read.
            if network.has_all_subnets {
                let hint = "add a [[vpc.subnet]] with it, or use an address of one";
                root.error(span, format!("{address} is in no subnet of the VPC `{}`", vpc.name), hint);
            }
            continue;
        };
        if subnet.gateway == *address {
            root.error(span, format!("{address} is the address of the gateway"), "use another one");
        } else if let Some(what) = reserved(subnet.prefix, *address) {
            root.error(span, format!("{address} is {what} of {}", subnet.prefix), "use another one");
        }
        if let Some(other) = others.iter().find(|other| other.value.addresses.contains(address)) {
            let message = format!("the vNIC `{}` has the address {address} too", other.value.name);
            root.error(span, message, "each address of a VPC belongs to one vNIC");
        }
    }
}

/// Reports vNICs whose records would be written into one file, as if they were of one interface.
pub fn flow_logs(root: &Section<'_>, sections: &Sections<'_>) {
    let Some(log) = sections.flow_log else { return };
    let is_logged = |position: usize| log.vnics.as_ref().is_none_or(|vnics| vnics.contains(&position));
    let logged: Vec<_> = sections.vnics.iter().enumerate().filter(|(position, _)| is_logged(*position)).collect();
    for (number, (_, placed)) in logged.iter().enumerate() {
        let own = &placed.value.name;
        let is_alike = |other: &&(usize, &vnic::Placed)| {
            let other = &other.1.value.name;
            other != own && word(other) == word(own)
        };
        if let Some((_, other)) = logged[..number].iter().find(is_alike) {
            let message =
                format!("in flow logs, the vNICs `{}` and `{own}` are both called `{}`", other.value.name, word(own));
            let hint = "call one otherwise: in flow logs, names have letters, digits and `-_.:@`, and `_` for all else";
            root.error(&placed.name, message, hint);
        }
    }
}
