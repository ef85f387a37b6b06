//! Superframes that a program treats alike pass it whole, and everything is as if their segments had passed it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use basis::{Instant, Random};
use control::stf::{self, Step};
use diagnostics::{Failure, Sources};
use machines::Device;
use measure::Interest;
use node::{Outbox, Port};
use passes::segments::{Shape, treats_alike};
use runtime::{ProgramState, RegisterFile};
use wire::checksum::Sum;
use wire::{
    ChecksumState, Ipv4, Layers, Network, Packet, Segmentation, SegmentationKind, Tail, Tcp, Udp, protocol, tcp::flag,
};
use workbench::kinds::{self, Settings};
use workbench::{Entries, LoadOptions, LoadedProgram};

fn said<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

/// Returns the names of our P4 programs for v1model with their files, sorted. Those for TNA get each segment by itself.
fn programs() -> Vec<(String, PathBuf)> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4");
    let folders = fs::read_dir(all).expect("programs/p4").map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<(String, PathBuf)> = folders
        .filter(|folder| folder.is_dir())
        .map(|folder| (folder.file_name().expect("a name").to_string_lossy().into_owned(), folder))
        .map(|(name, folder)| (name.clone(), folder.join(format!("{name}.p4"))))
        .filter(|(_, file)| file.exists() && !load(file).info.architecture().passes_bytes_to_egress())
        .collect();
    programs.sort();
    programs
}

fn load(file: &Path) -> LoadedProgram {
    said(LoadedProgram::read(file, &LoadOptions::default()))
}

/// What stands against handing a TCP superframe whole to each program; empty if nothing does.
const OBSTACLES: &[(&str, &str)] = &[
    ("calculator", ""),
    ("ecmp", ""),
    ("ecn_marker", ""),
    (
        "firewall",
        "`@FirewallIngress.first_seen[meta.first] = 1u1 ++ FirewallIngress.now`: the next segment reads the register that \
         this one has written",
    ),
    (
        "flowlet",
        "`@FlowletIngress.last_seen[meta.slot] = FlowletIngress.number_flowlet.now`: the next segment reads the register \
         that this one has written",
    ),
    (
        "heavy_hitter",
        "`@HeavyIngress.first_row[HeavyIngress.$index$2] = HeavyIngress.first`: the next segment reads the register that \
         this one has written",
    ),
    ("ipv6_router", ""),
    ("learning_switch", ""),
    ("load_balancer", "`the deparser`: IPv4's addresses, which the transport layer's checksum covers, change"),
    (
        "nat",
        "`@NatIngress.sent[NatIngress.keep.cell] = NatIngress.keep.is_closing ++ \
         standard_metadata.ingress_global_timestamp`: `NatIngress.keep.is_closing` differs between segments",
    ),
    (
        "packet_counter",
        "`@CounterIngress.bytes[CounterIngress.$index$4] = CounterIngress.bytes_so_far`: `CounterIngress.bytes_so_far` \
         differs between segments",
    ),
    (
        "rate_limiter",
        "`measure LimiterIngress.rates[LimiterIngress.limit.customer] -> LimiterIngress.limit.$color`: a meter measures \
         each segment",
    ),
    ("router", ""),
    ("source_routing", ""),
    ("stateful_firewall", ""),
    ("telemetry", "`the deparser`: the packet leaves with other headers in front of the network layer than a VLAN tag"),
    (
        "token_bucket",
        "`if (BucketIngress.short + BucketIngress.cost) > 65535i32 {`: `BucketIngress.cost` differs between segments",
    ),
    ("tunnel", "`if meta.total_length > meta.mtu {`: `meta.total_length` differs between segments"),
];

