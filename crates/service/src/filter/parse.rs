//! The parser of filters.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use diagnostics::{Diagnostic, SourceId, Span, did_you_mean};
use wire::{ether_type, protocol};

use super::words::{FilterWord, words};
use super::{Expression, Test, Way};

/// The deepest nesting of parentheses and negations, which bounds the stack.
const DEEPEST: usize = 64;
/// The most words of a filter.
const MOST_WORDS: usize = 512;
/// The words that begin a condition, for hints.
const FIRST_WORDS: [&str; 22] = [
    "host",
    "net",
    "port",
    "portrange",
    "ether",
    "ip",
    "ip6",
    "arp",
    "tcp",
    "udp",
    "icmp",
    "icmp6",
    "sctp",
    "vlan",
    "proto",
    "less",
    "greater",
    "src",
    "dst",
    "not",
    "and",
    "or",
];

struct Parser<'t> {
    words: Vec<FilterWord<'t>>,
    at: usize,
    /// The place behind the last word.
    end: Span,
    depth: usize,
}

pub(super) fn read(text: &str, source: SourceId) -> Result<Expression, Diagnostic> {
    let words = words(text, source);
    if words.is_empty() {
        return Ok(Expression::All);
    }
    // Every packet is held against all conditions, on the thread of the switch.
    if let Some(word) = words.get(MOST_WORDS) {
        return Err(Diagnostic::error(word.span, format!("the filter has more than {MOST_WORDS} words")));
    }
    let mut parser = Parser { words, at: 0, end: Span::new(source, text.len(), text.len()), depth: 0 };
    let expression = parser.any()?;
    match parser.next() {
        None => Ok(expression),
        Some(word) => {
            let error = Diagnostic::error(word.span, format!("`{}` cannot stand here", word.text));
            Err(error.hint("join conditions by `and` or `or`"))
        }
    }
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.at).map(|word| word.text)
    }

    fn next(&mut self) -> Option<FilterWord<'t>> {
        let word = self.words.get(self.at).copied()?;
        self.at += 1;
        Some(word)
    }

    fn takes(&mut self, texts: &[&str]) -> bool {
        let is_there = self.peek().is_some_and(|word| texts.contains(&word));
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, what: &str) -> Result<FilterWord<'t>, Diagnostic> {
        self.next().ok_or_else(|| Diagnostic::error(self.end, format!("the filter ends where {what} is expected")))
    }

    /// Reads conditions that are all joined by `and` or all by `or`. A mixture without parentheses is refused: in
    /// pcap-filter(7) both bind equally, from left to right, which is not what most people expect.
    fn any(&mut self) -> Result<Expression, Diagnostic> {
        let mut parts = vec![self.one()?];
        let mut join: Option<(&str, bool)> = None;
        while let Some(word) = self.peek().filter(|word| matches!(*word, "and" | "&&" | "or" | "||")) {
            let is_and = matches!(word, "and" | "&&");
            let place = self.words[self.at].span;
            self.at += 1;
            if let Some((first, of_first)) = join
                && of_first != is_and
            {
                let error = Diagnostic::error(place, format!("`{word}` beside `{first}` needs parentheses"));
                return Err(error.hint("tcpdump reads a mixture of `and` and `or` from left to right"));
            }
            join = Some((word, is_and));
            parts.push(self.one()?);
        }
        Ok(match (join, parts.len()) {
            (Some((_, true)), _) => Expression::And(parts),
            (Some((_, false)), _) => Expression::Or(parts),
            (None, _) => parts.remove(0),
        })
    }

    fn one(&mut self) -> Result<Expression, Diagnostic> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let place = self.words.get(self.at).map_or(self.end, |word| word.span);
            return Err(Diagnostic::error(place, format!("the filter is nested more than {DEEPEST} deep")));
        }
        let expression = if self.takes(&["not", "!"]) {
            Expression::Not(Box::new(self.one()?))
        } else if self.takes(&["("]) {
            let inside = self.any()?;
            let close = self.expect("`)`")?;
            if close.text != ")" {
                return Err(Diagnostic::error(close.span, format!("expected `)` instead of `{}`", close.text)));
            }
            inside
        } else {
            self.condition()?
        };
        self.depth -= 1;
        Ok(expression)
    }

    /// Reads a condition: a protocol, perhaps with a port or an address behind it, or one of these alone.
    fn condition(&mut self) -> Result<Expression, Diagnostic> {
        let of_protocol = match self.peek() {
            Some("ip") => Some(Test::EtherType(ether_type::IPV4)),
            Some("ip6") => Some(Test::EtherType(ether_type::IPV6)),
            Some("arp") => Some(Test::EtherType(ether_type::ARP)),
            Some("tcp") => Some(Test::Protocol(protocol::TCP)),
            Some("udp") => Some(Test::Protocol(protocol::UDP)),
            Some("sctp") => Some(Test::Protocol(protocol::SCTP)),
            Some("icmp") => Some(Test::Protocol(protocol::ICMP)),
            Some("icmp6") => Some(Test::Protocol(protocol::ICMPV6)),
            _ => None,
        };
        let Some(test) = of_protocol else { return self.qualified() };
        self.at += 1;
        let protocol = Expression::Test(Way::Either, test);
        match self.peek() {
            Some("src" | "dst" | "host" | "net" | "port" | "portrange" | "proto") => {
                Ok(Expression::And(vec![protocol, self.qualified()?]))
            }
            _ => Ok(protocol),
        }
    }

    fn qualified(&mut self) -> Result<Expression, Diagnostic> {
        let is_ether = self.takes(&["ether"]);
        let way = match self.peek() {
            Some("src") => Way::Source,
            Some("dst") => Way::Destination,
            _ => Way::Either,
        };
        self.at += usize::from(way != Way::Either);
        if is_ether {
            let word = self.expect("`host` and a MAC address")?;
            let word = if word.text == "host" { self.expect("a MAC address")? } else { word };
            let address = mac(word.text).ok_or_else(|| not(word, "a MAC address"))?;
            return Ok(Expression::Test(way, Test::Ether(address)));
        }
        let word = self.expect("a condition")?;
        let test = match word.text {
            "host" => {
                let word = self.expect("an address")?;
                let address: IpAddr = word.text.parse().map_err(|_| not(word, "an IP address"))?;
                Test::Network(address, if address.is_ipv4() { 32 } else { 128 })
            }
            "net" => {
                let word = self.expect("a network")?;
                network(word)?
            }
            "port" => {
                let word = self.expect("a port")?;
                let port = number(word, "a port from 0 to 65535")?;
                Test::Ports(port, port)
            }
            "portrange" => {
                let word = self.expect("a range of ports")?;
                let ends =
                    word.text.split_once('-').and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
                let (low, high) = ends.ok_or_else(|| not(word, "a range of ports such as 5000-5010"))?;
                Test::Ports(low, high)
            }
            _ if way != Way::Either => {
                return Err(not(word, "`host`, `net`, `port` or `portrange`"));
            }
            "proto" => {
                let word = self.expect("the number of a protocol")?;
                Test::Protocol(number(word, "the number of a protocol, from 0 to 255")?)
            }
            "vlan" => match self.peek().and_then(|word| word.parse::<u16>().ok()) {
                Some(identifier) => {
                    self.at += 1;
                    Test::Vlan(Some(identifier))
                }
                None => Test::Vlan(None),
            },
            "less" => {
                let word = self.expect("a length")?;
                Test::Length(0, number(word, "a length in bytes")?)
            }
            "greater" => {
                let word = self.expect("a length")?;
                Test::Length(number(word, "a length in bytes")?, usize::MAX)
            }
            other => {
                let error = Diagnostic::error(word.span, format!("`{other}` is not a word of filters"));
                let known = || {
                    "conditions are such as `host 10.0.0.1`, `src net 10.0.0.0/8`, `tcp port 80`, `arp`, `vlan 5`"
                        .to_owned()
                };
                return Err(error.hint(did_you_mean(other, FIRST_WORDS).unwrap_or_else(known)));
            }
        };
        Ok(Expression::Test(way, test))
    }
}

