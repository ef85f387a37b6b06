//! The network: a queue of events, and the execution of what hosts request.

use std::collections::BTreeMap;

use basis::Instant;
use measure::Interest;
use node::{Control, Node, Outbox, Port, Reason, Station};
use transports::Flow;
use transports::{Host, HostParameters, Transport};
use wire::Packet;

use super::account::FlowReport;
use super::script::Script;
use super::{Fate, Left, Sight, Wants, Ways, address, destination, host_of, ipv4_of};

/// An event at a host.
pub(super) enum Due {
    Ready(usize),
    Wake(usize),
    Packet(usize, Packet),
    /// A packet arrives at the last hop before the host.
    AtLastHop(usize, Packet),
    LastHopFree(usize),
}

pub struct Network<'a, Seen: Sight> {
    pub hosts: Vec<Host>,
    pub(super) ways: Ways,
    rule: Box<dyn FnMut(&Seen) -> Fate + 'a>,
    /// The events by time, and then in the order in which they were added.
    queue: BTreeMap<(Instant, u64), Due>,
    count: u64,
    /// The time at which each host wants to be woken.
    wishes: Vec<Option<Instant>>,
    pub now: Instant,
    /// Every packet that left a host, in order.
    pub seen: Vec<Seen>,
    pub reports: Vec<FlowReport>,
    pub discarded: Vec<(Instant, Reason)>,
    /// The packets sent and received by each host, in order.
    pub captured: Vec<Vec<(Instant, Packet)>>,
    /// The last-hop ports, if packets wait for the link to their host.
    pub ports: Vec<Seen::LastHop>,
}

impl<'a, Seen: Sight> Network<'a, Seen> {
    /// Creates a network of `hosts` hosts that send the messages in `wants`.
    pub fn connect(
        hosts: usize,
        ways: Ways,
        transport: impl Fn(usize) -> Box<dyn Transport>,
        wants: &[Wants],
        rule: impl FnMut(&Seen) -> Fate + 'a,
    ) -> Self {
        let host = |host: usize| {
            let own = wants.iter().filter(|&(_, from, _)| *from == host);
            let script = own.map(|(at, _, wanted)| (Instant::from_microseconds(*at), wanted.clone())).collect();
            Host::new(HostParameters {
                address: address(host),
                link: ways.link,
                transport: transport(host),
                application: Box::new(Script::new(script)),
            })
        };
        let mut network = Self {
            hosts: (0..hosts).map(host).collect(),
            ways,
            rule: Box::new(rule),
            queue: BTreeMap::new(),
            count: 0,
            wishes: vec![Some(Instant::ZERO); hosts],
            now: Instant::ZERO,
            seen: Vec::new(),
            reports: Vec::new(),
            discarded: Vec::new(),
            captured: vec![Vec::new(); hosts],
            ports: Vec::new(),
        };
        (0..hosts).for_each(|host| network.push(Instant::ZERO, Due::Wake(host)));
        network
    }

    pub(super) fn push(&mut self, at: Instant, due: Due) {
        self.count += 1;
        self.queue.insert((at, self.count), due);
    }

    /// Runs until nothing is left to do, and asserts that no message is waiting then.
    pub fn run(&mut self) {
        self.run_to(Instant::MAX);
        for host in &self.hosts {
            assert_eq!(host.waiting(self.now), [], "nothing is left to do, but a message is waiting");
        }
    }

    /// Runs until nothing is left to do, or until `end`.
    pub fn run_to(&mut self, end: Instant) {
        let mut out = Outbox::new(Interest::of::<Flow>());
        while let Some(next) = self.queue.first_entry()
            && next.key().0 <= end
        {
            let ((at, _), due) = next.remove_entry();
            if matches!(due, Due::Wake(host) if self.wishes[host] != Some(at)) {
                continue;
            }
            assert!(at < self.ways.limit, "still busy at {at}");
            self.now = at;
            out.begin(at);
            let host = match due {
                Due::AtLastHop(host, packet) => {
                    self.at_last_hop(host, packet);
                    continue;
                }
                Due::LastHopFree(host) => {
                    self.serve(host);
                    continue;
                }
                Due::Ready(host) => {
                    self.hosts[host].control(at, Control::PortReady(Port(0)), &mut out);
                    host
                }
                Due::Packet(host, packet) => {
                    self.captured[host].push((at, packet.clone()));
                    self.hosts[host].receive(at, Port(0), &mut vec![packet], &mut out);
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
            assert!(at > now, "asks for a notification in the past");
            self.push(at, Due::Ready(host));
        }
        // All hosts share one outbox, so each call must set the deadline again.
        let wish = out.take_deadline();
        if wish != self.wishes[host] || wish == Some(now) {
            self.wishes[host] = wish;
            if let Some(at) = wish {
                self.push(at, Due::Wake(host));
            }
        }
        for event in out.events.drain(..) {
            let Ok(Flow { flow, happened }) = event.read() else { continue };
            self.reports.push(FlowReport { at: now, source: host_of(flow.source), message: flow.message, happened });
        }
        self.discarded.extend(out.discarded.drain(..).map(|discarded| (now, discarded.reason)));
        for transmission in out.transmissions.drain(..) {
            let (at, packet) = (transmission.at, transmission.packet);
            let left = Left { at, from: host, to: destination(&packet), packet: &packet };
            let seen = Seen::of(left, &self.seen);
            self.captured[host].push((at, packet.clone()));
            let fate = (self.rule)(&seen);
            self.seen.push(seen);
            self.deliver(packet, fate);
        }
    }

    fn deliver(&mut self, mut packet: Packet, fate: Fate) {
        let arrives = self.now + self.ways.link.time_of(packet.len()) + self.ways.delay;
        match fate {
            Fate::Pass => self.arrive(arrives, packet),
            Fate::Drop => {}
            Fate::Mark => {
                mark(&mut packet);
                self.arrive(arrives, packet);
            }
            Fate::Change(change) => {
                change(&mut packet);
                self.arrive(arrives, packet);
            }
            Fate::Late(more) => self.arrive(arrives + more, packet),
            Fate::Twice(more) => {
                self.arrive(arrives + more, packet.clone());
                self.arrive(arrives, packet);
            }
        }
    }

    fn arrive(&mut self, at: Instant, packet: Packet) {
        let host = destination(&packet);
        let due = if self.ports.is_empty() { Due::Packet(host, packet) } else { Due::AtLastHop(host, packet) };
        self.push(at, due);
    }

    /// Lets a packet arrive at a host, which may be one that no host has sent.
    pub fn inject(&mut self, at: Instant, host: usize, packet: Packet) {
        self.push(at, Due::Packet(host, packet));
    }
}

/// Marks a packet as having met congestion, if it is ECN-capable (RFC 3168).
fn mark(packet: &mut Packet) {
    let mut ipv4 = ipv4_of(packet);
    if ipv4.ecn() != 0 {
        let class = ipv4.traffic_class();
        ipv4.set_traffic_class(class | 3);
        ipv4.fill_checksum();
    }
}
