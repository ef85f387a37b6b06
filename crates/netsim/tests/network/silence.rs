//! Hosts that get no answer: the run reports which hosts wait and why, and ends.

use basis::Instant;
use demand::{Application, Wanted};
use netsim::Ended;
use netsim::reasons;
use netsim::topology::{Role, Topology};
use node::Reason;

use crate::test_network::{TestNetwork, counter_of, run_to, topology};
use crate::watch::Watch;

/// An application that asks for messages at the start.
pub struct Ask(Vec<Wanted>);

impl Ask {
    pub fn of(wanted: Vec<Wanted>) -> Box<dyn Application> {
        Box::new(Self(wanted))
    }
}

impl Application for Ask {
    fn deadline(&self) -> Option<Instant> {
        (!self.0.is_empty()).then_some(Instant::ZERO)
    }

    fn wake(&mut self, _now: Instant, wanted: &mut Vec<Wanted>) {
        wanted.append(&mut self.0);
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

/// Lets the first host send 100,000 bytes to an address from which no answer comes. All its packets are discarded at
/// `station` for `reason`. The host reports this while it tries, gives up in the end, and then the run is idle.
#[track_caller]
fn assert_gives_up(topology: Topology, destination: u32, station: usize, reason: Reason, waits_for: &str) {
    let hosts = topology.stations.iter().filter(|station| matches!(station.role, Role::Host { .. }));
    let mut applications: Vec<_> = hosts.map(|_| Ask::of(vec![])).collect();
    applications[0] = Ask::of(vec![Wanted::of_length(destination, 100_000)]);
    let plan = TestNetwork::new(topology);
    let mut simulation = plan.simulation_with(applications);
    let mut watch = Watch::default();

    run_to(&mut simulation, 3000, &mut watch);
    let waiting = simulation.station(0).waiting(simulation.now());
    let [waiting] = &waiting[..] else { panic!("{waiting:?}") };
    let address = std::net::Ipv4Addr::from_bits(destination);
    assert_eq!(waiting.what, format!("message 0 of 100000 bytes to {address}"));
    assert!(
        waiting.why.contains("0 of 12 packets acknowledged") && waiting.why.contains("without an answer"),
        "{}",
        waiting.why
    );
    assert!(waiting.why.starts_with(waits_for), "{}", waiting.why);
    simulation.conservation().expect("packets are conserved");

    simulation.set_end(None);
    assert_eq!(simulation.run(&mut watch), Ended::Idle);
    let conservation = simulation.conservation().expect("packets are conserved");
    let sent = counter_of(&simulation, 0, "data_packets_sent");
    assert!(sent > 64);
    assert_eq!((conservation.generated, conservation.discarded, conservation.consumed), (sent, sent, 0));
    assert_eq!(watch.places, [((station, reason), sent)].into());
    let [flow] = &watch.flows.values().collect::<Vec<_>>()[..] else { panic!("one flow") };
    assert_eq!((flow.abandoned.len(), flow.delivered.len(), flow.completed.len()), (1, 0, 0));
    // A message that was given up does not wait.
    assert_eq!(simulation.station(0).waiting(simulation.now()), []);
}

#[test]
fn gives_up_on_packets_longer_than_a_link_carries() {
    // The packets are discarded at the host, and at the switch before the narrow link.
    let narrow = "dumbbell:left=1,right=1,line=100G/1us/1500,bottleneck=100G/1us";
    assert_gives_up(topology(narrow), 0x0A01_0001, 0, reasons::TOO_LONG, "waits for PULLs");
    let narrow = "dumbbell:left=1,right=1,bottleneck=100G/1us/1500";
    assert_gives_up(topology(narrow), 0x0A01_0001, 2, reasons::TOO_LONG, "waits for PULLs");
}

#[test]
fn gives_up_on_unknown_destinations() {
    assert_gives_up(topology("single-switch:hosts=2"), 0x0A00_0063, 2, reasons::NO_ROUTE, "waits for PULLs");
}

#[test]
fn gives_up_without_a_cable() {
    let mut topology = topology("single-switch:hosts=2");
    // No station has a cable, so no other link has a number that could be mistaken for the host's own.
    topology.cables.clear();
    assert_gives_up(topology, 0x0A00_0002, 0, Reason::NO_SUCH_PORT, "waits for the link");
}

basis::snapshot!(Ask {});
