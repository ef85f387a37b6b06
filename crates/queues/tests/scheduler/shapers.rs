//! Shapers against exact rates, and the times at which a shaped port asks to be served.

use basis::{Duration, Instant, Rate};
use node::{Link, Outbox, Port, Reason};
use proptest::prelude::*;
use queues::{Behind, BufferPlan, OutputQueues, QueueChange, QueuePlan, SchedulerPlan, ShaperPlan, TrafficManager};

use super::item::{FRAMING, Item, OUT, manager, of, offer, port, take};

/// The units of a byte: bits per second times picoseconds.
const BYTE: u128 = 8_000_000_000_000;

fn shaper(bits_per_second: u64, burst: u64) -> ShaperPlan {
    ShaperPlan { rate: Rate::from_bits_per_second(bits_per_second), burst }
}

/// Takes packets until none is left, each as soon as it may go. Returns the times and the bytes on the wire.
fn departures(manager: &mut TrafficManager<Item>) -> Vec<(Instant, Item)> {
    let (mut now, mut sent) = (Instant::ZERO, Vec::new());
    while manager.held() > 0 {
        match take(manager, now) {
            Some(item) => sent.push((now, item)),
            None => now = manager.next_release(now, OUT).expect("a shaper holds it"),
        }
    }
    sent
}

proptest! {
    /// Packet n goes in the first picosecond in which the bytes before it are within the burst and the rate.
    #[test]
    fn a_shaped_queue_sends_at_exactly_its_rate(
        rate in 1..400_000_000_000u64, burst in 0..10_000u64, is_port in any::<bool>(),
        lengths in prop::collection::vec(1..2000u32, 1..60),
    ) {
        let plan = Some(shaper(rate, burst));
        let queue = QueuePlan { maximum: plan.filter(|_| !is_port), ..QueuePlan::default() };
        let plan = SchedulerPlan { shaper: plan.filter(|_| is_port), ..of(vec![queue]) };
        let mut manager = manager(1, plan, &BufferPlan::default());
        for (id, &length) in (0..).zip(&lengths) {
            offer(&mut manager, Instant::ZERO, Item::new(id, 0, length)).unwrap();
        }
        let mut before = 0u128;
        for (at, item) in departures(&mut manager) {
            let overdrawn = (before * BYTE).saturating_sub(u128::from(burst) * BYTE);
            prop_assert_eq!(u128::from(at.picoseconds()), overdrawn.div_ceil(u128::from(rate)));
            before += u128::from(item.on_wire());
        }
    }
}

/// Serves a link of 100 Gb/s for a millisecond from two queues that are never empty. Returns the bits per second of each.
fn rates_of(queues: [QueuePlan; 2], lengths: [u32; 2]) -> [f64; 2] {
    let mut manager = manager(1, of(queues.to_vec()), &BufferPlan::default());
    let mut link = Link::new(Rate::from_gigabits_per_second(100), FRAMING);
    let (mut now, end) = (Instant::ZERO, Instant::from_microseconds(1000));
    let mut sent = [0; 2];
    let refill = |manager: &mut TrafficManager<Item>, now, queue: u8| {
        offer(manager, now, Item::new(0, queue, lengths[usize::from(queue)])).unwrap();
    };
    (0..20).for_each(|number| refill(&mut manager, now, number % 2));
    while now < end {
        match take(&mut manager, now) {
            Some(item) => {
                let queue = item.queue.unwrap();
                sent[usize::from(queue)] += item.on_wire() * 8;
                refill(&mut manager, now, queue);
                link.begin(now, item.length as usize);
                now = link.free_at();
            }
            None => now = manager.next_release(now, OUT).unwrap(),
        }
    }
    sent.map(|bits| bits as f64 / 1e-3)
}

fn assert_near(rate: f64, expected: f64) {
    // A packet more or less in a millisecond, and the burst.
    assert!((rate / expected - 1.0).abs() < 0.005, "{rate}, not {expected}");
}

#[test]
fn a_least_rate_is_served_before_greater_priorities() {
    let bulk = QueuePlan { remaining_priority: 0, minimum: Some(shaper(10_000_000_000, 2000)), ..QueuePlan::default() };
    let [least, rest] = rates_of([bulk, QueuePlan::default()], [1000, 300]);
    assert_near(least, 10e9);
    assert_near(rest, 90e9);
}