#[test]
fn the_pass_says_which_statement_stands_against_it() {
    let shape = Shape { tag: None, is_ipv6: false, network_length: 20, is_udp: false, transport_length: 32 };
    let mut found = Vec::new();
    for (name, file) in programs() {
        let program = load(&file);
        let outcome = treats_alike(&program.program, program.info.architecture(), shape);
        found.push((name, outcome.err().map_or_else(String::new, |obstacle| obstacle.to_string())));
    }
    let found: Vec<(&str, &str)> = found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(found, OBSTACLES, "{found:#?}");
}

/// Returns the packets of a packet test.
fn packets(file: &Path, program: &LoadedProgram) -> Vec<(Port, Packet)> {
    let mut sources = Sources::new();
    let source = sources.add("test.stf", fs::read_to_string(file).expect("a packet test"));
    let prepared = stf::prepare(&program.info, &sources, source).unwrap_or_else(|found| panic!("{found:?}"));
    let steps = prepared.steps.into_iter().map(|placed| placed.item);
    steps
        .filter_map(|step| match step {
            Step::Packet { port, bytes } => Some((Port(u16::try_from(port).ok()?), Packet::of_bytes(&bytes))),
            _ => None,
        })
        .collect()
}

/// Returns a TCP segment without payload, with these Ethernet addresses.
fn tcp_behind(addresses: &[u8], is_ipv6: bool) -> Packet {
    let tcp = [0, 80, 0, 81, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 4, 0, 0, 0, 0, 0];
    let ipv4 = [0x45, 0, 0, 40, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 1, 2, 10, 0, 2, 2];
    let mut ipv6 = vec![0x60, 0, 0, 0, 0, 20, 6, 64];
    ipv6.extend([0xFD; 32]);
    let (ether_type, network) = if is_ipv6 { ([0x86, 0xDD], ipv6) } else { ([8, 0], ipv4.to_vec()) };
    Packet::of_bytes(&[addresses, &ether_type, &network, &tcp].concat())
}

/// Returns a superframe with the headers of a packet, or `None` if it is not TCP or UDP.
fn superframe(like: &Packet, random: &mut Random) -> Option<Packet> {
    let with_ip;
    let mut like = like;
    let mut layers = Layers::of(like);
    if layers.transport.is_none() && like.head.len() >= 14 {
        // A program that does not care for what is in the frame is given TCP, over IPv4 or IPv6.
        with_ip = tcp_behind(&like.head.bytes()[..12], random.below(2) == 0);
        (like, layers) = (&with_ip, Layers::of(&with_ip));
    }
    if layers.is_fragment {
        return None;
    }
    let (transport, payload) = (layers.transport?, layers.payload?);
    let mut bytes = like.head.bytes().get(..payload)?.to_vec();
    let length = 1 + random.below(20_000) as usize;
    let kind = match (layers.network, layers.protocol) {
        (Network::Ipv4, protocol::TCP) => SegmentationKind::TcpIpv4,
        (Network::Ipv6, protocol::TCP) => SegmentationKind::TcpIpv6,
        (Network::Ipv4 | Network::Ipv6, protocol::UDP) => SegmentationKind::Udp,
        _ => return None,
    };
    if layers.network == Network::Ipv4 {
        let mut ipv4 = Ipv4::new(&mut bytes[layers.network_start..])?;
        ipv4.set_total_length((payload - layers.network_start + length) as u16);
        // Now and then a checksum is wrong, of which the program must hear.
        if random.below(10) > 0 {
            ipv4.fill_checksum();
        }
    } else {
        let total = (payload - layers.network_start - 40 + length) as u16;
        bytes[layers.network_start + 4..][..2].copy_from_slice(&total.to_be_bytes());
    }
    let offset: u8 = if kind == SegmentationKind::Udp {
        Udp::new(&mut bytes[transport..])?.set_length((8 + length) as u16);
        6
    } else {
        let mut tcp = Tcp::new(&mut bytes[transport..])?;
        let header = tcp.header_length();
        // Any flags: those of an opening connection are never in superframes, but nobody must count on it.
        let flags = if random.below(5) == 0 {
            random.bits() as u8
        } else {
            flag::ACK | random.bits() as u8 & (flag::PSH | flag::FIN | flag::CWR)
        };
        tcp.set_header_length_and_flags(header, flags);
        16
    };
    // The checksum of the pseudo-header stands where that of the packet will.
    let addresses = if layers.network == Network::Ipv4 { 12..20 } else { 8..40 };
    let mut sum = Sum::default();
    sum.add(&bytes[layers.network_start..][addresses]);
    sum.add_word(layers.protocol.into());
    sum.add_word((payload - transport + length) as u16);
    bytes[transport + usize::from(offset)..][..2].copy_from_slice(&sum.folded().to_be_bytes());
    let in_head = random.below(length as u64 + 1).min(60) as usize;
    let data: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
    bytes.extend_from_slice(&data[..in_head]);
    let mut packet = Packet::of_bytes(&bytes);
    packet.tail = if in_head < length { Tail::Bytes(data[in_head..].into()) } else { Tail::Length(0) };
    packet.sidecar.original_length = packet.len() as u32;
    packet.sidecar.checksum = ChecksumState::Partial { start: transport as u16, offset };
    let size = 200 + random.below(1_300) as u16;
    let has_cwr = kind != SegmentationKind::Udp && bytes[transport + 13] & flag::CWR != 0;
    packet.sidecar.segmentation = Some(Segmentation { kind, size, has_cwr });
    // A single packet whose checksum is still to be computed is treated in the same way.
    if length <= usize::from(size) && random.below(2) == 0 {
        packet.sidecar.segmentation = None;
    }
    Some(packet)
}

