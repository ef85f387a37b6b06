//! The parser finds in random layers what Wireshark finds in them.
//!
//! Without the command `tshark` nothing is tested, and the test says so.

use std::process::Command;

use basis::Random;
use wire::capture::{PcapWriter, Resolution, Timestamp};
use wire::{Icmp, Ipv4, Ipv6, Layers, LinkLayer, Network, Packet, Tunnel, protocol};

const PACKETS: usize = 1500;

/// The fields that are compared. Of packets in tunnels, each has a value for the outer and one for the inner headers.
const FIELDS: [&str; 22] = [
    "vlan.id",
    "vxlan.vni",
    "ip.src",
    "ip.dst",
    "ipv6.src",
    "ipv6.dst",
    "ip.id",
    "ip.frag_offset",
    "ip.flags.mf",
    "ipv6.fraghdr.offset",
    "ipv6.fraghdr.ident",
    "tcp.srcport",
    "tcp.dstport",
    "tcp.seq_raw",
    "tcp.flags",
    "udp.srcport",
    "udp.dstport",
    "sctp.srcport",
    "sctp.dstport",
    "icmp.type",
    "icmpv6.type",
    "udp.length",
];

/// Appends an IP header with random extensions for a payload of a protocol, which is behind it.
fn ip(random: &mut Random, number: u8, payload: &[u8], is_first: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    if random.below(2) == 0 {
        let options = random.below(4) as usize * 4;
        let length = 20 + options;
        bytes.resize(length, 1);
        let mut ip = Ipv4::new(&mut bytes[..]).expect("long enough");
        ip.set_version_and_length(0x40 | (length / 4) as u8);
        ip.set_traffic_class(0);
        ip.set_total_length((length + payload.len()) as u16);
        ip.set_identification(random.below(1 << 16) as u16);
        ip.set_fragmentation(match random.below(6) {
            0 if is_first => 0x2000,
            1 if is_first => 0x2000 | (1 + random.below(100) as u16),
            _ => 0x4000,
        });
        ip.set_time_to_live(64);
        ip.set_protocol(number);
        ip.set_source_bits(0x0A00_0000 | random.below(1 << 16) as u32);
        ip.set_destination_bits(0x0A01_0000 | random.below(1 << 16) as u32);
        ip.fill_checksum();
    } else {
        // Extension headers, from the last to the first.
        let (mut next, mut extensions) = (number, Vec::new());
        if is_first && random.below(4) == 0 {
            let field = if random.below(2) == 0 { 1 } else { (1 + random.below(100) as u16) << 3 | 1 };
            let mut header = vec![next, 0];
            header.extend_from_slice(&field.to_be_bytes());
            header.extend_from_slice(&(random.below(1 << 32) as u32).to_be_bytes());
            (next, extensions) = (protocol::FRAGMENT, header);
        }
        for kind in [protocol::DESTINATION_OPTIONS, protocol::HOP_BY_HOP] {
            if random.below(3) == 0 {
                // An option that fills the header: PadN.
                let units = random.below(3) as u8;
                let padding = usize::from(units) * 8 + 4;
                let mut header = vec![next, units, 1, padding as u8];
                header.resize(4 + padding, 0);
                header.extend_from_slice(&extensions);
                (next, extensions) = (kind, header);
            }
        }
        bytes.resize(40, 0);
        let mut ip = Ipv6::new(&mut bytes[..]).expect("long enough");
        ip.set_version_class_flow(6 << 28);
        ip.set_payload_length((extensions.len() + payload.len()) as u16);
        ip.set_next_header(next);
        ip.set_hop_limit(64);
        ip.set_source_bits(0xFD00 << 112 | u128::from(random.below(1 << 16)));
        ip.set_destination_bits(0xFD01 << 112 | u128::from(random.below(1 << 16)));
        bytes.extend_from_slice(&extensions);
    }
    bytes.extend_from_slice(payload);
    bytes
}

