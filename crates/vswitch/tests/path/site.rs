//! Switches with guests, whose frames go from one to the other until they arrive.

use std::collections::VecDeque;
use std::net::IpAddr;

use basis::{Duration, Instant};
use measure::Interest;
use node::{Account, Node, Outbox, Port, Reason, Station};
use vswitch::configuration::{
    Configuration, NextHop, Prefix, Probes, Route, RouteTarget, SecurityGroup, SecurityRule, SessionRate, Subnet,
    Underlay, UnderlayPath, Vnic, Vpc,
};
use vswitch::session::SessionLimits;
use vswitch::{SessionView, VirtualSwitch};
use wire::{FiveTuple, Layers, Packet, Tunnel};

use crate::frames::GATEWAY;

/// The port that leads to the underlay.
const UNDERLAY: Port = Port(100);

/// A guest with one vNIC.
#[derive(Clone, Debug)]
pub struct Guest {
    pub host: usize,
    pub port: Port,
    pub mac: [u8; 6],
    pub addresses: Vec<IpAddr>,
}

/// Something that came out of the site.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// A guest, by its number, was given a frame.
    Given(usize, Packet),
    /// A switch, by its number, has discarded a frame.
    Dropped(usize, Reason),
}

/// Some switches on one underlay, and their guests.
pub struct Site {
    pub switches: Vec<VirtualSwitch>,
    pub guests: Vec<Guest>,
    pub now: Instant,
    /// The frames that have passed between switches.
    pub between: Vec<Packet>,
    /// What interfaces do with a packet before a switch is given it; nothing, unless a test has something else.
    pub as_it_arrives: fn(&VirtualSwitch, Packet) -> Packet,
    /// The number of packets that each switch was given, and of those that came out of it in either way.
    counts: Vec<[u64; 2]>,
}

/// Completes the checksum of a packet of a tunnel, as an interface does that leads to a wire.
pub fn as_on_a_wire(packet: &mut Packet) {
    if Tunnel::of(&Layers::of(packet), packet.head.bytes(), packet.len()).is_some() {
        assert!(packet.complete_checksum(), "it lies in the head");
    }
}

/// Returns the flow of a frame, in words; of one in a tunnel also that of the frame inside, for tunnels of two flows may have the same ports.
pub fn flow_of(bytes: &[u8]) -> String {
    let flow = format!("{:?}", FiveTuple::of(&Packet::of_bytes(bytes)));
    match bytes.get(50..).filter(|_| bytes[36..38] == 4789_u16.to_be_bytes()) {
        Some(inner) => format!("{flow} {:?}", FiveTuple::of(&Packet::of_bytes(inner))),
        None => flow,
    }
}

pub fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

pub fn prefix(text: &str) -> Prefix {
    let (first, length) = text.split_once('/').expect("a prefix");
    Prefix::new(address(first), length.parse().expect("a length")).expect("a prefix")
}

