//! Compares the bound with all schedules of tiny streams, and with machines on larger ones.

use std::ops::Range;

use proptest::prelude::*;
use traffic::StatefulAccess;

use super::exhaustive::earliest_last_departure;
use super::{Size, Visit, bound, bound_of, without_filling};
use crate::mp5::streams::{
    Contender, Pattern, Placement, PublishedShape, PublishedSizes, Rules, Stream, StreamOutcome, StreamPlan, run_stream,
};

/// A stream of so few packets that all of its schedules can be tried.
#[derive(Clone, Debug)]
struct Tiny {
    size: Size,
    /// In order of arrival.
    packets: Vec<(u64, Vec<StatefulAccess>)>,
}

impl Tiny {
    fn visits(&self) -> Vec<Visit<'_>> {
        self.packets.iter().map(|(arrival, accesses)| Visit { arrival: *arrival, accesses }).collect()
    }

    fn stages_with_state(&self) -> usize {
        let stages = self.packets.iter().flat_map(|(_, accesses)| accesses).map(|access| access.stage);
        stages.collect::<std::collections::BTreeSet<_>>().len()
    }
}

/// Any such stream; every other one has state in one stage only.
fn tiny() -> impl Strategy<Value = Tiny> {
    let size = (1..4u32, 1..4u32, 0..2u32);
    let size = size.prop_map(|(pipelines, stages, resolution_stages)| Size { pipelines, stages, resolution_stages });
    let only = prop_oneof![Just(None), (0..3u32).prop_map(Some)];
    (size, only).prop_flat_map(|(size, only)| {
        let only = only.map(|stage| stage % size.stages);
        // Index 0 or 1, or no access, in each stage; contention is what matters.
        let indices = prop::collection::vec(prop::option::of(0..2u32), size.stages as usize);
        let accesses = indices.prop_map(move |indices| {
            let accesses =
                (0..).zip(indices).filter_map(|(stage, index)| Some(StatefulAccess { stage, index: index? }));
            accesses.filter(|access| only.is_none_or(|only| access.stage == only)).collect()
        });
        prop::collection::vec((0..3u64, accesses), 0..6).prop_map(move |mut packets: Vec<(u64, _)>| {
            packets.sort_by_key(|(arrival, _)| *arrival);
            Tiny { size, packets }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_schedule_beats_the_bound_and_with_one_stage_of_state_one_meets_it(tiny in tiny()) {
        let visits = tiny.visits();
        let bound = bound_of(&visits, tiny.size).last_departure;
        let best = earliest_last_departure(&visits, tiny.size);
        prop_assert!(bound <= best, "{bound} > {best}");
        if tiny.stages_with_state() <= 1 {
            prop_assert_eq!(bound, best);
        }
    }
}

/// Packets that access the given indices of one stage, 1 of 3, with nothing in front.
fn at_one_stage(pipelines: u32, packets: &[(u64, Option<u32>)]) -> (Tiny, Size) {
    let size = Size { pipelines, stages: 3, resolution_stages: 0 };
    let accesses = |index: Option<u32>| index.map(|index| StatefulAccess { stage: 1, index }).into_iter().collect();
    let packets = packets.iter().map(|&(arrival, index)| (arrival, accesses(index))).collect();
    (Tiny { size, packets }, size)
}

#[test]
fn one_index_serves_one_packet_per_cycle() {
    let (stream, size) = at_one_stage(16, &[(10, Some(7)); 5]);
    let bound = bound_of(&stream.visits(), size);
    // 13 is the way through, and the fifth waits for four.
    assert_eq!((bound.last_arrival, bound.last_departure, bound.limiting_stage), (10, 17, Some(1)));
    assert_eq!((bound.throughput, bound.steady_throughput), (10.0 / 17.0, 10.0 / 14.0));
}

#[test]
fn packets_without_an_access_occupy_a_stage() {
    let (stream, size) = at_one_stage(2, &[(0, Some(0)), (0, None), (0, None), (0, None), (0, None)]);
    let bound = bound_of(&stream.visits(), size);
    // Two a cycle, already at the entrance: no stage is worse than it.
    assert_eq!((bound.last_departure, bound.limiting_stage), (5, None));
}

#[test]
fn a_wait_in_one_stage_delays_the_next() {
    let both =
        |first, second| vec![StatefulAccess { stage: 0, index: first }, StatefulAccess { stage: 1, index: second }];
    // Three packets for index 0 of stage 0, of which the last is also the first of three for index 5 of stage 1.
    let packets = vec![(0, both(0, 1)), (0, both(0, 2)), (0, both(0, 5)), (0, both(1, 5)), (0, both(2, 5))];
    let tiny = Tiny { size: Size { pipelines: 4, stages: 2, resolution_stages: 1 }, packets };
    // Resolved in cycle 0, served by stage 0 in cycles 1 to 3, by stage 1 in cycles 4 to 6.
    assert_eq!(bound_of(&tiny.visits(), tiny.size).last_departure, 7);
    assert_eq!(earliest_last_departure(&tiny.visits(), tiny.size), 7);
}

#[test]
fn heads_delay_later_stages() {
    // The second waits a cycle for index 7, and is then a third packet beside two that pass: no stage alone shows it
    // without the heads.
    let (stream, size) = at_one_stage(2, &[(0, Some(7)), (0, Some(7)), (1, None), (1, None)]);
    let bound = bound_of(&stream.visits(), size);
    assert_eq!((bound.last_departure, bound.limiting_stage), (5, Some(1)));
    assert_eq!(earliest_last_departure(&stream.visits(), size), 5);
}

#[test]
fn tails_advance_earlier_packets() {
    // Each of the first three has one behind it at some index, so all three would have to be served in cycle 0, and
    // there are two pipelines. No stage alone shows it without the tails.
    let access = |stage, index| StatefulAccess { stage, index };
    let packets = vec![
        (0, vec![access(1, 1)]),
        (0, vec![access(0, 1), access(1, 0)]),
        (0, vec![access(0, 0), access(1, 1)]),
        (1, vec![access(0, 0), access(1, 0)]),
    ];
    let tiny = Tiny { size: Size { pipelines: 2, stages: 2, resolution_stages: 0 }, packets };
    let bound = bound_of(&tiny.visits(), tiny.size);
    assert_eq!((bound.last_departure, bound.limiting_stage), (4, Some(0)));
    assert_eq!(earliest_last_departure(&tiny.visits(), tiny.size), 4);
}

#[test]
fn an_empty_stream_has_a_bound_of_zero() {
    let bound = bound_of(&[], Size { pipelines: 1, stages: 16, resolution_stages: 1 });
    assert_eq!((bound.last_departure, bound.throughput, bound.steady_throughput), (0, 0.0, 0.0));
}

/// Streams of the published kind, small and contended, for so many pipelines, of stages that keep state.
fn streams(pipelines: &[u32], stateful_stages: Range<u32>) -> impl Strategy<Value = Stream> {
    let pipelines = prop::sample::select(pipelines.to_vec());
    let sizes =
        prop::sample::select(vec![PublishedSizes::Fixed(64), PublishedSizes::Fixed(80), PublishedSizes::Bimodal]);
    let registers = (stateful_stages, prop::sample::select(vec![1u32, 4, 40, 200]));
    let patterns = prop::sample::select(Pattern::ALL.to_vec());
    (pipelines, 1..4u32, sizes, registers, patterns, 0..u64::MAX).prop_map(
        |(pipelines, ports, packet_size, (stateful_stages, register_size), pattern, seed)| {
            let ports = pipelines * ports;
            let shape = PublishedShape { ports, pipelines, stages: 6, stateful_stages, register_size, packet_size };
            Stream::generate(&StreamPlan { shape, pattern, packets_per_port: 240 / ports }, seed)
        },
    )
}

/// Under the paper's rules, in which the machine adds a stage that resolves addresses.
fn paper(stream: &Stream, contender: Contender) -> StreamOutcome {
    run_stream(stream, &contender, Rules::paper(), 1).expect("the stream fits the machine")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_bound_dominates_every_machine_that_keeps_c1(stream in streams(&[2, 3, 4, 8, 16], 1..6)) {
        let bound = bound(&stream, 1);
        let depth = u64::from(stream.shape().depth()) + 1;
        for contender in [Contender::Mp5, Contender::Ideal, Contender::Static(Placement::Sorted), Contender::Naive] {
            let outcome = paper(&stream, contender);
            prop_assert_eq!(outcome.violations, 0);
            prop_assert_eq!(bound.last_arrival, outcome.last_arrival);
            let (best, last) = (bound.last_departure, outcome.last_departure);
            prop_assert!(last >= best, "{contender} is done in {last}, before {best}");
            prop_assert!(outcome.throughput <= bound.throughput);
            prop_assert!(without_filling(outcome.last_arrival, last, depth) <= bound.steady_throughput);
        }
    }

    #[test]
    fn one_pipeline_and_no_state_meet_the_bound(
        stream in prop_oneof![streams(&[1], 0..6), streams(&[1, 2, 3, 4, 8, 16], 0..1)],
    ) {
        prop_assert_eq!(bound(&stream, 1).last_departure, paper(&stream, Contender::Mp5).last_departure);
    }
}

#[test]
fn mp5_meets_the_bound_for_a_single_index() {
    // One value a register and one stage with state: one flow, and so one packet a cycle in four pipelines.
    let shape = PublishedShape { stateful_stages: 1, register_size: 1, ..PublishedShape::DEFAULT };
    let stream = Stream::generate(&StreamPlan { shape, pattern: Pattern::Uniform, packets_per_port: 10 }, 5);
    let bound = bound(&stream, 1);
    assert_eq!(bound.limiting_stage, stream.stateful_stages().first().copied());
    assert!(bound.last_departure >= 640 + 16, "640 packets take 640 cycles: {bound:?}");
    assert_eq!(bound.last_departure, paper(&stream, Contender::Mp5).last_departure);
}
