//! The values of entries: addresses, prefixes, ranges of ports, protocols.

use std::net::IpAddr;
use std::ops::{Range, RangeInclusive};
use std::str::FromStr;

use plans::Section;
use wire::protocol;

use crate::configuration::{Course, MacAddress, NextHop, Prefix};

/// Protocols by name.
const PROTOCOLS: [(&str, u8); 6] = [
    ("tcp", protocol::TCP),
    ("udp", protocol::UDP),
    ("icmp", protocol::ICMP),
    ("icmpv6", protocol::ICMPV6),
    ("sctp", protocol::SCTP),
    ("udp-lite", protocol::UDP_LITE),
];

/// Reads the direction of packets as seen from a vNIC.
pub fn course(section: &Section<'_>, name: &'static str) -> Course {
    section.choice(name, &[("egress", Course::Egress), ("ingress", Course::Ingress)], "egress")
}

/// Reads a unicast Ethernet address.
pub fn mac(section: &Section<'_>, name: &'static str) -> Option<MacAddress> {
    let (text, span) = section.text(name)?;
    mac_of(section, &text, &span)
}

fn mac_of(section: &Section<'_>, text: &str, span: &Range<usize>) -> Option<MacAddress> {
    let Some(mac) = six_bytes(text) else {
        let hint = "six bytes in hexadecimal, such as \"02:00:00:00:00:01\"";
        section.error(span, format!("`{text}` is not an Ethernet address"), hint);
        return None;
    };
    let is_of_one = mac[0] & 1 == 0 && mac != [0; 6];
    if !is_of_one {
        section.error(span, format!("`{text}` is not the address of one interface"), "the first byte is even");
    }
    is_of_one.then_some(mac)
}

fn six_bytes(text: &str) -> Option<MacAddress> {
    let is_byte = |part: &str| part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = |part: &str| is_byte(part).then(|| u8::from_str_radix(part, 16).ok())?;
    text.split(':').map(byte).collect::<Option<Vec<u8>>>()?.try_into().ok()
}

/// Reads a number in decimal digits alone, without the sign that the standard library takes.
fn digits<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Reads the next hop of a path: an Ethernet address, or the IP address of a router.
pub fn next_hop(section: &Section<'_>, name: &'static str) -> Option<NextHop> {
    let (text, span) = section.text(name)?;
    // No IPv6 address has six parts of two digits and no other colons.
    if text.parse::<IpAddr>().is_ok() {
        return host(section, &text, &span).map(NextHop::Router);
    }
    if six_bytes(&text).is_some() {
        return mac_of(section, &text, &span).map(NextHop::Mac);
    }
    let hint =
        "the IP address of a router, such as \"192.0.2.254\", or an Ethernet address, such as \"02:00:00:00:00:01\"";
    section.error(&span, format!("`{text}` is neither an IP address nor an Ethernet address"), hint);
    None
}

/// Reads an IP address that one host can have.
pub fn address(section: &Section<'_>, name: &'static str) -> Option<(IpAddr, Range<usize>)> {
    let (text, span) = section.text(name)?;
    host(section, &text, &span).map(|address| (address, span))
}

/// Reads a list of IP addresses that hosts can have.
pub fn addresses(section: &Section<'_>, name: &'static str) -> Vec<(IpAddr, Range<usize>)> {
    let texts = section.texts(name).into_iter();
    texts.filter_map(|(text, span)| host(section, &text, &span).map(|address| (address, span))).collect()
}

/// Reads a list of IP addresses that hosts can have, which must not be empty; `what` has them.
pub fn some_addresses(section: &Section<'_>, name: &'static str, what: &str) -> Vec<(IpAddr, Range<usize>)> {
    let errors = section.errors();
    let read = addresses(section, name);
    if read.is_empty() && section.has(name) && section.errors() == errors {
        section.error(&section.span_of(name), format!("{what} has no address"), "give it one or several");
    }
    read
}

fn host(section: &Section<'_>, text: &str, span: &Range<usize>) -> Option<IpAddr> {
    let Ok(address) = text.parse::<IpAddr>() else {
        section.error(span, format!("`{text}` is not an IP address"), "such as \"10.0.1.7\" or \"fd00::7\"");
        return None;
    };
    let is_mapped = matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some());
    let is_broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    if address.is_multicast() || address.is_unspecified() || address.is_loopback() || is_mapped || is_broadcast {
        section.error(span, format!("no host has the address {address}"), "use the address of one host");
        return None;
    }
    Some(address)
}

/// Reads a prefix.
pub fn prefix(section: &Section<'_>, name: &'static str) -> Option<(Prefix, Range<usize>)> {
    let (text, span) = section.text(name)?;
    prefix_of(section, &text, &span).map(|prefix| (prefix, span))
}

/// Reads a list of prefixes.
pub fn prefixes(section: &Section<'_>, name: &'static str) -> Vec<Prefix> {
    let texts = section.texts(name).into_iter();
    texts.filter_map(|(text, span)| prefix_of(section, &text, &span)).collect()
}

/// Reads a text as a prefix; an address stands for itself alone.
pub fn prefix_of(section: &Section<'_>, text: &str, span: &Range<usize>) -> Option<Prefix> {
    let (first, length) = text.split_once('/').map_or((text, None), |(first, length)| (first, Some(length)));
    let length = length.map(digits::<u8>);
    let read = match (first.parse::<IpAddr>(), length) {
        (Ok(address), None) => Some(Prefix::of_one(address)),
        (Ok(address), Some(Some(length))) => Prefix::new(address, length),
        _ => None,
    };
    if read.is_none() {
        let hint = "such as \"10.0.1.0/24\" or \"fd00::/64\", with no bit set behind the length";
        section.error(span, format!("`{text}` is not a prefix"), hint);
    }
    read
}

/// Reads a protocol by name or number; `None` for "any", which is the default.
pub fn protocol(section: &Section<'_>, name: &'static str) -> Option<u8> {
    let mut read = None;
    section.checked(name, |text| {
        let of_name = PROTOCOLS.iter().find(|(known, _)| *known == text).map(|(_, number)| *number);
        read = of_name.or_else(|| digits(text));
        let names: Vec<&str> = PROTOCOLS.iter().map(|(name, _)| *name).collect();
        let is_known = read.is_some() || text == "any";
        is_known.then_some(()).ok_or_else(|| format!("any, {}, or a number up to 255", names.join(", ")))
    });
    read
}

/// Reads a port, or a range of ports as "1000-2000"; `None` for all, which is the default.
pub fn ports(section: &Section<'_>, name: &'static str) -> Option<RangeInclusive<u16>> {
    let mut read = None;
    section.checked(name, |text| {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        read = match (digits::<u16>(first.trim()), digits::<u16>(last.trim())) {
            (Some(first), Some(last)) if first <= last => Some(first..=last),
            _ => None,
        };
        let is_known = read.is_some() || text == "any";
        is_known.then_some(()).ok_or_else(|| "a port, a range such as \"1000-2000\", or any".to_owned())
    });
    read
}