/// Returns a transport header of a random protocol with a payload behind it, or a tunnel with a frame in it.
fn transport(random: &mut Random, may_be_tunnel: bool) -> (u8, Vec<u8>) {
    // Ports that nothing is known to use.
    let port = |random: &mut Random| (40_000 + random.below(4000) as u16).to_be_bytes();
    let payload = vec![0xFF; random.below(40) as usize];
    let ports = [port(random), port(random)].concat();
    match random.below(if may_be_tunnel { 8 } else { 4 }) {
        0 => {
            let mut header = ports;
            header.extend_from_slice(&(random.below(1 << 32) as u32).to_be_bytes());
            header.extend_from_slice(&[0, 0, 0, 1]);
            let words = random.below(4) as u8;
            header.extend_from_slice(&[(5 + words) << 4, 0x10, 4, 0, 0, 0, 0, 0]);
            header.resize(header.len() + usize::from(words) * 4, 1);
            (protocol::TCP, [header, payload].concat())
        }
        1 => {
            let mut header = ports;
            header.extend_from_slice(&(8 + payload.len() as u16).to_be_bytes());
            header.extend_from_slice(&[0, 0]);
            (protocol::UDP, [header, payload].concat())
        }
        2 => {
            // One chunk: a heartbeat.
            let mut header = ports;
            header.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0, 4, 0, 0, 8, 0, 1, 0, 4]);
            (protocol::SCTP, header)
        }
        3 => (protocol::ICMP, vec![if random.below(2) == 0 { 8 } else { 0 }, 0, 0, 0, 0, 7, 0, 1]),
        _ => {
            let inner = frame(random, false);
            let mut header = [port(random), 4789u16.to_be_bytes()].concat();
            header.extend_from_slice(&(16 + inner.len() as u16).to_be_bytes());
            header.extend_from_slice(&[0, 0, 8, 0, 0, 0]);
            header.extend_from_slice(&((random.below(1 << 24) as u32) << 8).to_be_bytes());
            (protocol::UDP, [header, inner].concat())
        }
    }
}

fn frame(random: &mut Random, is_first: bool) -> Vec<u8> {
    let (mut number, payload) = transport(random, is_first);
    let is_tunnel = payload.get(2..4) == Some(&4789u16.to_be_bytes());
    let packet = ip(random, number, &payload, is_first && !is_tunnel);
    let is_ipv4 = packet[0] >> 4 == 4;
    let mut packet = packet;
    if number == protocol::ICMP && !is_ipv4 {
        // ICMP belongs to IPv4, and its like to IPv6.
        number = protocol::ICMPV6;
        let layers = Layers::parse_from(LinkLayer::Ip, &packet, 0, packet.len());
        let start = layers.transport.unwrap_or(0);
        if start > 0 {
            packet[start] = if packet[start] == 8 { 128 } else { 129 };
        }
        replace_protocol(&mut packet, protocol::ICMP, number);
    }
    let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
    for _ in 0..if is_first { random.below(3) } else { 0 } {
        bytes.extend_from_slice(&[0x81, 0]);
        bytes.extend_from_slice(&(1 + random.below(4000) as u16).to_be_bytes());
    }
    bytes.extend_from_slice(if is_ipv4 { &[8, 0] } else { &[0x86, 0xDD] });
    bytes.extend_from_slice(&packet);
    bytes
}

/// Replaces the protocol at the end of the chain of extension headers.
fn replace_protocol(packet: &mut [u8], old: u8, new: u8) {
    let (mut at, mut next) = (6, 40);
    while packet[at] != old {
        let is_fragment = packet[at] == protocol::FRAGMENT;
        let units = usize::from(packet[next + 1]);
        at = next;
        next += if is_fragment { 8 } else { (units + 1) * 8 };
    }
    packet[at] = new;
}

/// Returns what the parser finds, with the names of the fields.
fn found(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let packet = Packet::of_bytes(bytes);
    let outer = Layers::of(&packet);
    let mut found = Vec::new();
    let vlans =
        [outer.outer_vlan, outer.inner_vlan].map(|tag| tag.map(|at| u16::from_be_bytes([bytes[at], bytes[at + 1]])));
    let of_tag = |tag: u16| ("vlan.id", (tag & 0xFFF).to_string());
    found.extend(vlans[0].map(of_tag));
    if outer.inner_vlan != outer.outer_vlan {
        found.extend(vlans[1].map(of_tag));
    }
    layer(bytes, &outer, &mut found);
    if let Some(tunnel) = Tunnel::of(&outer, bytes, bytes.len()) {
        found.push(("vxlan.vni", tunnel.vni.to_string()));
        layer(bytes, &tunnel.inner, &mut found);
    }
    found
}

