//! Hosts with RoCEv2, and a network between them that does with each packet what a script says, in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::{Duration, Instant, Rate};
use measure::{Event, FlowEvent, Interest};
use node::{Control, Line, Node, Outbox, Port, Reason, Station};
use traffic::demand::{Application, Wanted};
use transports::rocev2::{Parameters, Recovery, RoceV2};
use transports::{Host, HostParameters};
use wire::infiniband::{self, opcode, syndrome};
use wire::{Aeth, Bth, Ipv4, Packet};

/// How long a packet is under way.
pub const DELAY: Duration = Duration::from_microseconds(5);

/// Payload of a full packet.
pub const PAYLOAD: u64 = 1024;

/// The number of the first packet of a queue pair.
pub const FIRST: u32 = infiniband::NUMBERS - 200;

pub fn address(host: usize) -> u32 {
    0x0A00_0000 + host as u32
}

pub fn microseconds(count: u64) -> Duration {
    Duration::from_microseconds(count)
}

pub fn line() -> Line {
    Line::new(Rate::from_gigabits_per_second(10), Line::ETHERNET_FRAMING)
}

/// The defaults without DCQCN.
pub fn parameters(recovery: Recovery) -> Parameters {
    Parameters { dcqcn: None, ..Parameters::new(line(), recovery) }
}

/// What the network does with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Drop,
    /// Marks it as having met congestion, if it may be.
    Mark,
    /// Delivers it after this much more time.
    Late(Duration),
    /// Delivers it, and again after this much more time.
    Twice(Duration),
}

/// A packet as it left a host. Its number counts from the first of its queue pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at: Instant,
    pub from: usize,
    pub to: usize,
    pub opcode: u8,
    pub queue_pair: u32,
    pub number: u32,
    pub asks: bool,
    pub is_error: bool,
    /// How often this packet of a write has been seen before.
    pub copies: usize,
    pub packet: Packet,
}

impl Seen {
    pub fn is_data(&self) -> bool {
        (opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMMEDIATE).contains(&self.opcode)
    }

    pub fn is_ack(&self) -> bool {
        self.opcode == opcode::ACKNOWLEDGE && !self.is_error
    }

    pub fn is_notification(&self) -> bool {
        self.opcode == opcode::CONGESTION_NOTIFICATION
    }

    /// True if it is the packet with this number, sent for the first time.
    pub fn is_first(&self, number: u32) -> bool {
        self.is_data() && self.copies == 0 && self.number == number
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
    pub discarded: Vec<(Instant, Reason)>,
}

/// A message that somebody wants sent: when in microseconds, from which host, to which, how many bytes, for which
/// service.
pub type Sends = (u64, usize, usize, u64, u16);

impl<'a> Network<'a> {
    pub fn new(hosts: usize, parameters: Parameters, sends: &[Sends], rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let host = |host: usize| {
            let sends = sends.iter().filter(|(_, from, ..)| *from == host);
            let wanted = |&(at, _, to, bytes, service): &Sends| {
                let wanted = Wanted { destination: address(to), bytes, service, ..Wanted::default() };
                (Instant::from_microseconds(at), wanted)
            };
            let mut script: Vec<_> = sends.map(wanted).collect();
            // Taken from the end, those of one time in their order.
            script.reverse();
            script.sort_by_key(|&(at, _)| Reverse(at));
            Host::new(HostParameters {
                address: address(host),
                line: line(),
                transport: Box::new(RoceV2::new(address(host), parameters)),
                application: Box::new(Script(script)),
            })
        };
        let mut network = Self {
            hosts: (0..hosts).map(host).collect(),
            rule: Box::new(rule),
            queue: BinaryHeap::new(),
            count: 0,
            flying: Vec::new(),
            wishes: vec![Some(Instant::ZERO); hosts],
            now: Instant::ZERO,
            seen: Vec::new(),
            told: Vec::new(),
            discarded: Vec::new(),
        };
        (0..hosts).for_each(|host| network.push(Instant::ZERO, Due::Wake(host)));
        network
    }

    /// Two hosts, of which the first sends the second a message of so many full packets, run until nothing happens.
    pub fn one_message(count: u64, parameters: Parameters, rule: impl FnMut(&Seen) -> Fate + 'a) -> Self {
        let mut network = Self::new(2, parameters, &[(0, 0, 1, count * PAYLOAD, 7)], rule);
        network.run();
        network
    }

    fn push(&mut self, at: Instant, due: Due) {
        self.count += 1;
        self.queue.push(Reverse((at, self.count, due)));
    }

    /// Runs until nothing happens any more.
    pub fn run(&mut self) {
        self.run_to(Instant::from_microseconds(3_600_000_000));
        assert!(self.queue.is_empty(), "still busy after an hour");
        for host in &self.hosts {
            assert_eq!(host.waiting(self.now), [], "nothing happens, and somebody waits");
        }
    }

    pub fn run_to(&mut self, end: Instant) {
        let mut out = Outbox::new(Interest { flows: true, ..Interest::default() });
        while let Some(Reverse((at, ..))) = self.queue.peek()
            && *at <= end
        {
            let Some(Reverse((at, _, due))) = self.queue.pop() else { return };
            if matches!(due, Due::Wake(host) if self.wishes[host] != Some(at)) {
                continue;
            }
            self.now = at;
            out.begin(at);
            let host = match due {
                Due::Ready(host) => {
                    self.hosts[host].control(at, Control::PortReady(Port(0)), &mut out);
                    host
                }
                Due::Packet(host, number) => {
                    let mut burst = vec![self.flying[number].take().expect("arrives once")];
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
                let mut ipv4 = Ipv4::new(&mut packet.head.bytes_mut()[14..]).expect("IPv4");
                if ipv4.ecn() != 0 {
                    let class = ipv4.traffic_class();
                    ipv4.set_traffic_class(class | 3);
                    ipv4.fill_checksum();
                }
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

    fn look(&self, from: usize, packet: &Packet) -> Seen {
        let bytes = packet.head.bytes();
        let to = (Ipv4::new(&bytes[14..]).expect("IPv4").destination_bits() - address(0)) as usize;
        let bth = Bth::new(&bytes[42..]).expect("a base transport header");
        let number = bth.sequence().wrapping_sub(FIRST) % infiniband::NUMBERS;
        let mut seen = Seen {
            at: self.now,
            from,
            to,
            opcode: bth.opcode(),
            queue_pair: bth.queue_pair(),
            number,
            asks: bth.asks(),
            is_error: bth.opcode() == opcode::ACKNOWLEDGE
                && Aeth::new(&bytes[54..]).expect("AETH").syndrome() == syndrome::SEQUENCE_ERROR,
            copies: 0,
            packet: packet.clone(),
        };
        let same = |other: &&Seen| {
            other.is_data()
                && (other.from, other.to, other.queue_pair, other.number) == (from, to, seen.queue_pair, number)
        };
        seen.copies = self.seen.iter().filter(same).count();
        seen
    }

    pub fn filter(&self, what: impl Fn(&Seen) -> bool) -> Vec<&Seen> {
        self.seen.iter().filter(|seen| what(seen)).collect()
    }

    /// The numbers of packets with parts of messages, in the order in which they were sent.
    pub fn sent(&self) -> Vec<u32> {
        self.seen.iter().filter(|seen| seen.is_data()).map(|seen| seen.number).collect()
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
