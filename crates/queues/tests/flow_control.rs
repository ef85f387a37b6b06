//! Priority-based flow control: no packet is lost, and pauses begin, last and end as they should.

mod common;

use std::collections::VecDeque;

use basis::{Duration, Instant};
use common::*;
use node::{Link, Port};
use queues::reasons;
use queues::{
    BufferPlan, ClassPlan, DisciplinePlan, FlowControlPlan, Refusals, Service, TrafficManager, TrimmedQueue,
    TrimmingPlan,
};
use wire::{Packet, PriorityPause};

/// DSCP 24 is priority 3 by default.
const LOSSLESS: u8 = 24;
const MTU: u32 = 1524;

fn plan(delay: Duration) -> FlowControlPlan {
    FlowControlPlan::new(1 << 3, 10 * u64::from(MTU), rate(), delay, MTU)
}

fn manager(plan: FlowControlPlan) -> TrafficManager {
    let buffer = BufferPlan { flow_control: Some(plan), ..BufferPlan::default() };
    // There is room for two packets only, which a lossless priority ignores.
    switch(2, DisciplinePlan::DropTail { limit: 2 * u64::from(MTU) }, &buffer, 1)
}

fn frame(quanta: u16) -> Packet {
    let mut all = [None; 8];
    all[3] = Some(quanta);
    PriorityPause::frame([2, 0, 0, 0, 0, 7], all)
}

#[test]
fn pauses_above_xoff_and_resumes_at_xon() {
    let mut manager = manager(plan(Duration::ZERO));
    for _ in 0..10 {
        assert!(offer(&mut manager, packet(LOSSLESS, 0, 1500)).urgent.is_empty());
    }
    let refusals = offer(&mut manager, packet(LOSSLESS, 0, 1500));
    let (port, pause) = &refusals.urgent[0];
    assert_eq!((*port, pause.len(), refusals.discarded.len()), (IN, 60, 0));
    assert_eq!(PriorityPause::of(pause).unwrap().quanta(3), Some(0xFFFF));
    assert!(offer(&mut manager, packet(LOSSLESS, 0, 1500)).urgent.is_empty(), "the pause has been asked for already");
    // 12 packets are waiting; the pause ends when 9 are left.
    let mut refusals = Refusals::default();
    manager.take(START, OUT, &mut refusals);
    manager.take(START, OUT, &mut refusals);
    assert!(refusals.urgent.is_empty());
    manager.take(START, OUT, &mut refusals);
    assert_eq!(PriorityPause::of(&refusals.urgent[0].1).unwrap().quanta(3), Some(0));
    assert_eq!(manager.next_refresh(), None);
}

#[test]
fn a_pause_is_renewed_before_it_ends() {
    let mut manager = manager(plan(Duration::ZERO));
    for _ in 0..11 {
        offer(&mut manager, packet(LOSSLESS, 0, 1500));
    }
    let half = Duration::from_picoseconds(PriorityPause::time_of(0xFFFF, rate()).picoseconds() / 2);
    assert_eq!(manager.next_refresh(), Some(START + half));
    let mut refusals = Refusals::default();
    manager.refresh(START, &mut refusals);
    assert!(refusals.urgent.is_empty(), "the renewal is not due yet");
    manager.refresh(START + half, &mut refusals);
    assert_eq!(refusals.urgent.len(), 1);
    assert_eq!(manager.next_refresh(), Some(START + half + half));
}

#[test]
fn lossy_priorities_and_the_headroom_have_limits() {
    let mut manager = manager(FlowControlPlan { headroom: u64::from(MTU), ..plan(Duration::ZERO) });
    offer(&mut manager, packet(0, 0, 1500));
    offer(&mut manager, packet(0, 0, 1500));
    assert_eq!(reasons(&offer(&mut manager, packet(0, 0, 1500))), [reasons::QUEUE_FULL]);
    for _ in 0..11 {
        assert!(offer(&mut manager, packet(LOSSLESS, 0, 1500)).discarded.is_empty());
    }
    assert_eq!(reasons(&offer(&mut manager, packet(LOSSLESS, 0, 1500))), [reasons::HEADROOM_FULL]);
    let mut dropped = Vec::new();
    manager.counters(&mut |counter| {
        if counter.name == "SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS" {
            dropped.push((counter.port, counter.value));
        }
    });
    assert_eq!(dropped, [(Some(IN), 1)]);
}

