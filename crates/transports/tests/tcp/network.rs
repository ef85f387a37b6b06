//! Hosts with TCP, and a network between them that does with each packet what a script says, in virtual time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use basis::{Duration, Instant, Rate};
use measure::{Event, FlowEvent, Interest};
use node::{Control, Line, Node, Outbox, Port, Station};
use traffic::demand::{Application, Message, Wanted};
use transports::tcp::{Algorithm, Parameters, Tcp};
use transports::{Host, HostParameters};
use wire::tcp::{Options, flag};
use wire::{Ipv4, Packet, Tcp as Header};

/// How long a packet is under way.
pub const DELAY: Duration = Duration::from_microseconds(50);

/// Payload of a full segment with timestamps.
pub const SEGMENT: u64 = 1448;

/// The address of a host.
pub fn address(host: usize) -> u32 {
    0x0A00_0000 + host as u32
}

pub const fn microseconds(count: u64) -> Duration {
    Duration::from_microseconds(count)
}

/// NewReno with timers for a data centre, and without ECN.
pub fn parameters() -> Parameters {
    Parameters::data_center(Algorithm::NewReno)
}

/// What the network does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Drop,
    /// Marks it as having met congestion, if it may be.
    Mark,
    /// Lets it say that there is no room.
    CloseWindow,
    /// Delivers it after this much more time.
    Late(Duration),
    /// Delivers it, and again after this much more time.
    Twice(Duration),
}

/// A packet as it left a host. Numbers count from the SYN of their stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub ports: (u16, u16),
    pub flags: u8,
    pub sequence: u32,
    pub acknowledgement: u32,
    pub window: u16,
    pub options: Options,
    pub payload: usize,
    pub congestion: u8,
    /// How often this sequence number has been seen with payload, SYN or FIN before.
    pub copies: usize,
    pub packet: Packet,
}

impl Seen {
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn is_data(&self) -> bool {
        self.payload > 0
    }

    pub fn is_plain_ack(&self) -> bool {
        self.payload == 0 && self.flags & !flag::ECE == flag::ACK
    }

    /// True if it is the segment with this number among full ones, from 0, sent for the first time.
    pub fn is_first(&self, number: u64) -> bool {
        self.is_data() && self.copies == 0 && u64::from(self.sequence) == 1 + number * SEGMENT
    }
}

/// Wants messages at given times, and nothing else.
struct Script(Vec<(Instant, Wanted)>);

impl Application for Script {
    fn deadline(&self) -> Option<Instant> {
        self.0.last().map(|&(at, _)| at)
    }

    fn wake(&mut self, now: Instant, wanted: &mut Vec<Wanted>) {
        while let Some(&(at, want)) = self.0.last()
            && at <= now
        {
            self.0.pop();
            wanted.push(want);
        }
    }

    fn finished(&mut self, _now: Instant, _message: Message, _wanted: &mut Vec<Wanted>) {}

    fn remaining(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Ready(usize),
    Packet(usize, usize),
    Wake(usize),
}

/// Something that was told about a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub at: Instant,
    pub source: usize,
    pub message: u32,
    pub happened: FlowEvent,
}

/// Between which hosts and ports a stream of sequence numbers runs.
type StreamKey = (usize, usize, u16, u16);

pub struct Network<'a> {
    pub hosts: Vec<Host>,
    rule: Box<dyn FnMut(&Seen) -> Fate + 'a>,
    queue: BinaryHeap<Reverse<(Instant, u64, Due)>>,
    count: u64,
    flying: Vec<Option<Packet>>,
    wishes: Vec<Option<Instant>>,
    firsts: BTreeMap<StreamKey, u32>,
    pub now: Instant,
    /// Every packet that left a host, in order.
    pub seen: Vec<Seen>,
    pub told: Vec<Told>,
    pub discarded: Vec<(Instant, node::Reason)>,
    /// What went out and came in at each host, in order.
    pub captured: Vec<Vec<(Instant, Packet)>>,
}

/// A message that somebody wants sent: when in microseconds, from which host, to which, how many bytes.
pub type Sends = (u64, usize, usize, u64);

pub fn line() -> Line {
    Line::new(Rate::from_gigabits_per_second(10), Line::ETHERNET_FRAMING)
}

