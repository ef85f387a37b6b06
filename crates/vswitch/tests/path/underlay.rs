//! Paths of the underlay, and the Ethernet addresses of hosts on it.

use basis::{Duration, Instant};
use measure::Interest;
use node::{Account, Control, Node, Outbox, Port, Reason, Station};
use vswitch::VirtualSwitch;
use vswitch::configuration::{Configuration, NextHop, Probes, UnderlayPath};
use vswitch::reasons;
use wire::{Ethernet, Packet};

use crate::frames::{described, udp};
use crate::site::{Guest, Site, address, configuration};
use crate::translation::outside;

const ROUTER: [u8; 6] = [2, 0, 0, 9, 0, 1];
const MILLISECOND: Duration = Duration::from_microseconds(1000);

/// The path of a number, at the port 100 and behind.
fn path(number: u8, next_hop: NextHop) -> UnderlayPath {
    let mac = [2, 0, 0, 1, number, 0];
    UnderlayPath { interface: format!("eth{number}"), port: Port(100 + u16::from(number)), mac, next_hop }
}

fn router(number: u8) -> NextHop {
    NextHop::Router(address(&format!("192.0.2.{}", 250 + number)))
}

/// A switch with one guest that sends, and what it has been given and sent.
struct Host {
    switch: VirtualSwitch,
    guest: Guest,
    now: Instant,
    given: u64,
    left: u64,
}

impl Host {
    /// Host 0 of the site with these paths. Its routers are asked every 100 ms.
    fn new(paths: Vec<UnderlayPath>) -> Self {
        Self::of(|own| {
            let underlay = own.underlay.as_mut().expect("an underlay");
            underlay.paths = paths;
            underlay.probes = Probes { interval: MILLISECOND.times(100), count: 3 };
        })
    }

    fn of(change: impl FnOnce(&mut Configuration)) -> Self {
        let mut own = configuration(0);
        change(&mut own);
        let guest = Site::new(vec![own.clone()]).guest(1);
        Self { switch: VirtualSwitch::new(own, [1, 2]), guest, now: Instant::ZERO, given: 0, left: 0 }
    }

    /// Calls the switch, and returns what it sends to the underlay, and the reasons for which it discards.
    fn call(
        &mut self,
        call: impl FnOnce(&mut VirtualSwitch, Instant, &mut Outbox),
    ) -> (Vec<(Port, Packet)>, Vec<Reason>) {
        let mut out = Outbox::new(Interest::default());
        out.begin(self.now);
        call(&mut self.switch, self.now, &mut out);
        self.left += (out.transmissions.len() + out.discarded.len()) as u64;
        let Account { generated, consumed, replicated, held } = self.switch.account();
        assert_eq!(self.given + generated + replicated, self.left + consumed + held, "no packet is lost or made up");
        let sent = out.transmissions.into_iter().map(|sent| (sent.port, sent.packet)).collect();
        (sent, out.discarded.into_iter().map(|discarded| discarded.reason).collect())
    }

    fn receive(&mut self, port: Port, packet: Packet) -> (Vec<(Port, Packet)>, Vec<Reason>) {
        self.given += 1;
        self.call(|switch, now, out| switch.receive(now, port, &mut vec![packet], out))
    }

    /// Lets the guest send a datagram to guest 3, which is behind the tunnel endpoint 192.0.2.2.
    fn sends(&mut self, from: u16) -> (Vec<(Port, Packet)>, Vec<Reason>) {
        let packet = udp(&self.guest, "10.0.1.3", [from, 53], b"");
        self.receive(self.guest.port, packet)
    }

    fn waits(&mut self, milliseconds: u64) -> (Vec<(Port, Packet)>, Vec<Reason>) {
        self.now += MILLISECOND.times(milliseconds);
        self.call(|switch, now, out| switch.wake(now, out))
    }

