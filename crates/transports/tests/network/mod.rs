//! Hosts, and a network between them that does with each packet what a script says, in virtual time.
#![allow(dead_code)] // each test file uses some of it

pub mod switch_port;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::{Duration, Instant, Rate};
use measure::{Event, FlowEvent, Interest};
use node::{Control, Line, Node, Outbox, Port, Station};
use traffic::demand::{Application, Arrived, Message, Wanted};
use transports::frame::ENVELOPE;
use transports::ndp::{HEAD, Ndp, Parameters};
use transports::{Host, HostParameters, Transport};
use wire::{Ethernet, Ipv4, Packet, Tail, Udp, dscp, ndp};

use switch_port::{Outcome, SwitchPort};

/// How long a packet is under way.
pub const DELAY: Duration = Duration::from_microseconds(5);

/// The address of a host.
pub fn address(host: usize) -> u32 {
    0x0A00_0000 + host as u32
}

/// What the network does with a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Drop,
    /// Cuts its payload off, marks it and corrects its length.
    Trim,
    /// Cuts its payload off and corrects nothing.
    TrimCarelessly,
    /// Trims it and sends it back.
    Return,
    /// Delivers it after this much more time.
    Late(Duration),
    /// Delivers it, and again after this much more time.
    Twice(Duration),
}

/// A packet as it left a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub kind: u8,
    pub flags: u8,
    pub message: u32,
    pub sequence: u32,
    pub pull: u32,
    pub path: u16,
    pub bytes: usize,
    pub packet: Packet,
}

impl Seen {
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub fn is_data(&self) -> bool {
        self.kind == ndp::kind::DATA
    }