fn layer(bytes: &[u8], layers: &Layers, found: &mut Vec<(&'static str, String)>) {
    let mut add = |name, value: String| found.push((name, value));
    match layers.network {
        Network::Ipv4 => {
            let ip = Ipv4::new(&bytes[layers.network_start..]).expect("a header");
            add("ip.src", ip.source().to_string());
            add("ip.dst", ip.destination().to_string());
            add("ip.id", format!("{:#06x}", ip.identification()));
            add("ip.frag_offset", u8::from(ip.fragment_offset() > 0).to_string());
            let has_more = ip.fragmentation() & 0x2000 != 0;
            add("ip.flags.mf", u8::from(has_more).to_string());
            assert_eq!(layers.is_fragment, has_more || ip.fragment_offset() > 0);
        }
        Network::Ipv6 => {
            let ip = Ipv6::new(&bytes[layers.network_start..]).expect("a header");
            add("ipv6.src", ip.source().to_string());
            add("ipv6.dst", ip.destination().to_string());
        }
        Network::None => return,
    }
    let Some(start) = layers.transport else { return };
    let word = |at: usize| u16::from_be_bytes([bytes[start + at], bytes[start + at + 1]]).to_string();
    match layers.protocol {
        protocol::TCP => {
            add("tcp.srcport", word(0));
            add("tcp.dstport", word(2));
            let header = wire::Tcp::new(&bytes[start..]).expect("a header");
            add("tcp.seq_raw", header.sequence().to_string());
            add("tcp.flags", format!("{:#06x}", header.flags()));
        }
        protocol::UDP => {
            add("udp.srcport", word(0));
            add("udp.dstport", word(2));
            add("udp.length", word(4));
        }
        protocol::SCTP => {
            add("sctp.srcport", word(0));
            add("sctp.dstport", word(2));
        }
        protocol::ICMP => add("icmp.type", Icmp::new(&bytes[start..]).expect("a header").kind().to_string()),
        protocol::ICMPV6 => add("icmpv6.type", Icmp::new(&bytes[start..]).expect("a header").kind().to_string()),
        _ => {}
    }
}

/// Returns the fields that Wireshark finds in each packet of a capture.
fn wireshark(path: &std::path::Path) -> Vec<Vec<(&'static str, String)>> {
    let mut command = Command::new("tshark");
    command.args([
        "-n",
        "-o",
        "ip.defragment:FALSE",
        "-o",
        "ipv6.defragment:FALSE",
        "-o",
        "tcp.desegment_tcp_streams:FALSE",
    ]);
    command.arg("-r").arg(path).args(["-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,"]);
    command.args(FIELDS.iter().flat_map(|field| ["-e", field]));
    let output = command.output().expect("tshark was there a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let packet = |line: &str| {
        let values = FIELDS.iter().zip(line.split('\t'));
        let of_field = |(name, values): (&&'static str, &str)| {
            let name = *name;
            let values: Vec<_> = values.split(',').filter(|value| !value.is_empty()).map(str::to_owned).collect();
            values.into_iter().map(move |value| (name, value))
        };
        values.flat_map(of_field).collect()
    };
    String::from_utf8(output.stdout).expect("tshark prints text").lines().map(packet).collect()
}

#[test]
fn random_layers_are_read_as_wireshark_reads_them() {
    if !Command::new("tshark").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no tshark; layers were not held against its reading");
        return;
    }
    let mut random = Random::new(24);
    let frames: Vec<Vec<u8>> = (0..PACKETS).map(|_| frame(&mut random, true)).collect();
    let path = std::env::temp_dir().join(format!("polyplane-layers-{}.pcap", std::process::id()));
    let file = std::fs::File::create(&path).expect("a file can be made");
    let mut writer = PcapWriter::new(file, LinkLayer::Ethernet, Resolution::Microseconds).expect("it can be written");
    for frame in &frames {
        writer.write(Timestamp::default(), &Packet::of_bytes(frame)).expect("it can be written");
    }
    writer.finish().expect("it can be written");
    let read = wireshark(&path);
    std::fs::remove_file(&path).expect("it is there");
    assert_eq!(read.len(), PACKETS);
    let (mut tunnels, mut fragments) = (0, 0);
    for (frame, mut wireshark) in frames.iter().zip(read) {
        let mut own = found(frame);
        tunnels += usize::from(own.iter().any(|(name, _)| *name == "vxlan.vni"));
        fragments += usize::from(Layers::of(&Packet::of_bytes(frame)).is_fragment);
        // Fragments of IPv6 are found by whether there is a transport layer.
        wireshark.retain(|(name, _)| !name.starts_with("ipv6.fraghdr"));
        // Versions of it count offsets in bytes or in units of eight.
        let offsets = wireshark.iter_mut().filter(|(name, value)| *name == "ip.frag_offset" && value != "0");
        offsets.for_each(|(_, value)| *value = "1".to_owned());
        own.sort_by_key(|(name, _)| *name);
        wireshark.sort_by_key(|(name, _)| *name);
        assert_eq!(own, wireshark, "{frame:02x?}");
    }
    assert!(tunnels > 100 && fragments > 100, "{tunnels} tunnels, {fragments} fragments");
}
