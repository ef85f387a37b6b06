//! Whatever a guest or the underlay sends, the switch neither fails nor loses a packet.

use basis::Duration;
use proptest::prelude::*;
use runtime::meter::{MeterRates, MeterUnit};
use vswitch::configuration::{
    BackEnd, Course, FlowLog, Limiter, LoadBalancer, Mirror, MirrorTarget, Nat, PathOptions, Prefix, Route, RouteTarget,
};
use vswitch::{FlowRecord, RecordedFlow, VirtualSwitch};
use wire::{ChecksumState, Packet, Segmentation, SegmentationKind, Tail, protocol};

use crate::frames::{echo, ip, tcp, udp};
use crate::headers;
use crate::interpreter::Program;
use crate::site::{Site, Told, address, configuration, prefix, sessions};

/// The options of the path, each on or off.
pub fn options() -> impl Strategy<Value = PathOptions> {
    let flow_index = prop::sample::select(vec![0, 4, 1024]);
    let flags = any::<[bool; 4]>();
    (1..4u16, flow_index, flags).prop_map(|(cores, flow_index, [vectors, slicing, xdp, decide_each_packet])| {
        let more = PathOptions { congestion: vectors, xdp, decide_each_packet, ..PathOptions::default() };
        PathOptions { cores, flow_index, vectors, slicing, ..more }
    })
}

/// The two hosts, with a pool, a load balancer, limiters, mirrors and a flow log on the first.
pub fn site(path: PathOptions) -> Site {
    let mut first = configuration(0);
    first.path = path;
    first.nats = vec![Nat { name: "world".into(), addresses: vec![address("198.51.100.1")], ports: 4000..=4010 }];
    first.vpcs[0].routes.push(Route { prefix: prefix("0.0.0.0/0"), target: RouteTarget::Nat(0), mtu: Some(1000) });
    let back_ends = ["10.0.2.2", "10.0.1.3"].map(|text| BackEnd { address: address(text), port: 8080, weight: 1 });
    first.balancers = vec![LoadBalancer {
        name: "web".into(),
        vpc: 0,
        address: address("10.0.1.100"),
        protocol: protocol::TCP,
        port: 80,
        back_ends: back_ends.to_vec(),
    }];
    first.underlay.as_mut().expect("an underlay").mtu = 1500;
    let rates = MeterRates { committed_rate: 1000, committed_burst: 3000, peak_rate: 2000, peak_burst: 6000 };
    first.limiters = [(0, Course::Egress), (1, Course::Ingress)]
        .map(|(vnic, course)| Limiter {
            name: format!("limiter {vnic}"),
            vnic,
            course,
            unit: MeterUnit::Bytes,
            rates,
            excess_dscp: Some(12),
        })
        .to_vec();
    let mirror = |vnic, length, target| Mirror {
        name: format!("mirror {vnic}"),
        vnic,
        courses: vec![Course::Egress, Course::Ingress],
        protocol: None,
        ports: None,
        peer: Prefix::ALL,
        length,
        target,
    };
    first.mirrors = vec![
        mirror(0, Some(100), MirrorTarget::Vnic(1)),
        mirror(1, None, MirrorTarget::Endpoint { address: address("192.0.2.9"), vni: 99 }),
    ];
    let interval = Duration::from_microseconds(60_000_000);
    first.flow_log = Some(FlowLog { interval, account: "-".into(), vnics: None, fields: None });
    let mut site = Site::new(vec![first, configuration(1)]);
    site.as_it_arrives = as_it_arrives;
    site
}

/// Returns a packet as it comes from an interface: behind the program of the pre-processor, if the switch has one.
pub fn as_it_arrives(switch: &VirtualSwitch, packet: Packet) -> Packet {
    match switch.header_program(switch.policy().configuration()) {
        Some(program) => Program::of(&program).in_front_of(&packet),
        None => packet,
    }
}

const DESTINATIONS: [&str; 8] =
    ["10.0.2.2", "10.0.1.3", "10.0.1.100", "203.0.113.9", "10.0.1.254", "fd00::2", "fd00::3", "fd00::fe"];

/// A frame that guest 1 or 2 may send: what it is, to whom, how long, and what is changed in it.
#[derive(Clone, Debug)]
pub struct Made {
    pub guest: usize,
    kind: u8,
    destination: usize,
    port: u16,
    length: usize,
    changes: Vec<(usize, u8)>,
    cut: Option<usize>,
    sidecar: (u8, u16),
    goes_back: bool,
}

