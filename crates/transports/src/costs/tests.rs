//! Single packets through the processor of a host. Times are in nanoseconds.

use basis::{Duration, Rate};
use wire::{Ethernet, Ipv4, Sidecar, Tail, ether_type};

use super::*;

fn nanoseconds(nanoseconds: u64) -> Duration {
    Duration::from_nanoseconds(nanoseconds)
}

fn at(nanoseconds: u64) -> Instant {
    Instant::ZERO + Duration::from_nanoseconds(nanoseconds)
}

/// A packet of 1000 bytes with the given number and source address.
fn packet(number: u64, source: u8) -> Packet {
    let mut head = [0; 34];
    Ethernet::new(&mut head[..]).expect("it fits").set_ether_type(ether_type::IPV4);
    let mut ip = Ipv4::new(&mut head[14..]).expect("it fits");
    ip.set_version_and_length(0x45);
    ip.set_source_bits(source.into());
    Packet::new(&head, Tail::Length(966), Sidecar { id: number, ..Sidecar::default() })
}

/// Work of 200 ns for a packet of 1000 bytes.
fn work() -> Work {
    Work { per_packet: nanoseconds(100), per_byte: Duration::from_picoseconds(100) }
}

/// Lets packets arrive at the given times, numbered from 0. Returns the packets that the transport received, with the
/// times, and those that were refused.
fn received(parameters: CostParameters, arrivals: &[u64]) -> (Vec<(u64, u64)>, Vec<u64>) {
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
fn check(parameters: CostParameters, arrivals: &[u64], expected: &[(u64, u64)]) {
    assert_eq!(received(parameters, arrivals), (expected.to_vec(), vec![]));
}

#[test]
fn default_costs_add_no_delay() {
    check(CostParameters::default(), &[0, 0, 7], &[(0, 0), (1, 0), (2, 7)]);
}

#[test]
fn a_core_does_one_thing_at_a_time() {
    let parameters = CostParameters { receive: work(), ..CostParameters::default() };
    check(parameters, &[0, 0, 350, 1000], &[(0, 200), (1, 400), (2, 600), (3, 1200)]);
}

#[test]
fn bytes_cross_pcie_before_a_core_sees_them() {
    // PCIe takes a nanosecond per byte; meanwhile the core works on the previous packet.
    let pcie = Some(Rate::from_gigabits_per_second(8));
    let parameters = CostParameters { receive: work(), pcie, ..CostParameters::default() };
    check(parameters, &[0, 0, 5000], &[(0, 1200), (1, 2200), (2, 6200)]);
}

#[test]
fn polling_happens_at_multiples_of_the_period_while_idle() {
    let attention = Attention::Polling { period: nanoseconds(1000) };
    let parameters = CostParameters { receive: work(), attention, ..CostParameters::default() };
    check(parameters.clone(), &[300, 1100, 1500], &[(0, 1200), (1, 1400), (2, 2200)]);
    check(parameters, &[1000, 1001], &[(0, 1200), (1, 1400)]);
}

#[test]
fn interrupts_are_coalesced_by_count_and_time() {
    let attention = Attention::Interrupt { latency: nanoseconds(50), packets: 3, time: nanoseconds(1000) };
    let parameters = CostParameters { receive: work(), attention, ..CostParameters::default() };
    // The first packet has waited for the full time.
    check(parameters.clone(), &[0, 900], &[(0, 1250), (1, 1450)]);
    // Three packets raise an interrupt at once.
    check(parameters.clone(), &[0, 10, 20], &[(0, 270), (1, 470), (2, 670)]);
    // A packet that arrives while the core is busy needs no interrupt; one that arrives later does.
    check(parameters, &[0, 10, 20, 600, 900], &[(0, 270), (1, 470), (2, 670), (3, 870), (4, 2150)]);
}

#[test]
fn packets_are_refused_when_the_ring_is_full() {
    let parameters = CostParameters { receive: work(), receive_ring: 2, ..CostParameters::default() };
    // The core works on the first, two wait, and the fourth is refused; the fifth is accepted because the core has
    // taken another packet by then.
    let (got, refused) = received(parameters, &[0, 1, 2, 3, 201]);
    assert_eq!(got, [(0, 200), (1, 400), (2, 600), (4, 800)]);
    assert_eq!(refused, [3]);
}

#[test]
fn flows_are_spread_over_cores() {
    let parameters = CostParameters { cores: 2, receive: work(), ..CostParameters::default() };
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
fn sent_packets_pass_a_core_pcie_and_the_link() {
    let pcie = Some(Rate::from_gigabits_per_second(8));
    let parameters = CostParameters { send: work(), pcie, transmit_ring: 2, ..CostParameters::default() };
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
    assert_eq!(costs.deadline(at(5000)), Some(at(5000)), "the link is busy");
    assert_eq!(costs.for_link(at(1199)), None);
    assert_eq!(costs.for_link(at(1200)).map(|packet| packet.sidecar.id), Some(0));
    assert!(costs.has_room());
    assert_eq!(costs.for_link(at(1200)), None);
    assert_eq!(costs.for_link(at(2200)).map(|packet| packet.sidecar.id), Some(1));
    assert_eq!((costs.held(), costs.deadline(at(0))), (0, None));
}

/// Regression test: the packet that had waited longest used to be processed first. An overloaded receiver then sent its
/// acknowledgements too late, everything was retransmitted to it, and it had even more to do.
#[test]
fn receiving_and_sending_alternate() {
    let parameters = CostParameters { receive: work(), send: work(), ..CostParameters::default() };
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
        done.extend(costs.for_link(now).map(|packet| packet.sidecar.id));
    }
    assert_eq!(done, [0, 10, 1, 11, 2]);
}

#[test]
fn a_pause_delays_work_and_is_not_counted_as_busy() {
    let pause = Slow { from: at(100), until: at(1100), times: None };
    let parameters = CostParameters { receive: work(), slow: vec![pause], ..CostParameters::default() };
    check(parameters, &[0, 500], &[(0, 1200), (1, 1400)]);
    let mut costs = Costs::new(CostParameters { receive: work(), cores: 3, ..CostParameters::default() });
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
