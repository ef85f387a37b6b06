//! The networks of these tests: a topology, switches, and hosts with a workload and a transport, mostly NDP.

use std::sync::Arc;

use basis::{Instant, Random};
use demand::{Application, Workload, WorkloadPlan};
use measure::Interest;
use netsim::switch::{Router, Spread, SwitchParameters, port_plans};
use netsim::topology::{Role, SwitchPlan, Topology, TopologyPlan};
use netsim::{Ended, Settings, Simulation, Threading};
use node::{Link, Station};
use queues::{BufferPlan, ClassMap, ClassPlan, DisciplinePlan, PortPlan, QueuePlan, RedPlan, RoomPlan, SchedulerPlan};
use transports::Flow;
use transports::eqds::{self, Eqds};
use transports::ndp::{self, Ndp};
use transports::rocev2::{self, RoceV2};
use transports::tcp::{self, Tcp};
use transports::{Host, HostParameters, Transport, costs};
use wire::dscp;

use crate::watch::Watch;

/// The plan of a network.
#[derive(Clone)]
pub struct TestNetwork {
    pub topology: Topology,
    pub discipline: DisciplinePlan,
    pub buffer: BufferPlan,
    pub spread: Spread,
    pub carrier: Carrier,
    pub packet_bytes: u32,
    pub first_window: u32,
    pub path_choice: ndp::PathChoice,
    pub seed: u64,
    /// The costs of hosts, if they have any.
    pub costs: Option<costs::CostParameters>,
    pub settings: Settings,
}

/// The transport that carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    Ndp,
    Eqds,
    /// A transport with these parameters, except for the link, which differs between hosts.
    RoceV2(rocev2::RoceV2Parameters),
    Tcp(tcp::TcpParameters),
}

/// Returns every queue discipline, with room for a few packets that take this many bytes on the link.
pub fn disciplines(packet: u64) -> [DisciplinePlan; 9] {
    let packets = |count: u64| count * packet;
    let drop_tail = |count| DisciplinePlan::DropTail { limit: packets(count) };
    let map = || ClassMap::of(&[(dscp::CONTROL, 1), (dscp::TRIMMED, 1)]);
    let queue = |count, remaining_priority| {
        let room = RoomPlan { limit: Some(packets(count)), ..RoomPlan::default() };
        QueuePlan { room, remaining_priority, ..QueuePlan::default() }
    };
    let scheduler = SchedulerPlan { queues: vec![queue(8, 0), queue(2, 1)], map: map(), ..SchedulerPlan::default() };
    let weighted = [(1, drop_tail(8)), (3, DisciplinePlan::trimming(packets(8)))];
    [
        drop_tail(8),
        DisciplinePlan::Ecn { limit: packets(12), threshold: packets(4) },
        DisciplinePlan::of(RedPlan::new(packets(2), packets(12))),
        DisciplinePlan::trimming(packets(8)),
        DisciplinePlan::cut_payload(packets(4), packets(8)),
        DisciplinePlan::source_flow_control(packets(4), packets(8)),
        DisciplinePlan::StrictPriorities { map: map(), classes: vec![drop_tail(8), drop_tail(2)] },
        DisciplinePlan::WeightedFair {
            map: map(),
            classes: weighted.map(|(weight, discipline)| ClassPlan { weight, discipline }).into(),
        },
        DisciplinePlan::Scheduler(Arc::new(scheduler)),
    ]
}

/// Returns the regular topology that a short notation describes.
pub fn topology(text: &str) -> Topology {
    let plan = TopologyPlan::parse(text).map_err(|(sources, found)| found.render(&sources, false));
    plan.expect("a plan").build().expect("a topology")
}

impl TestNetwork {
    /// Returns NDP's hosts and switches: 9000-byte packets, an initial window of 30, paths chosen by hosts, and queues
    /// for eight packets.
    pub fn new(topology: Topology) -> Self {
        Self {
            topology,
            discipline: DisciplinePlan::trimming(0),
            buffer: BufferPlan::default(),
            spread: Spread::Host,
            carrier: Carrier::Ndp,
            packet_bytes: 9000,
            first_window: 30,
            path_choice: ndp::PathChoice::default(),
            seed: 1,
            costs: None,
            settings: Settings {
                interest: Interest::of::<Flow>(),
                // Tests that ask for several threads use them even where one would be faster.
                threading: Threading::Always,
                ..Settings::default()
            },
        }
        .with_queues(8)
    }

    /// Replaces the queues by trimming queues for this many packets.
    pub fn with_queues(mut self, packets: u64) -> Self {
        self.discipline = DisciplinePlan::trimming(packets * self.bytes_on_link());
        self
    }

    /// Returns what a full data packet takes on an Ethernet link, in bytes.
    pub fn bytes_on_link(&self) -> u64 {
        u64::from(self.packet_bytes + Link::ETHERNET_FRAMING)
    }

    /// Builds the network in which hosts carry out a workload.
    pub fn simulation(&self, workload: impl WorkloadPlan) -> Simulation {
        self.simulation_with(self.applications(workload))
    }

