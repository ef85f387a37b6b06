//! Drop-tail compared with the results of queueing theory.

mod common;

use std::collections::VecDeque;

use basis::{Duration, Instant, Random};
use common::*;
use node::{Link, QueueLength, Reason};
use queues::reasons;
use queues::{DisciplinePlan, Refusals};

#[test]
fn limit_counts_bytes_on_the_wire() {
    let mut manager = simple(DisciplinePlan::DropTail { limit: 2 * on_wire(1500) + on_wire(100) - 1 });
    for id in 0..2 {
        assert!(offer(&mut manager, numbered(id, 0, 1500)).discarded.is_empty());
    }
    assert_eq!(reasons(&offer(&mut manager, numbered(2, 0, 100))), [reasons::QUEUE_FULL]);
    assert!(offer(&mut manager, numbered(3, 0, 99)).discarded.is_empty());
    assert_eq!(manager.length(OUT), QueueLength { packets: 3, bytes: 2 * 1524 + 123 });
    let order: Vec<u64> = std::iter::from_fn(|| take(&mut manager)).map(|packet| packet.sidecar.id).collect();
    assert_eq!(order, [0, 1, 3]);
    assert!(!manager.has_waiting(START, OUT));
    assert_eq!(manager.held_bytes(), 0);
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_PACKETS"), 3);
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_DROPPED_PACKETS"), 1);
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_DROPPED_BYTES"), 124);
}

#[test]
fn offers_to_a_missing_port_are_discarded() {
    let mut manager = simple(DisciplinePlan::DropTail { limit: 10_000 });
    let mut refusals = Refusals::default();
    manager.offer(START, IN, node::Port(2), packet(0, 0, 100), &mut refusals);
    assert_eq!(reasons(&refusals), [Reason::NO_SUCH_PORT]);
    assert_eq!(manager.held(), 0);
}

/// Returns the mean wait in seconds of Poisson arrivals on a link with this `load`.
fn mean_wait(load: f64, packets: u64, seed: u64) -> f64 {
    let mut manager = simple(DisciplinePlan::DropTail { limit: u64::MAX });
    let mut link = Link::new(rate(), FRAMING);
    let mut random = Random::new(seed);
    let mut refusals = Refusals::default();
    let service = link.time_of(1500).picoseconds() as f64;
    let mut arrivals = VecDeque::new();
    let (mut arrival, mut waited) = (0.0, Duration::ZERO);
    let mut offered = 0;
    while offered < packets || manager.held() > 0 {
        if arrivals.is_empty() && offered < packets {
            arrival += -(1.0 - random.unit()).ln() * service / load;
            arrivals.push_back(Instant::from_picoseconds(arrival as u64));
        }
        // The next event is the earlier of an arrival and the link becoming free for a waiting packet.
        let free = manager.has_waiting(START, OUT).then_some(link.free_at());
        match (arrivals.front().copied(), free) {
            (Some(at), free) if free.is_none_or(|free| at < free) => {
                arrivals.pop_front();
                offered += 1;
                let mut packet = packet(0, 0, 1500);
                packet.sidecar.arrival = at;
                manager.offer(at, IN, OUT, packet, &mut refusals);
                if link.is_free(at) {
                    let packet = manager.take(at, OUT, &mut refusals).unwrap();
                    link.begin(at, packet.len());
                }
            }
            (_, Some(free)) => {
                let packet = manager.take(free, OUT, &mut refusals).unwrap();
                waited = waited + free.since(packet.sidecar.arrival);
                link.begin(free, packet.len());
            }
            _ => unreachable!("a packet comes or one waits"),
        }
    }
    waited.seconds() / packets as f64
}

#[test]
fn mean_wait_of_poisson_arrivals_matches_m_d_1() {
    // The Pollaczek-Khinchine formula gives a mean wait of load / (2 (1 - load)) service times.
    for load in [0.3, 0.5, 0.8] {
        let service = rate().time_of(1524).seconds();
        let expected = service * load / (2.0 * (1.0 - load));
        let runs: Vec<f64> = (0..16).map(|seed| mean_wait(load, 5_000, seed)).collect();
        let mean = runs.iter().sum::<f64>() / 16.0;
        let variance = runs.iter().map(|run| (run - mean).powi(2)).sum::<f64>() / 15.0;
        let error = (variance / 16.0).sqrt();
        assert!(error < 0.05 * expected, "too few packets for a verdict: {error} of {expected}");
        assert!((mean - expected).abs() < 4.0 * error, "load {load}: {mean} and not {expected}, give or take {error}");
    }
}
