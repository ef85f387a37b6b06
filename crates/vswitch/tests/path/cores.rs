//! Several cores: whatever their number is and whenever each has time, the same becomes of packets as with one.

use std::collections::{BTreeMap, VecDeque};

use basis::{Duration, Instant};
use measure::Interest;
use node::{Outbox, Port, Reason, Station};
use proptest::prelude::*;
use vswitch::configuration::{Configuration, Nat, PathOptions, Route, RouteTarget};
use vswitch::session::FlowKey;
use vswitch::{Made, Parsed, VirtualSwitch};
use wire::{FiveTuple, Packet, Tail, protocol, tcp::flag};

use crate::damaged::{frame, made, site};
use crate::frames::{echo, tcp, udp};
use crate::site::{Site, address, as_on_a_wire, configuration, flow_of, prefix, sessions};

/// The address of the pool.
const POOL: &str = "198.51.100.1";

/// A switch whose cores have rings, and work on them when they are told to.
pub struct Rings {
    pub switch: VirtualSwitch,
    pub now: Instant,
    rings: Vec<VecDeque<(Instant, Parsed)>>,
    made: Vec<VecDeque<Made>>,
    received: u64,
    /// The packets of each port and flow in their order.
    pub sent: BTreeMap<(u16, String), Vec<Vec<u8>>>,
    /// The packets that were discarded, by the port that they came by and the reason.
    pub discarded: BTreeMap<(Option<Port>, Reason), u64>,
}

impl Rings {
    pub fn new(configuration: Configuration) -> Self {
        let switch = VirtualSwitch::new(configuration, [1, 2]);
        let mut rings = Self {
            switch,
            now: Instant::ZERO,
            rings: Vec::new(),
            made: Vec::new(),
            received: 0,
            sent: BTreeMap::new(),
            discarded: BTreeMap::new(),
        };
        rings.resize();
        rings
    }

    fn resize(&mut self) {
        let cores = self.switch.cores().len();
        self.rings.resize_with(cores, VecDeque::new);
        self.made.resize_with(cores, VecDeque::new);
    }

    /// Brings packets to the rings. Returns the time before which a driver would fetch nothing more from the port.
    pub fn prepare(&mut self, port: Port, mut packets: Vec<Packet>) -> Option<Instant> {
        let mut out = self.outbox();
        self.received += packets.len() as u64;
        let Self { switch, rings, now, .. } = self;
        let bring = &mut |core: u16, parsed| rings[usize::from(core)].push_back((*now, parsed));
        switch.prepare(*now, port, &mut packets, &mut out, bring);
        switch.end_burst(port, 0, &mut out);
        let not_before = out.not_before(port, *now);
        self.left(out, Some(port));
        self.now += Duration::from_microseconds(50);
        not_before
    }

    /// Lets a core work on a packet of its ring, or on several at once, whenever they have come, or the post-processor on what a core
    /// has made. Returns false if there was nothing.
    fn step(&mut self, which: usize) -> bool {
        let cores = self.rings.len();
        let (core, is_behind, is_batch) = (which / 2 % cores, which % 2 == 1, which / 2 >= cores);
        if is_behind {
            let Some(made) = self.made[core].pop_front() else { return false };
            let mut out = self.outbox();
            self.switch.finish(self.now, made, &mut out);
            self.left(out, None);
        } else {
            let ring = &mut self.rings[core];
            let packets = ring.len().min(if is_batch { 64 } else { 1 });
            let mut worker = self.switch.cores()[core].lock().expect("no panic");
            let behind = &mut self.made[core];
            for (now, parsed) in ring.drain(..packets) {
                worker.work(now, parsed, &mut |made| behind.push_back(made));
            }
            worker.finish(&mut |made| behind.push_back(made));
            drop(worker);
            self.switch.worked(core as u16, packets);
            return packets > 0;
        }
        true
    }

    /// Lets everything go on until nothing waits.
    pub fn settle(&mut self) {
        while (0..2 * self.rings.len()).any(|which| self.step(which)) {}
    }

