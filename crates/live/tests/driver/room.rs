//! A node with queues of its own holds its packets there while an interface has no room, so that what its disciplines do
//! happens on real ports as it does in simulations.

use std::ops::ControlFlow;

use basis::{Instant, Rate};
use demand::{Application, Wanted};
use live::Driver;
use measure::Interest;
use node::{Burst, Control, Link, Node, Outbox, Port};
use queues::{BufferPlan, DisciplinePlan, OutputQueues, PortPlan, Straight};
use transports::tcp::{Algorithm, Tcp, TcpParameters};
use transports::{HostParameters, HostWith};
use wire::{Ethernet, Ipv4, ether_type, protocol};

use crate::sockets::{pair, received};

const LENGTH: usize = 500;
/// The number of whole packets for which the queue has room.
const ROOM: usize = 4;
const PACKETS: u8 = 20;

/// Sends what comes from port 0 to port 1, through a queue that trims, and a link that is much faster than the interface.
struct Trimmer(OutputQueues);

impl Trimmer {
    fn new() -> Self {
        let plan = |_| PortPlan {
            rate: Rate::from_gigabits_per_second(100_000),
            framing: 0,
            is_last_hop: false,
            discipline: DisciplinePlan::trimming((ROOM * LENGTH) as u64),
        };
        Self(OutputQueues::new((0..2).map(plan).collect(), &BufferPlan::default(), 0))
    }
}

impl Node for Trimmer {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            self.0.offer(now, [port, Port(1)], packet, &mut Straight(&mut Vec::new()), out);
        }
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, now: Instant, request: Control, out: &mut Outbox) {
        if let Control::PortReady(port) = request {
            self.0.ready(now, port, &mut Straight(&mut Vec::new()), out);
        }
    }
}

/// Returns a packet of UDP above IPv4 whose last byte is a number.
fn packet(number: u8) -> Vec<u8> {
    let mut bytes = vec![0; LENGTH];
    Ethernet::new(&mut bytes[..]).unwrap().set_ether_type(ether_type::IPV4);
    let mut ipv4 = Ipv4::new(&mut bytes[14..]).unwrap();
    ipv4.set_version_and_length(0x45);
    ipv4.set_total_length(LENGTH as u16 - 14);
    ipv4.set_protocol(protocol::UDP);
    ipv4.set_identification(number.into());
    ipv4.fill_checksum();
    bytes
}

#[test]
fn a_queue_builds_up_in_the_node_while_the_interface_is_full() {
    let ((input, sender), (mut output, receiver)) = (pair(), pair());
    output.refusals = 20;
    let mut driver = Driver::new(Trimmer::new(), [(Port(0), input), (Port(1), output)]).unwrap();
    for number in 0..PACKETS {
        sender.send(&packet(number)).unwrap();
    }
    // Everything has arrived, and the interface has still no room.
    driver
        .run(|node, _, _| match node.0.held() == u64::from(PACKETS) - 1 {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        })
        .unwrap();
    let waiting: Vec<_> = driver.ports().map(|port| port.waiting).collect();
    assert_eq!(waiting, [0, 1], "only the packet that met the full interface waits there");
    let mut frames = Vec::new();
    driver
        .run(|_, _, _| {
            frames.extend(std::iter::from_fn(|| received(&receiver)));
            if frames.len() == usize::from(PACKETS) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    let whole = frames.iter().filter(|frame| frame.len() == LENGTH).count();
    assert_eq!(whole, 1 + ROOM, "all others lost their payload");
    // The first left before there was a queue; then headers overtake the packets that are whole.
    let lengths: Vec<_> = frames.iter().map(Vec::len).collect();
    assert!(lengths[0] == LENGTH && lengths[1] < LENGTH && lengths.last() == Some(&LENGTH), "{lengths:?}");
}

/// An application that asks for nothing by itself.
struct Silent;

impl Application for Silent {
    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn wake(&mut self, _: Instant, _: &mut Vec<Wanted>) {}

    fn remaining(&self) -> Option<u64> {
        Some(0)
    }
}

basis::snapshot!(Silent {});

#[test]
fn a_host_waits_for_room() {
    let port = Port(0);
    let mut host = HostWith::new(HostParameters {
        address: 1,
        link: Link::new(Rate::from_gigabits_per_second(10), Link::ETHERNET_FRAMING),
        transport: Box::new(Tcp::new(1, TcpParameters::data_center(Algorithm::CUBIC), 1)),
        application: Box::new(Silent),
    });
    let now = Instant::from_microseconds(5);
    let mut out = Outbox::new(Interest::default());
    out.begin(now);
    out.set_room(port, false);
    host.with_transport(now, &mut out, |tcp| tcp.open(now, 2, 80).expect("it may be opened"));
    host.wake(now, &mut out);
    assert_eq!((out.transmissions.len(), out.readies.len()), (0, 1), "it asks once");
    assert!(out.readies[0].1 <= now && out.deadline().is_none_or(|deadline| deadline > now));
    out.set_room(port, true);
    host.control(now, Control::PortReady(port), &mut out);
    assert_eq!(out.transmissions.len(), 1, "the SYN");
}
