//! The options of the path: they change how packets find their sessions, and nothing of what becomes of them.

use std::collections::BTreeMap;

use basis::{Duration, Instant};
use measure::Interest;
use node::{Node, Outbox, Port, Reason, Station};
use proptest::prelude::*;
use vswitch::configuration::{Configuration, PathOptions};
use vswitch::{Matches, VirtualSwitch};
use wire::Packet;

use crate::damaged::{Made, as_it_arrives, frame, made, options, site};
use crate::frames::{superframe, tcp, udp};
use crate::interpreter::without_program;
use crate::site::{Site, as_on_a_wire, configuration, flow_of, sessions};

/// A switch with options, and what came out of it: the packets of each port and flow in their order, and the number of those that
/// were discarded for each reason.
struct Observed {
    switch: VirtualSwitch,
    now: Instant,
    received: u64,
    sent: BTreeMap<(u16, String), Vec<Vec<u8>>>,
    discarded: BTreeMap<Reason, u64>,
}

impl Observed {
    fn new(configuration: Configuration) -> Self {
        let switch = VirtualSwitch::new(configuration, [1, 2]);
        Self { switch, now: Instant::ZERO, received: 0, sent: BTreeMap::new(), discarded: BTreeMap::new() }
    }

    fn burst(&mut self, port: Port, mut packets: Vec<Packet>) {
        let mut out = Outbox::new(Interest::default());
        out.begin(self.now);
        self.received += packets.len() as u64;
        packets = packets.into_iter().map(|packet| as_it_arrives(&self.switch, packet)).collect();
        self.switch.receive(self.now, port, &mut packets, &mut out);
        for mut transmission in out.transmissions {
            as_on_a_wire(&mut transmission.packet);
            let mut bytes = Vec::new();
            transmission.packet.append_to(&mut bytes);
            self.sent.entry((transmission.port.0, flow_of(&bytes))).or_default().push(bytes);
        }
        for discarded in out.discarded {
            *self.discarded.entry(discarded.reason).or_default() += 1;
        }
        self.now += Duration::from_microseconds(50);
    }

    fn is_conserved(&self) -> bool {
        let account = self.switch.account();
        let out = self.sent.values().map(Vec::len).sum::<usize>() as u64 + self.discarded.values().sum::<u64>();
        self.received + account.generated + account.replicated == out + account.consumed + account.held
    }
}

/// The first host of [`site`], where no session gets another port because of the order in which sessions begin.
fn host(path: PathOptions) -> Configuration {
    let mut own = site(path).switches[0].policy().configuration().clone();
    own.nats[0].ports = 1..=u16::MAX;
    // What a limiter drops depends on what came before, of any flow.
    own.limiters.clear();
    own
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    /// The packets of each flow are the same in the same order, and the same are dropped, whatever options there are.
    #[test]
    fn options_change_nothing_of_what_becomes_of_packets(
        bursts in prop::collection::vec(prop::collection::vec(made(), 1..60), 1..6),
        path in options(),
    ) {
        let guests = Site::new(vec![host(path)]);
        let (mut plain, mut other) = {
            let plain = PathOptions { cores: path.cores, ..PathOptions::default() };
            (Observed::new(host(plain)), Observed::new(host(path)))
        };
        for burst in bursts {
            for guest in [1, 2] {
                let of_guest = |made: &&Made| made.guest == guest;
                let packets: Vec<Packet> = burst.iter().filter(of_guest).map(|made| frame(&guests, made)).collect();
                // Nor does it matter how many bytes an interface has put into the head.
                plain.burst(Port(guest as u16), packets.iter().map(without_program).collect());
                other.burst(Port(guest as u16), packets);
            }
        }
        // What the gateway says, about several flows, is in no order; nor are mirrored packets of which the ports were cut off.
        for sent in [&mut plain.sent, &mut other.sent] {
            let is_of_several = |flow: &str| flow.ends_with("ports: None })");
            sent.iter_mut().filter(|((_, flow), _)| is_of_several(flow)).for_each(|(_, packets)| packets.sort());
        }
        prop_assert!(other.sent == plain.sent, "{:?} {:?}", other.sent.keys(), plain.sent.keys());
        prop_assert_eq!(&other.discarded, &plain.discarded);
        prop_assert!(plain.is_conserved() && other.is_conserved());
        let sessions = |switch: &VirtualSwitch| {
            let mut all: Vec<_> = sessions(switch).into_iter().map(|view| (view.known.keys, view.counts)).collect();
            all.sort_by_key(|(keys, _)| *keys);
            all
        };
        prop_assert_eq!(sessions(&plain.switch), sessions(&other.switch));
    }
}

fn with(path: PathOptions) -> Observed {
    Observed::new(Configuration { path, ..configuration(0) })
}

