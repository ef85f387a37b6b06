//! A machine that runs a program in place of a router.

use std::collections::BTreeMap;

use basis::{Duration, Instant};
use demand::{AllToAll, Incast, Workload};
use netsim::switch::ProgramSwitch;
use netsim::topology::SwitchPlan;
use node::{Account, Burst, Control, Node, Outbox, Port, Reason, Station};
use queues::{DisciplinePlan, Service, TrimmedQueue, TrimmingPlan};
use wire::{Ethernet, Ipv4};

use crate::test_network::{TestNetwork, assert_settled, counter, topology};
use crate::watch::Watch;

/// Sends each packet by a fixed table of addresses, but never back to its ingress port, like a learning bridge.
struct Table(BTreeMap<u32, u16>);

impl Table {
    fn of(plan: &SwitchPlan) -> Self {
        Self(plan.routes.iter().map(|route| (route.prefix, route.ports[0])).collect())
    }
}

impl Node for Table {
    fn receive(&mut self, _now: Instant, from: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            let ip = Ipv4::new(&packet.head.bytes()[Ethernet::<&[u8]>::LENGTH..]);
            match ip.and_then(|ip| self.0.get(&ip.destination_bits())) {
                Some(&port) if Port(port) != from => out.transmit(Port(port), packet),
                _ => out.discard(packet, Reason::PROGRAM),
            }
        }
    }

    fn wake(&mut self, _now: Instant, _out: &mut Outbox) {}

    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Station for Table {
    fn account(&self) -> Account {
        Account::default()
    }
}

fn run(plan: &TestNetwork, workload: &Workload, is_program: bool) -> (netsim::Simulation, Watch) {
    let buffer = plan.buffer.clone();
    let mut simulation = plan.simulation_of(plan.applications_of(workload), |router, of, ports, seed| {
        if is_program { Box::new(ProgramSwitch::new(Table::of(of), ports, &buffer, seed)) } else { Box::new(router) }
    });
    let mut watch = Watch::default();
    simulation.run(&mut watch);
    watch.assert_finished();
    assert_settled(&simulation, plan.topology.stations.len());
    (simulation, watch)
}

#[test]
fn a_program_that_routes_alike_gives_the_same_times() {
    let mut plan = TestNetwork::new(topology("single-switch:hosts=9"));
    plan.packet_bytes = 1500;
    // There is little room for headers, so some return to their senders: they enter the machine again by the port that
    // they were queued for.
    let trimmed = TrimmedQueue::Priority { limit: 4 * 88, service: Service::Bytes { headers: 10, data: 1 } };
    plan.discipline = DisciplinePlan::Trimming(Box::new(TrimmingPlan { trimmed, ..TrimmingPlan::ndp(8 * 1524) }));
    let incast = Incast { senders: 8, bytes: 300_000, spread: Duration::ZERO, receiver: Some(0) };
    let all_to_all = AllToAll { bytes: 60_000, outstanding: 2 };
    let mut returned = 0;
    for workload in [Workload::new(incast), Workload::new(all_to_all)] {
        let (routed, by_router) = run(&plan, &workload, false);
        let (programmed, by_program) = run(&plan, &workload, true);
        assert_eq!(by_program.flows, by_router.flows);
        assert_eq!((programmed.events(), programmed.packet_hops()), (routed.events(), routed.packet_hops()));
        let mut counters = [Vec::new(), Vec::new()];
        for (simulation, counters) in [&routed, &programmed].into_iter().zip(&mut counters) {
            simulation.station(9).counters(&mut |counter| counters.push(counter));
        }
        assert!(!counters[0].is_empty());
        returned += counter(&programmed, 9, "returned_received");
        assert_eq!(counters[0], counters[1]);
    }
    assert!(returned > 100, "{returned}");
}

#[test]
fn counts_what_a_program_drops_or_misdirects() {
    let plan = TestNetwork::new(topology("single-switch:hosts=3"));
    let applications = plan.applications(AllToAll { bytes: 1000, outstanding: 0 });
    let mut simulation = plan.simulation_of(applications, |_, of, ports, seed| {
        let mut table = Table::of(of);
        // Host 1 is unknown, and host 2 is mapped to a port without a cable.
        table.0.remove(&0x0A00_0002);
        table.0.insert(0x0A00_0003, 7);
        Box::new(ProgramSwitch::new(table, ports, &plan.buffer, seed))
    });
    let mut watch = Watch::default();
    simulation.run(&mut watch);
    watch.assert_discarded_only(&[Reason::PROGRAM, Reason::NO_SUCH_PORT]);
    assert!(watch.discarded.of(Reason::PROGRAM) >= 64 && watch.discarded.of(Reason::NO_SUCH_PORT) >= 64);
    // Only host 0 can be reached, so only packets to it are delivered, and no sender learns of that.
    assert_eq!(watch.flows.values().filter(|flow| !flow.delivered.is_empty()).count(), 2);
    assert!(watch.flows.values().all(|flow| flow.completed.is_empty() && flow.abandoned.len() == 1));
    let conservation = simulation.conservation().expect("packets are conserved");
    assert_eq!((conservation.held, conservation.on_links), (0, 0));
}

basis::snapshot!(Table {});
