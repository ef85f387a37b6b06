//! Packets through the processor of a host, one by one. Times are in nanoseconds.

use basis::{Duration, Rate};
use wire::{Ethernet, Ipv4, Sidecar, Tail, ether_type};

use super::*;

fn nanoseconds(nanoseconds: u64) -> Duration {
    Duration::from_nanoseconds(nanoseconds)
}

fn at(nanoseconds: u64) -> Instant {
    Instant::ZERO + Duration::from_nanoseconds(nanoseconds)
}

/// A packet of 1000 bytes with a number, from an address that ends so.
fn packet(number: u64, source: u8) -> Packet {
    let mut head = [0; 34];
    Ethernet::new(&mut head[..]).expect("it fits").set_ether_type(ether_type::IPV4);
    let mut ip = Ipv4::new(&mut head[14..]).expect("it fits");
    ip.set_version_and_length(0x45);
    ip.set_source_bits(source.into());
    Packet::new(&head, Tail::Length(966), Sidecar { id: number, ..Sidecar::default() })
}

/// 200 ns for a packet of 1000 bytes.
fn work() -> Work {
    Work { per_packet: nanoseconds(100), per_byte: Duration::from_picoseconds(100) }
}

/// Packets from 0 on come at these times: which the transport got when, and which found no place.
fn received(parameters: Parameters, arrivals: &[u64]) -> (Vec<(u64, u64)>, Vec<u64>) {
    let mut costs = Costs::new(parameters);
    let (mut received, mut refused) = (Vec::new(), Vec::new());
    let mut arrivals = (0..).zip(arrivals).peekable();
    loop {
        let arrival = arrivals.peek().map(|(_, time)| at(**time));
        let deadline = costs.deadline(Instant::ZERO);
        let Some(now) = arrival.into_iter().chain(deadline).min() else { break };
        assert_ne!(now, Instant::MAX, "it waits for nothing");
        if arrival == Some(now) {
            let (number, _) = arrivals.next().expect("peeked");
            refused.extend(costs.arrives(now, packet(number, 1)).err().map(|packet| packet.sidecar.id));
        }
        while let Some(packet) = costs.advance(now) {
            received.push((packet.sidecar.id, now.picoseconds() / 1000));
        }
    }
    assert_eq!(costs.held(), 0);
    (received, refused)
}

#[track_caller]
fn check(parameters: Parameters, arrivals: &[u64], expected: &[(u64, u64)]) {
    assert_eq!(received(parameters, arrivals), (expected.to_vec(), vec![]));
}

#[test]
fn a_host_that_costs_nothing_is_not_there() {
    check(Parameters::default(), &[0, 0, 7], &[(0, 0), (1, 0), (2, 7)]);
}

#[test]
fn a_core_does_one_thing_at_a_time() {
    let parameters = Parameters { receive: work(), ..Parameters::default() };
    check(parameters, &[0, 0, 350, 1000], &[(0, 200), (1, 400), (2, 600), (3, 1200)]);
}

#[test]
fn bytes_cross_pcie_before_a_core_sees_them() {
    // A nanosecond a byte; meanwhile the core works on the one before.
    let pcie = Some(Rate::from_gigabits_per_second(8));
    let parameters = Parameters { receive: work(), pcie, ..Parameters::default() };
    check(parameters, &[0, 0, 5000], &[(0, 1200), (1, 2200), (2, 6200)]);
}

#[test]
fn a_core_that_polls_looks_at_multiples_of_its_period_and_goes_on_while_there_is_something() {
    let attention = Attention::Polling { period: nanoseconds(1000) };
    let parameters = Parameters { receive: work(), attention, ..Parameters::default() };
    check(parameters.clone(), &[300, 1100, 1500], &[(0, 1200), (1, 1400), (2, 2200)]);
    check(parameters, &[1000, 1001], &[(0, 1200), (1, 1400)]);
}

#[test]
fn an_interrupt_waits_for_packets_or_for_a_time_and_then_takes_a_while() {
    let attention = Attention::Interrupt { latency: nanoseconds(50), packets: 3, time: nanoseconds(1000) };
    let parameters = Parameters { receive: work(), attention, ..Parameters::default() };
    // The time of the first is up.
    check(parameters.clone(), &[0, 900], &[(0, 1250), (1, 1450)]);
    // There are three.
    check(parameters.clone(), &[0, 10, 20], &[(0, 270), (1, 470), (2, 670)]);
    // What comes while the core is at work needs no interrupt; what comes behind it does.
    check(parameters, &[0, 10, 20, 600, 900], &[(0, 270), (1, 470), (2, 670), (3, 870), (4, 2150)]);
}