/// Returns the configuration of host number `host` (0 or 1) of two: one VPC with the subnets 10.0.1.0/24, 10.0.2.0/24 and
/// fd00::/64, and guests 1 and 2 on host 0, 3 and 4 on host 1. Guest n has the addresses 10.0.1.n and fd00::n; guests 2 and
/// 4 have 10.0.2.n instead of the first.
pub fn configuration(host: usize) -> Configuration {
    let subnet = |text: &str, gateway: &str| Subnet { prefix: prefix(text), gateway: address(gateway) };
    let other = [if host == 0 { "192.0.2.2" } else { "192.0.2.1" }].map(address)[0];
    let route = |text: String| Route {
        prefix: prefix(&text),
        target: RouteTarget::Endpoint { address: other, mac: None },
        mtu: None,
    };
    let far: Vec<usize> = (1..=4).filter(|number| host_of(*number) != host).collect();
    let routes =
        far.iter().flat_map(|&number| [route(format!("{}/32", ipv4_of(number))), route(format!("fd00::{number}/128"))]);
    let near = (1..=4).filter(|number| host_of(*number) == host);
    let vnics = near.map(|number| Vnic {
        name: format!("guest-{number}"),
        interface: format!("tap{number}"),
        port: Port(number as u16),
        vpc: 0,
        mac: mac_of(number),
        addresses: vec![address(&ipv4_of(number)), address(&format!("fd00::{number}"))],
        groups: Vec::new(),
        mtu: 8500,
        session_rate: SessionRate::default(),
    });
    Configuration {
        underlay: Some(Underlay {
            paths: vec![UnderlayPath {
                interface: "eth0".to_owned(),
                port: UNDERLAY,
                mac: underlay_mac(host),
                next_hop: NextHop::Mac(underlay_mac(1 - host)),
            }],
            addresses: vec![address(if host == 0 { "192.0.2.1" } else { "192.0.2.2" })],
            mtu: 9000,
            probes: Probes::default(),
        }),
        vpcs: vec![Vpc {
            name: "red".to_owned(),
            vni: 7001,
            gateway_mac: GATEWAY,
            subnets: vec![
                subnet("10.0.1.0/24", "10.0.1.254"),
                subnet("10.0.2.0/24", "10.0.2.254"),
                subnet("fd00::/64", "fd00::fe"),
            ],
            routes: routes.collect(),
        }],
        vnics: vnics.collect(),
        limits: SessionLimits { sessions: 1000, per_vnic: 100 },
        ..Configuration::default()
    }
}

/// Returns the Ethernet address of a host on the underlay.
pub fn underlay_mac(host: usize) -> [u8; 6] {
    [2, 0, 0, 1, 0, host as u8]
}

fn host_of(number: usize) -> usize {
    (number - 1) / 2
}

fn ipv4_of(number: usize) -> String {
    format!("10.0.{}.{number}", 2 - number % 2)
}

fn mac_of(number: usize) -> [u8; 6] {
    [2, 0, 0, 0, 0, number as u8]
}

/// Returns copies of the sessions of a switch, core by core.
pub fn sessions(switch: &VirtualSwitch) -> Vec<SessionView> {
    let (mut all, mut place) = (Vec::new(), Some(0));
    while let Some(from) = place {
        let (some, next) = switch.sessions_from(from, u32::MAX);
        all.extend(some);
        place = next;
    }
    all
}

/// Returns a group with these rules.
pub fn group(rules: Vec<SecurityRule>) -> SecurityGroup {
    SecurityGroup { name: "group".to_owned(), rules, members: Vec::new() }
}

impl Site {
    pub fn new(configurations: Vec<Configuration>) -> Self {
        let guests = configurations.iter().enumerate().flat_map(|(host, configuration)| {
            configuration.vnics.iter().map(move |vnic| Guest {
                host,
                port: vnic.port,
                mac: vnic.mac,
                addresses: vnic.addresses.clone(),
            })
        });
        let (guests, counts) = (guests.collect(), vec![[0; 2]; configurations.len()]);
        let switches = configurations.into_iter().map(|configuration| VirtualSwitch::new(configuration, [1, 2]));
        let as_it_arrives = |_: &VirtualSwitch, packet| packet;
        let switches = switches.collect();
        Self { switches, guests, now: Instant::ZERO, between: Vec::new(), as_it_arrives, counts }
    }

    /// The two hosts of [`configuration`].
    pub fn pair() -> Self {
        Self::new(vec![configuration(0), configuration(1)])
    }

    /// Puts a switch that nothing has passed yet into the place of another one, which is returned.
    pub fn replace(&mut self, host: usize, switch: VirtualSwitch) -> VirtualSwitch {
        self.counts[host] = [0; 2];
        std::mem::replace(&mut self.switches[host], switch)
    }

    pub fn wait(&mut self, seconds: u64) {
        self.now += Duration::from_microseconds(1_000_000 * seconds);
    }

    /// Returns guest number 1, 2, …
    pub fn guest(&self, number: usize) -> Guest {
        self.guests[number - 1].clone()
    }