#[test]
fn what_exceeds_a_least_rate_competes_by_weight() {
    let queue = |weight, minimum| QueuePlan { weight, minimum: Some(shaper(minimum, 2000)), ..QueuePlan::default() };
    let [first, second] = rates_of([queue(3, 40_000_000_000), queue(1, 20_000_000_000)], [1000, 1000]);
    assert_near(first, 40e9 + 30e9);
    assert_near(second, 20e9 + 10e9);
}

#[test]
fn a_greatest_rate_leaves_the_rest_to_others() {
    let capped = QueuePlan { maximum: Some(shaper(25_000_000_000, 2000)), ..QueuePlan::default() };
    let other = QueuePlan { remaining_priority: 0, ..QueuePlan::default() };
    let [capped, other] = rates_of([capped, other], [1000, 700]);
    assert_near(capped, 25e9);
    assert_near(other, 75e9);
}

/// Puts packets of zeros on the link.
struct Zeros;

impl Behind<Item> for Zeros {
    fn leave(
        &mut self,
        _now: Instant,
        _port: Port,
        item: Item,
        _queues: &TrafficManager<Item>,
        _out: &mut Outbox,
    ) -> Option<wire::Packet> {
        Some(wire::Packet::of_bytes(&vec![0; item.length as usize]))
    }

    fn refuse(&mut self, item: Item, reason: Reason, _out: &mut Outbox) {
        panic!("{item:?}: {reason}");
    }

    fn turn_back(&mut self, _port: Port, item: Item, _out: &mut Outbox) {
        panic!("{item:?}");
    }
}

/// A port whose packets wait for a shaper asks to be served when the shaper opens, and only then: each call transmits.
#[test]
fn a_shaped_port_is_served_when_its_shaper_opens() {
    let plan = SchedulerPlan { shaper: Some(shaper(8_000_000_000, 0)), ..SchedulerPlan::default() };
    let mut queues = OutputQueues::<Item>::new(vec![port(plan)], &BufferPlan::default(), 1);
    let mut out = Outbox::default();
    out.begin(Instant::ZERO);
    for id in 0..5 {
        queues.offer(Instant::ZERO, [OUT, OUT], Item::new(id, 9, 976), &mut Zeros, &mut out);
    }
    let mut times = vec![Instant::ZERO];
    assert_eq!(out.transmissions.drain(..).count(), 1);
    while let Some((port, at)) = out.readies.pop() {
        assert!(out.readies.is_empty());
        out = Outbox::default();
        out.begin(at);
        queues.ready(at, port, &mut Zeros, &mut out);
        assert_eq!(out.transmissions.drain(..).count(), 1);
        times.push(at);
    }
    // 1000 bytes on the wire at one byte a nanosecond.
    let expected: Vec<Instant> = (0..5).map(Instant::from_microseconds).collect();
    assert_eq!((times, queues.held()), (expected, 0));
}

#[test]
fn a_change_serves_the_port_at_once() {
    let mut queues = OutputQueues::<Item>::new(vec![port(SchedulerPlan::of(2))], &BufferPlan::default(), 1);
    let mut out = Outbox::default();
    out.begin(Instant::ZERO);
    let pause = |is_paused| {
        move |manager: &mut TrafficManager<Item>| {
            manager.change_queue(Instant::ZERO, OUT, 1, QueueChange::Paused(is_paused))
        }
    };
    queues.change(Instant::ZERO, OUT, pause(true), &mut Zeros, &mut out).unwrap();
    queues.offer(Instant::ZERO, [OUT, OUT], Item::new(0, 1, 100), &mut Zeros, &mut out);
    assert!(out.transmissions.is_empty() && out.readies.is_empty(), "a paused queue asks for nothing");
    queues.change(Instant::ZERO, OUT, pause(false), &mut Zeros, &mut out).unwrap();
    assert_eq!(out.transmissions.len(), 1);
}

/// A shaper that opens while the link is busy does not make the port ask for a time that has passed.
#[test]
fn the_link_and_the_shaper_are_waited_for_together() {
    let mut manager = manager(
        1,
        SchedulerPlan { shaper: Some(shaper(200_000_000_000, 0)), ..SchedulerPlan::of(1) },
        &BufferPlan::default(),
    );
    (0..2).for_each(|id| offer(&mut manager, Instant::ZERO, Item::new(id, 0, 976)).unwrap());
    assert!(take(&mut manager, Instant::ZERO).is_some());
    let opens = manager.next_release(Instant::ZERO, OUT).unwrap();
    assert_eq!(opens, Instant::ZERO + Duration::from_nanoseconds(40));
    assert_eq!(manager.next_release(opens, OUT), None, "nothing waits for a shaper any more");
    assert!(manager.has_waiting(opens, OUT));
}
