//! Workers around one switch, in virtual time, on links that lose, copy and delay packets.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

use basis::{Duration, Instant, Random};
use control::{ActionCall, Info, MulticastGroup, Replica, ReplicationRequest, Request, TableRequest, Target};
use machines::Device;
use machines::aggregator::Aggregator;
use machines::aggregator::switchml::{SwitchMlDefect, SwitchMlParameters as SwitchParameters, SwitchMlSwitch};
use node::{Node, Outbox, Port};
use runtime::Bits;
use runtime::tables::FieldMatch;
use transports::Endpoint;
use transports::aggregation::switchml::{SwitchMl, SwitchMlParameters};
use transports::aggregation::{Collective, Outcome, Outcomes, Setup, Sum, Tensor, WorkerPlace};
use transports::jobs::{Arithmetic, Distribution, Values};
use wire::Packet;

/// The address of the switch.
pub const SWITCH: u32 = 0x0A00_00FE;

/// What links do to packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Harm {
    /// The share of packets that are lost.
    pub lost: f64,
    /// The share that comes twice.
    pub copied: f64,
    /// The longest delay beyond the usual one, with which packets overtake each other.
    pub delayed: Duration,
}

/// A packet that the switch has had, from which host, and what left for it, by host.
pub struct Recorded {
    pub host: usize,
    pub packet: Vec<u8>,
    pub sent: Vec<(usize, Vec<u8>)>,
}

/// A job of workers whose tensors are summed in some slots of the switch.
#[derive(Clone, Debug)]
pub struct Case {
    pub job: u8,
    pub workers: u16,
    pub slots: std::ops::Range<u32>,
    pub tensors: Vec<u64>,
    pub parameters: SwitchMlParameters,
}

/// A worker with the sums that have come out, by tensor.
pub struct Host {
    pub worker: SwitchMl,
    pub sums: BTreeMap<u32, Vec<Option<i32>>>,
    pub finished: Vec<u32>,
    case: usize,
    is_busy: bool,
    outcomes: Outcomes,
}

#[derive(Debug, PartialEq, Eq)]
enum Event {
    ToSwitch(usize, Vec<u8>),
    ToHost(usize, Vec<u8>),
    LinkFree(usize),
}

/// The network of some jobs, each with workers of its own.
pub struct Star {
    pub now: Instant,
    pub hosts: Vec<Host>,
    pub switch: Aggregator<SwitchMlSwitch>,
    cases: Vec<Case>,
    harm: Harm,
    random: Random,
    /// Everything that the switch has had, if it is recorded.
    pub record: Option<Vec<Recorded>>,
    events: BinaryHeap<Reverse<(Instant, u64)>>,
    waiting: BTreeMap<u64, Event>,
    next: u64,
}

/// The contributions of a job, whose sums stay within 32 bits.
fn values(job: u8) -> Values {
    let arithmetic = Arithmetic::Integers { size: 60_000_000 };
    Values { seed: 77 + u64::from(job), arithmetic, distribution: Distribution::Uniform }
}

/// The address of a worker.
pub fn address(case: usize, rank: u16) -> u32 {
    0x0A00_0001 + 256 * case as u32 + u32::from(rank)
}

fn group(case: usize) -> u32 {
    0xEFC0_0000 + case as u32
}

impl Star {
    pub fn new(cases: &[Case], slots: u32, harm: Harm, seed: u64, defect: Option<SwitchMlDefect>) -> Self {
        let switch = Aggregator::new(SwitchMlSwitch::new(SwitchParameters { slots, defect }), 256);
        let mut star = Self {
            now: Instant::ZERO,
            hosts: Vec::new(),
            switch,
            cases: cases.to_vec(),
            harm,
            random: Random::new(seed),
            record: None,
            events: BinaryHeap::new(),
            waiting: BTreeMap::new(),
            next: 0,
        };
        for (number, case) in cases.iter().enumerate() {
            star.add(number, case);
        }
        star
    }

