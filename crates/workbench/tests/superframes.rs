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
use wire::{
    ChecksumState, Ipv4, Layers, Network, Packet, Segmentation, SegmentationKind, Tail, Tcp, Udp, protocol, tcp::flag,
};
use workbench::kinds::{self, Settings};
use workbench::{Entries, LoadOptions, LoadedProgram};

fn said<T>(result: Result<T, Failure>) -> T {
    result.unwrap_or_else(|failure| panic!("{}", failure.render(false)))
}

/// Returns the names of our P4 programs with their files, sorted.
fn programs() -> Vec<(String, PathBuf)> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/p4");
    let folders = fs::read_dir(all).expect("programs/p4").map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<(String, PathBuf)> = folders
        .filter(|folder| folder.is_dir())
        .map(|folder| (folder.file_name().expect("a name").to_string_lossy().into_owned(), folder))
        .map(|(name, folder)| (name.clone(), folder.join(format!("{name}.p4"))))
        .filter(|(_, file)| file.exists())
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
    let offset = if kind == SegmentationKind::Udp {
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
