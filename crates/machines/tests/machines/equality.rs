//! Every machine that keeps the order computes what the interpreter does; every machine drains.

use machines::banzai::{self, Banzai};
use machines::mp5::{
    Blocking, Departure, Mp5, Mutation, Ordering, Parameters, Recirculation, Rules, Sharding, Steering,
};
use machines::recirculating::{self, Recirculating};
use node::Offered;
use proptest::prelude::*;

use crate::generate::{Shape, shape, traffic};
use crate::support::{Outcome, interpret, overtaking, pipeline, record_binding, run};

/// Pipelines, and how often an index may move: rarely, and as often as can be.
fn parameters() -> impl Strategy<Value = Parameters> {
    let pipelines = prop_oneof![Just(1usize), Just(2), Just(3), Just(4), Just(8), Just(16)];
    let sharding = prop_oneof![
        4 => Just(Sharding::Dynamic),
        1 => Just(Sharding::StaticRandom),
        1 => Just(Sharding::StaticModulo),
        1 => Just(Sharding::AllInOne),
    ];
    let steering = prop_oneof![
        3 => Just(Steering::Crossbar),
        1 => (0u64..9).prop_map(|latency| {
            Steering::Recirculation(Recirculation { latency, ..Recirculation::default() })
        }),
    ];
    let period = prop_oneof![Just(1u64), Just(7), Just(100)];
    (pipelines, sharding, steering, period, any::<u64>()).prop_map(
        |(pipelines, sharding, steering, remap_period, seed)| Parameters {
            pipelines,
            ports: 4,
            sharding,
            steering,
            remap_period,
            seed,
            ..Parameters::default()
        },
    )
}

/// Some of `departures`; most often none.
fn rules(departures: &[Departure]) -> impl Strategy<Value = Rules> + use<> {
    let some = proptest::sample::subsequence(departures.to_vec(), 0..=departures.len());
    let some = some.prop_map(|some| some.into_iter().fold(Rules::paper(), Rules::with));
    prop_oneof![1 => Just(Rules::paper()), 1 => some]
}

/// Departures from the paper that keep the order of arrival: the rest queues in another order than packets came in.
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

/// Parameters under which the order of arrival is kept, whatever else differs.
fn orderly_parameters() -> impl Strategy<Value = Parameters> {
    let blocking = prop_oneof![Just(Blocking::HeadOfLine), Just(Blocking::PerIndex)];
    (parameters(), rules(&IN_ORDER), blocking).prop_map(|(parameters, rules, blocking)| Parameters {
        rules,
        blocking,
        ..parameters
    })
}

/// Parameters under which packets are lost and overtake each other.
fn rough_parameters() -> impl Strategy<Value = Parameters> {
    let ordering = prop_oneof![2 => Just(Ordering::Phantoms), 1 => Just(Ordering::None)];
    let rules = prop_oneof![2 => Just(Rules::paper()), 1 => Just(Rules::paper().with(Departure::PortsFixed))];
    let bound = || prop_oneof![Just(None), (1u32..4).prop_map(Some)];
    let age = prop_oneof![Just(None), (0u64..6).prop_map(Some)];
    (parameters(), ordering, rules, 1u32..4, bound(), bound(), bound(), age).prop_map(
        |(parameters, ordering, rules, depth, queue, limit, ecn_threshold, starvation_limit)| Parameters {
            ordering,
            rules,
            fifo_depth: Some(depth),
            ecn_threshold,
            starvation_limit,
            steering: match parameters.steering {
                Steering::Crossbar => Steering::Crossbar,
                Steering::Recirculation(it) => Steering::Recirculation(Recirculation { queue, limit, ..it }),
            },
            ..parameters
        },
    )
}

/// The outcome of a run on an MP5, and its timeline.
fn run_mp5(shape: &Shape, parameters: Parameters, packets: &[Offered]) -> (Outcome, String) {
    let pipeline = pipeline(&shape.text());
    let mut machine = Mp5::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
    machine.record_timeline();
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
        let parameters = banzai::Parameters { speedup, ..banzai::Parameters::default() };
        let mut machine = Banzai::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
        let outcome = run(&mut machine, &packets);
        let (registers, completed) = interpret(&pipeline, &packets);
        prop_assert_eq!(outcome.completed, completed);
        prop_assert_eq!(outcome.registers, registers);
        prop_assert_eq!(overtaking(&outcome.accesses), 0);
    }

    /// `run` asserts that the machine is idle in the end and that packets are conserved.
    #[test]
    fn every_run_drains_and_no_update_order_changes_it(
        shape in shape(),
        parameters in rough_parameters(),
        packets in traffic(8),
        order_seed in any::<u64>(),
    ) {
        let mut order: Vec<usize> = (0..parameters.pipelines).collect();
        basis::Random::new(order_seed).shuffle(&mut order);
        let shuffled = Parameters { mutation: Mutation::UpdateOrder(order), ..parameters.clone() };
        prop_assert_eq!(run_mp5(&shape, parameters, &packets), run_mp5(&shape, shuffled, &packets));
    }

    /// Also by rules under which the pipelines' numbers do make a difference.
    #[test]
    fn every_set_of_rules_drains(
        shape in shape(),
        parameters in rough_parameters(),
        rules in rules(&Departure::ALL),
        packets in traffic(8),
    ) {
        run_mp5(&shape, Parameters { rules, ..parameters }, &packets);
    }

    /// Whatever is lost, a run of the recirculating switch drains, and without losses each packet is processed once.
    #[test]
    fn the_recirculating_switch_drains(
        shape in shape(),
        pipelines in 1usize..5,
        latency in 0u64..9,
        bounds in (prop_oneof![Just(None), Just(Some(1u32))], prop_oneof![Just(None), Just(Some(2u32))]),
        packets in traffic(4),
    ) {
        let pipeline = pipeline(&shape.text());
        let (queue, limit) = bounds;
        let parameters = recirculating::Parameters {
            pipelines, latency, queue, limit, ports: 4, remap_period: 7, ..recirculating::Parameters::default()
        };
        let mut machine = Recirculating::new(&pipeline, record_binding(&pipeline), parameters).unwrap();
        let outcome = run(&mut machine, &packets);
        prop_assert!(outcome.statistics.largest_queue <= 1, "a linear pipeline has no queues");
        if pipelines == 1 {
            prop_assert_eq!(outcome.completed, interpret(&pipeline, &packets).1);
        }
    }
}
