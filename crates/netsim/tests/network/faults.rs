//! Fault rules in whole networks: lost and copied packets are accounted for, and runs are the same with any number of
//! threads and when they are saved and continued elsewhere.

use std::num::NonZeroUsize;

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant};
use demand::AllToAll;
use netsim::faults::reasons;
use netsim::faults::{FaultKind, LinkSet, Rule, Strikes};
use netsim::{Ended, Simulation};
use node::Port;
use transports::costs;

use crate::test_network::{TestNetwork, assert_settled, topology};
use crate::watch::Watch;

const WORKLOAD: AllToAll = AllToAll { bytes: 100_000, outstanding: 0 };

fn at(microseconds: u64) -> Instant {
    Instant::from_microseconds(microseconds)
}

fn plan(threads: usize) -> TestNetwork {
    let mut plan = TestNetwork::new(topology("leaf-spine:leaves=2,spines=2,hosts=3"));
    plan.settings.threads = NonZeroUsize::new(threads).expect("one at least");
    plan.costs = Some(costs::CostParameters {
        cores: 2,
        receive: costs::Work { per_packet: Duration::from_nanoseconds(200), ..costs::Work::default() },
        attention: costs::Attention::Polling { period: Duration::from_microseconds(1) },
        ..costs::CostParameters::default()
    });
    plan
}

/// Returns rules of every kind that loses, copies or delays packets.
fn rules() -> Vec<Rule> {
    let some = |part, kind| Rule { strikes: Strikes::Probability(part), ..Rule::new(kind) };
    let microseconds = Duration::from_microseconds;
    vec![
        some(0.02, FaultKind::Loss),
        Rule { links: LinkSet::ToHosts, ..some(0.05, FaultKind::Corruption) },
        some(0.05, FaultKind::Duplication { later: microseconds(1) }),
        Rule { links: LinkSet::FromHosts, ..some(0.1, FaultKind::Loss) },
        some(0.1, FaultKind::Delay { least: microseconds(1), most: microseconds(9), keeps_order: false }),
        Rule { links: LinkSet::Of(vec![0]), from: at(20), until: at(60), ..Rule::new(FaultKind::Down) },
    ]
}

/// Builds a network in which every packet on every link is recorded when it leaves and when its arrival is known.
fn network(threads: usize) -> (Simulation, Watch) {
    let plan = plan(threads);
    let mut simulation = plan.simulation(WORKLOAD);
    simulation.set_faults(&plan.topology, &rules(), 7);
    for station in 0..plan.topology.stations.len() {
        for link in (0..).map_while(|port| simulation.link(station, Port(port))).collect::<Vec<_>>() {
            simulation.tap(link);
        }
    }
    (simulation, Watch::default())
}

#[derive(Debug, PartialEq)]
struct Outcome {
    hash: u64,
    events: u64,
    end: Instant,
    tallies: Vec<(usize, u64, u64)>,
}

fn outcome(simulation: &Simulation, watch: &Watch) -> Outcome {
    watch.assert_finished();
    let tallies = simulation.faults().into_values().flat_map(|faults| faults.tallies().collect::<Vec<_>>());
    Outcome {
        hash: watch.hash,
        events: simulation.events(),
        end: simulation.now(),
        tallies: tallies.map(|tally| (tally.rule, tally.seen, tally.struck)).collect(),
    }
}

#[test]
fn every_lost_and_copied_packet_is_accounted_for() {
    let (mut simulation, mut watch) = network(1);
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    watch.assert_finished();
    assert_settled(&simulation, simulation.stations());
    let conservation = simulation.conservation().expect("packets are conserved");
    let struck = |rule: usize| -> u64 {
        let faults = simulation.faults();
        faults.values().flat_map(|faults| faults.tallies()).filter(|tally| tally.rule == rule).map(|t| t.struck).sum()
    };
    let of = |reason| watch.discarded.of(reason);
    assert_eq!(of(reasons::INJECTED_LOSS), struck(0) + struck(3));
    assert_eq!(of(reasons::LINK_DOWN), struck(5));
    assert_eq!(conservation.replicated, struck(2));
    // A damaged packet may still be lost by a later rule.
    assert!(of(reasons::CHECK_SEQUENCE) <= struck(1) + struck(2));
    for rule in 0..6 {
        assert!(struck(rule) > 0, "rule {rule}");
    }
    assert_eq!(conservation.discarded, watch.discarded.total());
    let lost = of(reasons::INJECTED_LOSS) + of(reasons::LINK_DOWN) + of(reasons::CHECK_SEQUENCE);
    assert_eq!(watch.packets_seen, simulation.packet_hops());
    assert_eq!(watch.packets_coming, watch.packets_seen + struck(2) - lost);
}

#[test]
fn rules_do_not_depend_on_the_number_of_threads() {
    let run = |threads| {
        let (mut simulation, mut watch) = network(threads);
        assert_eq!(simulation.run(&mut watch), Ended::Idle);
        assert_eq!(simulation.shards(), threads);
        outcome(&simulation, &watch)
    };
    let one = run(1);
    for threads in [2, 3, 8] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn a_saved_run_with_rules_continues_elsewhere() {
    let whole = {
        let (mut simulation, mut watch) = network(1);
        assert_eq!(simulation.run(&mut watch), Ended::Idle);
        outcome(&simulation, &watch)
    };
    let (mut simulation, mut watch) = network(2);
    // The state is saved while the link is down, after that, and among the timeouts.
    for (end, threads) in [(1, 1), (30, 3), (75, 2), (1010, 1)] {
        simulation.set_end(Some(at(end)));
        assert_eq!(simulation.run(&mut watch), Ended::TimeLimit, "{end}");
        let mut saver = Saver::default();
        simulation.save(&mut saver).expect("everything can be saved");
        let bytes = saver.into_bytes();
        let (mut fresh, _) = network(threads);
        let mut loader = Loader::new(&bytes);
        fresh.restore(&mut loader).expect("the state fits this network");
        loader.finish().expect("the state is read completely");
        fresh.conservation().expect("packets are conserved");
        simulation = fresh;
    }
    simulation.set_end(None);
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    assert_eq!(outcome(&simulation, &watch), whole);
}

#[test]
fn a_cable_that_is_down_delivers_nothing_either_way() {
    let plan = TestNetwork::new(topology("single-switch:hosts=2"));
    let mut simulation = plan.simulation(WORKLOAD);
    let down = Rule { links: LinkSet::Of(vec![0]), from: at(0), until: at(500), ..Rule::new(FaultKind::Down) };
    simulation.set_faults(&plan.topology, &[down], 1);
    let mut watch = Watch::default();
    simulation.set_end(Some(at(499)));
    assert_eq!(simulation.run(&mut watch), Ended::TimeLimit);
    assert_eq!((simulation.passed(0).received, simulation.passed(1).received), (0, 0));
    // What host 0 sent was lost at its own end, and what host 1 sent was lost at the switch.
    assert!(watch.places[&(0, reasons::LINK_DOWN)] > 0 && watch.places[&(2, reasons::LINK_DOWN)] > 0);
    simulation.set_end(None);
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    watch.assert_finished();
}