    /// Gives or takes cores.
    fn set_cores(&mut self, cores: u16) {
        self.settle();
        self.switch.set_cores(self.now, cores);
        self.resize();
    }

    fn outbox(&self) -> Outbox {
        let mut out = Outbox::new(Interest::default());
        out.begin(self.now);
        out
    }

    /// Keeps what has left in a call for a port, if it was for one.
    fn left(&mut self, out: Outbox, port: Option<Port>) {
        for transmission in out.transmissions {
            let mut packet = self.inside(transmission.packet);
            as_on_a_wire(&mut packet);
            let mut bytes = Vec::new();
            packet.append_to(&mut bytes);
            self.sent.entry((transmission.port.0, flow_of(&bytes))).or_default().push(bytes);
        }
        for discarded in out.discarded {
            *self.discarded.entry((discarded.port.or(port), discarded.reason)).or_default() += 1;
        }
    }

    /// Returns a packet that leaves for the world outside with the guest's own address and port, which are the same for any number of
    /// cores, in the place of the pool's; its checksum is cleared.
    fn inside(&self, mut packet: Packet) -> Packet {
        let Some(key) = outside_key(&packet) else { return packet };
        let at = if matches!(key.protocol(), protocol::ICMP) { 38 } else { 34 };
        let sum = match key.protocol() {
            protocol::TCP => 50,
            protocol::UDP => 40,
            _ => 36,
        };
        let Some((view, 1)) = self.switch.session_of(&key.reversed()) else { panic!("{key:?} has no session") };
        let [own, _] = view.known.keys[0].ports();
        let head = packet.head.bytes_mut();
        head[at..at + 2].copy_from_slice(&own.to_be_bytes());
        // Two guests may have the same port of their own.
        if let std::net::IpAddr::V4(guest) = view.known.keys[0].addresses()[0] {
            head[26..30].copy_from_slice(&guest.octets());
        }
        if let Some(bytes) = head.get_mut(sum..sum + 2) {
            bytes.fill(0);
        }
        packet
    }

    fn account(&self) -> [u64; 3] {
        let account = self.switch.account();
        [account.generated, account.replicated, account.consumed]
    }

    pub fn is_conserved(&self) -> bool {
        let [generated, replicated, consumed] = self.account();
        let out = self.sent.values().map(Vec::len).sum::<usize>() as u64 + self.discarded.values().sum::<u64>();
        self.received + generated + replicated == out + consumed
    }

    /// What has passed in each session, by the key of the packet that began it.
    fn sessions(&self) -> Vec<(FlowKey, [vswitch::session::Count; 2])> {
        let views = sessions(&self.switch).into_iter();
        let mut all: Vec<_> = views.map(|view| (view.known.keys[0], view.counts)).collect();
        all.sort_by_key(|(key, _)| *key);
        all
    }
}

/// Returns the key of a packet from the pool to the world outside, if it has a port that a pool gives.
fn outside_key(packet: &Packet) -> Option<FlowKey> {
    let tuple = FiveTuple::of(packet)?;
    let head = packet.head.bytes();
    let source: std::net::IpAddr = std::net::Ipv4Addr::from(*head.get(26..30)?.first_chunk::<4>()?).into();
    let destination: std::net::IpAddr = std::net::Ipv4Addr::from(*head.get(30..34)?.first_chunk::<4>()?).into();
    let is_first = head[20] & 0x1F == 0 && head[21] == 0;
    if source != address(POOL) || head[12..14] != [8, 0] || !is_first {
        return None;
    }
    let word = |at: usize| Some(u16::from_be_bytes(*head.get(at..at + 2)?.first_chunk::<2>()?));
    let ports = match tuple.protocol {
        protocol::TCP | protocol::UDP => [word(34)?, word(36)?],
        protocol::ICMP if head.get(34) == Some(&8) => [word(38)?; 2],
        _ => return None,
    };
    Some(FlowKey::new(0, [source, destination], tuple.protocol, ports))
}