    fn add(&mut self, number: usize, case: &Case) {
        let info = self.switch.info().clone();
        let place = |rank: u16| WorkerPlace::with_two_levels(address(number, rank), [rank as u8, 0], [1; 2]);
        let setup = Arc::new(Setup {
            job: case.job,
            generation: 0,
            group: group(number),
            servers: vec![SWITCH],
            workers: (0..case.workers).map(place).collect(),
            aggregators: case.slots.clone(),
        });
        let first = self.hosts.len() as u32;
        let members: Vec<Replica> =
            (0..u32::from(case.workers)).map(|rank| Replica { port: first + rank, instance: 0 }).collect();
        let mut requests = vec![
            Request::MulticastGroup(number as u32 + 1, ReplicationRequest::Insert(MulticastGroup::from(members))),
            insert(&info, "groups", vec![exact(group(number))], "multicast", &[number as u32 + 1]),
        ];
        for rank in 0..case.workers {
            let own = address(number, rank);
            let key = vec![exact(own), exact(SWITCH), exact(case.job.into())];
            let data = [1 << rank, case.workers.into(), group(number)];
            requests.push(insert(&info, "workers", key, "contribute", &data));
            let route = FieldMatch::Prefix { value: bits(own), length: 32 };
            requests.push(insert(&info, "ipv4", vec![route], "route", &[self.hosts.len() as u32]));
            let mut worker = SwitchMl::new(own, setup.clone(), values(case.job).of(rank), case.parameters);
            let mut sums = BTreeMap::new();
            for (tensor, &length) in (0..).zip(&case.tensors) {
                worker.begin(self.now, Tensor { number: tensor, length });
                sums.insert(tensor, vec![None; length as usize]);
            }
            let outcomes = Outcomes::default();
            self.hosts.push(Host { worker, sums, finished: Vec::new(), case: number, is_busy: false, outcomes });
        }
        for request in requests {
            self.switch.execute(&request).unwrap_or_else(|error| panic!("{request:?}: {error:?}"));
        }
    }

    /// Runs until nothing happens any more, or the end. Returns what is not finished, or wrong.
    pub fn run(&mut self, end: Instant) -> Result<(), String> {
        loop {
            for host in 0..self.hosts.len() {
                self.transmit(host);
            }
            let timers = self.hosts.iter().filter_map(|host| host.worker.deadline()).min();
            let event = self.events.peek().map(|Reverse((at, _))| *at);
            let Some(next) = timers.into_iter().chain(event).min().filter(|next| *next <= end) else { break };
            self.now = self.now.max(next);
            if event == Some(next) {
                let Reverse((_, number)) = self.events.pop().expect("it is there");
                match self.waiting.remove(&number).expect("it waits") {
                    Event::ToSwitch(host, bytes) => self.at_switch(host, &bytes),
                    Event::ToHost(host, bytes) => self.at_host(host, &bytes)?,
                    Event::LinkFree(host) => self.hosts[host].is_busy = false,
                }
            } else {
                for host in &mut self.hosts {
                    if host.worker.deadline().is_some_and(|deadline| deadline <= self.now) {
                        host.worker.wake(self.now, &mut host.outcomes);
                    }
                }
            }
        }
        let unfinished: Vec<String> = self
            .hosts
            .iter()
            .flat_map(|host| host.worker.waiting(self.now))
            .map(|work| format!("{}: {}", work.what, work.why))
            .collect();
        if unfinished.is_empty() { self.check() } else { Err(format!("unfinished: {}", unfinished.join("; "))) }
    }

    fn check(&self) -> Result<(), String> {
        for host in &self.hosts {
            let tensors = self.cases[host.case].tensors.len();
            if host.finished.len() != tensors || host.sums.values().flatten().any(Option::is_none) {
                return Err(format!("unfinished: {} of {tensors} tensors", host.finished.len()));
            }
        }
        Ok(())
    }

    fn transmit(&mut self, host: usize) {
        let own = &mut self.hosts[host];
        if own.is_busy {
            return;
        }
        let is_ready = own.worker.is_ready(self.now);
        let Some(packet) = own.worker.transmit(self.now) else { return };
        assert!(is_ready, "a packet was announced");
        own.is_busy = true;
        // 100 Gb/s.
        let time = Duration::from_picoseconds(80 * (packet.len() as u64 + 24));
        self.schedule(self.now + time, Event::LinkFree(host));
        let bytes = bytes_of(&packet);
        self.carry(time, |at| Event::ToSwitch(host, at), bytes);
    }

