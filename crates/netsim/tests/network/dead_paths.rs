//! Links that are down: flows avoid the paths over them, and get nearly their fair share.

use basis::{Duration, Instant};
use demand::Permutation;
use netsim::Ended;
use netsim::faults::{FaultKind, LinkSet, Rule};

use crate::test_network::{Carrier, TestNetwork, assert_settled, counter, topology};
use crate::watch::Watch;

const HOSTS: usize = 16;
const BYTES: u64 = 4_000_000;

/// Returns a rule that takes the link between two stations down for a period, given in microseconds.
fn down(plan: &TestNetwork, between: [&str; 2], both_ways: bool, from: u64, until: u64) -> Rule {
    let stations = &plan.topology.stations;
    let [one, other] = between.map(|name| stations.iter().position(|station| station.name == name).expect("a station"));
    Rule {
        links: LinkSet::Between { from: vec![one], to: vec![other], both_ways },
        from: Instant::from_microseconds(from),
        until: Instant::from_microseconds(until),
        ..Rule::new(FaultKind::Down)
    }
}

/// Returns when the last flow of a permutation is delivered, in microseconds.
fn last(plan: &TestNetwork, rules: &[Rule]) -> u64 {
    let mut simulation = plan.simulation(Permutation { bytes: BYTES });
    simulation.set_faults(&plan.topology, rules, 7);
    let mut watch = Watch::default();
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    assert_settled(&simulation, plan.topology.stations.len());
    let (flows, last) = watch.assert_finished();
    assert_eq!(flows, HOSTS);
    if !rules.is_empty() {
        assert!(counter(&simulation, HOSTS, "probes_sent") < 200, "probes are rare");
    }
    last.microseconds()
}

/// The time in microseconds of a flow that has its link to itself. Two hosts share the uplinks of an edge switch, so
/// with one of its two uplinks down each has half a link, in both directions.
const ALONE: u64 = 320;

#[test]
fn flows_share_the_uplink_that_is_left() {
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = TestNetwork { carrier, ..TestNetwork::new(topology("fat-tree:k=4")) };
        let whole = last(&plan, &[]);
        assert!(whole < ALONE * 6 / 5, "{carrier:?}: {whole} us");
        for both_ways in [true, false] {
            let rule = down(&plan, ["edge-0-0", "aggregation-0-0"], both_ways, 0, 1_000_000);
            let half = last(&plan, &[rule]);
            assert!(half < 2 * ALONE * 3 / 2, "{carrier:?}: {half} us, both ways: {both_ways}");
        }
    }
}

#[test]
fn flows_avoid_a_dead_core_switch_and_dead_paths() {
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = TestNetwork { carrier, ..TestNetwork::new(topology("fat-tree:k=4")) };
        let cut = |between| down(&plan, between, true, 0, 1_000_000);
        // One of the four paths out of a pod, which its hosts share, is dead.
        let core = last(&plan, &[cut(["core-0", "aggregation-0-0"])]);
        assert!(core < 2 * ALONE, "{carrier:?}: {core} us");
        // One of four paths is left from the hosts of the first edge switch to the second pod.
        let two = last(&plan, &[cut(["edge-0-0", "aggregation-0-0"]), cut(["core-2", "aggregation-1-1"])]);
        assert!(two < 3 * ALONE, "{carrier:?}: {two} us");
    }
}

#[test]
fn a_link_that_recovers_is_used_again() {
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = TestNetwork { carrier, ..TestNetwork::new(topology("fat-tree:k=4")) };
        let between = ["edge-0-0", "aggregation-0-0"];
        // The link is down for a part of the run. If its path were never used again, that would cost as much as a dead
        // one.
        let once = last(&plan, &[down(&plan, between, true, 50, 150)]);
        assert!(once < ALONE * 8 / 5, "{carrier:?}: {once} us");
        // The link is down half of the time, in periods hardly longer than it takes to detect them.
        let flaps: Vec<Rule> =
            (0..20).map(|turn| down(&plan, between, true, turn * 200 + 50, turn * 200 + 150)).collect();
        let flapping = last(&plan, &flaps);
        assert!(flapping < 6 * ALONE, "{carrier:?}: {flapping} us");
    }
}

#[test]
fn single_packets_use_paths_that_others_have_found() {
    // Small messages are sent all the time, and only the first ones to a destination meet the dead link.
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = TestNetwork { carrier, ..TestNetwork::new(topology("fat-tree:k=4")) };
        let requests =
            demand::Requests { request: 64, response: 2000, outstanding: 1, count: Some(300), servers: Some(1) };
        let mut simulation = plan.simulation(requests);
        simulation.set_faults(&plan.topology, &[down(&plan, ["edge-0-0", "aggregation-0-0"], true, 0, 1_000_000)], 7);
        let mut watch = Watch::default();
        assert_eq!(simulation.run(&mut watch), Ended::Idle);
        let (flows, _) = watch.assert_finished();
        let timeouts = counter(&simulation, HOSTS, "timeouts");
        // The timeouts are those of 15 clients, each with two dead paths and their probes, in both directions; not
        // half of all.
        assert!(timeouts < flows as u64 / 20, "{carrier:?}: {timeouts} timeouts of {flows} messages");
        assert!(simulation.now() < Instant::ZERO + Duration::from_microseconds(1_000_000));
    }
}
