//! Paths, by which a binding file names parts of a packet.

use super::source::{Bits, HeaderBits, Layer, Source};

/// A part of a packet that has a name.
enum Named {
    /// A value that is not just bits of one header.
    Special(Source),
    /// Bits of a header.
    Header(Bits),
    /// Bits of the IPv4 header, and the corresponding bits of the IPv6 header.
    EitherIp(Bits, Bits),
}

const fn bits(layer: Layer, offset: u16, length: u8) -> Bits {
    Bits { layer, offset, length, shift: 0, mask: u64::MAX }
}

const fn part(layer: Layer, offset: u16, length: u8, shift: u8, mask: u64) -> Bits {
    Bits { layer, offset, length, shift, mask }
}

/// All named parts. The table in docs/binding.md lists them too.
const NAMED: &[(&str, Named)] = {
    use Layer::{Ethernet, Icmp, Ipv4, Ipv6, Ports, Tcp, Udp, Vlan};
    use Named::{EitherIp, Header, Special};
    &[
        ("packet.arrival", Special(Source::Arrival)),
        ("packet.length", Special(Source::Length)),
        ("packet.port", Special(Source::Port)),
        ("flow.hash", Special(Source::FlowHash)),
        ("payload.length", Special(Source::PayloadLength)),
        ("ether.type", Special(Source::EtherType)),
        ("ether.dst", Header(bits(Ethernet, 0, 6))),
        ("ether.src", Header(bits(Ethernet, 6, 6))),
        ("vlan.id", Header(part(Vlan, 0, 2, 0, 0x0FFF))),
        ("vlan.priority", Header(part(Vlan, 0, 2, 13, 7))),
        ("ip.version", Special(Source::IpVersion)),
        ("ip.src", Special(Source::IpSource)),
        ("ip.dst", Special(Source::IpDestination)),
        ("ip.protocol", Special(Source::IpProtocol)),
        ("ip.length", Special(Source::IpLength)),
        ("ip.ttl", EitherIp(bits(Ipv4, 8, 1), bits(Ipv6, 7, 1))),
        ("ip.tos", EitherIp(bits(Ipv4, 1, 1), part(Ipv6, 0, 2, 4, 0xFF))),
        ("ip.dscp", EitherIp(part(Ipv4, 1, 1, 2, 0x3F), part(Ipv6, 0, 2, 6, 0x3F))),
        ("ip.ecn", EitherIp(part(Ipv4, 1, 1, 0, 3), part(Ipv6, 0, 2, 4, 3))),
        ("ipv4.id", Header(bits(Ipv4, 4, 2))),
        ("ipv4.ttl", Header(bits(Ipv4, 8, 1))),
        ("ipv4.protocol", Header(bits(Ipv4, 9, 1))),
        ("ipv4.src", Header(bits(Ipv4, 12, 4))),
        ("ipv4.dst", Header(bits(Ipv4, 16, 4))),
        ("ipv4.fragment_offset", Header(part(Ipv4, 6, 2, 0, 0x1FFF))),
        ("ipv6.flow_label", Header(part(Ipv6, 0, 4, 0, 0x000F_FFFF))),
        ("ipv6.hop_limit", Header(bits(Ipv6, 7, 1))),
        ("transport.sport", Header(bits(Ports, 0, 2))),
        ("transport.dport", Header(bits(Ports, 2, 2))),
        ("tcp.sport", Header(bits(Tcp, 0, 2))),
        ("tcp.dport", Header(bits(Tcp, 2, 2))),
        ("tcp.seq", Header(bits(Tcp, 4, 4))),
        ("tcp.ack", Header(bits(Tcp, 8, 4))),
        ("tcp.flags", Header(bits(Tcp, 13, 1))),
        ("tcp.window", Header(bits(Tcp, 14, 2))),
        ("udp.sport", Header(bits(Udp, 0, 2))),
        ("udp.dport", Header(bits(Udp, 2, 2))),
        ("udp.length", Header(bits(Udp, 4, 2))),
        ("icmp.type", Header(bits(Icmp, 0, 1))),
        ("icmp.code", Header(bits(Icmp, 1, 1))),
        ("icmp.id", Header(bits(Icmp, 4, 2))),
        ("icmp.sequence", Header(bits(Icmp, 6, 2))),
    ]
};