#[test]
fn a_vector_is_matched_once() {
    let mut observed = with(PathOptions { vectors: true, ..PathOptions::default() });
    let one = Site::pair().guest(1);
    // Forty packets of two flows in turns: a vector has at most sixteen.
    let packet = |number: u16| udp(&one, "10.0.2.2", [1000 + number % 2, 53], &number.to_be_bytes());
    observed.burst(Port(1), (0..80).map(packet).collect());
    let expected = Matches { by_vector: 80 - 2 * 3, by_hash: 2 * 2, by_policy: 2, ..Matches::default() };
    assert_eq!(observed.switch.matches(), expected);
    for packets in observed.sent.values() {
        assert!(packets.len() == 40 && packets.is_sorted_by_key(|bytes| bytes[42..44].to_vec()));
    }
}

#[test]
fn the_flow_index_learns_from_packets_and_stale_flow_ids_are_found_out() {
    let mut observed = with(PathOptions { flow_index: 1024, ..PathOptions::default() });
    let one = Site::pair().guest(1);
    let packet = || udp(&one, "10.0.2.2", [1000, 53], b"");
    observed.burst(Port(1), vec![packet()]);
    observed.burst(Port(1), vec![packet(), packet()]);
    let expected = Matches { by_policy: 1, by_flow_id: 2, ..Matches::default() };
    assert_eq!(observed.switch.matches(), expected);
    // The session ends, and another one is in its place.
    observed.now += Duration::from_microseconds(400_000_000);
    observed.burst(Port(1), vec![udp(&one, "10.0.2.2", [1001, 53], b"")]);
    observed.burst(Port(1), vec![packet()]);
    observed.burst(Port(1), vec![packet()]);
    let expected = Matches { by_policy: 3, by_flow_id: 3, stale: 1, ..Matches::default() };
    assert_eq!(observed.switch.matches(), expected);
}

#[test]
fn flows_that_share_a_place_in_the_flow_index_are_told_apart() {
    let mut observed = with(PathOptions { flow_index: 1, ..PathOptions::default() });
    let one = Site::pair().guest(1);
    for round in 0..2 {
        for port in 1..=2 {
            observed.burst(Port(1), vec![udp(&one, "10.0.2.2", [port, 53], &[round])]);
        }
    }
    let expected = Matches { by_policy: 2, by_hash: 2, stale: 3, ..Matches::default() };
    assert_eq!(observed.switch.matches(), expected);
    assert_eq!(observed.sent.len(), 2);
}

#[test]
fn payload_joins_its_headers_on_every_way() {
    let path = PathOptions { slicing: true, ..PathOptions::default() };
    let (mut plain, mut sliced) = (with(PathOptions::default()), with(path));
    let one = Site::pair().guest(1);
    let with_tail = |mut packet: Packet| {
        let rest = packet.head.bytes()[60..].to_vec();
        packet.head.truncate(60);
        packet.tail = wire::Tail::Bytes(rest.into());
        packet
    };
    let segment = |to| superframe(tcp(&one, to, [1, 2], wire::tcp::flag::ACK, [1, 1]), 20_000, 1400);
    for packet in [
        udp(&one, "10.0.2.2", [1, 2], &[1; 1000]),
        udp(&one, "10.0.1.3", [1, 2], &[2; 1000]),
        udp(&one, "fd00::3", [1, 2], &[3; 9500]),
        segment("10.0.2.2"),
        segment("10.0.1.3"),
    ] {
        for observed in [&mut plain, &mut sliced] {
            observed.burst(Port(1), vec![with_tail(packet.clone())]);
        }
    }
    assert_eq!(plain.sent, sliced.sent);
    assert_eq!(plain.discarded, sliced.discarded);
    assert_eq!(plain.sent.values().map(Vec::len).sum::<usize>(), 1 + 1 + 1 + 1 + 15);
}

/// The program of the pre-processor finds the headers of a guest's frame and of what a tunnel brings, and the switch believes it.
#[test]
fn headers_are_found_by_the_program() {
    let mut second = configuration(1);
    second.path = PathOptions { xdp: true, ..PathOptions::default() };
    let mut site = Site::new(vec![configuration(0), second]);
    site.as_it_arrives = as_it_arrives;
    let [one, three] = [1, 3].map(|number| site.guest(number));
    site.passes(1, 3, udp(&one, "10.0.1.3", [10, 53], b"a question"));
    site.passes(3, 1, udp(&three, "10.0.1.1", [53, 10], b"an answer"));
    let counts = site.switches[1].header_counts();
    assert_eq!((counts.by_program, counts.left, counts.foreign), (2, 0, 0));
    assert_eq!(site.switches[0].header_counts(), vswitch::HeaderCounts::default());
}

#[test]
fn policy_tables_can_decide_every_packet() {
    let mut observed = with(PathOptions { decide_each_packet: true, ..PathOptions::default() });
    let one = Site::pair().guest(1);
    for _ in 0..3 {
        observed.burst(Port(1), vec![udp(&one, "10.0.2.2", [1000, 53], b"")]);
    }
    let expected = Matches { by_policy: 3, by_hash: 2, ..Matches::default() };
    assert_eq!(observed.switch.matches(), expected);
    assert_eq!((observed.sent.len(), observed.switch.sessions_count()), (1, 1));
}
