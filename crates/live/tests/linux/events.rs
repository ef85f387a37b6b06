//! What happens to interfaces while a driver runs: they go down and up, change their MTU, are removed and return.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::Duration;

use basis::Instant;
use live::{Driver, Interface, Options, PacketSocket, Tap};
use node::{Burst, Control, Node, Outbox, Port, Reason};
use wire::Packet;

use crate::namespace::{ip, set, within};
use crate::ticker::Ticker;
use crate::veth::Host;

/// A node that notes what it hears of its links, and the frames of one kind that it receives.
#[derive(Default)]
struct Notes {
    links: Vec<(u16, bool)>,
    frames: u32,
}

/// A type of frames for experiments (IEEE 802), which the kernel never sends.
const EXPERIMENT: [u8; 2] = [0x88, 0xB5];

impl Node for Notes {
    fn receive(&mut self, _: Instant, _: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            self.frames += u32::from(packet.head.bytes()[12..14] == EXPERIMENT);
            out.discard(packet, Reason::PROGRAM);
        }
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, request: Control, _: &mut Outbox) {
        if let Control::Link { port, up } = request {
            self.links.push((port.0, up));
        }
    }
}

fn frame() -> Packet {
    let mut bytes = [0; 60];
    bytes[..6].fill(0xFF);
    bytes[6] = 2;
    bytes[12..14].copy_from_slice(&EXPERIMENT);
    Packet::of_bytes(&bytes)
}

