//! Filters of packets in the language of pcap-filter(7): `udp port 53 and not src net 10.0.0.0/8`.
//!
//! A part of the language is known: `host`, `net`, `port`, `portrange` and `ether host`, each with `src` or `dst` before it;
//! `ip`, `ip6`, `arp`, `tcp`, `udp`, `icmp`, `icmp6`, `vlan`, `proto`, `less` and `greater`; `and`, `or`, `not` and parentheses.
//! An empty filter matches all packets.
//!
//! There is no well-kept library that reads this language without libpcap: `pktbaffle`, the only one of its kind, has a single
//! release and no users.

mod matches;
mod parse;
mod words;

use std::fmt;
use std::net::IpAddr;

use diagnostics::{Diagnostics, Failure, Sources};
use wire::{Layers, Packet};

/// A filter of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    text: String,
    expression: Expression,
}

/// A condition for packets. Its depth is bounded where it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Expression {
    All,
    Test(Way, Test),
    Not(Box<Expression>),
    And(Vec<Expression>),
    Or(Vec<Expression>),
}

/// The ends of a packet's way to which a test applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    #[default]
    Either,
    Source,
    Destination,
}

/// A test of one property.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// The EtherType after all tags.
    EtherType(u16),
    /// A VLAN tag, with this identifier if one is given.
    Vlan(Option<u16>),
    /// The protocol of IP.
    Protocol(u8),
    /// An address of IP, whose first bits are given.
    Network(IpAddr, u8),
    /// A port of the transport, in a range.
    Ports(u16, u16),
    /// A MAC address.
    Ether([u8; 6]),
    /// The length in bytes, in a range.
    Length(usize, usize),
}

impl Filter {
    /// Returns the filter that matches all packets.
    pub fn all() -> Self {
        Self { text: String::new(), expression: Expression::All }
    }

    /// Reads a filter.
    ///
    /// # Errors
    /// Fails with an error at its place in the text if this is not a filter.
    pub fn read(text: &str) -> Result<Self, Failure> {
        let mut sources = Sources::new();
        let source = sources.add("filter", text);
        match parse::read(text, source) {
            Ok(expression) => Ok(Self { text: text.to_owned(), expression }),
            Err(error) => Err(Failure::BadInput { sources, diagnostics: Diagnostics::from(error) }),
        }
    }

    /// Returns true if a packet matches.
    pub fn matches(&self, packet: &Packet) -> bool {
        match &self.expression {
            Expression::All => true,
            expression => {
                let (layers, copy) = Layers::of_all(packet);
                expression.matches(copy.as_ref().unwrap_or(packet), &layers)
            }
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