/// The first host of [`site`], without what depends on the order of packets of different flows.
fn host(path: PathOptions) -> Configuration {
    let mut own = site(path).switches[0].policy().configuration().clone();
    own.nats[0].ports = 1..=u16::MAX;
    own.limiters.clear();
    // The port of a tunnel to whoever watches is made of a hash, but fragments have no ports to tell them by.
    own.underlay.as_mut().expect("an underlay").mtu = 9000;
    own.vpcs[0].routes.iter_mut().for_each(|route| route.mtu = None);
    // A copy that ends before the ports of its packet does not tell which flow it is of.
    own.mirrors.iter_mut().for_each(|mirror| mirror.length = None);
    own
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// The packets of each flow are the same in the same order as with one core, the same are dropped, and the same is counted,
    /// whenever each core works, and however many there are meanwhile.
    #[test]
    fn any_number_of_cores_does_the_same(
        bursts in prop::collection::vec((prop::collection::vec(made(), 1..30), 1..6u16, any::<bool>()), 1..6),
        steps in prop::collection::vec(0..12usize, 0..300),
        [vectors, slicing] in any::<[bool; 2]>(),
    ) {
        let path = PathOptions { vectors, slicing, ..PathOptions::default() };
        let guests = Site::new(vec![host(path)]);
        let (mut one, mut many) = (Rings::new(host(path)), Rings::new(host(PathOptions { cores: 3, ..path })));
        let mut steps = steps.into_iter();
        for (burst, cores, changes) in bursts {
            for guest in [1, 2] {
                let of_guest = burst.iter().filter(|made| made.guest == guest);
                let packets: Vec<Packet> = of_guest.map(|made| frame(&guests, made)).collect();
                one.prepare(Port(guest as u16), packets.clone());
                one.settle();
                many.prepare(Port(guest as u16), packets);
                steps.by_ref().take(30).for_each(|which| _ = many.step(which));
            }
            if changes {
                many.set_cores(cores);
            }
        }
        many.settle();
        // What the gateway says, about several flows, is in no order; copies of several flows share one tunnel.
        for sent in [&mut one.sent, &mut many.sent] {
            let is_mixed = |(_, flow): &(u16, String)| flow.contains("protocol: 1,") || flow.contains("protocol: 58,");
            sent.iter_mut().filter(|(flow, _)| is_mixed(flow)).for_each(|(_, packets)| packets.sort());
        }
        prop_assert!(one.is_conserved() && many.is_conserved());
        prop_assert_eq!(&many.discarded, &one.discarded);
        prop_assert_eq!(many.account(), one.account());
        prop_assert_eq!(many.sessions(), one.sessions());
        prop_assert_eq!([0, 1].map(|vnic| many.switch.counts_of(vnic)), [0, 1].map(|vnic| one.switch.counts_of(vnic)));
        prop_assert_eq!(many.switch.slow_path_packets(), one.switch.slow_path_packets());
        prop_assert!(many.sent == one.sent, "{:?} {:?}", many.sent.keys(), one.sent.keys());
    }
}

/// A core on a busy computer had bursts of several moments in its ring, sorted them into vectors together, and worked on all at the time
/// of the last one, at which the payload of the first had waited for too long.
#[test]
fn payload_of_packets_that_wait_in_a_ring_is_not_late() {
    let mut own = configuration(0);
    own.path = PathOptions { cores: 2, vectors: true, slicing: true, ..PathOptions::default() };
    let mut rings = Rings::new(own);
    let one = Site::pair().guest(1);
    for number in 0..4 {
        let mut packet = udp(&one, "10.0.2.2", [1000, 53], &[number; 1000]);
        let rest = packet.head.bytes()[60..].to_vec();
        packet.head.truncate(60);
        packet.tail = Tail::Bytes(rest.into());
        rings.prepare(Port(1), vec![packet]);
    }
    let cores = rings.rings.len();
    (0..cores).for_each(|core| _ = rings.step(2 * (cores + core)));
    rings.settle();
    assert!(rings.discarded.is_empty(), "{:?}", rings.discarded);
    let sent: Vec<_> = rings.sent.values().flatten().map(|bytes| (bytes.len(), bytes[1041])).collect();
    assert_eq!(sent, [0, 1, 2, 3].map(|number| (1042, number)));
}