    /// Lets the routers of the paths with these numbers answer what they are asked.
    fn answers(&mut self, asked: &[(Port, Packet)], routers: &[u8]) {
        for (port, packet) in asked {
            let number = (port.0 - 100) as u8;
            if let Some(target) = arp_request(packet).filter(|_| routers.contains(&number)) {
                self.receive(*port, arp(false, (ROUTER, target), ([2, 0, 0, 1, number, 0], [192, 0, 2, 1])));
            }
        }
    }
}

/// Returns a message of ARP for host 0.
fn arp(is_request: bool, sender: ([u8; 6], [u8; 4]), target: ([u8; 6], [u8; 4])) -> Packet {
    let mut bytes = vec![0xFF; 6];
    bytes.extend_from_slice(&sender.0);
    bytes.extend_from_slice(&[8, 6, 0, 1, 8, 0, 6, 4, 0, if is_request { 1 } else { 2 }]);
    for (mac, address) in [sender, target] {
        bytes.extend_from_slice(&mac);
        bytes.extend_from_slice(&address);
    }
    Packet::of_bytes(&bytes)
}

/// Returns the address that a request of ARP asks for.
fn arp_request(packet: &Packet) -> Option<[u8; 4]> {
    let bytes = packet.head.bytes();
    (bytes.get(12..22)? == [8, 6, 0, 1, 8, 0, 6, 4, 0, 1]).then(|| *bytes[38..].first_chunk().expect("a message"))
}

fn destination(packet: &Packet) -> [u8; 6] {
    Ethernet::new(packet.head.bytes()).expect("a frame").destination()
}

#[test]
fn packets_wait_until_the_other_endpoint_has_said_where_it_is() {
    let mut host = Host::new(vec![path(0, NextHop::Neighbours)]);
    let (sent, dropped) = host.sends(1);
    assert_eq!((sent.len(), dropped.len()), (1, 0), "only the question");
    assert_eq!((destination(&sent[0].1), arp_request(&sent[0].1)), ([0xFF; 6], Some([192, 0, 2, 2])));
    assert_eq!(host.sends(2), (vec![], vec![]));
    let answer = arp(false, (ROUTER, [192, 0, 2, 2]), ([2, 0, 0, 1, 0, 0], [192, 0, 2, 1]));
    let (sent, _) = host.receive(Port(100), answer);
    assert_eq!(sent.iter().map(|(_, packet)| destination(packet)).collect::<Vec<_>>(), [ROUTER; 2]);
    let (sent, _) = host.sends(3);
    assert_eq!((sent.len(), destination(&sent[0].1)), (1, ROUTER));
}

#[test]
fn packets_for_an_endpoint_that_does_not_answer_are_dropped() {
    let mut host = Host::new(vec![path(0, NextHop::Neighbours)]);
    host.sends(1);
    for _ in 0..2 {
        assert!(matches!(&host.waits(1000), (sent, dropped) if sent.len() == 1 && dropped.is_empty()));
    }
    let (sent, dropped) = host.waits(1000);
    assert_eq!(dropped, [reasons::UNRESOLVED]);
    let [(Port(1), notice)] = &sent[..] else { panic!("the guest is told: {sent:?}") };
    assert_eq!(described(notice), "fe>01 10.0.1.254>10.0.1.1 1 ttl 64 ok");
    let bytes = notice.head.bytes();
    assert_eq!(
        (&bytes[34..36], &bytes[54..62]),
        (&[3, 1][..], &[10, 0, 1, 1, 10, 0, 1, 3][..]),
        "and which packet is meant"
    );
    // Sixteen packets wait; the oldest goes first.
    (0..16).for_each(|from| assert_eq!(host.sends(from).1, []));
    assert_eq!(host.sends(16).1, [reasons::UNRESOLVED]);
}

