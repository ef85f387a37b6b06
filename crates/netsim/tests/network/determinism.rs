//! The same seed gives the same bytes, in one run or in several, in one thread or in many.

use std::num::NonZeroUsize;

use basis::snapshot::{Loader, Saver, Snapshot};
use basis::{Duration, Instant, Rate};
use demand::AllToAll;
use netsim::faults::{FaultKind, Rule, Strikes};
use netsim::switch::{Router, Spread};
use netsim::{Ended, Simulation, Threading};
use node::{Link, Port};
use queues::DisciplinePlan;
use transports::rocev2;

use crate::test_network::{Carrier, TestNetwork, topology};
use crate::watch::Watch;

const WORKLOAD: AllToAll = AllToAll { bytes: 200_000, outstanding: 0 };

const LEAF_SPINE: &str = "leaf-spine:leaves=2,spines=2,hosts=3";

fn network(seed: u64, threads: usize) -> (Simulation, Watch) {
    network_of(LEAF_SPINE, Carrier::Ndp, seed, threads)
}

/// Returns RoCEv2 with all its mechanisms: marks, losses and recoveries.
fn rocev2() -> Carrier {
    let link = Link::new(Rate::from_gigabits_per_second(100), Link::ETHERNET_FRAMING);
    let usual = rocev2::RoceV2Parameters::new(link, rocev2::Recovery::SelectiveRepeat);
    Carrier::RoceV2(rocev2::RoceV2Parameters { retries: 100, ..usual })
}

/// Builds a network in which every packet on every link is recorded and queues are sampled every 700 ns.
fn network_of(text: &str, carrier: Carrier, seed: u64, threads: usize) -> (Simulation, Watch) {
    let mut plan = TestNetwork { seed, carrier, ..TestNetwork::new(topology(text)) };
    if carrier != Carrier::Ndp {
        plan.discipline = DisciplinePlan::Ecn { limit: 100_000, threshold: 20_000 };
    }
    plan.settings.sample_every = Some(Duration::from_nanoseconds(700));
    plan.settings.threads = NonZeroUsize::new(threads).expect("at least one thread");
    let mut simulation = plan.simulation(WORKLOAD);
    // Packets are classified by a byte of the last header, so that there are many classes.
    simulation.count_hops_by(|head| head[head.len() - 1]);
    for station in 0..plan.topology.stations.len() {
        for link in (0..).map_while(|port| simulation.link(station, Port(port))).collect::<Vec<_>>() {
            simulation.tap(link);
        }
    }
    (simulation, Watch { sampled: plan.topology.stations.len() - 1, ..Watch::default() })
}

/// Returns the values that distinguish runs.
fn outcome(simulation: &Simulation, watch: &Watch) -> (u64, u64, u64, Instant) {
    watch.assert_finished();
    assert_eq!(watch.packets_seen, simulation.packet_hops());
    (watch.hash, simulation.events(), watch.samples, simulation.now())
}

fn in_one_run(seed: u64) -> (u64, u64, u64, Instant) {
    in_one_run_of(Carrier::Ndp, seed)
}

fn in_one_run_of(carrier: Carrier, seed: u64) -> (u64, u64, u64, Instant) {
    let (mut simulation, mut watch) = network_of(LEAF_SPINE, carrier, seed, 1);
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    outcome(&simulation, &watch)
}

#[test]
fn the_seed_determines_the_run() {
    let first = in_one_run(1);
    assert_eq!(in_one_run(1), first);
    assert_ne!(in_one_run(2).0, first.0);
}

#[test]
fn stopping_and_continuing_changes_nothing() {
    stopped_and_run_on(1);
    stopped_and_run_on(3);
}

