//! Workers, servers and switches in virtual time: a switch for each rack, one switch between them, and links that lose,
//! repeat, delay and mark packets.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use basis::{Duration, Instant, Random};
use machines::aggregator::Aggregator;
use machines::aggregator::atp::AtpSwitch;
use node::{Node, Outbox, Port};
use transports::aggregation::atp::{Server, Worker};
use transports::aggregation::{Collective, Member, Outcomes};
use transports::{Endpoint, frame};
use wire::Packet;

use super::check::Check;
use super::gradients::Values;
use super::plan::{Happening, Plan};

/// The time between two packets of a host, and that of a packet on a link.
const GAP: Duration = Duration::from_nanoseconds(30);
const DELAY: Duration = Duration::from_nanoseconds(1000);
/// The port of a rack's switch that leads to the switch between racks.
pub(super) const UP: u16 = 200;

pub(super) enum Endpoints {
    Worker { job: usize, rank: usize, worker: Box<Worker>, is_up: bool },
    Server { server: Box<Server> },
}

pub(super) struct Host {
    pub(super) rack: usize,
    pub(super) address: u32,
    what: Endpoints,
    /// When the link is free, and whether it will be told.
    free_at: Instant,
    is_told: bool,
    wish: Option<Instant>,
}

enum Event {
    AtSwitch(usize, Port, Packet),
    AtHost(usize, Packet),
    Ready(usize),
    Wake(usize),
    Happens(Happening),
}

pub struct Network {
    pub(super) plan: Plan,
    pub(super) hosts: Vec<Host>,
    /// By address, where the host is.
    places: HashMap<u32, usize>,
    /// The racks' switches, and the one between them.
    pub(super) switches: Vec<Aggregator<AtpSwitch>>,
    /// The ports of each switch, and what is behind each.
    pub(super) ports: Vec<BTreeMap<u16, Behind>>,
    events: BTreeMap<(Instant, u64), Event>,
    count: u64,
    generations: Vec<u16>,
    pub now: Instant,
    random: Random,
    pub check: Check,
}

#[derive(Clone, Copy)]
pub(super) enum Behind {
    Host(usize),
    Switch(usize, u16),
}

impl Network {
    pub fn new(plan: Plan) -> Self {
        let racks = plan.racks;
        let switch = || Aggregator::new(AtpSwitch::new(plan.switch()), 256);
        let mut network = Self {
            hosts: Vec::new(),
            places: HashMap::new(),
            switches: (0..=racks).map(|_| switch()).collect(),
            ports: vec![BTreeMap::new(); racks + 1],
            events: BTreeMap::new(),
            count: 0,
            generations: vec![0; plan.jobs.len()],
            now: Instant::ZERO,
            random: Random::new(plan.seed),
            check: Check::new(&plan),
            plan,
        };
        for rack in 0..racks {
            network.ports[rack].insert(UP, Behind::Switch(racks, rack as u16));
            network.ports[racks].insert(rack as u16, Behind::Switch(rack, UP));
        }
        for job in 0..network.plan.jobs.len() {
            network.add_job(job);
        }
        for (at, happening) in network.plan.happenings.clone() {
            network.push(Instant::from_microseconds(at), Event::Happens(happening));
        }
        for switch in 0..=racks {
            network.configure(switch);
        }
        network
    }

    fn add_job(&mut self, job: usize) {
        let about = self.plan.jobs[job].clone();
        let base = 0x0A00_0000 + ((job as u32 + 1) << 12);
        let workers: Vec<u32> = (0..about.workers.len() as u32).map(|rank| base + rank).collect();
        let servers: Vec<u32> = (0..about.servers.len() as u32).map(|server| base + 0x800 + server).collect();
        let setup = about.setup(0, &workers, &servers);
        for (&rack, &address) in about.servers.iter().zip(&servers) {
            let server = Box::new(Server::new(address, Arc::clone(&setup), about.parameters));
            self.add_host(rack, address, Endpoints::Server { server });
        }
        for (rank, (&rack, &address)) in about.workers.iter().zip(&workers).enumerate() {
            let values = Values { job: about.number, rank: rank as u16, bits: about.bits };
            let worker = Worker::new(address, Arc::clone(&setup), Arc::new(values), about.parameters);
            let host =
                self.add_host(rack, address, Endpoints::Worker { job, rank, worker: Box::new(worker), is_up: true });
            self.begin(host);
        }
    }

    fn add_host(&mut self, rack: usize, address: u32, what: Endpoints) -> usize {
        let host = self.hosts.len();
        let port = self.ports[rack].len() as u16;
        self.ports[rack].insert(port, Behind::Host(host));
        self.places.insert(address, host);
        self.hosts.push(Host { rack, address, what, free_at: Instant::ZERO, is_told: false, wish: None });
        host
    }