impl<'a> Network<'a> {
    pub fn new(hosts: usize, parameters: Parameters, sends: &[Sends], rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        Self::of(vec![parameters; hosts], sends, rule)
    }

    /// Each host with its own parameters.
    pub fn of(parameters: Vec<Parameters>, sends: &[Sends], rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let hosts = parameters.len();
        let host = |host: usize| {
            let sends = sends.iter().filter(|(_, from, ..)| *from == host);
            let wanted = |&(at, _, to, bytes): &Sends| {
                let wanted = Wanted { destination: address(to), bytes, service: 7, ..Wanted::default() };
                (Instant::from_microseconds(at), wanted)
            };
            let mut script: Vec<_> = sends.map(wanted).collect();
            script.reverse();
            Host::new(HostParameters {
                address: address(host),
                line: line(),
                transport: Box::new(Tcp::new(address(host), parameters[host], 1)),
                application: Box::new(Script(script)),
            })
        };
        let mut network = Self {
            hosts: (0..hosts).map(host).collect(),
            rule: Box::new(rule),
            queue: BinaryHeap::new(),
            count: 0,
            flying: Vec::new(),
            wishes: vec![None; hosts],
            firsts: BTreeMap::new(),
            now: Instant::ZERO,
            seen: Vec::new(),
            told: Vec::new(),
            discarded: Vec::new(),
            captured: vec![Vec::new(); hosts],
        };
        for host in 0..hosts {
            network.wishes[host] = Some(Instant::ZERO);
            network.push(Instant::ZERO, Due::Wake(host));
        }
        network
    }

    /// Two hosts, of which the first sends the second a message of so many full segments, run until nothing happens.
    pub fn one_message(count: u64, parameters: Parameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let mut network = Self::new(2, parameters, &[(0, 0, 1, count * SEGMENT)], rule);
        network.run();
        network
    }

    fn push(&mut self, at: Instant, due: Due) {
        self.count += 1;
        self.queue.push(Reverse((at, self.count, due)));
    }

    /// Runs until nothing happens any more.
    pub fn run(&mut self) {
        let mut out = Outbox::new(Interest { flows: true, ..Interest::default() });
        while let Some(Reverse((at, _, due))) = self.queue.pop() {
            if matches!(due, Due::Wake(host) if self.wishes[host] != Some(at)) {
                continue;
            }
            assert!(at < Instant::from_microseconds(3_600_000_000), "still busy after an hour");
            self.now = at;
            out.begin(at);
            let host = match due {
                Due::Ready(host) => {
                    self.hosts[host].control(at, Control::PortReady(Port(0)), &mut out);
                    host
                }
                Due::Packet(host, number) => {
                    let packet = self.flying[number].take().unwrap();
                    self.captured[host].push((at, packet.clone()));
                    let mut burst = vec![packet];
                    self.hosts[host].receive(at, Port(0), &mut burst, &mut out);
                    host
                }
                Due::Wake(host) => {
                    self.hosts[host].wake(at, &mut out);
                    host
                }
            };
            self.carry_out(host, &mut out);
        }
        for host in &self.hosts {
            assert_eq!(host.waiting(self.now), [], "nothing happens, and somebody waits");
        }
    }

    fn carry_out(&mut self, host: usize, out: &mut Outbox) {
        let now = self.now;
        for (_, at) in out.readies.drain(..) {
            self.push(at, Due::Ready(host));
        }
        let wish = out.take_deadline();
        if wish != self.wishes[host] || wish == Some(now) {
            self.wishes[host] = wish;
            if let Some(at) = wish {
                self.push(at, Due::Wake(host));
            }
        }
        for event in out.events.drain(..) {
            let Event::Flow { flow, happened } = event else { continue };
            let source = (flow.source - address(0)) as usize;
            self.told.push(Told { at: now, source, message: flow.message, happened });
        }
        self.discarded.extend(out.discarded.drain(..).map(|discarded| (now, discarded.reason)));
        for transmission in out.transmissions.drain(..).collect::<Vec<_>>() {
            let seen = self.look(host, &transmission.packet);
            self.captured[host].push((now, transmission.packet.clone()));
            let fate = (self.rule)(&seen);
            let to = seen.to;
            self.seen.push(seen);
            self.deliver(to, transmission.packet, fate);
        }
    }