#[test]
fn what_finds_the_ring_full_is_refused() {
    let parameters = Parameters { receive: work(), receive_ring: 2, ..Parameters::default() };
    // The first is with the core, two wait, and the fourth has no place; the fifth has, when one more has been taken.
    let (got, refused) = received(parameters, &[0, 1, 2, 3, 201]);
    assert_eq!(got, [(0, 200), (1, 400), (2, 600), (4, 800)]);
    assert_eq!(refused, [3]);
}

#[test]
fn flows_are_spread_over_cores_and_one_flow_stays_on_one() {
    let parameters = Parameters { cores: 2, receive: work(), ..Parameters::default() };
    let mut costs = Costs::new(parameters);
    let core_of = |costs: &Costs, source| costs.core_of(&packet(0, source));
    let other = (2..).find(|&source| core_of(&costs, source) != core_of(&costs, 1)).expect("one of 2^8");
    for (number, source) in [(0, 1), (1, other), (2, 1)] {
        costs.arrives(at(0), packet(number, source)).expect("there is room");
    }
    let mut got = Vec::new();
    while let Some(now) = costs.deadline(Instant::ZERO) {
        while let Some(packet) = costs.advance(now) {
            got.push((packet.sidecar.id, now));
        }
    }
    got.sort_unstable();
    assert_eq!(got, [(0, at(200)), (1, at(200)), (2, at(400))]);
}

#[test]
fn what_is_sent_is_worked_on_crosses_pcie_and_waits_for_the_line() {
    let pcie = Some(Rate::from_gigabits_per_second(8));
    let parameters = Parameters { send: work(), pcie, transmit_ring: 2, ..Parameters::default() };
    let mut costs = Costs::new(parameters);
    costs.made(at(0), packet(0, 1));
    assert!(costs.has_room());
    costs.made(at(0), packet(1, 1));
    assert!(!costs.has_room());
    assert_eq!(costs.advance(at(0)), None);
    assert_eq!(costs.deadline(at(0)), Some(at(200)));
    assert_eq!(costs.advance(at(200)), None);
    assert_eq!(costs.deadline(at(0)), Some(at(400)), "the second is with the core, the first on PCIe");
    assert_eq!(costs.advance(at(400)), None);
    assert_eq!(costs.deadline(at(0)), Some(at(1200)));
    assert_eq!(costs.deadline(at(5000)), Some(at(5000)), "the line is busy");
    assert_eq!(costs.for_line(at(1199)), None);
    assert_eq!(costs.for_line(at(1200)).map(|packet| packet.sidecar.id), Some(0));
    assert!(costs.has_room());
    assert_eq!(costs.for_line(at(1200)), None);
    assert_eq!(costs.for_line(at(2200)).map(|packet| packet.sidecar.id), Some(1));
    assert_eq!((costs.held(), costs.deadline(at(0))), (0, None));
}

/// Regression: the one that had waited longest went first. A receiver that was overloaded then answered too late, was sent
/// everything again, and had even more to do.
#[test]
fn what_comes_and_what_is_to_leave_take_turns() {
    let parameters = Parameters { receive: work(), send: work(), ..Parameters::default() };
    let mut costs = Costs::new(parameters);
    for number in 0..3 {
        costs.arrives(at(0), packet(number, 1)).expect("there is room");
    }
    assert_eq!(costs.advance(at(0)), None);
    costs.made(at(10), packet(10, 1));
    costs.made(at(20), packet(11, 1));
    let mut done = Vec::new();
    for now in (200..=1000).step_by(200).map(at) {
        done.extend(costs.advance(now).map(|packet| packet.sidecar.id));
        done.extend(costs.for_line(now).map(|packet| packet.sidecar.id));
    }
    assert_eq!(done, [0, 10, 1, 11, 2]);
}

#[test]
fn a_processor_that_pauses_does_nothing_and_what_it_counts_is_time() {
    let pause = Slow { from: at(100), until: at(1100), times: None };
    let parameters = Parameters { receive: work(), slow: vec![pause], ..Parameters::default() };
    check(parameters, &[0, 500], &[(0, 1200), (1, 1400)]);
    let mut costs = Costs::new(Parameters { receive: work(), cores: 3, ..Parameters::default() });
    costs.arrives(at(0), packet(0, 1)).expect("there is room");
    costs.advance(at(0));
    costs.advance(at(200)).expect("done");
    let mut counted = Vec::new();
    costs.counters(&mut |counter| counted.push((counter.name, counter.value)));
    let expected = [
        ("cores_busy_ps", 200_000),
        ("busiest_core_busy_ps", 200_000),
        ("pcie_in_busy_ps", 0),
        ("pcie_out_busy_ps", 0),
        ("receive_calls", 1),
        ("receive_ring_most_packets", 1),
    ];
    assert_eq!(counted, expected);
}