#[test]
fn guests_are_told_of_translated_and_of_ipv6_packets_too() {
    let mut host = Host::of(|own| {
        own.underlay.as_mut().expect("an underlay").paths = vec![path(0, router(1))];
        own.nats = outside(1024..=u16::MAX).nats;
        own.vpcs[0].routes.extend(outside(1..=1).vpcs[0].routes.iter().rev().take(2).cloned());
    });
    let guest = host.guest.clone();
    host.receive(guest.port, udp(&guest, "203.0.113.9", [5000, 53], b""));
    host.receive(guest.port, udp(&guest, "fd00::3", [5000, 53], b""));
    let told: Vec<(Port, Packet)> =
        (0..4).flat_map(|_| host.waits(1000).0).filter(|(port, _)| *port == Port(1)).collect();
    let told: Vec<(String, Vec<u8>)> =
        told.iter().map(|(_, packet)| (described(packet), packet.head.bytes().to_vec())).collect();
    let [(four, first), (six, second)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((four.as_str(), &first[34..36]), ("fe>01 192.0.2.1>10.0.1.1 1 ttl 63 ok", &[3, 1][..]));
    assert_eq!(first[54..62], [10, 0, 1, 1, 203, 0, 113, 9], "as the guest has sent it");
    assert_eq!((six.as_str(), &second[54..56]), ("fe>01 fd00::fe>fd00::1 58 ttl 64 ok", &[1, 3][..]));
}

#[test]
fn who_asks_for_the_endpoint_or_an_address_of_a_pool_is_answered() {
    let mut host = Host::of(|own| {
        own.nats = vec![vswitch::configuration::Nat {
            name: "world".to_owned(),
            addresses: vec![address("198.51.100.1")],
            ports: 4000..=4001,
        }];
    });
    for (target, is_answered) in [([192, 0, 2, 1], true), ([198, 51, 100, 1], true), ([192, 0, 2, 9], false)] {
        let (sent, dropped) = host.receive(Port(100), arp(true, (ROUTER, [192, 0, 2, 7]), ([0; 6], target)));
        assert_eq!((sent.len(), dropped.len()), (usize::from(is_answered), 0));
        if let [(port, answer)] = &sent[..] {
            let own = crate::site::underlay_mac(0);
            assert_eq!(
                (port.0, answer),
                (100, &{
                    let mut expected = arp(false, (own, target), (ROUTER, [192, 0, 2, 7]));
                    expected.head.bytes_mut()[..6].copy_from_slice(&ROUTER);
                    expected
                })
            );
        }
    }
    let short = Packet::of_bytes(&arp(true, (ROUTER, [192, 0, 2, 7]), ([0; 6], [192, 0, 2, 1])).head.bytes()[..40]);
    assert_eq!(host.receive(Port(100), short).1, [Reason::MALFORMED]);
}

#[test]
fn neighbours_of_ipv6_are_solicited_and_advertised() {
    let mut two = [0, 1].map(|host| {
        Host::of(|own| {
            *own = configuration(host);
            let underlay = own.underlay.as_mut().expect("an underlay");
            underlay.addresses = vec![address(&format!("2001:db8::{}", host + 1))];
            underlay.paths =
                vec![UnderlayPath { mac: crate::site::underlay_mac(host), ..path(0, NextHop::Neighbours) }];
            let other = address(&format!("2001:db8::{}", 2 - host));
            for route in &mut own.vpcs[0].routes {
                route.target = vswitch::configuration::RouteTarget::Endpoint { address: other, mac: None };
            }
        })
    });
    let (asked, _) = two[0].sends(1);
    assert_eq!((asked.len(), destination(&asked[0].1)), (1, [0x33, 0x33, 0xFF, 0, 0, 2]));
    let (answered, dropped) = two[1].receive(Port(100), asked[0].1.clone());
    assert_eq!((answered.len(), dropped.len(), destination(&answered[0].1)), (1, 0, crate::site::underlay_mac(0)));
    let (sent, _) = two[0].receive(Port(100), answered[0].1.clone());
    assert_eq!((sent.len(), destination(&sent[0].1)), (1, crate::site::underlay_mac(1)));
    let (given, dropped) = two[1].receive(Port(100), sent[0].1.clone());
    assert_eq!((given.len(), dropped.len(), given[0].0), (1, 0, Port(3)), "guest 3 is given it");
}

/// The ports by which a hundred flows leave.
fn ports(host: &mut Host) -> Vec<u16> {
    (0..50)
        .flat_map(|from| host.sends(from).0)
        .filter(|(_, packet)| arp_request(packet).is_none())
        .map(|(port, _)| port.0)
        .collect()
}

#[test]
fn flows_leave_a_path_whose_router_is_silent_and_come_back() {
    let mut host = Host::new(vec![path(0, router(0)), path(1, router(1))]);
    let (asked, _) = host.waits(0);
    assert_eq!(asked.len(), 2);
    host.answers(&asked, &[0, 1]);
    let before = ports(&mut host);
    assert!(before.contains(&100) && before.contains(&101) && before.len() == 50, "{before:?}");
    // Three questions without an answer, and the time of a fourth.
    for _ in 0..4 {
        assert!(ports(&mut host).contains(&101));
        let (asked, _) = host.waits(100);
        host.answers(&asked, &[0]);
    }
    assert_eq!(ports(&mut host), [100; 50]);
    let changes: Vec<_> = host.switch.path_changes().map(|change| (change.path, change.is_alive)).collect();
    assert_eq!(changes, [(1, false)]);
    let (asked, _) = host.waits(100);
    host.answers(&asked, &[0, 1]);
    assert_eq!(ports(&mut host), before);
    assert_eq!(
        host.switch.underlay_paths().map(|(state, mac)| (state.changes, mac)).collect::<Vec<_>>(),
        [(0, Some(ROUTER)), (2, Some(ROUTER))]
    );
}

#[test]
fn a_switch_that_stands_by_knows_which_routers_are_there() {
    let mut host = Host::new(vec![path(0, router(0)), path(1, router(1))]);
    for _ in 0..5 {
        let (asked, _) = host.waits(100);
        for (port, packet) in asked.iter().filter(|(port, _)| port.0 == 101) {
            let target = arp_request(packet).expect("a question");
            let answer = arp(false, (ROUTER, target), ([2, 0, 0, 1, 1, 0], [192, 0, 2, 1]));
            host.switch.overhear(host.now, *port, &answer);
        }
    }
    let known =
        |host: &Host| host.switch.underlay_paths().map(|(state, mac)| (state.is_alive(), mac)).collect::<Vec<_>>();
    assert_eq!(known(&host), [(false, None), (true, Some(ROUTER))]);
}

#[test]
fn flows_leave_a_path_whose_link_is_down_at_once() {
    let mut host = Host::new(vec![path(0, NextHop::Mac(ROUTER)), path(1, NextHop::Mac(ROUTER))]);
    let before = ports(&mut host);
    host.call(|switch, now, out| switch.control(now, Control::Link { port: Port(100), up: false }, out));
    assert_eq!(ports(&mut host), [101; 50]);
    host.call(|switch, now, out| switch.control(now, Control::Link { port: Port(100), up: true }, out));
    assert_eq!(ports(&mut host), before);
}

#[test]
fn what_is_for_another_path_is_not_taken_twice() {
    let mut host = Host::new(vec![path(0, NextHop::Neighbours), path(1, NextHop::Neighbours)]);
    let mut frame = udp(&host.guest, "192.0.2.1", [1, 4789], b"");
    frame.head.bytes_mut()[..6].copy_from_slice(&[2, 0, 0, 1, 1, 0]);
    assert_eq!(host.receive(Port(100), frame.clone()).1, [reasons::NOT_OURS]);
    assert_ne!(host.receive(Port(101), frame).1, [reasons::NOT_OURS]);
}

#[test]
fn packets_that_wait_on_a_path_that_goes_are_dropped() {
    let mut host = Host::new(vec![path(0, NextHop::Neighbours)]);
    host.sends(1);
    host.switch.apply(configuration(0));
    assert_eq!(host.waits(0).1, [reasons::UNRESOLVED]);
}