    fn of(at: Instant, from: usize, packet: &Packet) -> Self {
        let bytes = packet.head.bytes();
        let ipv4 = Ipv4::new(&bytes[Ethernet::<&[u8]>::LENGTH..]).unwrap();
        let port = Udp::new(&bytes[34..]).unwrap().source_port();
        let header = wire::Ndp::new(&bytes[ENVELOPE..]).unwrap();
        Self {
            at,
            from,
            to: (ipv4.destination_bits() - address(0)) as usize,
            kind: header.kind(),
            flags: header.flags(),
            message: header.message(),
            sequence: header.sequence(),
            pull: header.pull(),
            path: if header.kind() == ndp::kind::DATA { port & (wire::path::PATHS - 1) } else { header.path() },
            bytes: packet.len(),
            packet: packet.clone(),
        }
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

    fn arrived(&mut self, _now: Instant, _message: Arrived, _wanted: &mut Vec<Wanted>) {}

    fn remaining(&self) -> Option<u64> {
        Some(self.0.len() as u64)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Ready(usize),
    /// At the switch in front of the host.
    AtPort(usize, usize),
    PortFree(usize),
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

pub struct Network<'a> {
    pub hosts: Vec<Host>,
    rule: Box<dyn FnMut(&Seen) -> Fate + 'a>,
    queue: BinaryHeap<Reverse<(Instant, u64, Due)>>,
    count: u64,
    flying: Vec<Option<Packet>>,
    wishes: Vec<Option<Instant>>,
    pub now: Instant,
    /// Every packet that left a host, in order.
    pub seen: Vec<Seen>,
    pub told: Vec<Told>,
    pub discarded: Vec<(Instant, node::Reason)>,
    /// If there are any, packets wait for the line to their host.
    pub ports: Vec<SwitchPort>,
}

/// A message that somebody wants sent: when, from which host, to which, how many bytes.
pub type Sends = (u64, usize, usize, u64);

/// 100 Gb/s, packets of 1500 bytes, a first window of 8.
pub fn parameters() -> Parameters {
    let line = Line::new(Rate::from_gigabits_per_second(100), Line::ETHERNET_FRAMING);
    Parameters { packet_bytes: 1500, first_window: 8, ..Parameters::new(line) }
}

/// Payload of so many full packets.
pub fn packets(count: u64) -> u64 {
    count * (1500 - HEAD as u64)
}

impl<'a> Network<'a> {
    /// `hosts` hosts that send messages at microseconds.
    pub fn new(
        hosts: usize,
        parameters: Parameters,
        sends: &[(Sends, u8)],
        rule: impl FnMut(&Seen) -> Fate + 'a,
    ) -> Self {
        let transport = |host| -> Box<dyn Transport> { Box::new(Ndp::new(address(host), parameters, 1)) };
        Self::of(hosts, transport, sends, rule)
    }

    /// The same with another transport, on lines of 100 Gb/s.
    pub fn of(
        hosts: usize,
        transport: impl Fn(usize) -> Box<dyn Transport>,
        sends: &[(Sends, u8)],
        rule: impl FnMut(&Seen) -> Fate + 'a,
    ) -> Self {
        let host = |host: usize| {
            let mut script: Vec<_> = sends
                .iter()
                .filter(|((_, from, ..), _)| *from == host)
                .map(|&((at, _, to, bytes), priority)| {
                    let wanted = Wanted { destination: address(to), bytes, priority, ..Wanted::default() };
                    (Instant::from_microseconds(at), wanted)
                })
                .collect();
            script.reverse();
            Host::new(HostParameters {
                address: address(host),
                line: parameters().line,
                transport: transport(host),
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
            now: Instant::ZERO,
            seen: Vec::new(),
            told: Vec::new(),
            discarded: Vec::new(),
            ports: Vec::new(),
        };
        for host in 0..hosts {
            network.wishes[host] = Some(Instant::ZERO);
            network.push(Instant::ZERO, Due::Wake(host));
        }
        network
    }

    /// Two hosts, of which the first sends the second a message of so many full packets, run until nothing happens.
    pub fn one_message(count: u64, parameters: Parameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let mut network = Self::new(2, parameters, &[((0, 0, 1, packets(count)), 0)], rule);
        network.run(Instant::MAX);
        network
    }

    fn push(&mut self, at: Instant, due: Due) {
        self.count += 1;
        self.queue.push(Reverse((at, self.count, due)));
    }

    /// Runs until nothing happens any more, or until `end`.
    pub fn run(&mut self, end: Instant) {
        let mut out = Outbox::new(Interest { flows: true, ..Interest::default() });
        while let Some(Reverse((at, _, due))) = self.queue.pop() {
            if at > end {
                return;
            }
            if matches!(due, Due::Wake(host) if self.wishes[host] != Some(at)) {
                continue;
            }
            assert!(at < Instant::from_microseconds(60_000_000), "still busy after a minute");
            self.now = at;
            out.begin(at);
            let host = match due {
                Due::AtPort(host, number) => {
                    self.at_port(host, number);
                    continue;
                }
                Due::PortFree(host) => {
                    self.serve(host);
                    continue;
                }
                Due::Ready(host) => {
                    self.hosts[host].control(at, Control::PortReady(Port(0)), &mut out);
                    host
                }
                Due::Packet(host, number) => {
                    let mut burst = vec![self.flying[number].take().unwrap()];
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
    }

    fn carry_out(&mut self, host: usize, out: &mut Outbox) {
        let now = self.now;
        for (_, at) in out.readies.drain(..) {
            assert!(at > now, "asks to be told what it knows");
            self.push(at, Due::Ready(host));
        }
        // One outbox for all, so that each call has to say whether to wake.
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
            let seen = Seen::of(transmission.at, host, &transmission.packet);
            let fate = (self.rule)(&seen);
            self.seen.push(seen);
            self.deliver(host, transmission.packet, fate);
        }
    }

    fn deliver(&mut self, from: usize, mut packet: Packet, fate: Fate) {
        let taken = parameters().line.time_of(packet.len());
        let mut delay = taken + DELAY;
        match fate {
            Fate::Pass => {}
            Fate::Drop => return,
            Fate::Trim => trim(&mut packet, dscp::TRIMMED),
            Fate::TrimCarelessly => packet.tail = Tail::Length(0),
            Fate::Return => {
                turn_back(&mut packet);
                return self.arrive(from, delay, packet);
            }
            Fate::Late(more) => delay = delay + more,
            Fate::Twice(more) => {
                let to = self.seen.last().unwrap().to;
                self.arrive(to, delay + more, packet.clone());
            }
        }
        let to = self.seen.last().unwrap().to;
        self.arrive(to, delay, packet);
    }

    fn arrive(&mut self, host: usize, delay: Duration, packet: Packet) {
        self.flying.push(Some(packet));
        let number = self.flying.len() - 1;
        let due = if self.ports.is_empty() { Due::Packet(host, number) } else { Due::AtPort(host, number) };
        self.push(self.now + delay, due);
    }

    /// Gives a host a packet that none of them has sent.
    pub fn inject(&mut self, at: Instant, host: usize, packet: Packet) {
        self.flying.push(Some(packet));
        self.push(at, Due::Packet(host, self.flying.len() - 1));
    }

    fn at_port(&mut self, host: usize, number: usize) {
        let packet = self.flying[number].take().unwrap();
        match self.ports[host].offer(packet, number) {
            Outcome::Waits => self.serve(host),
            Outcome::Dropped => {}
            Outcome::Returned(packet) => {
                let ipv4 = Ipv4::new(&packet.head.bytes()[14..]).unwrap();
                let back = (ipv4.destination_bits() - address(0)) as usize;
                self.flying[number] = Some(packet);
                self.at_port(back, number);
            }
        }
    }

    fn serve(&mut self, host: usize) {
        if let Some((packet, number)) = self.ports[host].take(self.now) {
            let free_at = self.ports[host].line.free_at();
            self.flying[number] = Some(packet);
            self.push(free_at, Due::PortFree(host));
            self.push(free_at + DELAY, Due::Packet(host, number));
        }
    }

    pub fn count(&self, what: impl Fn(&Seen) -> bool) -> usize {
        self.seen.iter().filter(|seen| what(seen)).count()
    }

    /// When something was told of a message; none or all times.
    pub fn when(&self, source: usize, message: u32, happened: FlowEvent) -> Vec<Instant> {
        let told = self.told.iter();
        told.filter(|told| told.source == source && told.message == message && told.happened == happened)
            .map(|told| told.at)
            .collect()
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

/// Trims a packet and sends it back.
fn turn_back(packet: &mut Packet) {
    trim(packet, dscp::RETURNED);
    let mut ipv4 = Ipv4::new(&mut packet.head.bytes_mut()[14..]).unwrap();
    let (source, destination) = (ipv4.source_bits(), ipv4.destination_bits());
    ipv4.set_source_bits(destination);
    ipv4.set_destination_bits(source);
    ipv4.fill_checksum();
}

fn trim(packet: &mut Packet, code_point: u8) {
    packet.tail = Tail::Length(0);
    let mut ipv4 = Ipv4::new(&mut packet.head.bytes_mut()[14..]).unwrap();
    ipv4.set_total_length((HEAD - 14) as u16);
    ipv4.set_traffic_class(code_point << 2);
    ipv4.fill_checksum();
}

basis::snapshot!(Script {});