/// The bytes of the packets that left each port, in order.
type Sent = BTreeMap<u16, Vec<Vec<u8>>>;

/// Cuts a packet and completes the checksums of what it becomes.
fn cut(packet: Packet) -> Vec<Packet> {
    let mut segments = Vec::new();
    packet
        .segment(|mut segment| {
            assert!(segment.complete_checksum(), "the checksum lies in the head");
            segments.push(segment);
        })
        .unwrap_or_else(|packet| panic!("these are not the headers of the segmentation: {:?}", packet.head));
    segments
}

fn send(device: &mut dyn Device, now: Instant, port: Port, packets: Vec<Packet>, sent: &mut Sent) {
    let mut out = Outbox::new(Interest::default());
    for packet in packets {
        out.begin(now);
        device.receive(now, port, &mut vec![packet], &mut out);
        for transmission in out.transmissions.drain(..) {
            for segment in cut(transmission.packet) {
                let mut bytes = Vec::new();
                segment.append_to(&mut bytes);
                sent.entry(transmission.port.0).or_default().push(bytes);
            }
        }
        out.discarded.clear();
    }
}

/// Returns true if two states are the same. Registers, of which there may be many, are not written out.
fn same_state(one: &ProgramState, other: &ProgramState) -> bool {
    let others = |state: &ProgramState| format!("{:?}", state.with_registers(RegisterFile::default()));
    one.registers == other.registers && others(one) == others(other)
}

