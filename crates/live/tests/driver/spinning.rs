//! A driver that asks its interfaces again and again before it sleeps.

use std::ops::ControlFlow;
use std::time::{Duration as WallDuration, Instant as WallClock};

use basis::{Duration, Instant};
use live::{Driver, Interface, MemoryInterface};
use node::{Burst, Control, Node, Outbox, Port};
use wire::Packet;

use crate::sockets::pair;

/// Counts the packets of two ports.
#[derive(Default)]
struct Counter {
    packets: [u64; 2],
}

impl Node for Counter {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, _: &mut Outbox) {
        self.packets[usize::from(port.0)] += burst.drain(..).count() as u64;
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

/// Runs a driver that spins, with a link in memory at port 0 on which the next packet is there whenever the last was taken, and
/// another interface at port 1. Returns how many packets the first has had when the second has had one.
fn packets_until_the_other_has_one(other: Box<dyn Interface>) -> u64 {
    let [near, far] = MemoryInterface::pair("busy", 4).unwrap();
    let ports: [(Port, Box<dyn Interface>); 2] = [(Port(0), Box::new(near)), (Port(1), other)];
    let mut driver = Driver::new(Counter::default(), ports).unwrap();
    driver.spin(Duration::from_microseconds(1_000_000));
    let packet = Packet::of_bytes(&[0; 60]);
    let began = WallClock::now();
    let turn = |node: &mut Counter, _, _: &mut Outbox| {
        assert!(began.elapsed() < WallDuration::from_secs(60), "the other is not heard: {:?}", node.packets);
        far.send_packet(packet.clone()).unwrap();
        if node.packets[1] > 0 { ControlFlow::Break(node.packets[0]) } else { ControlFlow::Continue(()) }
    };
    driver.run(turn).unwrap()
}

#[test]
fn an_interface_that_needs_the_system_is_heard_beside_one_that_always_has_packets() {
    let (ours, theirs) = pair();
    theirs.send(&[0; 60]).unwrap();
    let packets = packets_until_the_other_has_one(Box::new(ours));
    assert!(packets < 100, "it waited for {packets} packets of the other");
}

#[test]
fn an_interface_in_memory_is_heard_beside_one_that_always_has_packets() {
    let [near, far] = MemoryInterface::pair("rare", 4).unwrap();
    far.send_packet(Packet::of_bytes(&[0; 60])).unwrap();
    let packets = packets_until_the_other_has_one(Box::new(near));
    assert!(packets < 100, "it waited for {packets} packets of the other");
}

#[test]
fn the_system_is_asked_about_everything_else_while_packets_keep_coming() {
    // The waker of a driver is only known to the system. Every round has a turn, so that another sign is looked for: a link in memory
    // whose room is told of by the system.
    let [near, far] = MemoryInterface::pair("busy", 4).unwrap();
    let mut driver = Driver::new(Echo::default(), [(Port(0), near)]).unwrap();
    driver.spin(Duration::from_microseconds(1_000_000));
    let packet = Packet::of_bytes(&[0; 60]);
    let began = WallClock::now();
    let turn = |node: &mut Echo, _, _: &mut Outbox| {
        assert!(began.elapsed() < WallDuration::from_secs(60), "room is not heard of: {}", node.packets);
        let _ = far.send_packet(packet.clone());
        // The other end has taken nothing until the link was full and packets waited for room.
        if node.packets > 100 {
            far.receive_packet();
        }
        if far.received().passed > 200 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    driver.run(turn).unwrap();
}

/// Sends each packet back.
#[derive(Default)]
struct Echo {
    packets: u64,
}

impl Node for Echo {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.packets += burst.len() as u64;
        burst.drain(..).for_each(|packet| out.transmit(port, packet));
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}