/// Runs a driver until something holds for its node, and sends a frame to its interface at each turn.
fn until<I: Interface>(driver: &mut Driver<Notes, I>, peer: Option<&mut PacketSocket>, holds: impl Fn(&Notes) -> bool) {
    let _ticker = Ticker::new(driver.waker());
    let mut peer = peer;
    driver
        .run(|node, _, out| {
            out.transmit(Port(0), frame());
            if let Some(peer) = &mut peer {
                let _ = peer.send(&mut VecDeque::from([frame()]), &mut Burst::new(), &mut Vec::new());
            }
            if holds(node) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .expect("the driver goes on");
}

/// Runs a driver until the link of port 0 is up or down.
fn until_link<I: Interface>(driver: &mut Driver<Notes, I>, is_up: bool) {
    until(driver, None, |node| node.links.last() == Some(&(0, is_up)));
    assert_eq!(driver.ports().next().map(|port| port.is_up), Some(is_up));
}

fn longest_frame<I: Interface>(driver: &Driver<Notes, I>) -> Option<u32> {
    driver.ports().next().and_then(|port| port.longest_frame)
}

/// Removes the interface of port 0 and lets it return by `add`, twice; `peer` opens the other end.
fn survives_removal<I: Interface>(driver: &mut Driver<Notes, I>, add: &[&str], peer: impl Fn() -> PacketSocket) {
    for round in 1..3 {
        ip("link delete port0");
        until_link(driver, false);
        add.iter().for_each(|line| ip(line));
        until_link(driver, true);
        let transmitted = driver.tally().transmitted;
        let before = driver.node().frames;
        until(driver, Some(&mut peer()), |node| node.frames > before);
        assert!(driver.tally().transmitted > transmitted, "round {round}");
    }
    let port = driver.ports().next().expect("a port");
    assert!(port.failure.is_none());
    assert!(port.tally.discarded.contains_key(&live::reasons::INTERFACE_DOWN), "{:?}", port.tally);
}

#[test]
fn a_packet_socket_survives_its_interface() {
    within("events::a_packet_socket_survives_its_interface", || {
        set("ipv6/conf/default/disable_ipv6", "1");
        let add = ["link add port0 mtu 2000 type veth peer name far0", "link set port0 up", "link set far0 up"];
        add.iter().for_each(|line| ip(line));
        let socket = PacketSocket::open("port0").expect("it exists");
        let mut driver = Driver::new(Notes::default(), [(Port(0), socket)]).expect("a descriptor is left");
        assert_eq!(longest_frame(&driver), Some(2014));
        let peer = || PacketSocket::open("far0").expect("it exists");
        until(&mut driver, Some(&mut peer()), |node| node.frames > 0);
        driver.node_mut().links.clear();
        // The peer's end takes the carrier away.
        for [ours, theirs] in [["port0", "far0"], ["far0", "port0"]] {
            for (state, is_up) in [("down", false), ("up", true)] {
                ip(&format!("link set {ours} {state}"));
                until_link(&mut driver, is_up);
                assert!(driver.node().links.len() <= 4, "{ours} {theirs}");
            }
        }
        ip("link set port0 mtu 1400");
        let mut turns = 0;
        while longest_frame(&driver) != Some(1414) {
            until(&mut driver, None, |_| true);
            std::thread::sleep(Duration::from_millis(1));
            turns += 1;
            assert!(turns < 10_000, "{:?}", longest_frame(&driver));
        }
        survives_removal(&mut driver, &add, peer);
    });
}

#[test]
fn a_tap_survives_its_interface() {
    within("events::a_tap_survives_its_interface", || {
        set("ipv6/conf/default/disable_ipv6", "1");
        let tap = Tap::open("port0").expect("a TAP interface can be made");
        let mut driver = Driver::new(Notes::default(), [(Port(0), tap)]).expect("a descriptor is left");
        until_link(&mut driver, false);
        ip("link set port0 up");
        until_link(&mut driver, true);
        let add = ["tuntap add dev port0 mode tap", "link set port0 up"];
        survives_removal(&mut driver, &add, || PacketSocket::open("port0").expect("it exists"));
    });
}

#[test]
fn a_tap_goes_on_in_another_namespace() {
    within("events::a_tap_goes_on_in_another_namespace", || {
        set("ipv6/conf/default/disable_ipv6", "1");
        let tap = Tap::open("port0").expect("a TAP interface can be made");
        let mut driver = Driver::new(Notes::default(), [(Port(0), tap)]).expect("a descriptor is left");
        let host = Host::new("beside", "10.0.0.1");
        let path = host.path();
        let process = path.split('/').nth(2).expect("the number of a process").to_owned();
        ip(&format!("link set port0 netns {process} name inside"));
        host.spawn(|| ip("link set inside up")).join().expect("the interface is there");
        let inside = live::namespace::within(Some(&path), || PacketSocket::open("inside"));
        until(&mut driver, Some(&mut inside.expect("it exists there")), |node| node.frames > 0);
        until_link(&mut driver, true);
        assert!(driver.tally().transmitted > 0);
        // Another interface of its name is another one.
        ip("tuntap add dev port0 mode tap");
        let inside = live::namespace::within(Some(&path), || PacketSocket::open("inside"));
        let before = driver.node().frames;
        until(&mut driver, Some(&mut inside.expect("it exists there")), |node| node.frames > before);
    });
}

#[test]
fn an_interface_of_another_namespace_is_opened() {
    within("events::an_interface_of_another_namespace_is_opened", || {
        let host = Host::new("port0", "10.0.0.1");
        let options = Options { namespace: Some(host.path()), ..Options::default() };
        let inside = live::open("eth0", &options).expect("it exists there");
        assert!(
            live::open("eth0", &Options::default()).is_ok_and(|here| here.events().is_some()),
            "a TAP is made here"
        );
        let mut driver = Driver::new(Notes::default(), [(Port(0), inside)]).expect("a descriptor is left");
        let mut peer = PacketSocket::open("port0").expect("it exists here");
        until(&mut driver, Some(&mut peer), |node| node.frames > 0);
        ip("link set port0 down");
        until_link(&mut driver, false);
        let nowhere = Options { namespace: Some("no-such-namespace".to_owned()), ..Options::default() };
        assert_eq!(live::open("eth0", &nowhere).err().map(|it| it.kind()), Some(std::io::ErrorKind::NotFound));
    });
}
