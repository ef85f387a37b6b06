//! Routes that form a loop: packets circulate until their time to live is used up.

use demand::Wanted;
use netsim::reasons;
use netsim::topology::{Role, Route, Topology};
use node::Port;

use crate::silence::Ask;
use crate::test_network::{TestNetwork, counter_of, run_to, topology};
use crate::watch::Watch;

/// Returns a dumbbell whose two switches send unknown destinations to each other.
fn circle() -> Topology {
    let mut topology = topology("dumbbell:left=1,right=1");
    let between = topology.cables.last().expect("cables").ends;
    for (station, port) in between {
        match &mut topology.stations[station].role {
            Role::Switch(plan) => plan.routes.push(Route { prefix: 0, length: 0, ports: vec![port] }),
            Role::Host { .. } => unreachable!("the last cable is between switches"),
        }
    }
    topology
}

#[test]
fn a_looping_packet_uses_up_its_time_to_live() {
    let plan = TestNetwork::new(circle());
    let nowhere = Wanted::of_length(0xC000_0201, 8936);
    let applications = vec![Ask::of(vec![nowhere]), Ask::of(vec![])];
    let mut simulation = plan.simulation_with(applications);
    let mut watch = Watch::default();
    run_to(&mut simulation, 5000, &mut watch);
    let sent = counter_of(&simulation, 0, "data_packets_sent");
    assert!(sent > 1);
    assert_eq!(watch.discarded.of(reasons::TIME_TO_LIVE_EXCEEDED), sent);
    assert_eq!(watch.discarded.total(), sent);
    // The host sends a time to live of 64, and the switch that receives 1 discards the packet: 63 hops between the
    // switches (RFC 1812, section 5.3.1).
    let between = plan.topology.cables.last().expect("cables").ends;
    let hops = between.map(|(station, port)| {
        let link = simulation.link(station, Port(port)).expect("a link");
        simulation.carried(link).1.packets
    });
    assert_eq!(hops, [32 * sent, 31 * sent]);
    simulation.conservation().expect("packets are conserved");
}