    /// Returns an application for each host.
    pub fn applications(&self, workload: impl WorkloadPlan) -> Vec<Box<dyn Application>> {
        self.applications_of(&Workload::new(workload))
    }

    /// Returns an application for each host that carries out a workload with its start and priority.
    pub fn applications_of(&self, workload: &Workload) -> Vec<Box<dyn Application>> {
        let seed = Random::for_part(self.seed, 1 << 41).bits();
        workload.applications(&self.topology.hosts(), seed).expect("it fits")
    }

    /// Builds the network of these applications, whose switches are routers.
    pub fn simulation_with(&self, applications: Vec<Box<dyn Application>>) -> Simulation {
        self.simulation_of(applications, |router, _, _, _| Box::new(router))
    }

    /// Builds the network of these applications. `switch` may replace a router by another switch: it is given the
    /// router, its plan, its ports and the seed of its queues.
    pub fn simulation_of(
        &self,
        applications: Vec<Box<dyn Application>>,
        mut switch: impl FnMut(Router, &SwitchPlan, Vec<PortPlan>, u64) -> Box<dyn Station>,
    ) -> Simulation {
        let mut applications = applications.into_iter();
        let mut ports = port_plans(&self.topology, &self.discipline);
        let links = self.topology.host_links();
        Simulation::new(&self.topology, self.settings, |index| match &self.topology.stations[index].role {
            Role::Host { address, paths } => {
                let link = links[index].unwrap_or(Link::new(basis::Rate::from_gigabits_per_second(100), 24));
                let transport = self.transport(*address, *paths as u16, link);
                let application = applications.next().expect("one for each host");
                let host = Host::new(HostParameters { address: *address, link, transport, application });
                Box::new(match &self.costs {
                    Some(costs) => host.with_costs(costs.clone()),
                    None => host,
                })
            }
            Role::Switch(plan) => {
                let ports = std::mem::take(&mut ports[index]);
                let router = Router::new(index, plan, ports.clone(), &self.switch_parameters(self.seed));
                // The random stream from which the queues of a router in this place draw.
                let seed = Random::for_part(self.seed, 2 * index as u64 + 1).bits();
                switch(router, plan, ports, seed)
            }
        })
    }

    fn transport(&self, address: u32, paths: u16, link: Link) -> Box<dyn Transport> {
        let &Self { packet_bytes, first_window, path_choice, seed, .. } = self;
        match self.carrier {
            Carrier::Ndp => {
                let usual = ndp::NdpParameters::new(link);
                let parameters = ndp::NdpParameters { packet_bytes, first_window, paths, path_choice, ..usual };
                Box::new(Ndp::new(address, parameters, seed))
            }
            Carrier::Eqds => {
                let usual = eqds::EqdsParameters::new(link);
                let parameters = eqds::EqdsParameters { packet_bytes, first_window, paths, path_choice, ..usual };
                Box::new(Eqds::new(address, parameters, seed))
            }
            Carrier::Tcp(parameters) => Box::new(Tcp::new(address, parameters, seed)),
            Carrier::RoceV2(parameters) => {
                Box::new(RoceV2::new(address, rocev2::RoceV2Parameters { link, ..parameters }))
            }
        }
    }

    /// Returns what the switches have in common.
    pub fn switch_parameters(&self, seed: u64) -> SwitchParameters {
        let Self { discipline, buffer, spread, .. } = self.clone();
        SwitchParameters { discipline, buffer, spread, seed }
    }

    /// Runs a workload until no event is left.
    pub fn run(&self, workload: impl WorkloadPlan) -> (Simulation, Watch) {
        let (mut simulation, mut watch) = (self.simulation(workload), Watch::default());
        assert_eq!(simulation.run(&mut watch), Ended::Idle);
        (simulation, watch)
    }
}

/// Runs until an instant at which further events are pending.
pub fn run_to(simulation: &mut Simulation, microseconds: u64, watch: &mut Watch) {
    let end = Instant::from_microseconds(microseconds);
    simulation.set_end(Some(end));
    assert_eq!(simulation.run(watch), Ended::TimeLimit);
    assert_eq!(simulation.now(), end);
}

/// Asserts that nothing is in flight, that every packet is accounted for, and that no station waits.
pub fn assert_settled(simulation: &Simulation, stations: usize) {
    let conservation = simulation.conservation().expect("packets are conserved");
    assert_eq!((conservation.held, conservation.on_links), (0, 0));
    for station in 0..stations {
        assert_eq!(simulation.station(station).waiting(simulation.now()), []);
    }
}

/// Returns a counter of one station, summed over its ports.
pub fn counter_of(simulation: &Simulation, station: usize, name: &str) -> u64 {
    let mut sum = 0;
    simulation.station(station).counters(&mut |counter| sum += if counter.name == name { counter.value } else { 0 });
    sum
}

/// Returns a counter summed over the first stations, which are the hosts if there are that many.
pub fn counter(simulation: &Simulation, stations: usize, name: &str) -> u64 {
    (0..stations).map(|station| counter_of(simulation, station, name)).sum()
}