    /// Puts a packet on a link, which does to it what links do.
    fn carry(&mut self, time: Duration, event: impl Fn(Vec<u8>) -> Event, bytes: Vec<u8>) {
        let copies = 1 + usize::from(self.random.chance(self.harm.copied));
        for _ in 0..copies {
            if self.random.chance(self.harm.lost) {
                continue;
            }
            let late = Duration::from_picoseconds(self.random.below(self.harm.delayed.picoseconds() + 1));
            let late = if self.random.chance(0.3) { late } else { Duration::ZERO };
            self.schedule(self.now + time + Duration::from_microseconds(1) + late, event(bytes.clone()));
        }
    }

    fn schedule(&mut self, at: Instant, event: Event) {
        self.events.push(Reverse((at, self.next)));
        self.waiting.insert(self.next, event);
        self.next += 1;
    }

    fn at_switch(&mut self, host: usize, bytes: &[u8]) {
        let mut out = Outbox::default();
        out.begin(self.now);
        self.switch.receive(self.now, Port(host as u16), &mut vec![Packet::of_bytes(bytes)], &mut out);
        let sent: Vec<(usize, Vec<u8>)> =
            out.transmissions.iter().map(|sent| (usize::from(sent.port.0), bytes_of(&sent.packet))).collect();
        for (to, bytes) in &sent {
            self.carry(Duration::from_nanoseconds(100), |at| Event::ToHost(*to, at), bytes.clone());
        }
        if let Some(record) = &mut self.record {
            record.push(Recorded { host, packet: bytes.to_vec(), sent });
        }
    }

    fn at_host(&mut self, at: usize, bytes: &[u8]) -> Result<(), String> {
        let Host { worker, outcomes, .. } = &mut self.hosts[at];
        let packet = Packet::of_bytes(bytes);
        if !worker.accepts(&packet) {
            return Err(format!("a host got {bytes:02x?}"));
        }
        worker.receive(self.now, packet, outcomes).map_err(|(_, reason)| format!("refused: {reason:?}"))?;
        let host = &mut self.hosts[at];
        let case = &self.cases[host.case];
        let mut wrong = None;
        let (sums, finished) = (&mut host.sums, &mut host.finished);
        host.outcomes.drain(|outcome| match outcome {
            Outcome::Part { tensor, first, sources, sum: Sum::Integers(found) } => {
                let mut expected = vec![0i64; found.len()];
                for rank in 0..case.workers {
                    let mut own = vec![0; found.len()];
                    values(case.job).of(rank).integers(tensor, first, &mut own);
                    expected.iter_mut().zip(own).for_each(|(sum, value)| *sum += i64::from(value));
                }
                for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
                    let own = &mut sums.get_mut(&tensor).expect("a tensor")[first as usize + place];
                    if i64::from(*found) != expected || own.is_some() || sources != case.workers {
                        wrong = Some(format!("wrong: tensor {tensor}, {found} at {place} of {first}, not {expected}"));
                    }
                    *own = Some(*found);
                }
            }
            Outcome::Finished { tensor } => finished.push(tensor),
            other => wrong = Some(format!("wrong: {other:?}")),
        });
        wrong.map_or(Ok(()), Err)
    }
}

pub fn bytes_of(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.append_to(&mut bytes);
    bytes
}

fn bits(value: u32) -> Bits {
    Bits::Narrow(value.into())
}

fn exact(value: u32) -> FieldMatch {
    FieldMatch::Exact(bits(value))
}

fn insert(info: &Info, table: &str, key: Vec<FieldMatch>, action: &str, data: &[u32]) -> Request {
    let table = info.table_named(table).expect("the table");
    let action = info.action_named(table, action).expect("the action");
    let data = data.iter().copied().map(bits).collect();
    Request::Table(table, TableRequest::insert(key, None, Target::Action(ActionCall { action, data })))
}