#[test]
fn bytes_ports_and_state_are_those_of_the_segments() {
    let mut random = Random::new(5);
    let mut passed_whole: BTreeMap<String, u32> = BTreeMap::new();
    for (name, file) in programs() {
        let program = load(&file);
        let mut tests: Vec<PathBuf> = fs::read_dir(file.parent().expect("a folder"))
            .expect("the folder")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "stf"))
            .collect();
        tests.sort();
        for test in tests {
            let entries = said(Entries::read(&test, &program));
            let templates = packets(&test, &program);
            for machine in ["v1model", "native"] {
                let kind = said(kinds::named(machine));
                let fitted = said(kind.fit(&program, &Settings::default()));
                let mut devices = [0, 1].map(|_| said(fitted.build(1)));
                devices.iter_mut().for_each(|device| said(entries.clone().apply(&mut **device)));
                for round in 0..60u64 {
                    let Some((port, like)) = templates.get(random.below(templates.len().max(1) as u64) as usize) else {
                        continue;
                    };
                    let Some(packet) = superframe(like, &mut random) else { continue };
                    let now = Instant::from_microseconds(round * 10);
                    let shown = (packet.head.bytes().to_vec(), packet.len(), packet.sidecar);
                    let [cut_first, perhaps_whole] = &mut devices;
                    let [mut expected, mut found] = [Sent::new(), Sent::new()];
                    send(&mut **cut_first, now, *port, cut(packet.clone()), &mut expected);
                    if perhaps_whole.takes_whole(&packet) {
                        *passed_whole.entry(name.clone()).or_default() += 1;
                        send(&mut **perhaps_whole, now, *port, vec![packet], &mut found);
                    } else {
                        send(&mut **perhaps_whole, now, *port, cut(packet), &mut found);
                    }
                    assert!(found == expected, "{name} on {machine}, {}: {shown:?}", test.display());
                    let is_same = same_state(&cut_first.state(), &perhaps_whole.state());
                    assert!(is_same, "{name} on {machine}, {}: state after {shown:?}", test.display());
                }
            }
        }
    }
    for name in ["ecmp", "learning_switch", "router", "source_routing", "stateful_firewall"] {
        assert!(
            passed_whole.get(name).is_some_and(|count| *count > 20),
            "{name} took few superframes whole: {passed_whole:?}"
        );
    }
}

/// A program whose parser, and what follows it in ingress, are given.
fn program(state: &str, ingress: &str, egress: &str) -> LoadedProgram {
    let text = format!(
        r#"
        #include <core.p4>
        #include <v1model.p4>
        header eth_t {{ bit<48> to; bit<48> from; bit<16> kind; }}
        header ip_t {{ bit<32> first; bit<32> second; bit<8> ttl; bit<8> protocol; bit<16> sum; bit<32> from; bit<32> to; }}
        header tcp_t {{ bit<16> from; bit<16> to; bit<32> sequence; bit<32> acknowledgement; bit<8> offset; bit<8> flags; bit<16> window; bit<16> sum; bit<16> urgent; }}
        struct headers_t {{ eth_t eth; ip_t ip; tcp_t tcp; }}
        struct meta_t {{ bit<32> x; }}
        struct news_t {{ bit<9> port; }}
        parser P(packet_in p, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
            state start {{ {state} }}
            state odd {{ meta.x = 7; transition accept; }}
        }}
        control V(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
        control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{
            register<bit<32>>(4) r;
            apply {{ std.egress_spec = 1; {ingress} }}
        }}
        control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {{ apply {{ {egress} }} }}
        control C(inout headers_t hdr, inout meta_t meta) {{ apply {{ }} }}
        control D(packet_out p, in headers_t hdr) {{ apply {{ p.emit(hdr.eth); p.emit(hdr.ip); p.emit(hdr.tcp); }} }}
        V1Switch(P(), V(), I(), E(), C(), D()) main;
        "#
    );
    said(LoadedProgram::of_text("small.p4", &text, None))
}

const ALL: &str = "p.extract(hdr.eth); p.extract(hdr.ip); p.extract(hdr.tcp);";

