//! Dynamic thresholds compared with their equilibrium in closed form.

mod common;

use common::*;
use node::Port;
use queues::reasons;
use queues::{BufferPlan, DisciplinePlan, RedPlan, Refusals, TrafficManager};

const TOTAL: u64 = 1_000_000;

fn shared(discipline: DisciplinePlan, alpha: f64) -> TrafficManager {
    switch(9, discipline, &BufferPlan { total: Some(TOTAL), alpha, ..BufferPlan::default() }, 1)
}

/// Offers packets to ports 0 to `active` - 1 in turn until all are refused. Returns the queue lengths and the refusals.
fn fill(manager: &mut TrafficManager, active: u16, length: usize) -> (Vec<u64>, Refusals) {
    let mut refusals = Refusals::default();
    for _ in 0..2 * TOTAL as usize / length {
        for port in 0..active {
            manager.offer(START, Port(8), Port(port), packet(0, 0, length), &mut refusals);
        }
    }
    ((0..active).map(|port| manager.length(Port(port)).bytes).collect(), refusals)
}

#[test]
fn full_queues_reach_the_equilibrium_of_alpha() {
    for alpha in [0.5, 1.0, 2.0, 8.0] {
        for active in [1, 2, 4, 8] {
            let mut manager = shared(DisciplinePlan::DropTail { limit: u64::MAX }, alpha);
            let (lengths, refusals) = fill(&mut manager, active, 476);
            let expected = alpha * TOTAL as f64 / (1.0 + alpha * f64::from(active));
            for length in lengths {
                assert!((length as f64 - expected).abs() <= 500.0 * (1.0 + alpha), "{length}, not {expected}");
            }
            assert!(refusals.discarded.iter().all(|(_, reason)| *reason == reasons::SHARED_BUFFER_FULL));
            assert!(!refusals.discarded.is_empty());
        }
    }
}

#[test]
fn an_emptied_queue_leaves_its_share_to_the_others() {
    let mut manager = shared(DisciplinePlan::DropTail { limit: u64::MAX }, 1.0);
    fill(&mut manager, 2, 476);
    while manager.take(START, Port(1), &mut Refusals::default()).is_some() {}
    let (lengths, _) = fill(&mut manager, 1, 476);
    assert!((lengths[0] as f64 - 500_000.0).abs() <= 1000.0, "{lengths:?}");
}

#[test]
fn every_discipline_obeys_the_threshold() {
    let disciplines = [
        DisciplinePlan::Ecn { limit: u64::MAX, threshold: 1000 },
        DisciplinePlan::of(RedPlan { probability: 0.0, ..RedPlan::new(TOTAL, u64::MAX) }),
        DisciplinePlan::trimming(u64::MAX),
        DisciplinePlan::StrictPriorities {
            map: Default::default(),
            classes: vec![DisciplinePlan::DropTail { limit: u64::MAX }],
        },
    ];
    for discipline in disciplines {
        let is_trimming = matches!(discipline, DisciplinePlan::Trimming(_));
        let mut manager = shared(discipline, 0.25);
        let (lengths, refusals) = fill(&mut manager, 1, 476);
        // Trimmed packets form a second queue of the port, which gets its share of what the full first one leaves free.
        let expected = if is_trimming { 0.2 + 0.8 * 0.25 / 1.25 } else { 0.25 / 1.25 } * TOTAL as f64;
        assert!((lengths[0] as f64 - expected).abs() <= 1500.0, "{lengths:?}, not {expected}");
        assert!(refusals.discarded.iter().all(|(_, reason)| *reason == reasons::SHARED_BUFFER_FULL));
        assert_eq!(is_trimming, !refusals.returned.is_empty());
    }
}