    fn deliver(&mut self, to: usize, mut packet: Packet, fate: Fate) {
        let arrives = self.now + line().time_of(packet.len()) + DELAY;
        match fate {
            Fate::Pass => self.inject(arrives, to, packet),
            Fate::Drop => {}
            Fate::Mark => {
                let mut ipv4 = Ipv4::new(&mut packet.head.bytes_mut()[14..]).unwrap();
                if ipv4.ecn() != 0 {
                    let class = ipv4.traffic_class();
                    ipv4.set_traffic_class(class | 3);
                    ipv4.fill_checksum();
                }
                self.inject(arrives, to, packet);
            }
            Fate::CloseWindow => {
                let mut header = Header::new(&mut packet.head.bytes_mut()[34..]).unwrap();
                let (sum, window) = (header.checksum(), header.window().to_be_bytes());
                header.set_window(0);
                header.set_checksum(wire::checksum::update(sum, &window, &[0, 0], false));
                self.inject(arrives, to, packet);
            }
            Fate::Late(more) => self.inject(arrives + more, to, packet),
            Fate::Twice(more) => {
                self.inject(arrives + more, to, packet.clone());
                self.inject(arrives, to, packet);
            }
        }
    }

    /// Gives a host a packet, which may be one that no host has sent.
    pub fn inject(&mut self, at: Instant, host: usize, packet: Packet) {
        self.flying.push(Some(packet));
        self.push(at, Due::Packet(host, self.flying.len() - 1));
    }

    fn look(&mut self, from: usize, packet: &Packet) -> Seen {
        let bytes = packet.head.bytes();
        let ipv4 = Ipv4::new(&bytes[14..]).unwrap();
        let header = Header::new(&bytes[34..]).unwrap();
        let to = (ipv4.destination_bits() - address(0)) as usize;
        let ports = (header.source_port(), header.destination_port());
        if header.flags() & flag::SYN != 0 {
            self.firsts.insert((from, to, ports.0, ports.1), header.sequence());
        }
        let first = |key: StreamKey| self.firsts.get(&key).copied().unwrap_or(0);
        let sequence = header.sequence().wrapping_sub(first((from, to, ports.0, ports.1)));
        let payload = packet.len() - 34 - header.header_length();
        let takes = |flags: u8, payload: usize| payload > 0 || flags & (flag::SYN | flag::FIN) != 0;
        let is_copy = |seen: &&Seen| {
            (seen.from, seen.to, seen.ports, seen.sequence) == (from, to, ports, sequence)
                && takes(seen.flags, seen.payload)
        };
        let copies = if takes(header.flags(), payload) { self.seen.iter().filter(is_copy).count() } else { 0 };
        Seen {
            at: self.now,
            from,
            to,
            ports,
            flags: header.flags(),
            sequence,
            acknowledgement: header.acknowledgement().wrapping_sub(first((to, from, ports.1, ports.0))),
            window: header.window(),
            options: Options::parse(header.options().unwrap()).unwrap(),
            payload,
            congestion: ipv4.ecn(),
            copies,
            packet: packet.clone(),
        }
    }

    pub fn filter(&self, what: impl Fn(&Seen) -> bool) -> Vec<&Seen> {
        self.seen.iter().filter(|seen| what(seen)).collect()
    }

    /// When something was told of a message; none or all times.
    pub fn when(&self, source: usize, message: u32, happened: FlowEvent) -> Vec<Instant> {
        let told = self.told.iter();
        told.filter(|told| told.source == source && told.message == message && told.happened == happened)
            .map(|told| told.at)
            .collect()
    }

    /// True if the first message was delivered once and is known to have been.
    pub fn is_completed(&self) -> bool {
        let delivered = self.when(0, 0, FlowEvent::Delivered);
        let completed = self.when(0, 0, FlowEvent::Completed);
        delivered.len() == 1 && completed.len() == 1 && delivered[0] <= completed[0]
    }

    pub fn counter(&self, host: usize, name: &str) -> u64 {
        let mut value = None;
        self.hosts[host].counters(&mut |counter| {
            if counter.name == name {
                value = Some(counter.value);
            }
        });
        value.unwrap_or_else(|| panic!("no counter {name}"))
    }
}

basis::snapshot!(Script {});