fn not(word: FilterWord<'_>, what: &str) -> Diagnostic {
    Diagnostic::error(word.span, format!("`{}` is not {what}", word.text))
}

fn number<N: std::str::FromStr>(word: FilterWord<'_>, what: &str) -> Result<N, Diagnostic> {
    word.text.parse().map_err(|_| not(word, what))
}

/// Reads a network, such as `10.0.0.0/8`.
fn network(word: FilterWord<'_>) -> Result<Test, Diagnostic> {
    let wrong = || not(word, "a network such as 10.0.0.0/8 or 2001:db8::/32");
    let (address, length) = word.text.split_once('/').ok_or_else(wrong)?;
    let address: IpAddr = address.parse().map_err(|_| wrong())?;
    let bits = if address.is_ipv4() { 32 } else { 128 };
    let length: u8 = length.parse().ok().filter(|length| *length <= bits).ok_or_else(wrong)?;
    let is_network = match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(length)).unwrap_or(0);
            address == Ipv4Addr::from_bits(address.to_bits() & mask)
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(length)).unwrap_or(0);
            address == Ipv6Addr::from_bits(address.to_bits() & mask)
        }
    };
    if !is_network {
        let error = Diagnostic::error(word.span, format!("`{}` has bits beyond its length of {length}", word.text));
        return Err(error.hint("a network's other bits are zero; `host` takes one address"));
    }
    Ok(Test::Network(address, length))
}

fn mac(text: &str) -> Option<[u8; 6]> {
    let mut bytes = text.split(':').map(|part| u8::from_str_radix(part, 16).ok().filter(|_| part.len() <= 2));
    let mut address = [0; 6];
    for byte in &mut address {
        *byte = bytes.next()??;
    }
    bytes.next().is_none().then_some(address)
}