#[test]
fn a_pause_ends_when_told_or_when_its_time_is_over() {
    let plan = FlowControlPlan { lossless: 1 << 3 | 1 << 5, ..plan(Duration::ZERO) };
    let buffer = BufferPlan { flow_control: Some(plan), ..BufferPlan::default() };
    let classes = vec![DisciplinePlan::DropTail { limit: 100_000 }; 8];
    let mut manager = switch(2, DisciplinePlan::StrictPriorities { map: Default::default(), classes }, &buffer, 1);
    let mut refusals = Refusals::default();
    offer(&mut manager, packet(LOSSLESS, 0, 1500));
    offer(&mut manager, packet(0, 0, 1500));
    assert!(manager.pause(START, OUT, &frame(1000)));
    // The other class goes although its priority is lower, and then nothing.
    let end = START + PriorityPause::time_of(1000, rate());
    assert_eq!(end, START + Duration::from_nanoseconds(5120));
    assert_eq!(take(&mut manager).map(|packet| ipv4(&packet).dscp()), Some(0));
    assert!(!manager.has_waiting(START, OUT));
    assert_eq!((take(&mut manager), manager.next_release(START, OUT)), (None, Some(end)));
    let before = Instant::from_picoseconds(end.picoseconds() - 1);
    assert!(manager.take(before, OUT, &mut refusals).is_none());
    assert!(manager.take(end, OUT, &mut refusals).is_some());
    assert_eq!(manager.next_release(end, OUT), None);

    manager.offer(end, IN, OUT, packet(LOSSLESS, 0, 1500), &mut refusals);
    manager.pause(end, OUT, &frame(0xFFFF));
    assert!(manager.take(end, OUT, &mut refusals).is_none());
    manager.pause(end, OUT, &frame(0));
    assert!(manager.has_waiting(START, OUT));
    assert!(manager.take(end, OUT, &mut refusals).is_some());
    let mut received = 0;
    manager.counters(&mut |counter| {
        if counter.name == "SAI_PORT_STAT_PFC_3_RX_PKTS" {
            received += counter.value;
        }
    });
    assert_eq!(received, 3);
}

#[test]
fn a_paused_class_accumulates_no_credit() {
    let class = || ClassPlan { weight: 1, discipline: DisciplinePlan::DropTail { limit: u64::MAX } };
    let fair = DisciplinePlan::WeightedFair { map: Default::default(), classes: (0..6).map(|_| class()).collect() };
    let service = Service::Bytes { headers: 1, data: 1 };
    let trimmed = TrimmedQueue::Priority { limit: u64::MAX, service };
    let trimming = DisciplinePlan::Trimming(Box::new(TrimmingPlan { trimmed, ..TrimmingPlan::ndp(u64::MAX) }));
    for discipline in [fair, trimming] {
        // Code point 46 has priority 5, and is a control code point of the trimming switch.
        let plan = FlowControlPlan { lossless: 1, xoff: u64::MAX / 2, ..plan(Duration::ZERO) };
        let mut manager = switch(2, discipline, &BufferPlan { flow_control: Some(plan), ..Default::default() }, 1);
        for _ in 0..100 {
            offer(&mut manager, packet(0, 0, 1500));
            offer(&mut manager, packet(46, 0, 1500));
        }
        manager.pause(START, OUT, &PriorityPause::frame([0; 6], [Some(1000); 8]));
        for _ in 0..50 {
            assert_eq!(take(&mut manager).map(|packet| ipv4(&packet).dscp()), Some(46));
        }
        manager.pause(START, OUT, &PriorityPause::frame([0; 6], [Some(0); 8]));
        let data = (0..10).filter(|_| ipv4(&take(&mut manager).unwrap()).dscp() == 0).count();
        assert!((5..=6).contains(&data), "{data} of 10");
    }
}

#[test]
fn other_frames_pause_nothing() {
    let mut manager = manager(plan(Duration::ZERO));
    assert!(!manager.pause(START, OUT, &packet(0, 0, 100)));
    let mut without = simple(DisciplinePlan::DropTail { limit: 100_000 });
    offer(&mut without, packet(LOSSLESS, 0, 1500));
    assert!(without.pause(START, OUT, &frame(0xFFFF)), "pause frames are consumed even without flow control");
    assert!(take(&mut without).is_some());
}