/// The first host with a pool, as wide as it can be.
fn translating(cores: u16) -> Configuration {
    let mut own = configuration(0);
    own.path.cores = cores;
    own.nats = vec![Nat { name: "world".to_owned(), addresses: vec![address(POOL)], ports: 1024..=u16::MAX }];
    own.vpcs[0].routes.push(Route { prefix: prefix("0.0.0.0/0"), target: RouteTarget::Nat(0), mtu: None });
    own
}

/// Returns a reply to a packet of TCP or UDP that has left for the world outside.
fn reply(packet: &Packet) -> Packet {
    let mut reply = packet.clone();
    let head = reply.head.bytes_mut();
    for (one, other, length) in [(26, 30, 4), (34, 36, 2)] {
        (0..length).for_each(|byte| head.swap(one + byte, other + byte));
    }
    // The underlay's Ethernet addresses are not looked at, and sums do not depend on the order.
    reply
}

#[test]
fn replies_from_outside_find_their_sessions_while_cores_are_given_and_taken() {
    let mut site = Site::new(vec![translating(3)]);
    let guest = site.guest(1);
    let mut left = Vec::new();
    for port in 0..60u16 {
        let packet = if port.is_multiple_of(2) {
            udp(&guest, "203.0.113.9", [5000 + port, 53], b"question")
        } else {
            tcp(&guest, "203.0.113.9", [5000 + port, 80], flag::SYN, [1, 0])
        };
        site.leave(1, packet);
        left.push(site.between.pop().expect("it has left"));
    }
    for cores in [3, 1, 4, 2, 5] {
        site.switches[0].set_cores(Instant::ZERO, cores);
        let views: Vec<_> = site.switches[0].core_views().collect();
        assert_eq!(views.iter().map(|view| view.sessions).sum::<u64>(), 60);
        assert!(
            views.len() == usize::from(cores) && views.iter().all(|view| view.sessions > 60 / 5 / u64::from(cores))
        );
        for (number, packet) in left.iter().enumerate() {
            let told = site.arrive(0, reply(packet));
            assert!(matches!(told[..], [crate::site::Told::Given(1, _)]), "{cores} cores, flow {number}: {told:?}");
            // And another packet of the guest finds the session too, with the same port of the pool.
            let port = 5000 + number as u16;
            if port.is_multiple_of(2) {
                site.leave(1, udp(&guest, "203.0.113.9", [port, 53], b"question"));
                assert_eq!(site.between.pop().as_ref(), Some(packet), "{cores} cores");
            }
        }
        assert_eq!(site.switches[0].sessions_count(), 60, "no other session has begun");
    }
}

#[test]
fn limits_hold_for_the_sessions_of_all_cores_together() {
    let mut own = configuration(0);
    own.path.cores = 4;
    own.limits.per_vnic = 50;
    let mut site = Site::new(vec![own]);
    let one = site.guest(1);
    for port in 1..=200 {
        site.send(1, udp(&one, "10.0.2.2", [port, 53], b""));
    }
    assert_eq!((site.switches[0].sessions_count(), site.switches[0].sessions_of_vnic(0)), (50, 50));
    site.switches[0].set_cores(Instant::ZERO, 1);
    assert_eq!((site.switches[0].sessions_count(), site.switches[0].sessions_of_vnic(0)), (50, 50));
}

#[test]
fn answers_to_queries_and_errors_come_to_the_core_of_the_query() {
    let mut own = configuration(0);
    own.path.cores = 5;
    let mut site = Site::new(vec![own]);
    let (one, two) = (site.guest(1), site.guest(2));
    for identifier in 0..20 {
        site.send(1, echo(&one, "10.0.2.2", true, identifier));
        let told = site.send(2, echo(&two, "10.0.1.1", false, identifier));
        assert!(matches!(told[..], [crate::site::Told::Given(1, _)]), "{told:?}");
    }
}
