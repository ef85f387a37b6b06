//! AF_XDP sockets between network namespaces and packet sockets, in generic and native mode.
#![cfg(all(target_os = "linux", feature = "af_xdp"))]

mod frames;
mod links;
#[path = "../linux/namespace.rs"]
#[allow(dead_code)]
mod namespace;
mod ports;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use live::{Interface, Xdp};
use node::{Burst, Discarded};
use wire::Packet;

/// The modes, as they are written.
const MODES: [&str; 2] = ["generic", "native"];

/// A type of frames for experiments (IEEE 802), which the kernel never sends.
const EXPERIMENT: [u8; 2] = [0x88, 0xB5];

/// Runs `body` in a network namespace of its own if AF_XDP can be used there; otherwise says so.
fn within(name: &str, body: impl FnOnce()) {
    namespace::within(name, || {
        namespace::ip("link add try0 type veth peer name try1");
        if let Err(error) = Xdp::open("try0") {
            eprintln!("SKIPPED {name}: AF_XDP cannot be used here: {error}");
            return;
        }
        namespace::ip("link delete try0");
        namespace::set("ipv6/conf/default/disable_ipv6", "1");
        body();
    });
}

/// Makes a veth pair, both ends up.
fn veth(ours: &str, theirs: &str, mtu: u32) {
    namespace::ip(&format!("link add {ours} mtu {mtu} type veth peer name {theirs} mtu {mtu}"));
    namespace::ip(&format!("link set {theirs} up"));
    namespace::ip(&format!("link set {ours} up"));
}

fn open(text: &str) -> Xdp {
    Xdp::open(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns a frame of a length whose bytes depend on a number.
fn frame(length: usize, number: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..length).map(|at| (at * 7 + number) as u8).collect();
    bytes[..6].fill(0xFF);
    bytes[6] = 2;
    bytes[12..14].copy_from_slice(&EXPERIMENT);
    bytes
}

fn bytes_of(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

/// Sends packets, all of which find room in the end.
fn send(interface: &mut impl Interface, packets: impl IntoIterator<Item = Packet>) -> Vec<Discarded> {
    let mut packets: VecDeque<_> = packets.into_iter().collect();
    let (mut sent, mut discarded) = (Burst::new(), Vec::new());
    let end = Instant::now() + Duration::from_secs(20);
    while !packets.is_empty() {
        interface.send(&mut packets, &mut sent, &mut discarded).expect("the interface is there");
        assert!(Instant::now() < end, "{} packets find no room", packets.len());
    }
    discarded
}

/// Receives frames for experiments until there are as many as are awaited.
fn receive(interface: &mut impl Interface, count: usize) -> Vec<Packet> {
    let (mut burst, mut discarded, mut found) = (Burst::new(), Vec::new(), Vec::new());
    let end = Instant::now() + Duration::from_secs(20);
    while found.len() < count {
        interface.receive(64, &mut burst, &mut discarded).expect("the interface is there");
        let is_ours = |packet: &Packet| packet.head.bytes().get(6) == Some(&2);
        found.extend(burst.drain(..).filter(is_ours));
        assert!(discarded.is_empty(), "{discarded:?}");
        assert!(Instant::now() < end, "{} of {count} frames arrived", found.len());
    }
    found
}

/// Sends a frame again and again until it arrives: interfaces that have just come up drop some.
fn until_it_passes(from: &mut impl Interface, to: &mut impl Interface) {
    let marker = frame(61, 99);
    let (mut burst, mut discarded) = (Burst::new(), Vec::new());
    let end = Instant::now() + Duration::from_secs(20);
    while !burst.iter().any(|packet| bytes_of(packet) == marker) {
        send(from, [Packet::of_bytes(&marker)]);
        std::thread::sleep(Duration::from_millis(2));
        burst.clear();
        to.receive(64, &mut burst, &mut discarded).expect("the interface is there");
        assert!(Instant::now() < end, "nothing passes");
    }
    // What was sent in vain, and comes late.
    std::thread::sleep(Duration::from_millis(20));
    to.receive(10_000, &mut Burst::new(), &mut discarded).expect("the interface is there");
}
