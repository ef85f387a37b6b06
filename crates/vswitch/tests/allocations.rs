//! Packets that have a session go through a switch without anything being allocated.
//!
//! This is a program of its own, because its allocator counts for all threads.
#![allow(unsafe_code)] // an allocator is unsafe to write; this one passes everything on to the system's

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use basis::Duration;
use measure::Interest;
use node::{Burst, Node, Outbox, Port};
use vswitch::VirtualSwitch;
use vswitch::configuration::{Nat, PathOptions, Route, RouteTarget};
use wire::{ChecksumState, Packet, Segmentation, SegmentationKind, Tail, tcp::flag};

#[allow(dead_code, reason = "the frames of other tests")]
#[path = "path/frames.rs"]
mod frames;
#[allow(dead_code, reason = "the sites of other tests")]
#[path = "path/site.rs"]
mod site;

use frames::{echo, tcp, udp};
use site::{Site, address, configuration, prefix};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all calls are passed on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A superframe of TCP, whose payload is in its tail.
fn superframe(mut packet: Packet) -> Packet {
    packet.tail = Tail::Bytes(vec![7; 30_000].into());
    packet.head.bytes_mut()[16..18].copy_from_slice(&30_040u16.to_be_bytes());
    wire::Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("an IPv4 header").fill_checksum();
    packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 16 };
    packet.sidecar.segmentation = Some(Segmentation { kind: SegmentationKind::TcpIpv4, size: 1400, has_cwr: false });
    packet
}

#[test]
fn packets_with_a_session_allocate_nothing() {
    allocate_nothing(PathOptions::default());
    allocate_nothing(PathOptions {
        flow_index: 64,
        vectors: true,
        slicing: true,
        congestion: true,
        ..PathOptions::default()
    });
}

fn allocate_nothing(path: PathOptions) {
    let mut own = configuration(0);
    own.path = path;
    own.nats = vec![Nat { name: "world".to_owned(), addresses: vec![address("198.51.100.1")], ports: 1024..=u16::MAX }];
    own.vpcs[0].routes.push(Route { prefix: prefix("0.0.0.0/0"), target: RouteTarget::Nat(0), mtu: None });
    let site = Site::new(vec![own.clone(), configuration(1)]);
    let (one, three) = (site.guest(1), site.guest(3));
    let data = |to: &str| tcp(&one, to, [1000, 80], flag::ACK, [1, 1]);
    // To a vNIC, through a tunnel (a superframe too, which is cut), to the world outside, and from a tunnel.
    let sent = [
        udp(&one, "10.0.2.2", [1, 2], b"near"),
        udp(&one, "fd00::2", [1, 2], b"near"),
        data("10.0.2.2"),
        superframe(data("10.0.2.2")),
        udp(&one, "10.0.1.3", [1, 2], b"far"),
        superframe(data("10.0.1.3")),
        echo(&one, "10.0.1.3", true, 7),
        udp(&one, "203.0.113.9", [5000, 53], b"outside"),
        superframe(data("203.0.113.9")),
    ];
    let mut elsewhere = site;
    elsewhere.leave(3, udp(&three, "10.0.1.1", [4, 5], b"near"));
    let from_tunnel = elsewhere.between.pop().expect("a packet of a tunnel");
    let mut switch = VirtualSwitch::new(own, [1, 2]);
    let mut out = Outbox::new(Interest::default());
    let (mut burst, mut now) = (Burst::new(), basis::Instant::ZERO);
    let mut round = |count: u64| {
        for _ in 0..count {
            now += Duration::from_microseconds(10);
            for (port, packets) in [(Port(1), &sent[..]), (Port(100), std::slice::from_ref(&from_tunnel))] {
                burst.extend(packets.iter().cloned());
                out.begin(now);
                switch.receive(now, port, &mut burst, &mut out);
                assert!(out.discarded.is_empty(), "{:?}", out.discarded);
                out.transmissions.clear();
            }
        }
        ALLOCATIONS.load(Ordering::Relaxed)
    };
    let before = round(100);
    let after = round(2000);
    assert_eq!(after - before, 0, "allocations for 20,000 packets");
    assert_eq!(switch.sessions_count(), 9);
}