    /// Lets a guest send a frame, and returns what comes of it.
    pub fn send(&mut self, number: usize, packet: Packet) -> Vec<Told> {
        let Guest { host, port, .. } = self.guest(number);
        self.offer(host, port, packet)
    }

    /// Lets a guest send a frame that leaves the site, and returns what comes of it here.
    pub fn leave(&mut self, number: usize, packet: Packet) -> Vec<Told> {
        let Guest { host, port, .. } = self.guest(number);
        self.offer_within(host, port, packet, 1)
    }

    /// Offers a frame to a switch by its underlay.
    pub fn arrive(&mut self, host: usize, packet: Packet) -> Vec<Told> {
        self.offer(host, UNDERLAY, packet)
    }

    fn offer(&mut self, host: usize, port: Port, packet: Packet) -> Vec<Told> {
        self.offer_within(host, port, packet, self.switches.len())
    }

    /// Lets a switch do what it is to do at the present time.
    pub fn wake(&mut self, host: usize) {
        let mut out = Outbox::new(Interest::default());
        out.begin(self.now);
        self.switches[host].wake(self.now, &mut out);
        assert!(out.transmissions.is_empty() && out.discarded.is_empty());
    }

    /// Lets a switch do what it is to do at the present time, and returns what it sends by the underlay, which goes nowhere.
    pub fn tend(&mut self, host: usize) -> Vec<Packet> {
        let mut out = Outbox::new(Interest::default());
        out.begin(self.now);
        self.switches[host].wake(self.now, &mut out);
        self.counts[host][1] += (out.transmissions.len() + out.discarded.len()) as u64;
        out.transmissions.into_iter().map(|transmission| transmission.packet).collect()
    }

    /// Offers a frame; what leaves the first so many switches by the underlay goes nowhere.
    fn offer_within(&mut self, host: usize, port: Port, packet: Packet, switches: usize) -> Vec<Told> {
        let mut told = Vec::new();
        let mut waiting = VecDeque::from([(host, port, packet)]);
        while let Some((host, port, packet)) = waiting.pop_front() {
            let mut out = Outbox::new(Interest::default());
            out.begin(self.now);
            let packet = (self.as_it_arrives)(&self.switches[host], packet);
            self.switches[host].receive(self.now, port, &mut vec![packet], &mut out);
            let [given, left] = &mut self.counts[host];
            *given += 1;
            *left += (out.transmissions.len() + out.discarded.len()) as u64;
            let Account { generated, consumed, replicated, held } = self.switches[host].account();
            assert_eq!(*given + generated + replicated, *left + consumed + held, "no packet is lost or made up");
            for mut transmission in out.transmissions {
                if transmission.port == UNDERLAY {
                    as_on_a_wire(&mut transmission.packet);
                    self.between.push(transmission.packet.clone());
                    if 1 - host < switches {
                        waiting.push_back((1 - host, UNDERLAY, transmission.packet));
                    }
                } else {
                    let is_of = |guest: &Guest| guest.host == host && guest.port == transmission.port;
                    let guest = self.guests.iter().position(is_of).expect("a guest at every port");
                    told.push(Told::Given(guest + 1, transmission.packet));
                }
            }
            told.extend(out.discarded.into_iter().map(|discarded| Told::Dropped(host, discarded.reason)));
        }
        told
    }

    /// Sends a frame that must arrive at another guest, and returns it there.
    pub fn passes(&mut self, from: usize, to: usize, packet: Packet) -> Packet {
        match &self.send(from, packet)[..] {
            [Told::Given(guest, given)] if *guest == to => given.clone(),
            other => panic!("guest {to} was not given it: {other:?}"),
        }
    }

    /// Sends a frame that must be discarded, and returns the reason.
    pub fn is_dropped(&mut self, from: usize, packet: Packet) -> Reason {
        match &self.send(from, packet)[..] {
            [Told::Dropped(_, reason)] => *reason,
            other => panic!("it was not discarded: {other:?}"),
        }
    }
}
