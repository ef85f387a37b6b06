//! Every machine that keeps the order of arrival computes what the interpreter does, and every machine drains.

use std::collections::BTreeMap;

use basis::Random;
use ir::pipeline::Pipeline;
use machines::banzai::{self, Banzai};
use machines::mp5::{
    Blocking, Departure, Mp5, Mp5Parameters, Mutation, Ordering, Recirculation, Rules, Sharding, Steering,
};
use machines::{Device, recirculating};
use measure::Interest;
use node::{Course, Limit, Offered};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::generate::{Shape, shape, traffic};
use crate::support::{Outcome, interpret, overtaking, pipeline, record_binding, run, run_for};

/// The numbers of pipelines to test.
const PIPELINES: [usize; 6] = [1, 2, 3, 4, 8, 16];

/// Every kind of sharding. The maps are empty here; [`mp5`] draws them once it knows the pipeline.
const SHARDINGS: [Sharding; 6] = [
    Sharding::Dynamic,
    Sharding::DynamicFrom(Vec::new()),
    Sharding::StaticRandom,
    Sharding::StaticModulo,
    Sharding::Fixed(Vec::new()),
    Sharding::AllInOne,
];

fn select<T: Clone + std::fmt::Debug + 'static>(of: &[T]) -> impl Strategy<Value = T> + use<T> {
    proptest::sample::select(of.to_vec())
}

/// Draws parameters of every kind, except those that lose packets or change their order.
fn parameters() -> impl Strategy<Value = Mp5Parameters> {
    let steering = prop_oneof![
        1 => Just(Steering::Crossbar),
        1 => (0u64..9).prop_map(|latency| {
            Steering::Recirculation(Recirculation { latency, ..Recirculation::default() })
        }),
    ];
    let period = select(&[1u64, 7, 100]);
    let blocking = select(&[Blocking::HeadOfLine, Blocking::PerIndex]);
    let bound = prop_oneof![Just(None), (1u32..4).prop_map(Some)];
    (select(&PIPELINES), select(&SHARDINGS), steering, period, blocking, bound, any::<u64>()).prop_map(
        |(pipelines, sharding, steering, remap_period, blocking, ecn_threshold, seed)| Mp5Parameters {
            pipelines,
            ports: 4,
            sharding,
            steering,
            remap_period,
            blocking,
            ecn_threshold,
            seed,
            ..Mp5Parameters::default()
        },
    )
}

/// Draws none of `departures`, one of them, or any subset.
fn rules(departures: &[Departure]) -> impl Strategy<Value = Rules> + use<> {
    let any = proptest::sample::subsequence(departures.to_vec(), 0..=departures.len());
    let any = any.prop_map(|any| any.into_iter().fold(Rules::paper(), Rules::with));
    let one = select(departures).prop_map(|one| Rules::paper().with(one));
    prop_oneof![1 => Just(Rules::paper()), 1 => one, 2 => any]
}

/// The departures that keep the order of arrival; all others queue packets in another order.
const IN_ORDER: [Departure; 11] = [
    Departure::PhantomsAtOnce,
    Departure::DelayedAtExit,
    Departure::RemapFirst,
    Departure::AtMostHalf,
    Departure::LastOfTied,
    Departure::Retry,
    Departure::IdealInFlight,
    Departure::IdealPacking,
    Departure::SortedRuns,
    Departure::FirstModulo,
    Departure::ResolvedAtEntry,
];

/// The departures with which the numbering of pipelines makes no difference.
const TOGETHER: [Departure; 12] = [
    Departure::PhantomsAtOnce,
    Departure::PortsFixed,
    Departure::DelayedAtExit,
    Departure::RemapFirst,
    Departure::AtMostHalf,
    Departure::LastOfTied,
    Departure::Retry,
    Departure::IdealInFlight,
    Departure::IdealPacking,
    Departure::SortedRuns,
    Departure::FirstModulo,
    Departure::ResolvedAtEntry,
];

/// Draws parameters that keep the order of arrival.
fn orderly_parameters() -> impl Strategy<Value = Mp5Parameters> {
    (parameters(), rules(&IN_ORDER)).prop_map(|(parameters, rules)| Mp5Parameters { rules, ..parameters })
}

