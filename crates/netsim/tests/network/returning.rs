//! Headers that return to their senders through a network.

use basis::Duration;
use demand::Incast;
use node::Port;
use queues::{DisciplinePlan, Service, TrimmedQueue, TrimmingPlan};
use wire::{Ethernet, Ipv4, dscp};

use crate::test_network::{TestNetwork, assert_settled, counter, topology};
use crate::watch::Watch;

const HOSTS: usize = 64;

/// Runs an incast of 63 hosts to the first, over all tiers of a fat tree.
fn incast(discipline: DisciplinePlan) -> (netsim::Simulation, Watch) {
    let mut plan = TestNetwork::new(topology("fat-tree:k=4,oversubscription=4"));
    (plan.packet_bytes, plan.discipline) = (1500, discipline);
    let workload = Incast { senders: 63, bytes: 60_000, spread: Duration::ZERO, receiver: Some(0) };
    let mut simulation = plan.simulation(workload);
    // The link to the most distant host.
    let cable = plan.topology.cables.iter().find(|cable| cable.ends[0].0 == HOSTS - 1).expect("its cable");
    let (switch, port) = cable.ends[1];
    simulation.tap(simulation.link(switch, Port(port)).expect("a link"));
    let mut watch = Watch::keeping_packets();
    simulation.run(&mut watch);
    assert_eq!(watch.assert_finished().0, HOSTS - 1);
    assert_settled(&simulation, plan.topology.stations.len());
    (simulation, watch)
}

/// Returns the headers that returned to the most distant host: their source address and their remaining time to live.
fn returned(watch: &Watch) -> Vec<(u32, u8)> {
    let headers = watch.carried.iter().filter_map(|(_, _, packet)| {
        let ip = Ipv4::new(&packet.head.bytes()[Ethernet::<&[u8]>::LENGTH..]).expect("IPv4");
        (ip.dscp() == dscp::RETURNED).then_some((ip, packet.len()))
    });
    let seen = headers.map(|(ip, length)| {
        assert_eq!((ip.destination_bits(), ip.is_checksum_right(), length), (0x0A03_0108, Some(true), 64));
        (ip.source_bits(), ip.time_to_live())
    });
    seen.collect()
}

/// Asserts that all headers carry the receiver's address as their source, and that their time to live has been
/// decremented by each switch on the path in both directions, twice by the one that returned them. Some must have been
/// returned after an expected number of switches.
#[track_caller]
fn assert_turned_round(returned: &[(u32, u8)], is_expected: impl Fn(u8) -> bool) {
    let hops: Vec<u8> = returned.iter().map(|(_, left)| (64 - left) / 2).collect();
    assert!(returned.iter().all(|(from, left)| *from == 0x0A00_0001 && left % 2 == 0), "{returned:?}");
    assert!(hops.iter().all(|hops| (1..=5).contains(hops)), "{returned:?}");
    assert!(hops.iter().any(|&hops| is_expected(hops)), "{returned:?}");
}

#[test]
fn returned_headers_lead_to_full_delivery() {
    let service = Service::Bytes { headers: 10, data: 1 };
    let trimmed = TrimmedQueue::Priority { limit: 20 * 88, service };
    let plan = TrimmingPlan { trimmed, ..TrimmingPlan::ndp(8 * 1524) };
    let (simulation, watch) = incast(DisciplinePlan::Trimming(Box::new(plan)));
    let back = counter(&simulation, HOSTS, "returned_received");
    assert!(back > 100, "{back}");
    assert!(counter(&simulation, HOSTS, "trimmed_received") > 0, "some headers found room");
    watch.assert_discarded_only(&[queues::reasons::QUEUE_FULL, queues::reasons::TRIMMED_QUEUE_FULL]);
    assert_turned_round(&returned(&watch), |hops| hops > 1);
}

#[test]
fn source_flow_control_informs_only_senders() {
    let (simulation, watch) = incast(DisciplinePlan::source_flow_control(4 * 1524, 8 * 1524));
    let back = counter(&simulation, HOSTS, "returned_received");
    assert!(back > 100, "{back}");
    assert_eq!(counter(&simulation, HOSTS, "trimmed_received"), 0, "no trimmed packet reaches a receiver");
    watch.assert_discarded_only(&[]);
    assert_turned_round(&returned(&watch), |hops| hops == 5);
}
