//! Rings of cores that more is brought to than the cores work on.

use basis::Instant;
use measure::Interest;
use node::{Node, Outbox, Port, Reason};
use vswitch::configuration::PathOptions;
use vswitch::{Event, EventKind, RING, VirtualSwitch, reasons};
use wire::Packet;

use crate::cores::Rings;
use crate::frames::udp;
use crate::site::{Guest, Site, configuration};

const UNDERLAY: Port = Port(100);

fn rings(congestion: bool) -> Rings {
    let mut own = configuration(0);
    own.path = PathOptions { cores: 2, congestion, ..PathOptions::default() };
    Rings::new(own)
}

fn guests() -> [Guest; 3] {
    let site = Site::pair();
    [1, 2, 3].map(|number| site.guest(number))
}

/// Returns a packet of a guest to an address, whose flow is of a core.
fn of_core(rings: &mut Rings, core: u16, guest: &Guest, to: &str) -> Packet {
    let packet = |port| udp(guest, to, [port, 53], &[0; 958]);
    let is_of_core = |port: &u16| {
        rings.prepare(guest.port, vec![packet(*port)]);
        let waiting = rings.switch.waiting(core);
        rings.settle();
        waiting == 1
    };
    (1..100).find(is_of_core).map(packet).expect("a flow of a hundred is of this core")
}

fn discarded(rings: &Rings, reason: Reason) -> u64 {
    rings.discarded.iter().filter(|((_, its), _)| *its == reason).map(|(_, count)| count).sum()
}

fn events(rings: &mut Rings) -> Vec<(u32, EventKind)> {
    rings.switch.events().map(|Event { vnic, kind, .. }| (vnic, kind)).collect()
}

#[test]
fn who_fills_a_ring_is_fetched_from_more_slowly_and_others_are_not() {
    let [one, two, _] = guests();
    let mut rings = rings(true);
    let fills = of_core(&mut rings, 1, &one, "10.0.2.2");
    let other = of_core(&mut rings, 1, &two, "10.0.1.1");
    // The core stands still from here on.
    for _ in 0..RING / 2 / 8 {
        assert_eq!(rings.prepare(one.port, vec![fills.clone(); 8]), None);
    }
    assert_eq!((rings.switch.waiting(1), rings.switch.waiting(0)), (RING / 2, 0));
    assert_eq!(events(&mut rings), []);
    assert_eq!(rings.prepare(two.port, vec![other.clone()]), None, "that is not who has filled it");
    assert!(rings.prepare(one.port, vec![fills.clone()]).is_some(), "it is slowed");
    assert_eq!(events(&mut rings), [(0, EventKind::Slowed)]);
    // What comes nevertheless is discarded, with its reason.
    rings.prepare(one.port, vec![fills.clone(); 100]);
    let slowed = discarded(&rings, reasons::SLOWED);
    assert!((90..100).contains(&slowed), "{slowed} of 100");
    for _ in 0..300 {
        assert_eq!(rings.prepare(two.port, vec![other.clone()]), None, "it is never slowed");
    }
    assert_eq!(rings.discarded.values().sum::<u64>(), slowed, "everything else waits");
    assert_eq!(events(&mut rings), []);
    rings.settle();
    assert!(rings.is_conserved());
    assert_eq!(rings.switch.waiting(1), 0);
    rings.now += basis::Duration::from_microseconds(500_000);
    assert_eq!(rings.prepare(one.port, vec![fills; 100]), None, "that is over");
    assert_eq!(discarded(&rings, reasons::SLOWED), slowed);
}

#[test]
fn what_finds_a_ring_full_is_discarded_with_a_reason() {
    let [one, ..] = guests();
    let mut rings = rings(false);
    let [first, second] = [0, 1].map(|core| of_core(&mut rings, core, &one, "10.0.2.2"));
    for _ in 0..30 {
        assert_eq!(rings.prepare(one.port, vec![first.clone(); 40]), None, "nobody is slowed without the option");
    }
    assert_eq!(rings.switch.waiting(0), RING);
    assert_eq!(
        rings.discarded.clone().into_iter().collect::<Vec<_>>(),
        [((Some(Port(1)), reasons::RING_FULL), 1200 - RING as u64)]
    );
    rings.prepare(one.port, vec![second; 100]);
    assert_eq!(rings.switch.waiting(1), 100, "the other core has room");
    rings.settle();
    assert!(rings.is_conserved());
    rings.prepare(one.port, vec![first; 40]);
    assert_eq!((rings.switch.waiting(0), discarded(&rings, reasons::RING_FULL)), (40, 1200 - RING as u64));
}

#[test]
fn a_sender_behind_a_tunnel_that_fills_a_ring_is_told_and_takes_no_room_from_others() {
    let [_, two, three] = guests();
    let mut rings = rings(true);
    let mut far = VirtualSwitch::new(configuration(1), [1, 2]);
    let mut through_tunnel = |packet: Packet| {
        let mut out = Outbox::new(Interest::default());
        far.receive(Instant::ZERO, three.port, &mut vec![packet], &mut out);
        out.transmissions.pop().expect("it goes into the tunnel").packet
    };
    let fills = through_tunnel(udp(&three, "10.0.2.2", [1, 2], &[0; 958]));
    rings.prepare(UNDERLAY, vec![fills.clone()]);
    let core = u16::from(rings.switch.waiting(1) == 1);
    rings.settle();
    let other = of_core(&mut rings, core, &two, "10.0.1.3");
    let sent =
        |rings: &Rings| rings.sent.iter().filter(|((port, _), _)| *port == UNDERLAY.0).map(|(_, it)| it.len()).sum();
    let before: usize = sent(&rings);
    // Within 5 ms: one message.
    for _ in 0..100 {
        rings.prepare(UNDERLAY, vec![fills.clone(); 10]);
    }
    assert_eq!(sent(&rings), before + 1);
    assert_eq!((rings.switch.waiting(core), discarded(&rings, reasons::RING_FULL)), (RING / 4 * 3, 1000 - 768));
    // The last quarter is for others.
    for _ in 0..RING / 4 {
        assert_eq!(rings.prepare(two.port, vec![other.clone()]), None);
    }
    assert_eq!((rings.switch.waiting(core), discarded(&rings, reasons::RING_FULL)), (RING, 1000 - 768));
    rings.settle();
    assert!(rings.is_conserved());
    let given = rings.sent.iter().filter(|((port, _), _)| *port == 2).map(|(_, packets)| packets.len()).sum::<usize>();
    assert_eq!(given, 769);
    // The switch of the sender obeys.
    let is_message = |packet: &Vec<u8>| packet.len() < 200;
    let message = rings
        .sent
        .iter()
        .filter(|((port, _), _)| *port == UNDERLAY.0)
        .flat_map(|(_, packets)| packets)
        .find(|it| is_message(it));
    let mut own = configuration(1);
    own.path.congestion = true;
    let mut near = VirtualSwitch::new(own, [1, 2]);
    let mut out = Outbox::new(Interest::default());
    near.receive(Instant::ZERO, UNDERLAY, &mut vec![Packet::of_bytes(message.expect("it was sent"))], &mut out);
    assert_eq!(near.events().map(|event| (event.vnic, event.kind)).collect::<Vec<_>>(), [(0, EventKind::Slowed)]);
}
