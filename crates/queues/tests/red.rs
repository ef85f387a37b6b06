//! Random early detection: the probability curve, the spacing of marks, and the average.

mod common;

use basis::Instant;
use common::*;
use queues::reasons;
use queues::{DisciplinePlan, RedPlan, Refusals, Spacing, TrafficManager};

const PACKET: usize = 976; // 1000 bytes on the wire

fn plan(spacing: Spacing) -> RedPlan {
    RedPlan { probability: 0.2, weight: 1.0, spacing, ..RedPlan::new(10_000, 1_000_000) }
}

/// Returns which of `offers` packets are marked while `length` packets are waiting each time.
fn marks(plan: RedPlan, length: u64, offers: usize) -> Vec<bool> {
    let mut manager = simple(DisciplinePlan::of(plan));
    while manager.length(OUT).packets < length {
        offer(&mut manager, packet(0, 2, PACKET));
    }
    let mark = |manager: &mut TrafficManager| {
        let before = counter(manager, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS");
        assert!(offer(manager, packet(0, 2, PACKET)).discarded.is_empty());
        take(manager);
        counter(manager, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS") > before
    };
    (0..offers).map(|_| mark(&mut manager)).collect()
}

#[test]
fn independent_marks_follow_the_curve() {
    // From 10 to 20 packets the probability rises from 0 to 0.2, and beyond it is 1.
    for (length, probability) in [(9, 0.0), (10, 0.0), (13, 0.06), (15, 0.1), (19, 0.18), (20, 1.0), (25, 1.0)] {
        let marks = marks(plan(Spacing::Geometric), length, 20_000);
        let share = marks.iter().filter(|&&mark| mark).count() as f64 / 20_000.0;
        let deviation = (probability * (1.0f64 - probability) / 20_000.0).sqrt();
        assert!((share - probability).abs() <= 4.0 * deviation, "{share} at {length} packets, not {probability}");
    }
}

#[test]
fn uniform_gaps_are_from_1_to_1_over_p() {
    let marks = marks(plan(Spacing::Uniform), 15, 55_000);
    let places: Vec<usize> = (0..marks.len()).filter(|&place| marks[place]).collect();
    let mut counts = [0u32; 12];
    for pair in places.windows(2) {
        counts[(pair[1] - pair[0]).min(11)] += 1;
    }
    // At probability 0.1 the gaps are from 1 to 10, each equally likely, with a mean of 5.5.
    let expected = places.len() as f64 / 10.0;
    assert_eq!(counts[11], 0);
    for count in &counts[1..=10] {
        assert!((f64::from(*count) - expected).abs() < 5.0 * expected.sqrt(), "{counts:?}");
    }
}

#[test]
fn packets_without_ecn_are_dropped() {
    let mut manager = simple(DisciplinePlan::of(plan(Spacing::Uniform)));
    for _ in 0..20 {
        offer(&mut manager, packet(0, 2, PACKET));
    }
    assert_eq!(reasons(&offer(&mut manager, packet(0, 0, PACKET))), [reasons::RANDOM_EARLY_DETECTION]);
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS"), 1);
}

#[test]
fn the_average_follows_slowly_and_decays_when_idle() {
    let averaging = RedPlan { weight: 0.002, probability: 1.0, ..plan(Spacing::Geometric) };
    let mut manager = simple(DisciplinePlan::of(averaging.clone()));
    // 40 packets are waiting, and the average needs ln(1 / (1 - 1/4)) / 0.002 = 144 packets to reach 10 of them.
    let mut refusals = Refusals::default();
    for _ in 0..40 {
        offer(&mut manager, packet(0, 2, PACKET));
    }
    let mut first = None;
    for number in 0..400 {
        offer(&mut manager, packet(0, 2, PACKET));
        if counter(&manager, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS") > 0 {
            first.get_or_insert(number);
        }
        take(&mut manager);
    }
    // The growing queue has brought the average to 0.9 packets before, and the first marks are improbable.
    assert!(first.is_some_and(|first| (125..220).contains(&first)), "{first:?}");
    while manager.take(START, OUT, &mut refusals).is_some() {}
    // A second without packets lets any average decay to zero.
    let before = counter(&manager, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS");
    let late = Instant::from_microseconds(1_000_000);
    for _ in 0..40 {
        manager.offer(late, IN, OUT, packet(0, 2, PACKET), &mut refusals);
    }
    assert_eq!(counter(&manager, "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS"), before);
}