pub fn made() -> impl Strategy<Value = Made> {
    let changes = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec((0..120usize, any::<u8>()), 1..6)];
    let cut = prop_oneof![8 => Just(None), 1 => (0..100usize).prop_map(Some)];
    let what = (1..=2usize, 0..8u8, 0..DESTINATIONS.len(), 1..40u16, prop_oneof![0..60usize, 1400..4000usize]);
    let how = (changes, cut, (0..6u8, 0..2000u16), any::<bool>());
    (what, how).prop_map(|((guest, kind, destination, port, length), (changes, cut, sidecar, goes_back))| Made {
        guest,
        kind,
        destination,
        port,
        length,
        changes,
        cut,
        sidecar,
        goes_back,
    })
}

/// A datagram behind destination options, one or several, of which the length of the packet says how many.
fn behind_options(made: &Made) -> Vec<u8> {
    let (count, units) = (1 + made.length % 9, (made.length / 9 % 20) as u8);
    let datagram = [&[0, made.port as u8, 0, 53, 0, 8, 0, 0][..], &vec![7; made.length]].concat();
    headers::behind_options(count, units, protocol::UDP, &datagram)
}

pub fn frame(site: &Site, made: &Made) -> Packet {
    let guest = site.guest(made.guest);
    let to = DESTINATIONS[made.destination];
    let payload = vec![7; made.length];
    let mut packet = match made.kind {
        0 => udp(&guest, to, [made.port, 53], &payload),
        1 => tcp(&guest, to, [made.port, 80], made.sidecar.1 as u8, [u32::from(made.port), made.length as u32]),
        2 => echo(&guest, to, true, made.port),
        3 => ip(&guest, to, protocol::ICMP, &[&[3, 1, 0, 0, 0, 0, 0, 0][..], &payload].concat()),
        4 => ip(&guest, to, protocol::ESP, &payload),
        5 => ip(&guest, to, protocol::DESTINATION_OPTIONS, &behind_options(made)),
        6 => {
            let about = ip(&guest, "fd00::1", protocol::DESTINATION_OPTIONS, &behind_options(made));
            let about = &about.head.bytes()[14..];
            ip(&guest, to, protocol::ICMPV6, &[&[1, 4, 0, 0, 0, 0, 0, 0], &about[..about.len().min(1232)]].concat())
        }
        _ => ip(&guest, to, protocol::SCTP, &[&[0, 80, 0, 81][..], &payload].concat()),
    };
    for &(at, value) in &made.changes {
        if let Some(byte) = packet.head.bytes_mut().get_mut(at) {
            *byte = value;
        }
    }
    if let Some(cut) = made.cut {
        packet.truncate(cut);
    }
    // A part of the bytes in the tail, as interfaces hand frames over.
    if made.sidecar.0 & 1 == 1 && packet.head.len() > 60 {
        let rest = packet.head.bytes()[60..].to_vec();
        packet.head.truncate(60);
        packet.tail = Tail::Bytes(rest.into());
    }
    let (kind, size) = made.sidecar;
    if kind >= 4 && size > 0 {
        packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: if kind == 4 { 16 } else { 6 } };
        let kind = if kind == 4 { SegmentationKind::TcpIpv4 } else { SegmentationKind::Udp };
        packet.sidecar.segmentation = Some(Segmentation { kind, size, has_cwr: false });
    }
    packet
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    /// Each frame comes out as at least one frame or as one with a reason, or was a request that the switch answers or need
    /// not. That no packet is lost is checked at every step.
    #[test]
    fn every_packet_has_a_verdict(sent in prop::collection::vec(made(), 1..40), path in options()) {
        let mut site = site(path);
        for made in sent {
            let packet = frame(&site, &made);
            let told = site.send(made.guest, packet);
            if !made.goes_back {
                continue;
            }
            // What passed between switches comes again, perhaps damaged.
            if let Some(mut between) = site.between.pop() {
                for &(at, value) in &made.changes {
                    if let Some(byte) = between.head.bytes_mut().get_mut(at) {
                        *byte = value;
                    }
                }
                site.arrive(made.guest - 1, between);
            }
            // What a guest was given, another one sends.
            if let Some(Told::Given(_, packet)) = told.into_iter().next() {
                site.send(3 - made.guest, packet);
            }
        }
        let now = site.now;
        site.switches[0].end_flow_log(now);
        let logged: u64 = site.switches[0].flow_records().map(|record| match record {
            FlowRecord::Flow(RecordedFlow { count, .. }) => count.packets,
            _ => 0,
        }).sum();
        let counted: u64 = sessions(&site.switches[0]).into_iter().flat_map(|view| view.counts).map(|count| count.packets).sum();
        prop_assert!(logged >= counted, "{} of {}", logged, counted);
        prop_assert!(site.switches[0].sessions_count() <= 1000);
    }
}