    fn begin(&mut self, host: usize) {
        let now = self.now;
        if let Endpoints::Worker { job, worker, .. } = &mut self.hosts[host].what {
            self.plan.jobs[*job].tensors().for_each(|tensor| worker.begin(now, tensor));
        }
        self.after(host);
    }

    fn push(&mut self, at: Instant, event: Event) {
        self.count += 1;
        self.events.insert((at, self.count), event);
    }

    /// The latest host of a worker.
    pub(super) fn host_of(&self, job: usize, rank: usize) -> usize {
        let is_it =
            |host: &Host| matches!(host.what, Endpoints::Worker { job: j, rank: r, .. } if (j, r) == (job, rank));
        self.hosts.iter().rposition(is_it).unwrap()
    }

    /// Sends a packet over a link, with what can happen to it there.
    fn over_link(&mut self, mut packet: Packet, behind: Behind) {
        let harm = self.plan.harm;
        let mut is = |percent: u64| self.random.below(100) < percent;
        let (lost, twice, late, marked) = (is(harm.lost), is(harm.twice), is(harm.late), is(harm.marked));
        if marked {
            let mut ip = wire::Ipv4::new(&mut packet.head.bytes_mut()[14..]).unwrap();
            ip.set_traffic_class(frame::congestion::EXPERIENCED);
            ip.fill_checksum();
        }
        let more = if late { Duration::from_nanoseconds(self.random.below(60_000)) } else { Duration::ZERO };
        if lost {
            return;
        }
        let arrives = self.now + DELAY;
        let event = |packet| match behind {
            Behind::Host(host) => Event::AtHost(host, packet),
            Behind::Switch(switch, port) => Event::AtSwitch(switch, Port(port), packet),
        };
        if twice {
            let copy = event(packet.clone());
            self.push(arrives + more, copy);
            self.push(arrives, event(packet));
        } else {
            self.push(arrives + more, event(packet));
        }
    }

    fn endpoint(&mut self, host: usize) -> Option<&mut dyn Endpoint<Outcomes>> {
        match &mut self.hosts[host].what {
            Endpoints::Worker { worker, is_up: true, .. } => Some(&mut **worker),
            Endpoints::Worker { .. } => None,
            Endpoints::Server { server } => Some(&mut **server),
        }
    }

    /// After any call of a host: sends if its link is free, and sets its timer.
    fn after(&mut self, host: usize) {
        let now = self.now;
        let free_at = self.hosts[host].free_at;
        let Some(endpoint) = self.endpoint(host) else { return };
        let packet = if free_at <= now { endpoint.transmit(now) } else { None };
        let wants_more = endpoint.is_ready(now);
        let deadline = endpoint.deadline();
        if let Some(packet) = packet {
            self.hosts[host].free_at = now + GAP;
            let rack = self.hosts[host].rack;
            let port = self.port_to(rack, host);
            self.over_link(packet, Behind::Switch(rack, port));
        }
        if wants_more && !self.hosts[host].is_told && self.hosts[host].free_at > now {
            self.hosts[host].is_told = true;
            let free_at = self.hosts[host].free_at;
            self.push(free_at, Event::Ready(host));
        }
        if deadline != self.hosts[host].wish {
            self.hosts[host].wish = deadline;
            if let Some(at) = deadline {
                self.push(at.max(now), Event::Wake(host));
            }
        }
    }

    /// Runs until all workers have all sums, or nothing more happens, or the limit. Returns true if all have all.
    pub fn run(&mut self) -> bool {
        let limit = Instant::from_microseconds(self.plan.limit);
        let mut outcomes = Outcomes::default();
        while let Some(((at, _), event)) = self.events.pop_first() {
            if at > limit || self.check.is_done() && !self.happens_later() {
                break;
            }
            self.now = at;
            let host = match event {
                Event::AtSwitch(switch, port, packet) => {
                    self.at_switch(switch, port, packet);
                    continue;
                }
                Event::Happens(happening) => {
                    self.happens(&happening);
                    continue;
                }
                Event::AtHost(host, packet) => {
                    if let Some(endpoint) = self.endpoint(host)
                        && endpoint.accepts(&packet)
                    {
                        _ = endpoint.receive(at, packet, &mut outcomes);
                    }
                    host
                }
                Event::Ready(host) => {
                    self.hosts[host].is_told = false;
                    host
                }
                Event::Wake(host) => {
                    if self.hosts[host].wish.is_some_and(|wish| wish <= at) {
                        self.hosts[host].wish = None;
                        if let Some(endpoint) = self.endpoint(host) {
                            endpoint.wake(at, &mut outcomes);
                        }
                    }
                    host
                }
            };
            if let Endpoints::Worker { job, rank, .. } = self.hosts[host].what {
                outcomes.drain(|outcome| self.check.outcome(job, rank, outcome));
            }
            self.after(host);
        }
        self.check.is_done()
    }

    fn happens_later(&self) -> bool {
        self.events.values().any(|event| matches!(event, Event::Happens(_)))
    }