/// Draws parameters of every kind with `departures` among the rules; packets can be lost and overtake each other.
fn rough_parameters(departures: &[Departure]) -> impl Strategy<Value = Mp5Parameters> + use<> {
    let ordering = select(&[Ordering::Phantoms, Ordering::None]);
    let bound = || prop_oneof![Just(None), (1u32..4).prop_map(Some)];
    let age = prop_oneof![Just(None), (0u64..6).prop_map(Some)];
    (parameters(), ordering, rules(departures), bound(), bound(), bound(), age).prop_map(
        |(parameters, ordering, rules, fifo_depth, queue, limit, starvation_limit)| Mp5Parameters {
            ordering,
            rules,
            fifo_depth,
            starvation_limit,
            steering: match parameters.steering {
                Steering::Crossbar => Steering::Crossbar,
                Steering::Recirculation(it) => Steering::Recirculation(Recirculation { queue, limit, ..it }),
            },
            ..parameters
        },
    )
}

/// Draws parameters without the options that plain cycles leave out.
fn plain_parameters() -> impl Strategy<Value = Mp5Parameters> {
    let departures = [
        Departure::OneList,
        Departure::PortsFixed,
        Departure::AtMostHalf,
        Departure::LastOfTied,
        Departure::Retry,
        Departure::FirstModulo,
    ];
    let in_turn = [
        Departure::OneList,
        Departure::DelayedAtExit,
        Departure::OneAfterAnother,
        Departure::PhantomsAtOnce,
        Departure::ResolvedAtEntry,
    ];
    let within_a_cycle = select(&[vec![], in_turn.to_vec(), [&in_turn[..], &[Departure::RemapFirst]].concat()]);
    (parameters(), rules(&departures), within_a_cycle).prop_map(|(parameters, rules, more)| Mp5Parameters {
        rules: more.into_iter().fold(rules, Rules::with),
        steering: Steering::Crossbar,
        blocking: Blocking::HeadOfLine,
        ecn_threshold: None,
        ..parameters
    })
}

/// Draws a map for each access of a pipeline from the parameters' seed.
fn drawn_maps(pipeline: &Pipeline, parameters: &Mp5Parameters) -> Vec<Vec<u8>> {
    let mut random = Random::new(parameters.seed);
    let k = parameters.pipelines as u64;
    let map = |access| (0..pipeline.indices_of(access)).map(|_| random.below(k) as u8).collect();
    pipeline.accesses.iter().map(map).collect()
}

/// Builds an MP5 for the pipeline of a shape, with random maps where the sharding needs them.
fn mp5(shape: &Shape, parameters: Mp5Parameters) -> Mp5 {
    let pipeline = pipeline(&shape.text());
    let sharding = match parameters.sharding {
        Sharding::Fixed(_) => Sharding::Fixed(drawn_maps(&pipeline, &parameters)),
        Sharding::DynamicFrom(_) => Sharding::DynamicFrom(drawn_maps(&pipeline, &parameters)),
        other => other,
    };
    let parameters = Mp5Parameters { sharding, ..parameters };
    Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap()
}