fn stopped_and_run_on(threads: usize) {
    let (mut simulation, mut watch) = network(1, threads);
    // The ends fall on samples, between samples, and on the packets that leave at the start.
    let ends = [0, 1, 721_920, 721_920, 4_200_000, 10_000_001].map(Instant::from_picoseconds);
    for end in ends {
        simulation.set_end(Some(end));
        assert_eq!(simulation.run(&mut watch), Ended::TimeLimit);
        assert_eq!(simulation.now(), end);
        simulation.conservation().expect("packets are conserved at every time");
    }
    // An end that has passed changes nothing.
    simulation.set_end(Some(Instant::ZERO));
    assert_eq!(simulation.run(&mut watch), Ended::TimeLimit);
    assert_eq!(simulation.now(), ends[5]);
    simulation.set_end(None);
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    assert_eq!(outcome(&simulation, &watch), in_one_run(1));
}

#[test]
fn a_saved_run_continues_in_a_new_network() {
    for carrier in [Carrier::Ndp, rocev2()] {
        written_down(carrier);
    }
}

fn written_down(carrier: Carrier) {
    let whole = in_one_run_of(carrier, 1);
    let network = |threads| network_of(LEAF_SPINE, carrier, 1, threads);
    // The state is saved at the start, early, in the middle and near the end, each time with another number of
    // threads.
    let (mut simulation, mut watch) = network(2);
    for (end, threads) in [(0, 1), (721_920, 3), (4_200_000, 1), (10_000_001, 2), (30_000_000, 4)] {
        simulation.set_end(Some(Instant::from_picoseconds(end)));
        assert_eq!(simulation.run(&mut watch), Ended::TimeLimit, "{end}");
        let mut saver = Saver::default();
        simulation.save(&mut saver).expect("hosts and routers can be saved");
        let bytes = saver.into_bytes();

        let (mut fresh, _) = network(threads);
        // Its previous state is discarded.
        fresh.set_end(Some(Instant::from_picoseconds(3_000_000)));
        fresh.run(&mut netsim::Unwatched);
        let mut loader = Loader::new(&bytes);
        fresh.restore(&mut loader).expect("the state fits this network");
        loader.finish().expect("the state is read completely");
        fresh.conservation().expect("packets are conserved");
        assert_eq!((fresh.now(), fresh.events()), (simulation.now(), simulation.events()));
        simulation = fresh;
    }
    simulation.set_end(None);
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    assert_eq!(outcome(&simulation, &watch), whole);
}

