//! The parser finds in random layers what Wireshark finds in them.
//!
//! Without the command `tshark` nothing is tested, and the test says so.

use std::process::Command;

use wire::capture::{PcapWriter, Resolution, Timestamp};
use wire::{Icmp, Ipv4, Ipv6, Layers, LinkLayer, Network, Packet, Tunnel, protocol};

#[path = "common/random_frames.rs"]
mod random_frames;

use basis::Random;
use random_frames::frame;

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