/// Returns the outcome of a run on an MP5, and its timeline.
fn run_mp5(shape: &Shape, parameters: Mp5Parameters, packets: &[Offered]) -> (Outcome, String) {
    let mut machine = mp5(shape, parameters);
    machine.record_timeline(u64::MAX);
    let outcome = run(&mut machine, packets);
    (outcome, machine.timeline().unwrap().to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mp5_equals_the_interpreter(shape in shape(), parameters in orderly_parameters(), packets in traffic(4)) {
        let (registers, completed) = interpret(&pipeline(&shape.text()), &packets);
        let (outcome, _) = run_mp5(&shape, parameters, &packets);
        prop_assert_eq!(outcome.discarded, []);
        prop_assert_eq!(outcome.completed, completed);
        prop_assert_eq!(outcome.registers, registers);
        prop_assert_eq!(overtaking(&outcome.accesses), 0);
    }

    #[test]
    fn banzai_equals_the_interpreter(shape in shape(), speedup in 1u64..6, packets in traffic(4)) {
        let pipeline = pipeline(&shape.text());
        let parameters = banzai::BanzaiParameters { speedup, ..banzai::BanzaiParameters::default() };
        let mut machine = Banzai::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
        let outcome = run(&mut machine, &packets);
        let (registers, completed) = interpret(&pipeline, &packets);
        prop_assert_eq!(outcome.completed, completed);
        prop_assert_eq!(outcome.registers, registers);
        prop_assert_eq!(overtaking(&outcome.accesses), 0);
    }

    /// `run` asserts that the machine is finally idle and that packets are conserved.
    #[test]
    fn runs_drain_whatever_the_update_order(
        shape in shape(),
        parameters in rough_parameters(&TOGETHER),
        packets in traffic(8),
        order_seed in any::<u64>(),
    ) {
        let mut order: Vec<usize> = (0..parameters.pipelines).collect();
        Random::new(order_seed).shuffle(&mut order);
        let shuffled = Mp5Parameters { mutation: Mutation::UpdateOrder(order), ..parameters.clone() };
        prop_assert_eq!(run_mp5(&shape, parameters, &packets), run_mp5(&shape, shuffled, &packets));
    }

    /// A machine that nobody watches executes plain cycles, and any other cycles from the moment on in which somebody does.
    #[test]
    fn watching_changes_nothing(
        shape in shape(),
        parameters in plain_parameters(),
        packets in traffic(8),
        share in 0.0..1.0f64,
    ) {
        let watched = run(&mut mp5(&shape, parameters.clone()), &packets);
        let unwatched = run_for(Interest::default(), &mut mp5(&shape, parameters.clone()), &packets);
        let watched = Outcome { completed: BTreeMap::new(), accesses: Vec::new(), ..watched };
        prop_assert_eq!(&unwatched, &watched);

        let mut machine = mp5(&shape, parameters);
        let (mut course, mut outcome) = (Course::new(Limit::default(), Interest::default()), Outcome::default());
        let watched_from = (share * packets.len() as f64) as usize;
        for (number, offered) in packets.into_iter().enumerate() {
            if number == watched_from {
                machine.record_timeline(u64::MAX);
            }
            course.offer(&mut machine, offered, &mut outcome).unwrap();
        }
        course.finish(&mut machine, &mut outcome).unwrap();
        outcome.registers = machine.state().registers.clone();
        outcome.statistics = machine.statistics();
        prop_assert_eq!(outcome, watched);
    }

    /// Also covers rules with which the numbering of pipelines makes a difference.
    #[test]
    fn runs_drain_with_any_rules(
        shape in shape(),
        parameters in rough_parameters(&Departure::ALL),
        packets in traffic(8),
    ) {
        run(&mut mp5(&shape, parameters), &packets);
    }

    /// Every run of the recirculating switch drains, whatever is lost; without losses each packet is processed once.
    #[test]
    fn recirculating_switch_drains(
        shape in shape(),
        pipelines in 1usize..5,
        latency in 0u64..9,
        bounds in (prop_oneof![Just(None), Just(Some(1u32))], prop_oneof![Just(None), Just(Some(2u32))]),
        packets in traffic(4),
    ) {
        let pipeline = pipeline(&shape.text());
        let (queue, limit) = bounds;
        let parameters = recirculating::RecirculatingParameters {
            pipelines, latency, queue, limit, ports: 4, remap_period: 7, ..recirculating::RecirculatingParameters::default()
        };
        let mut machine = recirculating::build(&pipeline, record_binding(&pipeline), parameters).unwrap();
        let outcome = run(&mut machine, &packets);
        prop_assert!(outcome.statistics.largest_queue <= 1, "a linear pipeline has no queues");
        if pipelines == 1 {
            prop_assert_eq!(outcome.completed, interpret(&pipeline, &packets).1);
        }
    }
}

/// Returns the paper's rules, those of the published simulator, both with one departure flipped, and all pairs of
/// departures.
fn sets_of_rules() -> Vec<Rules> {
    let mut sets = vec![Rules::paper(), Rules::artifact()];
    for (number, &one) in Departure::ALL.iter().enumerate() {
        sets.extend([Rules::paper().with(one), Rules::artifact().without(one)]);
        sets.extend(Departure::ALL[..number].iter().map(|&other| Rules::paper().with(one).with(other)));
    }
    sets
}

/// Random draws reach few of the many combinations. Here each set of rules meets each kind of steering, ordering and
/// blocking, while sharding and number of pipelines alternate, each combination on its own pipeline.
#[test]
fn runs_drain_with_all_pairs_of_departures() {
    let mut runner = TestRunner::deterministic();
    let mut turn = 0;
    for rules in sets_of_rules() {
        let recirculation = |latency| Steering::Recirculation(Recirculation { latency, ..Recirculation::default() });
        for steering in [Steering::Crossbar, recirculation(turn as u64 % 2 * 30)] {
            for ordering in [Ordering::Phantoms, Ordering::None] {
                for blocking in [Blocking::HeadOfLine, Blocking::PerIndex] {
                    let (shape, packets) = (shape(), traffic(8)).new_tree(&mut runner).unwrap().current();
                    let parameters = Mp5Parameters {
                        pipelines: PIPELINES[turn % 6],
                        ports: 4,
                        sharding: SHARDINGS[turn / 6 % 6].clone(),
                        remap_period: 7,
                        seed: turn as u64,
                        rules,
                        steering,
                        ordering,
                        blocking,
                        ..Mp5Parameters::default()
                    };
                    // 37 is coprime to 36, so all pairs of the two meet everything else.
                    turn += 37;
                    run(&mut mp5(&shape, parameters), &packets);
                }
            }
        }
    }
}
