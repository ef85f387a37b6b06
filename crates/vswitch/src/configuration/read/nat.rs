//! `[[nat]]`.

use std::net::IpAddr;
use std::ops::Range;

use plans::Section;

use super::values::{ports, some_addresses};
use crate::configuration::Nat;

/// A pool, and where its addresses stand.
pub struct Placed {
    pub value: Nat,
    pub addresses: Vec<Range<usize>>,
}

/// The ports of a pool, unless it says otherwise: all but those of well-known services.
const PORTS: std::ops::RangeInclusive<u16> = 1024..=u16::MAX;

pub fn read(section: Section<'_>, text: &mut String) -> Placed {
    let name = section.hidden_text("name").map(|(name, _)| name).unwrap_or_default();
    section.require("addresses", "the addresses for the world outside: addresses = [\"198.51.100.1\"]");
    let (own, places): (Vec<IpAddr>, Vec<Range<usize>>) =
        some_addresses(&section, "addresses", "the pool").into_iter().unzip();
    let ports = ports(&section, "ports").unwrap_or(PORTS);
    if *ports.start() == 0 {
        section.error(&section.span_of("ports"), "0 is no port", "begin the range at 1 or above");
    }
    section.end(text);
    Placed { value: Nat { name, addresses: own, ports }, addresses: places }
}
