//! Reliable tunnels between two switches in simulated time, over a cable that loses, copies and delays packets.

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../path/frames.rs"]
mod frames;
mod guest;
#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../path/site.rs"]
mod site;

use basis::{Duration, Instant, Rate};
use guest::Guest;
use netsim::faults::{FaultKind, LinkSet, Rule, Strikes};
use netsim::topology::{Cable, CableProperties, Role, StationPlan, SwitchPlan, Topology};
use netsim::{Settings, Simulation, Unwatched};
use node::Station;
use vswitch::VirtualSwitch;
use vswitch::configuration::{Configuration, ReliableOptions};

use site::{address, configuration};

/// The stations: a guest, its switch, the other switch, and the guest there.
const SENDER: usize = 0;
const SWITCHES: [usize; 2] = [1, 2];
const RECEIVER: usize = 3;
/// The number of datagrams that must arrive.
const COUNT: u64 = 4000;

fn topology() -> Topology {
    let link = CableProperties::ethernet(Rate::from_gigabits_per_second(10), Duration::from_microseconds(20));
    let station = |name: &str| StationPlan { name: name.to_owned(), role: Role::Switch(SwitchPlan::default()) };
    let cable = |one: (usize, u16), other: (usize, u16)| Cable { ends: [one, other], link };
    Topology {
        stations: ["sender", "near", "far", "receiver"].map(station).to_vec(),
        // Guest 1 and guest 3 of the configurations, and the underlay between the switches.
        cables: vec![cable((0, 0), (1, 1)), cable((1, 100), (2, 100)), cable((2, 3), (3, 0))],
    }
}

/// Returns the configuration of a host, whose tunnels to the other one are perhaps reliable.
fn host(number: usize, is_reliable: bool, is_demanded: bool) -> Configuration {
    let endpoints = vec![address(if number == 0 { "192.0.2.2" } else { "192.0.2.1" })];
    let reliable = is_reliable.then_some(ReliableOptions { endpoints, is_demanded });
    Configuration { reliable, ..configuration(number) }
}

/// What the cable between the switches does to packets, both ways.
fn faults(loss: f64) -> Vec<Rule> {
    let [near, far] = SWITCHES;
    let cable = LinkSet::Between { from: vec![near], to: vec![far], both_ways: true };
    let rule = |kind: FaultKind, probability: f64| Rule {
        links: cable.clone(),
        strikes: Strikes::Probability(probability),
        ..Rule::new(kind)
    };
    let delay = FaultKind::Delay { least: Duration::ZERO, most: Duration::from_microseconds(200), keeps_order: false };
    vec![
        rule(FaultKind::Loss, loss),
        rule(FaultKind::Duplication { later: Duration::from_microseconds(50) }, loss / 2.0),
        rule(delay, 0.1),
    ]
}

/// Returns a counter of a station.
fn counter(simulation: &Simulation, station: usize, name: &str) -> u64 {
    let mut value = None;
    simulation.station(station).counters(&mut |counter| {
        if counter.name == name {
            value = Some(counter.value);
        }
    });
    value.unwrap_or_else(|| panic!("no counter {name}"))
}

fn run(configurations: [Configuration; 2], rules: &[Rule]) -> Simulation {
    let topology = topology();
    let settings =
        Settings { end: Some(Instant::ZERO + Duration::from_microseconds(8_000_000)), ..Settings::default() };
    let mut simulation = Simulation::new(&topology, settings, |station| -> Box<dyn Station> {
        match station {
            SENDER => Box::new(Guest::sending(COUNT)),
            RECEIVER => Box::new(Guest::default()),
            switch => {
                let configuration = configurations[switch - SWITCHES[0]].clone();
                Box::new(VirtualSwitch::new(configuration, [7, switch as u64]))
            }
        }
    });
    simulation.set_faults(&topology, rules, 11);
    simulation.run(&mut Unwatched);
    simulation.conservation().expect("no packet is lost or made up by a station");
    simulation
}

#[test]
fn every_packet_arrives_once_over_a_cable_that_loses_copies_and_delays() {
    let simulation = run([host(0, true, false), host(1, true, false)], &faults(0.05));
    let [arrived, copies] = ["arrived", "copies"].map(|name| counter(&simulation, RECEIVER, name));
    assert_eq!((arrived, copies), (COUNT, 0));
    let again = counter(&simulation, 1, "packets_sent_again_through_tunnels");
    // Each packet that is lost, and some that were late or whose acknowledgements were lost.
    assert!((COUNT / 25..COUNT / 5).contains(&again), "{again} were sent again");
    assert_eq!(counter(&simulation, 1, "packets_given_up_in_tunnels"), 0);
    // The same run gives the same.
    let other = run([host(0, true, false), host(1, true, false)], &faults(0.05));
    assert_eq!(counter(&other, 1, "packets_sent_again_through_tunnels"), again);
}

#[test]
fn a_plain_tunnel_loses_what_the_cable_loses() {
    let simulation = run([host(0, false, false), host(1, false, false)], &faults(0.05));
    let [arrived, copies] = ["arrived", "copies"].map(|name| counter(&simulation, RECEIVER, name));
    assert!(arrived < COUNT - COUNT / 50 && copies > 0, "{arrived} arrived, {copies} copies");
}

#[test]
fn nothing_is_sent_again_where_nothing_is_lost() {
    let simulation = run([host(0, true, false), host(1, true, false)], &[]);
    assert_eq!(counter(&simulation, RECEIVER, "arrived"), COUNT);
    assert_eq!(counter(&simulation, 1, "packets_sent_again_through_tunnels"), 0);
}

#[test]
fn a_switch_that_does_not_know_it_gets_plain_packets_or_none() {
    let simulation = run([host(0, true, false), host(1, false, false)], &[]);
    assert_eq!(counter(&simulation, RECEIVER, "arrived"), COUNT, "plain");
    let simulation = run([host(0, true, true), host(1, false, false)], &[]);
    assert_eq!(counter(&simulation, RECEIVER, "arrived"), 0, "refused");
}

#[test]
fn a_cable_that_is_down_for_a_while_costs_what_is_beyond_the_memory_alone() {
    let down = |from: u64, until: u64| Rule {
        from: Instant::ZERO + Duration::from_microseconds(from),
        until: Instant::ZERO + Duration::from_microseconds(until),
        ..faults(0.0)[0].clone()
    };
    // 5 ms of 100 packets each millisecond are kept.
    let mut rule = down(4_010_000, 4_015_000);
    (rule.kind, rule.strikes) = (FaultKind::Down, Strikes::Always);
    let simulation = run([host(0, true, false), host(1, true, false)], &[rule]);
    assert_eq!(counter(&simulation, RECEIVER, "arrived"), COUNT);
    assert!(counter(&simulation, 1, "packets_sent_again_through_tunnels") > 100);
}
