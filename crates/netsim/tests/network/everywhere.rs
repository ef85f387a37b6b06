//! Every kind of topology, and small random ones, carry what every host sends to every other.

use demand::AllToAll;
use diagnostics::Sources;
use netsim::Simulation;
use netsim::switch::Spread;
use netsim::topology::{Role, Topology, read_graph};
use node::Port;
use proptest::prelude::*;
use queues::DisciplinePlan;
use wire::{Ethernet, Ipv4, dscp};

use crate::test_network::{Carrier, TestNetwork, assert_settled, disciplines, topology};
use crate::watch::Watch;

const ALL_TO_ALL: AllToAll = AllToAll { bytes: 20_000, outstanding: 0 };

fn graph(text: &str) -> Topology {
    let mut sources = Sources::new();
    let id = sources.add("network.txt", text);
    read_graph(&sources, id).unwrap_or_else(|found| panic!("{}", found.render(&sources, false)))
}

/// Runs a network to its end: everything arrives, and no packet is lost for want of a route.
#[track_caller]
fn check(plan: &TestNetwork) -> (Simulation, Watch) {
    let (simulation, watch) = plan.run(ALL_TO_ALL);
    let hosts = plan.topology.hosts().len();
    assert_eq!(watch.assert_finished().0, hosts * (hosts - 1));
    watch.assert_discarded_only(&[
        queues::reasons::QUEUE_FULL,
        queues::reasons::TRIMMED_QUEUE_FULL,
        queues::reasons::RANDOM_EARLY_DETECTION,
    ]);
    assert_settled(&simulation, plan.topology.stations.len());
    (simulation, watch)
}

#[test]
fn every_topology_carries_all_to_all_with_every_spread() {
    let diamond = "switch a\nswitch b\nswitch up\nswitch down\n\
        host h1 10.0.0.1\nhost h2 10.0.0.2\nhost h3 192.168.0.3\n\
        link h1 a 100G 1us\nlink h2 b 25G 500ns\nlink h3 up 40G 2us\n\
        link a up 100G 1us\nlink a down 100G 3us\nlink up b 100G 1us\nlink down b 10G 1us\n";
    let mut topologies = vec![graph(diamond)];
    topologies.extend(
        [
            "single-switch:hosts=5",
            "dumbbell:left=3,right=2,bottleneck=40G/2us",
            "leaf-spine:leaves=3,spines=2,hosts=2,uplinks=2,spine-line=40G/1us",
            "fat-tree:k=4,oversubscription=2",
            "parking-lot:switches=4,hosts=2",
        ]
        .map(topology),
    );
    for topology in topologies {
        for (_, spread) in Spread::NAMES {
            check(&TestNetwork { spread, ..TestNetwork::new(topology.clone()) });
        }
    }
}

#[test]
fn every_queue_discipline_carries_all_to_all() {
    let disciplines = disciplines(TestNetwork::new(topology("single-switch:hosts=2")).bytes_on_link());
    for carrier in [Carrier::Ndp, Carrier::Eqds] {
        for discipline in &disciplines {
            for first_window in [1, 30] {
                let plan = TestNetwork::new(topology("fat-tree:k=4"));
                check(&TestNetwork { carrier, first_window, discipline: discipline.clone(), ..plan });
            }
        }
    }
}

#[test]
fn each_switch_on_the_path_counts_one_hop() {
    let plan = TestNetwork::new(topology("fat-tree:k=4"));
    let mut simulation = plan.simulation(ALL_TO_ALL);
    // Tap the links that end at hosts.
    for cable in &plan.topology.cables {
        if matches!(plan.topology.stations[cable.ends[0].0].role, Role::Host { .. }) {
            let (switch, port) = cable.ends[1];
            simulation.tap(simulation.link(switch, Port(port)).expect("a link"));
        }
    }
    let mut watch = Watch::keeping_packets();
    simulation.run(&mut watch);
    let mut seen = [0; 3];
    for (_, _, packet) in &watch.carried {
        let ip = Ipv4::new(&packet.head.bytes()[Ethernet::<&[u8]>::LENGTH..]).expect("IPv4");
        assert_eq!(ip.is_checksum_right(), Some(true));
        if ip.dscp() == dscp::RETURNED {
            continue;
        }
        // Addresses are 10.pod.edge.host: hosts are under one edge switch, in one pod, or separated by the core.
        let [from, to] = [ip.source_bits(), ip.destination_bits()].map(u32::to_be_bytes);
        let far = if from[1] != to[1] { 2 } else { usize::from(from[2] != to[2]) };
        assert_eq!(ip.time_to_live(), 64 - [1, 3, 5][far]);
        seen[far] += 1;
    }
    assert!(seen.iter().all(|&packets| packets > 50), "{seen:?}");
}

/// Returns a connected network of switches, with one or two hosts at some of them, as the text of a graph.
fn any_graph() -> impl Strategy<Value = String> {
    let link = || (prop::sample::select(vec!["10G", "40G", "100G", "400G"]), 1_u32..3000);
    let switch = (any::<prop::sample::Index>(), link());
    let extra = (any::<prop::sample::Index>(), any::<prop::sample::Index>(), link());
    let host = (any::<prop::sample::Index>(), any::<u8>(), link());
    let parts =
        (prop::collection::vec(switch, 1..7), prop::collection::vec(extra, 0..6), prop::collection::vec(host, 2..7));
    parts.prop_map(|(switches, extras, hosts)| {
        let mut text = String::new();
        for number in 0..switches.len() {
            text += &format!("switch s{number}\n");
        }
        for (number, (_, place, _)) in hosts.iter().enumerate() {
            // The addresses of networks are far apart, and so are their prefixes.
            text += &format!("host h{number} 10.{place}.{number}.1\n");
        }
        for (number, (to, (rate, delay))) in switches.iter().enumerate().skip(1) {
            text += &format!("link s{number} s{} {rate} {delay}ns\n", to.index(number));
        }
        for (from, to, (rate, delay)) in &extras {
            let (from, to) = (from.index(switches.len()), to.index(switches.len()));
            if from != to {
                text += &format!("link s{from} s{to} {rate} {delay}ns\n");
            }
        }
        for (number, (at, _, (rate, delay))) in hosts.iter().enumerate() {
            text += &format!("link h{number} s{} {rate} {delay}ns\n", at.index(switches.len()));
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_graph_carries_all_to_all(
        text in any_graph(),
        spread in prop::sample::select(Spread::NAMES.to_vec()),
        trims in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let topology = graph(&text);
        prop_assert_eq!(topology.verify(), Vec::<String>::new());
        let mut plan = TestNetwork { spread: spread.1, seed, ..TestNetwork::new(topology) };
        if !trims {
            plan.discipline = DisciplinePlan::DropTail { limit: 8 * plan.bytes_on_link() };
        }
        check(&plan);
    }
}
