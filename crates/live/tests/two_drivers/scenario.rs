//! Scenarios: hosts with messages for each other, and the switch between them.

use std::collections::BTreeMap;

use basis::Random;
use demand::Wanted;
use netsim::switch::{ProgramSwitch, port_plans};
use netsim::topology::{Role, Topology, TopologyPlan};
use node::{Link, Station};
use queues::{BufferPlan, DisciplinePlan};
use transports::ndp::{Ndp, NdpParameters};
use transports::tcp::{Tcp, TcpParameters};
use transports::{Host, HostParameters, Transport};

use crate::application::{Log, Received, Sender};
use crate::firewall::{self, ProgramState, Shared};

pub const HOSTS: usize = 3;

/// Hosts at one switch, each of which sends each other one the same number of messages.
pub struct Scenario {
    pub carrier: Carrier,
    /// The number of messages from each host to each other one.
    pub messages: usize,
    /// The length of the longest message, in bytes.
    pub bytes: usize,
    pub discipline: DisciplinePlan,
    pub switch: Switch,
}

pub enum Carrier {
    /// Messages are lengths.
    Ndp,
    /// Messages have bytes.
    Tcp(TcpParameters),
}

pub enum Switch {
    Router,
    /// The P4 program of a stateful firewall, as machine code.
    Firewall,
}

/// The outcome of a run, without what depends on time.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    /// The messages that arrived at each host, by sender and in order.
    pub arrived: Vec<BTreeMap<u32, Vec<Received>>>,
    /// Counters of each host.
    pub counters: Vec<BTreeMap<&'static str, u64>>,
    /// What hosts and switch still wait for, and how many packets they hold.
    pub waiting: Vec<(usize, u64)>,
    /// The state of the switch's program, if it runs one.
    pub program: Option<ProgramState>,
}

/// The stations of a scenario, as they begin, and what to look at when they have ended.
pub struct Built {
    pub topology: Topology,
    pub stations: Vec<Box<dyn Station>>,
    pub logs: Vec<Log>,
    pub program: Option<Shared>,
}

impl Scenario {
    pub fn build(&self) -> Built {
        // At this rate, a computer on which much else runs keeps up with the links.
        let text = format!("single-switch:hosts={HOSTS},line=200Mb/s/20us");
        let plan = TopologyPlan::parse(&text).map_err(|(sources, found)| found.render(&sources, false));
        let topology = plan.expect("a plan").build().expect("a topology");
        let (mut stations, mut logs): (Vec<Box<dyn Station>>, Vec<Log>) = (Vec::new(), Vec::new());
        let (links, mut ports) = (topology.host_links(), port_plans(&topology, &self.discipline));
        let mut program = None;
        for (index, station) in topology.stations.iter().enumerate() {
            stations.push(match &station.role {
                Role::Host { address, .. } => {
                    let link = links[index].expect("a cable");
                    let (application, log) = Sender::new(self.messages_of(index, &topology));
                    logs.push(log);
                    let (address, application) = (*address, Box::new(application));
                    let transport = self.transport(address, link);
                    Box::new(Host::new(HostParameters { address, link, transport, application }))
                }
                Role::Switch(plan) => {
                    let ports = std::mem::take(&mut ports[index]);
                    match self.switch {
                        Switch::Router => Box::new(crate::router(index, self, plan, ports)),
                        Switch::Firewall => {
                            let shared = firewall::device(&addresses(&topology));
                            program = Some(shared.clone());
                            Box::new(ProgramSwitch::new(shared, ports, &BufferPlan::default(), 1))
                        }
                    }
                }
            });
        }
        Built { topology, stations, logs, program }
    }

    fn transport(&self, address: u32, link: Link) -> Box<dyn Transport> {
        match &self.carrier {
            Carrier::Ndp => {
                let parameters = NdpParameters { packet_bytes: 1500, first_window: 10, ..NdpParameters::new(link) };
                Box::new(Ndp::new(address, parameters, 1))
            }
            Carrier::Tcp(parameters) => Box::new(Tcp::new(address, *parameters, 1)),
        }
    }

    /// Returns the messages of a host.
    fn messages_of(&self, host: usize, topology: &Topology) -> Vec<Wanted> {
        let mut random = Random::new(host as u64 + 1);
        let mut messages = Vec::new();
        for (other, address) in addresses(topology).into_iter().enumerate().filter(|(other, _)| *other != host) {
            for number in 0..self.messages {
                let length = self.bytes / (number + 1) + other;
                // The firewall remembers the ports of connections, and these depend on the order of the messages: they
                // are one queue then.
                let tag = if matches!(self.switch, Switch::Firewall) { 0 } else { address };
                let wanted = Wanted { tag, ..Wanted::of_length(address, length as u64) };
                let content = match self.carrier {
                    Carrier::Ndp => wanted.content.clone(),
                    Carrier::Tcp(_) => (0..length).map(|_| random.bits() as u8).collect::<Vec<u8>>().into(),
                };
                messages.push(Wanted { content, ..wanted });
            }
        }
        messages
    }
}

/// Returns the addresses of the hosts.
fn addresses(topology: &Topology) -> Vec<u32> {
    let address = |station: &netsim::topology::StationPlan| match station.role {
        Role::Host { address, .. } => Some(address),
        Role::Switch(_) => None,
    };
    topology.stations.iter().filter_map(address).collect()
}

impl Outcome {
    /// Looks at stations that have come to rest.
    pub fn of(now: basis::Instant, stations: &[&dyn Station], logs: &[Log], program: Option<&Shared>) -> Self {
        let counters = |station: &&dyn Station| {
            let mut counters = BTreeMap::new();
            station.counters(&mut |counter| {
                if counter.name.starts_with("messages_") || counter.name == "bytes_delivered" {
                    *counters.entry(counter.name).or_default() += counter.value;
                }
            });
            counters
        };
        Self {
            arrived: logs.iter().map(|log| log.lock().expect("nobody panics").clone()).collect(),
            counters: stations[..HOSTS].iter().map(counters).collect(),
            waiting: stations.iter().map(|station| (station.waiting(now).len(), station.account().held)).collect(),
            program: program.map(ProgramState::of),
        }
    }
}