    fn at_switch(&mut self, switch: usize, port: Port, packet: Packet) {
        let mut out = Outbox::default();
        out.begin(self.now);
        self.switches[switch].receive(self.now, port, &mut vec![packet], &mut out);
        for sent in out.transmissions {
            if let Some(&behind) = self.ports[switch].get(&sent.port.0) {
                self.over_link(sent.packet, behind);
            }
        }
    }

    fn happens(&mut self, happening: &Happening) {
        let now = self.now;
        match *happening {
            Happening::SwitchForgets(switch) => {
                self.switches[switch] = Aggregator::new(AtpSwitch::new(self.plan.switch()), 256);
                self.configure(switch);
            }
            Happening::ServerRestarts { job, server } => {
                let address = 0x0A00_0000 + ((job as u32 + 1) << 12) + 0x800 + server as u32;
                let host = self.places[&address];
                if let Endpoints::Server { server } = &mut self.hosts[host].what {
                    server.restart(now);
                }
                self.after(host);
            }
            Happening::WorkerFails { job, rank } => {
                let host = self.host_of(job, rank);
                if let Endpoints::Worker { is_up, .. } = &mut self.hosts[host].what {
                    *is_up = false;
                }
            }
            Happening::WorkerRestarts { job, rank } => {
                let host = self.host_of(job, rank);
                if let Endpoints::Worker { is_up, worker, .. } = &mut self.hosts[host].what {
                    worker.restart(now);
                    *is_up = true;
                }
                self.check.restarted(job, rank);
                self.begin(host);
            }
            Happening::WorkerMoves { job, rank, rack } => self.moves(job, rank, rack),
        }
    }

    fn moves(&mut self, job: usize, rank: usize, rack: usize) {
        let now = self.now;
        let old = self.host_of(job, rank);
        if let Endpoints::Worker { is_up, .. } = &mut self.hosts[old].what {
            *is_up = false;
        }
        self.plan.jobs[job].workers[rank] = rack;
        let about = self.plan.jobs[job].clone();
        let address = 0x0A00_0000 + ((job as u32 + 1) << 12) + 0x400 + self.hosts.len() as u32;
        let workers: Vec<u32> = (0..about.workers.len())
            .map(|other| if other == rank { address } else { self.hosts[self.host_of(job, other)].address })
            .collect();
        let base = 0x0A00_0000 + ((job as u32 + 1) << 12);
        let servers: Vec<u32> = (0..about.servers.len() as u32).map(|server| base + 0x800 + server).collect();
        self.generations[job] += 1;
        let setup = about.setup(self.generations[job], &workers, &servers);
        let values = Values { job: about.number, rank: rank as u16, bits: about.bits };
        let mut worker = Worker::new(address, Arc::clone(&setup), Arc::new(values), about.parameters);
        worker.restart(now);
        let new = self.add_host(rack, address, Endpoints::Worker { job, rank, worker: Box::new(worker), is_up: true });
        self.check.restarted(job, rank);
        for switch in 0..=self.plan.racks {
            self.configure(switch);
        }
        for host in 0..new {
            let is_of_job = servers.contains(&self.hosts[host].address);
            match &mut self.hosts[host].what {
                Endpoints::Worker { job: own, worker, .. } if *own == job => worker.set_up(now, Arc::clone(&setup)),
                Endpoints::Server { server } if is_of_job => server.set_up(now, Arc::clone(&setup)),
                _ => continue,
            }
            self.after(host);
        }
        self.begin(new);
    }

    /// What everybody waits for.
    pub fn waiting(&self) -> Vec<String> {
        let mut waiting = Vec::new();
        for host in &self.hosts {
            let all = match &host.what {
                Endpoints::Worker { worker, is_up: true, .. } => worker.waiting(self.now),
                Endpoints::Worker { .. } => Vec::new(),
                Endpoints::Server { server } => server.waiting(self.now),
            };
            waiting.extend(all.into_iter().map(|work| format!("{}: {}", work.what, work.why)));
        }
        waiting
    }

    /// The sum of a counter over all hosts.
    pub fn counter(&self, name: &str) -> u64 {
        let mut sum = 0;
        let mut add = |counter: node::Counter| sum += if counter.name == name { counter.value } else { 0 };
        for host in &self.hosts {
            match &host.what {
                Endpoints::Worker { worker, .. } => worker.counters(&mut add),
                Endpoints::Server { server } => server.counters(&mut add),
            }
        }
        sum
    }

    /// The number of aggregators of a rack's switch that are not free.
    pub fn in_use(&self, rack: usize) -> usize {
        self.switches[rack].protocol().in_use()
    }

    /// The sum of a counter over all switches.
    pub fn switch_counter(&self, name: &str) -> u64 {
        let mut sum = 0;
        for switch in &self.switches {
            node::Station::counters(switch, &mut |counter| {
                sum += if counter.name == name { counter.value } else { 0 };
            });
        }
        sum
    }
}
