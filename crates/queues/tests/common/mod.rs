//! Packets and ports for the tests of this crate.
#![allow(dead_code)] // each test file uses some of these

use basis::{Instant, Rate};
use node::{Link, Port, Reason};
use queues::{BufferPlan, DisciplinePlan, PortPlan, Refusals, TrafficManager};
use wire::{Ethernet, Ipv4, Packet, Tail, Udp, checksum};

/// The bytes that Ethernet adds around a frame.
pub const FRAMING: u32 = Link::ETHERNET_FRAMING;
pub const START: Instant = Instant::ZERO;
/// The port that most tests send to.
pub const OUT: Port = Port(0);
/// The port that most tests receive from.
pub const IN: Port = Port(1);
pub const SENDER: [u8; 4] = [10, 0, 0, 1];
pub const RECEIVER: [u8; 4] = [10, 0, 0, 2];

pub fn rate() -> Rate {
    Rate::from_gigabits_per_second(100)
}

/// A UDP packet of `length` bytes in all, of which 64 are in the head, with valid lengths and header checksum.
pub fn packet(dscp: u8, ecn: u8, length: usize) -> Packet {
    let mut packet = Packet::of_bytes(&vec![0; length.min(64)]);
    let bytes = packet.head.bytes_mut();
    let mut ethernet = Ethernet::new(&mut *bytes).unwrap();
    ethernet.set_destination([2, 0, 10, 0, 0, 2]);
    ethernet.set_source([2, 0, 10, 0, 0, 1]);
    ethernet.set_ether_type(0x0800);
    let mut udp = Udp::new(&mut bytes[34..]).unwrap();
    udp.set_source_port(7000);
    udp.set_destination_port(8000);
    udp.set_length((length - 34) as u16);
    udp.set_checksum(0x1234);
    let mut ipv4 = Ipv4::new(&mut bytes[14..]).unwrap();
    ipv4.set_version_and_length(0x45);
    ipv4.set_traffic_class(dscp << 2 | ecn);
    ipv4.set_total_length((length - 14) as u16);
    ipv4.set_time_to_live(64);
    ipv4.set_protocol(17);
    ipv4.set_source_bits(u32::from_be_bytes(SENDER));
    ipv4.set_destination_bits(u32::from_be_bytes(RECEIVER));
    let sum = checksum::of(&ipv4.bytes()[..20]);
    ipv4.set_checksum(sum);
    packet.tail = Tail::Length((length - packet.head.len()) as u32);
    packet.sidecar.original_length = length as u32;
    packet
}

/// A [`packet`] with a number that identifies it.
pub fn numbered(id: u64, dscp: u8, length: usize) -> Packet {
    let mut packet = packet(dscp, 0, length);
    packet.sidecar.id = id;
    packet
}

pub fn ipv4(packet: &Packet) -> Ipv4<&[u8]> {
    Ipv4::new(&packet.head.bytes()[14..]).unwrap()
}

pub fn udp(packet: &Packet) -> Udp<&[u8]> {
    Udp::new(&packet.head.bytes()[34..]).unwrap()
}

pub fn on_wire(length: usize) -> u64 {
    length as u64 + u64::from(FRAMING)
}

/// Returns the queues of a switch with `ports` equal ports.
pub fn switch(ports: usize, discipline: DisciplinePlan, buffer: &BufferPlan, seed: u64) -> TrafficManager {
    let problems = discipline.problems().into_iter().chain(buffer.problems()).collect::<Vec<_>>();
    assert!(problems.is_empty(), "{problems:?}");
    let plan = PortPlan { rate: rate(), framing: FRAMING, is_last_hop: false, discipline };
    TrafficManager::new(vec![plan; ports], buffer, seed)
}

/// Returns the queues of a switch whose ports have memory of their own.
pub fn simple(discipline: DisciplinePlan) -> TrafficManager {
    switch(2, discipline, &BufferPlan::default(), 1)
}

/// Offers a packet from [`IN`] to [`OUT`] at the start.
pub fn offer(manager: &mut TrafficManager, packet: Packet) -> Refusals {
    let mut refusals = Refusals::default();
    manager.offer(START, IN, OUT, packet, &mut refusals);
    refusals
}

/// Takes a packet from [`OUT`] at the start.
pub fn take(manager: &mut TrafficManager) -> Option<Packet> {
    manager.take(START, OUT, &mut Refusals::default())
}

pub fn reasons(refusals: &Refusals) -> Vec<Reason> {
    refusals.discarded.iter().map(|(_, reason)| *reason).collect()
}

/// Returns a counter of [`OUT`], or 0 if it is not reported.
pub fn counter(manager: &TrafficManager, name: &str) -> u64 {
    let mut value = 0;
    manager.counters(&mut |counter| {
        if counter.port == Some(OUT) && counter.name == name {
            value = counter.value;
        }
    });
    value
}
