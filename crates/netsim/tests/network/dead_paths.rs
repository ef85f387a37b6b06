//! Links that are down: flows whose paths lead over them keep off those paths, and come near their fair share.

use basis::{Duration, Instant};
use demand::WorkloadPlan;
use netsim::Ended;
use netsim::faults::{Kind, Lines, Rule};

use crate::plan::{Carrier, Plan, assert_settled, counter, topology};
use crate::watch::Watch;

const HOSTS: usize = 16;
const BYTES: u64 = 4_000_000;

/// The link between two stations is down from one time until another, in microseconds.
fn down(plan: &Plan, between: [&str; 2], both_ways: bool, from: u64, until: u64) -> Rule {
    let stations = &plan.topology.stations;
    let [one, other] = between.map(|name| stations.iter().position(|station| station.name == name).expect("a station"));
    Rule {
        lines: Lines::Between { from: vec![one], to: vec![other], both_ways },
        from: Instant::from_microseconds(from),
        until: Instant::from_microseconds(until),
        ..Rule::new(Kind::Down)
    }
}

/// When the last flow of a permutation is delivered, in microseconds.
fn last(plan: &Plan, rules: &[Rule]) -> u64 {
    let mut simulation = plan.simulation(WorkloadPlan::Permutation { bytes: BYTES });
    simulation.set_faults(&plan.topology, rules, 7);
    let mut watch = Watch::default();
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    assert_settled(&simulation, plan.topology.stations.len());
    let (flows, last) = watch.assert_finished();
    assert_eq!(flows, HOSTS);
    if !rules.is_empty() {
        assert!(counter(&simulation, HOSTS, "probes_sent") < 200, "a probe now and then");
    }
    last.microseconds()
}

/// One flow alone takes 320 us on its line. Two hosts share what an edge switch has up, so that with one of its two links
/// down each has half a line, there and back.
const ALONE: u64 = 320;

#[test]
fn flows_over_an_edge_switch_with_one_of_two_links_down_share_the_other() {
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = Plan { carrier, ..Plan::new(topology("fat-tree:k=4")) };
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
fn flows_keep_off_a_core_that_is_cut_off_and_off_several_paths() {
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = Plan { carrier, ..Plan::new(topology("fat-tree:k=4")) };
        let cut = |between| down(&plan, between, true, 0, 1_000_000);
        // One of the four ways out of a pod that its hosts share.
        let core = last(&plan, &[cut(["core-0", "aggregation-0-0"])]);
        assert!(core < 2 * ALONE, "{carrier:?}: {core} us");
        // From the hosts of the first edge switch to the second pod one path of four is left.
        let two = last(&plan, &[cut(["edge-0-0", "aggregation-0-0"]), cut(["core-2", "aggregation-1-1"])]);
        assert!(two < 3 * ALONE, "{carrier:?}: {two} us");
    }
}

#[test]
fn a_link_that_fails_and_comes_back_is_used_again() {
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = Plan { carrier, ..Plan::new(topology("fat-tree:k=4")) };
        let between = ["edge-0-0", "aggregation-0-0"];
        // Down for a part of the run: a path that were left out for good would cost as much as one that is dead.
        let once = last(&plan, &[down(&plan, between, true, 50, 150)]);
        assert!(once < ALONE * 8 / 5, "{carrier:?}: {once} us");
        // Down half of the time, in spells that are hardly longer than it takes to find out.
        let flaps: Vec<Rule> =
            (0..20).map(|turn| down(&plan, between, true, turn * 200 + 50, turn * 200 + 150)).collect();
        let flapping = last(&plan, &flaps);
        assert!(flapping < 6 * ALONE, "{carrier:?}: {flapping} us");
    }
}

#[test]
fn a_packet_of_its_own_finds_the_way_that_others_have_found() {
    // Small messages all the time: only the first of a destination meet the dead link.
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        let plan = Plan { carrier, ..Plan::new(topology("fat-tree:k=4")) };
        let requests =
            demand::Requests { request: 64, response: 2000, outstanding: 1, count: Some(300), servers: Some(1) };
        let mut simulation = plan.simulation(WorkloadPlan::Requests(requests));
        simulation.set_faults(&plan.topology, &[down(&plan, ["edge-0-0", "aggregation-0-0"], true, 0, 1_000_000)], 7);
        let mut watch = Watch::default();
        assert_eq!(simulation.run(&mut watch), Ended::Idle);
        let (flows, _) = watch.assert_finished();
        let timeouts = counter(&simulation, HOSTS, "timeouts");
        // Of 15 clients, each with two dead paths and their probes, and back; not half of all.
        assert!(timeouts < flows as u64 / 20, "{carrier:?}: {timeouts} timeouts of {flows} messages");
        assert!(simulation.now() < Instant::ZERO + Duration::from_microseconds(1_000_000));
    }
}
