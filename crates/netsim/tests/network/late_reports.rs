//! Routers that report transmissions late change nothing that anybody sees.
//!
//! At tapped links everything is reported at once, so the same network with and without taps is compared.

use std::num::NonZeroUsize;

use basis::snapshot::{Saver, Snapshot};
use basis::{Instant, Rate};
use demand::AllToAll;
use netsim::{Ended, Simulation, Threading};
use node::{Link, Port};
use queues::DisciplinePlan;
use transports::rocev2;

use crate::test_network::{Carrier, TestNetwork, topology};
use crate::watch::Watch;

/// A network, and the time limits at which it stops. Some are times at which packets begin.
struct Case {
    plan: TestNetwork,
    ends: [u64; 5],
}

fn cases() -> Vec<Case> {
    let link = Link::new(Rate::from_gigabits_per_second(100), Link::ETHERNET_FRAMING);
    let usual = rocev2::RoceV2Parameters::new(link, rocev2::Recovery::SelectiveRepeat);
    let rocev2 = Carrier::RoceV2(rocev2::RoceV2Parameters { retries: 100, ..usual });
    let drop_tail = DisciplinePlan::DropTail { limit: 60_000 };
    let ecn = DisciplinePlan::Ecn { limit: 100_000, threshold: 20_000 };
    let mut cases = Vec::new();
    for text in ["leaf-spine:leaves=2,spines=2,hosts=3", "fat-tree:k=4", "parking-lot:switches=4,hosts=2"] {
        let usual = TestNetwork::new(topology(text));
        for (carrier, discipline) in
            [(Carrier::Ndp, usual.discipline.clone()), (rocev2, ecn.clone()), (rocev2, drop_tail.clone())]
        {
            let plan = TestNetwork { carrier, discipline, ..usual.clone() };
            cases.push(Case { plan, ends: [0, 721_920, 4_200_000, 10_000_001, 30_000_000] });
        }
        let plan = TestNetwork { packet_bytes: 1500, ..usual };
        cases.push(Case { plan, ends: [120_000, 1_121_920, 2_243_840, 3_000_000, 9_999_999] });
    }
    cases
}

/// Runs a network to each end and beyond, and returns everything that can be seen of it each time.
fn seen(case: &Case, is_tapped: bool, threads: usize, threading: Threading) -> Vec<(Vec<u8>, u64, Instant)> {
    let mut plan = case.plan.clone();
    plan.settings.threads = NonZeroUsize::new(threads).expect("at least one thread");
    plan.settings.threading = threading;
    let mut simulation = plan.simulation(AllToAll { bytes: 60_000, outstanding: 0 });
    simulation.count_hops_by(|head| head[head.len() - 1]);
    if is_tapped {
        for station in 0..plan.topology.stations.len() {
            for link in (0..).map_while(|port| simulation.link(station, Port(port))).collect::<Vec<_>>() {
                simulation.tap(link);
            }
        }
    }
    let mut watch = Watch::default();
    let mut seen = Vec::new();
    for end in case.ends.map(|end| Some(Instant::from_picoseconds(end))).into_iter().chain([None]) {
        simulation.set_end(end);
        let ended = simulation.run(&mut watch);
        assert_eq!(ended, if end.is_some() { Ended::TimeLimit } else { Ended::Idle });
        simulation.conservation().expect("packets are conserved");
        // Events for deadlines that were cancelled may be left at the end of all, or not.
        let state = if end.is_some() { state(&simulation) } else { counts(&simulation) };
        seen.push((state, simulation.events(), simulation.now()));
    }
    watch.assert_finished();
    seen
}

/// The state of all stations and links and all events to come, as it is saved.
fn state(simulation: &Simulation) -> Vec<u8> {
    let mut saver = Saver::default();
    simulation.save(&mut saver).expect("hosts and routers can be saved");
    saver.into_bytes()
}

/// What stations and links have counted.
fn counts(simulation: &Simulation) -> Vec<u8> {
    let of_station = |station| {
        let links = (0..).map_while(|port| simulation.link(station, Port(port)));
        let carried: Vec<_> = links.map(|link| simulation.carried(link)).collect();
        let mut counters = Vec::new();
        simulation.station(station).counters(&mut |counter| counters.push(counter));
        format!("{:?} {carried:?} {counters:?}", simulation.passed(station))
    };
    (0..simulation.stations()).map(of_station).collect::<String>().into_bytes()
}

#[test]
fn reporting_late_changes_no_state_and_no_count() {
    for case in cases() {
        let prompt = seen(&case, true, 1, Threading::Always);
        for (threads, threading) in [(1, Threading::Always), (2, Threading::Always), (3, Threading::ByTurns(997))] {
            let late = seen(&case, false, threads, threading);
            for (stop, (late, prompt)) in late.iter().zip(&prompt).enumerate() {
                let what = format!("{:?}, {threading:?}, stop {stop}", case.plan.carrier);
                assert_eq!((late.1, late.2), (prompt.1, prompt.2), "events and time: {what}");
                assert!(late.0 == prompt.0, "the states differ: {what}");
            }
        }
    }
}

/// A packet that is too long for a link behind a router is discarded when it starts, and recorded then.
#[test]
fn packets_too_long_for_a_link_are_recorded_when_they_start() {
    let text = "leaf-spine:leaves=2,spines=2,hosts=3,line=100G/1us,spine-line=100G/1us/1500";
    let recorded = |is_tapped: bool, threading: Threading| {
        let mut plan = TestNetwork { packet_bytes: 9000, ..TestNetwork::new(topology(text)) };
        plan.settings.threads = NonZeroUsize::new(3).expect("3 is not 0");
        plan.settings.threading = threading;
        let mut simulation = plan.simulation(AllToAll { bytes: 60_000, outstanding: 0 });
        if is_tapped {
            let link = simulation.link(0, Port(0)).expect("every host has a link");
            simulation.tap(link);
        }
        let mut watch = Watch::default();
        for end in [4_200_000, 10_000_001, 30_000_000] {
            simulation.set_end(Some(Instant::from_picoseconds(end)));
            assert_eq!(simulation.run(&mut watch), Ended::TimeLimit);
            let recorded: u64 = watch.places.values().sum();
            let counted: u64 =
                (0..simulation.stations()).map(|station| simulation.passed(station).discarded.total()).sum();
            assert_eq!(recorded, counted, "at {end}");
        }
        watch.places
    };
    let places = recorded(true, Threading::Always);
    assert!(!places.is_empty());
    for threading in [Threading::Always, Threading::ByTurns(61), Threading::WhereItHelps] {
        assert_eq!(recorded(false, threading), places, "{threading:?}");
    }
}
