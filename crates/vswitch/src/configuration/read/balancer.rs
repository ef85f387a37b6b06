//! `[[load_balancer]]`, with its back ends.

use std::ops::Range;

use plans::Section;
use wire::protocol;

use super::names::Names;
use super::values::address;
use crate::balance::MOST_BACK_ENDS;
use crate::configuration::{BackEnd, LoadBalancer};

/// A load balancer, and where its entries stand.
pub struct Placed {
    pub value: LoadBalancer,
    pub address: Range<usize>,
    /// The place of each back end's address.
    pub back_ends: Vec<Range<usize>>,
}

pub fn read(section: Section<'_>, vpcs: &Names, text: &mut String) -> Option<Placed> {
    let name = section.hidden_text("name").map(|(name, _)| name).unwrap_or_default();
    section.require("vpc", "the VPC: vpc = \"…\"");
    section.require("address", "the address that clients know: address = \"10.0.1.100\"");
    section.require("port", "the port that clients know: port = 80");
    let vpc = section.text("vpc").and_then(|(name, span)| vpcs.find(&section, &name, &span));
    let address = address(&section, "address");
    let protocol = section.choice("protocol", &[("tcp", protocol::TCP), ("udp", protocol::UDP)], "tcp");
    let port = section.optional_count("port", 1..=u64::from(u16::MAX)).unwrap_or(1) as u16;
    let mut below = String::new();
    let sections = section.sections("back_end");
    if sections.is_empty() || sections.len() > MOST_BACK_ENDS {
        let message = format!("a load balancer with {} back ends", sections.len());
        section.error(section.span(), message, format!("give it 1 to {MOST_BACK_ENDS} [[load_balancer.back_end]]"));
    }
    let is_ipv4 = address.as_ref().map(|(address, _)| address.is_ipv4());
    let mut back_ends: Vec<BackEnd> = Vec::new();
    let mut places = Vec::new();
    for own in sections {
        let Some((back_end, place)) = back_end(own, port, &mut below) else { continue };
        let is_known = |other: &BackEnd| (other.address, other.port) == (back_end.address, back_end.port);
        if is_ipv4.is_some_and(|is_ipv4| back_end.address.is_ipv4() != is_ipv4) {
            let message = format!("{} is not of the load balancer's version of IP", back_end.address);
            section.error(&place, message, "addresses are translated within IPv4 or within IPv6");
        } else if back_ends.iter().any(is_known) {
            let message = format!("the back end {} with port {} is there twice", back_end.address, back_end.port);
            section.error(&place, message, "give it a `weight` instead");
        }
        back_ends.push(back_end);
        places.push(place);
    }
    section.end(text);
    text.push_str(&below);
    let (address, place) = address?;
    let value = LoadBalancer { name, vpc: vpc?, address, protocol, port, back_ends };
    Some(Placed { value, address: place, back_ends: places })
}

fn back_end(section: Section<'_>, usual_port: u16, text: &mut String) -> Option<(BackEnd, Range<usize>)> {
    section.require("address", "its address: address = \"10.0.1.7\"");
    let address = address(&section, "address");
    let port = section.count("port", 1..=u64::from(u16::MAX), usual_port.into()) as u16;
    let weight = section.count("weight", 1..=100, 1) as u32;
    section.end(text);
    address.map(|(address, place)| (BackEnd { address, port, weight }, place))
}