#[test]
fn the_state_of_another_network_is_refused() {
    let mut saver = Saver::default();
    network(1, 1).0.save(&mut saver).expect("hosts and routers can be saved");
    let bytes = saver.into_bytes();
    let (mut other, _) = network_of("fat-tree:k=4", Carrier::Ndp, 1, 1);
    let refused = other.restore(&mut Loader::new(&bytes)).expect_err("another network");
    assert_eq!(refused.to_string(), "it is of a network with other stations or links");
    for length in [0, 1, 100, bytes.len() - 1] {
        assert!(network(1, 1).0.restore(&mut Loader::new(&bytes[..length])).is_err(), "{length} bytes");
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    // The last network has links of many lengths, and hosts beside switches that most packets bypass.
    let texts = [
        LEAF_SPINE,
        "fat-tree:k=4",
        "single-switch:hosts=8",
        "dumbbell:left=4,right=3",
        "parking-lot:switches=4,hosts=2",
    ];
    for text in texts {
        let run = |threads: usize| {
            let (mut simulation, mut watch) = network_of(text, Carrier::Ndp, 1, threads);
            assert_eq!(simulation.run(&mut watch), Ended::Idle, "{text} in {threads} threads");
            simulation.conservation().expect("packets are conserved");
            let hops = simulation.hops().to_vec();
            let all = (0..simulation.stations()).map(|station| format!("{:?}", simulation.passed(station)));
            ((outcome(&simulation, &watch), hops, all.collect::<Vec<_>>()), simulation.shards())
        };
        let (one, shards) = run(1);
        assert_eq!(shards, 1);
        for threads in [2, 3, 8] {
            let (several, shards) = run(threads);
            assert_eq!(several, one, "{text} in {threads} threads");
            assert_eq!(shards, threads, "{text}");
        }
    }
}

#[test]
fn changing_the_number_of_threads_changes_nothing() {
    for text in [LEAF_SPINE, "fat-tree:k=4", "parking-lot:switches=4,hosts=2"] {
        let run = |threads: usize, threading: Threading, faulty: bool| {
            let mut plan = TestNetwork::new(topology(text));
            plan.settings.sample_every = Some(Duration::from_nanoseconds(700));
            plan.settings.threads = NonZeroUsize::new(threads).expect("at least one thread");
            plan.settings.threading = threading;
            let workload = AllToAll { bytes: 30_000, outstanding: 0 };
            let mut simulation = plan.simulation(workload);
            simulation.count_hops_by(|head| head[head.len() - 1]);
            if faulty {
                let kind = FaultKind::Duplication { later: Duration::ZERO };
                let rule = Rule { strikes: Strikes::Every(50), ..Rule::new(kind) };
                simulation.set_faults(&plan.topology, &[rule], 1);
            }
            for station in 0..plan.topology.stations.len() {
                for link in (0..).map_while(|port| simulation.link(station, Port(port))).collect::<Vec<_>>() {
                    simulation.tap(link);
                }
            }
            let mut watch = Watch { sampled: plan.topology.stations.len() - 1, ..Watch::default() };
            // The run is stopped once and then continues.
            simulation.set_end(Some(Instant::from_picoseconds(2_100_000)));
            assert_eq!(simulation.run(&mut watch), Ended::TimeLimit, "{text}");
            simulation.set_end(None);
            assert_eq!(simulation.run(&mut watch), Ended::Idle, "{text}");
            simulation.conservation().expect("packets are conserved");
            let passed = (0..simulation.stations()).map(|station| format!("{:?}", simulation.passed(station)));
            (outcome(&simulation, &watch), simulation.hops().to_vec(), passed.collect::<Vec<_>>())
        };
        for faulty in [false, true] {
            let one = run(1, Threading::Always, faulty);
            // Some turns end among events of the same time, and some last for several rounds.
            let turn = if faulty { 61 } else { 997 };
            assert_eq!(run(3, Threading::ByTurns(turn), faulty), one, "{text}, turns of {turn} events");
            assert_eq!(run(2, Threading::WhereItHelps, faulty), one, "{text}");
        }
    }
}

/// If the machine cannot start so many threads, the run uses those that it can.
#[test]
fn more_threads_than_stations_are_not_used() {
    let mut plan = TestNetwork::new(topology("single-switch:hosts=4"));
    plan.settings.threads = NonZeroUsize::new(100_000).expect("many");
    let mut simulation = plan.simulation(WORKLOAD);
    assert!(simulation.shards() <= 5);
    let mut watch = Watch::default();
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
}

#[test]
fn a_network_without_delays_is_not_cut() {
    let mut plan = TestNetwork::new(topology("single-switch:hosts=4"));
    plan.settings.threads = NonZeroUsize::new(4).expect("four");
    for cable in &mut plan.topology.cables {
        (cable.link.delay, cable.link.framing) = (Duration::ZERO, 0);
    }
    let simulation = plan.simulation(WORKLOAD);
    assert_eq!(simulation.shards(), 1);
}

#[test]
fn switches_draw_from_the_seed_and_each_by_itself() {
    let plan =
        TestNetwork { spread: Spread::Random, ..TestNetwork::new(topology("leaf-spine:leaves=2,spines=4,hosts=3")) };
    let hash = |seed: u64, step: usize| {
        let applications = plan.applications(WORKLOAD);
        let mut number = 0;
        let mut simulation = plan.simulation_of(applications, |_, of, ports, _| {
            number += step;
            Box::new(Router::new(number, of, ports, &plan.switch_parameters(seed)))
        });
        let mut watch = Watch::default();
        simulation.run(&mut watch);
        watch.hash
    };
    assert_eq!(hash(1, 1), hash(1, 1));
    assert_ne!(hash(1, 1), hash(2, 1), "hashes depend on the seed");
    assert_ne!(hash(1, 1), hash(1, 0), "hashes depend on the index of the switch");
}