/// Programs that looked as if they treated segments alike.
#[test]
fn what_differs_is_found_wherever_it_is_used() {
    let shape = Shape { tag: None, is_ipv6: false, network_length: 20, is_udp: false, transport_length: 20 };
    let accept = format!("{ALL} transition accept;");
    let by_label =
        format!("{ALL} transition select(hdr.tcp.acknowledgement) {{ hdr.tcp.sequence: odd; default: accept; }}");
    for (parser, ingress, egress, expected) in [
        (&*accept, "", "", None),
        (&*accept, "std.egress_spec = (bit<9>)hdr.tcp.window;", "", None),
        (&*accept, "std.egress_spec = (bit<9>)hdr.tcp.sequence;", "", Some("the destination differs")),
        (&*by_label, "", "", Some("which it selects by, differs")),
        ("p.advance(4); p.advance(108); transition accept;", "", "", Some("the number of bits is invalid")),
        (
            &*accept,
            "hash(meta.x, HashAlgorithm.random, 32w0, { hdr.ip.from }, 32w4); if (hdr.ip.protocol == 1) { std.egress_spec = (bit<9>)meta.x; }",
            "",
            Some("draws a number of its own"),
        ),
        (&*accept, "digest<news_t>(1, { std.ingress_port });", "", None),
        (
            &*accept,
            "digest<news_t>(1, { std.ingress_port }); digest<news_t>(1, { 9w2 });",
            "",
            Some("each segment sends several messages"),
        ),
        (&*accept, "", "digest<news_t>(1, { std.egress_port });", Some("each segment sends several messages")),
        (&*accept, "r.write(0, meta.x + 1);", "", None),
        (&*accept, "r.read(meta.x, 0); r.write(0, meta.x + 1);", "", Some("the next segment reads the register")),
        (&*accept, "if (std.packet_length > 1500) { mark_to_drop(std); }", "", Some("differs between segments")),
        (&*accept, "if (std.packet_length < 54) { mark_to_drop(std); }", "", None),
        (&*accept, "hdr.ip.ttl = hdr.ip.ttl - 1;", "", Some("header checksum is not computed anew")),
        (&*accept, "hdr.tcp.window = 0;", "", Some("the header of the transport layer is changed")),
    ] {
        let program = program(parser, ingress, egress);
        let found = treats_alike(&program.program, program.info.architecture(), shape).err();
        let found = found.map(|obstacle| obstacle.to_string());
        match (&found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) if found.contains(expected) => {}
            _ => panic!("{parser} {ingress} {egress}: expected {expected:?}, found {found:?}"),
        }
    }
}

/// Packets of which a header contradicts another, or what travels beside them, are cut or completed first.
#[test]
fn packets_whose_headers_contradict_each_other_do_not_pass_whole() {
    let program = program(&format!("{ALL} transition accept;"), "", "");
    let kind = said(kinds::named("v1model"));
    let mut device = said(said(kind.fit(&program, &Settings::default())).build(1));
    let mut random = Random::new(9);
    let packet = loop {
        // The generator makes wrong checksums and other flags now and then.
        let packet = superframe(&tcp_behind(&[0; 12], false), &mut random).expect("it is TCP");
        if packet.sidecar.segmentation.is_some() && device.takes_whole(&packet) {
            break packet;
        }
    };
    type Change = fn(&mut Packet);
    let changes: [(&str, Change); 7] = [
        ("a total length of 0", |packet| {
            let mut ipv4 = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("IPv4");
            ipv4.set_total_length(0);
            ipv4.fill_checksum();
        }),
        ("a wrong header checksum", |packet| packet.head.bytes_mut()[24] ^= 1),
        ("another kind of segmentation", |packet| {
            let segmentation = packet.sidecar.segmentation.as_mut().expect("it is to be cut");
            segmentation.kind = SegmentationKind::TcpIpv6;
        }),
        ("a checksum elsewhere", |packet| {
            packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 14 };
        }),
        ("a checksum of another layer", |packet| {
            packet.sidecar.checksum = ChecksumState::Partial { start: 14, offset: 16 };
        }),
        ("another checksum of the pseudo-header", |packet| packet.head.bytes_mut()[50] ^= 1),
        ("a connection that opens", |packet| packet.head.bytes_mut()[47] |= flag::SYN),
    ];
    for (what, change) in changes {
        let mut changed = packet.clone();
        change(&mut changed);
        assert!(!device.takes_whole(&changed), "{what}");
    }
    assert!(device.takes_whole(&packet));
}