/// Simulates an upstream switch with an endless queue that sends over one link to a downstream switch, whose own link
/// is a hundred times as slow. Returns the most bytes that waited downstream, and the number of packets lost there.
fn backlog(delay: Duration, headroom: u64) -> (u64, usize) {
    let mut upstream = manager(FlowControlPlan { xoff: u64::MAX / 2, ..plan(delay) });
    let mut downstream = manager(FlowControlPlan { headroom, ..plan(delay) });
    let (mut fast, mut back) = (Link::new(rate(), FRAMING), Link::new(rate(), FRAMING));
    let mut slow = Link::new(basis::Rate::from_gigabits_per_second(1), FRAMING);
    let mut refusals = Refusals::default();
    let (mut forward, mut backward) = (VecDeque::<(Instant, Packet)>::new(), VecDeque::<(Instant, Packet)>::new());
    for _ in 0..300 {
        offer(&mut upstream, packet(LOSSLESS, 0, 1500));
    }
    let (mut most, mut delivered, mut now) = (0, 0, START);
    while delivered + refusals.discarded.len() < 300 {
        while let Some((_, packet)) = forward.pop_front_if(|(at, _)| *at <= now) {
            downstream.offer(now, IN, OUT, packet, &mut refusals);
            most = most.max(downstream.held_bytes());
        }
        while let Some((_, pause)) = backward.pop_front_if(|(at, _)| *at <= now) {
            assert!(upstream.pause(now, OUT, &pause));
        }
        if slow.is_free(now)
            && let Some(packet) = downstream.take(now, OUT, &mut refusals)
        {
            slow.begin(now, packet.len());
            delivered += 1;
        }
        downstream.refresh(now, &mut refusals);
        for (port, pause) in refusals.urgent.drain(..) {
            assert_eq!(port, IN);
            // The worst case: our port has just begun a packet of full size in the other direction.
            let start = back.free_at().max(now + back.time_of(1500));
            let at = back.begin(start, pause.len()) + delay;
            backward.push_back((at, pause));
        }
        if fast.is_free(now)
            && let Some(packet) = upstream.take(now, OUT, &mut Refusals::default())
        {
            let at = fast.begin(now, packet.len()) + delay;
            forward.push_back((at, packet));
        }
        let next = [
            forward.front().map(|(at, _)| *at),
            backward.front().map(|(at, _)| *at),
            downstream.has_waiting(now, OUT).then_some(slow.free_at()),
            upstream.has_waiting(now, OUT).then_some(fast.free_at()),
            upstream.next_release(now, OUT),
            downstream.next_refresh(),
        ];
        now = next.into_iter().flatten().filter(|at| *at > now).min().unwrap_or(now);
    }
    (most, refusals.discarded.len())
}

#[test]
fn the_headroom_is_sufficient_and_barely_so() {
    for delay in [Duration::ZERO, Duration::from_nanoseconds(300), Duration::from_microseconds(2)] {
        let headroom = FlowControlPlan::headroom(rate(), delay, MTU);
        let (most, lost) = backlog(delay, headroom);
        assert_eq!(lost, 0);
        let xoff = plan(delay).xoff;
        assert!(most <= xoff + headroom && most > xoff + headroom - 2 * u64::from(MTU), "{most} at {delay:?}");
        // Half the headroom is too little, which shows that the test would see a loss.
        assert!(backlog(delay, headroom / 2).1 > 0, "{delay:?}");
    }
}

#[test]
fn lossless_packets_count_at_their_ingress_port() {
    let mut manager = manager(plan(Duration::ZERO));
    let mut refusals = Refusals::default();
    for number in 0..20 {
        manager.offer(START, Port(number % 2), OUT, packet(LOSSLESS, 0, 1500), &mut refusals);
    }
    assert!(refusals.urgent.is_empty(), "ten packets at each port do not exceed the threshold");
    manager.offer(START, Port(0), OUT, packet(LOSSLESS, 0, 1500), &mut refusals);
    assert_eq!(refusals.urgent.iter().map(|(port, _)| *port).collect::<Vec<_>>(), [Port(0)]);
}
