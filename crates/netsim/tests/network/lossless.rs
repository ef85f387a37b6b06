//! Priority-based flow control in a network: senders without congestion control lose nothing.

use basis::Duration;
use netsim::switch::{Router, Spread, SwitchParameters, port_plans};
use netsim::topology::{Role, Topology};
use netsim::{Ended, Settings, Simulation};
use node::{Link, Port};
use queues::{BufferPlan, DisciplinePlan, FlowControlPlan};

use demand::Incast;

use crate::blaster::Blaster;
use crate::test_network::{TestNetwork, assert_settled, counter, counter_of, topology};
use crate::watch::{Watch, at_100_gigabits};

const MTU: u32 = 1524;
const EACH: u64 = 300;

fn flow_control(xoff: u64, quanta: u16) -> FlowControlPlan {
    let rate = basis::Rate::from_gigabits_per_second(100);
    FlowControlPlan { quanta, ..FlowControlPlan::new(1, xoff, rate, Duration::from_microseconds(1), MTU) }
}

/// Builds a network in which every host but the first sends to the first.
fn network(topology: &Topology, flow_control: FlowControlPlan) -> Simulation {
    let parameters = SwitchParameters {
        // There is room for one packet, which a lossless priority ignores.
        discipline: DisciplinePlan::DropTail { limit: u64::from(MTU) },
        buffer: BufferPlan { flow_control: Some(flow_control), ..BufferPlan::default() },
        spread: Spread::Flow,
        seed: 1,
    };
    let mut ports = port_plans(topology, &parameters.discipline);
    let hosts = topology.hosts();
    Simulation::new(topology, Settings::default(), |index| match &topology.stations[index].role {
        Role::Host { address, .. } => {
            let link = Link::new(hosts[index].rate, Link::ETHERNET_FRAMING);
            let left = if index == 0 { 0 } else { EACH };
            Box::new(Blaster::new(link, [*address, hosts[0].address], 1500 - 42, left))
        }
        Role::Switch(plan) => Box::new(Router::new(index, plan, std::mem::take(&mut ports[index]), &parameters)),
    })
}

#[test]
fn an_incast_without_congestion_control_loses_nothing() {
    let topology = topology("leaf-spine:leaves=2,spines=2,hosts=4");
    let stations = topology.stations.len();
    // Some pauses are ended long before they expire, and some have to be renewed.
    for quanta in [u16::MAX, 1000] {
        let mut simulation = network(&topology, flow_control(10 * u64::from(MTU), quanta));
        let mut watch = Watch::default();
        assert_eq!(simulation.run(&mut watch), Ended::Idle);
        watch.assert_discarded_only(&[]);
        assert_eq!(counter_of(&simulation, 0, "received"), 7 * EACH);
        assert_settled(&simulation, stations);
        // Pauses reach hosts at both leaves: those of one host come from its own leaf, the others by way of the
        // spines.
        for host in 1..8 {
            assert!(counter_of(&simulation, host, "pauses") > 0, "host {host}");
        }
        // The frames that switches make are packets of the run, and end where they are obeyed.
        let frames = counter(&simulation, stations, "SAI_PORT_STAT_PFC_0_TX_PKTS");
        let conservation = simulation.conservation().expect("packets are conserved");
        assert_eq!(conservation.generated, 7 * EACH + frames);
        assert_eq!((conservation.consumed, conservation.discarded), (conservation.generated, 0));
        let link = simulation.link(8, Port(0)).expect("the link of the first leaf to the first host");
        let needed = at_100_gigabits(simulation.carried(link).1.bytes);
        // The link is idle only until the first packet arrives over one switch.
        let taken = Duration::from_picoseconds(counter_of(&simulation, 0, "last received at"));
        let limit = needed + topology.base_round_trip(0, 1, 1500).expect("a way");
        assert!(taken <= limit, "{taken:?} for what takes {needed:?}: more than {limit:?}");
    }
}

#[test]
fn loses_packets_without_pauses() {
    let topology = topology("leaf-spine:leaves=2,spines=2,hosts=4");
    let plan = FlowControlPlan { lossless: 0, ..flow_control(10 * u64::from(MTU), u16::MAX) };
    let mut simulation = network(&topology, plan);
    let mut watch = Watch::default();
    simulation.run(&mut watch);
    assert!(watch.discarded.of(queues::reasons::QUEUE_FULL) > 0);
    assert!(counter_of(&simulation, 0, "received") < 7 * EACH);
    simulation.conservation().expect("packets are conserved");
}

#[test]
fn hosts_with_a_transport_obey_pauses() {
    let mut plan = TestNetwork::new(topology("single-switch:hosts=9"));
    let largest = plan.bytes_on_link();
    let rate = basis::Rate::from_gigabits_per_second(100);
    let flow_control = FlowControlPlan::new(1, 4 * largest, rate, Duration::from_microseconds(1), largest as u32);
    plan.buffer.flow_control = Some(flow_control);
    plan.discipline = DisciplinePlan::DropTail { limit: largest };
    let incast = Incast { senders: 8, bytes: 40 * 8936, spread: Duration::ZERO, receiver: Some(0) };
    let (simulation, watch) = plan.run(incast);
    assert_eq!(watch.assert_finished().0, 8);
    watch.assert_discarded_only(&[]);
    assert_settled(&simulation, 10);
    // The first window alone exceeds thresholds and headroom.
    assert!(counter_of(&simulation, 9, "SAI_PORT_STAT_PFC_0_TX_PKTS") > 8);
    assert_eq!(counter(&simulation, 9, "data_packets_sent"), 8 * 40);
}