/// All layers with which a path can begin.
const LAYERS: [(&str, Layer); 10] = [
    ("ether", Layer::Ethernet),
    ("vlan", Layer::Vlan),
    ("ip", Layer::Ip),
    ("ipv4", Layer::Ipv4),
    ("ipv6", Layer::Ipv6),
    ("transport", Layer::Ports),
    ("tcp", Layer::Tcp),
    ("udp", Layer::Udp),
    ("icmp", Layer::Icmp),
    ("payload", Layer::Payload),
];

/// An error in a path, and a hint.
pub(super) struct Wrong {
    pub(super) message: String,
    pub(super) hint: String,
}

/// Returns the layer of a name.
pub(super) fn layer(name: &str) -> Option<Layer> {
    LAYERS.iter().find(|(known, _)| *known == name).map(|&(_, layer)| layer)
}

/// Parses a path: `layer.field`, or `layer[offset:length]` in bytes.
pub(super) fn parse(path: &str) -> Result<Source, Wrong> {
    if let Some((_, named)) = NAMED.iter().find(|(name, _)| *name == path) {
        let header = |bits: Bits, in_ipv6| Source::Header(HeaderBits { path: path.to_owned(), bits, in_ipv6 });
        return Ok(match named {
            Named::Special(source) => source.clone(),
            Named::Header(bits) => header(*bits, None),
            Named::EitherIp(in_ipv4, in_ipv6) => header(*in_ipv4, Some(*in_ipv6)),
        });
    }
    match path.split_once('[') {
        Some((layer, rest)) => slice(path, layer, rest),
        None => Err(unknown(path)),
    }
}

fn slice(path: &str, layer_name: &str, rest: &str) -> Result<Source, Wrong> {
    let Some(layer) = layer(layer_name) else { return Err(unknown(path)) };
    let range = rest.strip_suffix(']').and_then(|range| range.split_once(':'));
    let range = range.and_then(|(offset, length)| Some((decimal(offset)?, decimal(length)?)));
    let Some((offset, length)) = range else {
        return Err(Wrong {
            message: format!("`{path}` is not a part of a header"),
            hint: format!("write `{layer_name}[offset:length]`, both in bytes and decimal"),
        });
    };
    if !(1..=8).contains(&length) || offset > u16::MAX - 8 {
        return Err(Wrong {
            message: format!("`{path}` cannot be read"),
            hint: "a part is 1 to 8 bytes long and starts within the first 64 KiB".to_owned(),
        });
    }
    Ok(Source::Header(HeaderBits { path: path.to_owned(), bits: bits(layer, offset, length as u8), in_ipv6: None }))
}

fn decimal(text: &str) -> Option<u16> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Returns the name of a source that is not bits of a header.
pub(super) fn name_of(source: &Source) -> &'static str {
    let is_it = |named: &Named| matches!(named, Named::Special(special) if special == source);
    NAMED.iter().find(|(_, named)| is_it(named)).map_or("?", |(name, _)| name)
}

fn unknown(path: &str) -> Wrong {
    let names = NAMED.iter().map(|(name, _)| *name);
    let hint = match closest(path, names) {
        Some(name) => format!("did you mean `{name}`?"),
        None => {
            let layers: Vec<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
            format!("a path is `layer.field` or `layer[offset:length]`; the layers are {}", layers.join(", "))
        }
    };
    Wrong { message: format!("`{path}` is not a part of a packet"), hint }
}

/// Returns the candidate of which `text` is most likely a misspelling, if any is similar.
pub(super) fn closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if text.len() > 64 {
        return None;
    }
    let distances = candidates.map(|candidate| (distance(text, candidate), candidate));
    distances.min_by_key(|&(distance, _)| distance).filter(|(distance, _)| *distance <= 2).map(|(_, name)| name)
}

/// Returns the number of characters that must be added, removed or changed (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
