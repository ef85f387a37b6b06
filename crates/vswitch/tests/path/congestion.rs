//! Guests that do not read what they are sent, and those that send to them.

use basis::{Duration, Instant};
use measure::Interest;
use node::{Account, Node, Outbox, Port, Reason, Station};
use vswitch::configuration::{Configuration, PathOptions};
use vswitch::{Event, EventKind, VirtualSwitch, reasons};
use wire::Packet;

use crate::frames::udp;
use crate::site::{Guest, Site, configuration};

const UNDERLAY: Port = Port(100);

/// A switch whose driver knows which guests read.
struct Driven {
    switch: VirtualSwitch,
    out: Outbox,
    now: Instant,
    received: u64,
    left: u64,
}

impl Driven {
    fn new(host: usize, congestion: bool) -> Self {
        let path = PathOptions { congestion, ..PathOptions::default() };
        let switch = VirtualSwitch::new(Configuration { path, ..configuration(host) }, [1, 2]);
        Self { switch, out: Outbox::new(Interest::default()), now: Instant::ZERO, received: 0, left: 0 }
    }

    /// Offers a frame, and returns what was sent and why something was discarded.
    fn offer(&mut self, port: Port, packet: Packet) -> (Vec<(Port, Packet)>, Vec<Reason>) {
        self.now += Duration::from_microseconds(10);
        self.received += 1;
        self.out.begin(self.now);
        self.switch.receive(self.now, port, &mut vec![packet], &mut self.out);
        self.left += (self.out.transmissions.len() + self.out.discarded.len()) as u64;
        let Account { generated, consumed, replicated, held } = self.switch.account();
        assert_eq!(self.received + generated + replicated, self.left + consumed + held);
        let sent =
            self.out.transmissions.drain(..).map(|transmission| (transmission.port, transmission.packet)).collect();
        (sent, self.out.discarded.drain(..).map(|discarded| discarded.reason).collect())
    }

    /// Offers so many frames, and returns how many were discarded for a reason.
    fn discarded(&mut self, count: usize, port: Port, packet: &Packet, reason: Reason) -> usize {
        let is_discarded = |driven: &mut Self| driven.offer(port, packet.clone()).1.contains(&reason);
        (0..count).filter(|_| is_discarded(self)).count()
    }

    fn events(&mut self) -> Vec<(u32, EventKind)> {
        self.switch.events().map(|Event { vnic, kind, .. }| (vnic, kind)).collect()
    }
}

fn guests() -> [Guest; 4] {
    let site = Site::pair();
    [1, 2, 3, 4].map(|number| site.guest(number))
}

#[test]
fn what_a_guest_does_not_read_is_dropped_and_its_neighbour_slowed() {
    let [one, two, ..] = guests();
    let mut driven = Driven::new(0, true);
    let there = udp(&one, "10.0.2.2", [1, 2], &[0; 958]);
    driven.out.set_room(Port(2), false);
    assert_eq!(driven.discarded(1024, Port(1), &there, reasons::NOT_READ), 0, "up to the high water");
    assert_eq!(driven.events(), []);
    driven.discarded(1, Port(1), &there, reasons::NOT_READ);
    assert_eq!(driven.events(), [(1, EventKind::NotRead), (0, EventKind::Slowed)]);
    // The sender had 100 MB/s, and has half of it.
    driven.out.set_room(Port(2), true);
    let slowed = driven.discarded(1000, Port(1), &there, reasons::SLOWED);
    assert!((400..600).contains(&slowed), "{slowed} of 1,000");
    // The other one sends what it likes.
    assert_eq!(driven.discarded(1000, Port(2), &udp(&two, "10.0.1.1", [1, 2], &[0; 958]), reasons::SLOWED), 0);
    driven.now += Duration::from_microseconds(500_000);
    assert_eq!(driven.discarded(1000, Port(1), &there, reasons::SLOWED), 0, "that is over");
}

#[test]
fn a_sender_behind_a_tunnel_is_slowed_by_its_own_switch() {
    let [one, ..] = guests();
    let [mut near, mut far] = [0, 1].map(|host| Driven::new(host, true));
    let there = udp(&one, "10.0.1.3", [1, 2], &[0; 958]);
    far.out.set_room(Port(3), false);
    let mut messages = Vec::new();
    for _ in 0..1500 {
        for (port, packet) in near.offer(Port(1), there.clone()).0 {
            assert_eq!(port, UNDERLAY);
            let (sent, _) = far.offer(UNDERLAY, packet);
            messages.extend(sent.into_iter().filter(|(port, _)| *port == UNDERLAY));
        }
    }
    // 476 packets too many within 5 ms: one message.
    assert_eq!(messages.len(), 1);
    assert_eq!(far.events(), [(0, EventKind::NotRead)]);
    let (_, message) = messages.pop().expect("a message");
    assert_eq!(near.discarded(100, Port(1), &there, reasons::SLOWED), 0, "it does not know yet");
    assert_eq!(near.offer(UNDERLAY, message.clone()), (Vec::new(), Vec::new()));
    assert_eq!(near.events(), [(0, EventKind::Slowed)]);
    let slowed = near.discarded(1000, Port(1), &there, reasons::SLOWED);
    assert!((400..600).contains(&slowed), "{slowed} of 1,000");
    // A switch without the option discards the message.
    let (sent, discarded) = Driven::new(0, false).offer(UNDERLAY, message);
    assert!(sent.is_empty());
    assert_eq!(discarded, [reasons::NOT_UNICAST_IP]);
}

#[test]
fn without_the_option_packets_wait_at_the_interface() {
    let [one, ..] = guests();
    let mut driven = Driven::new(0, false);
    driven.out.set_room(Port(2), false);
    assert_eq!(driven.discarded(3000, Port(1), &udp(&one, "10.0.2.2", [1, 2], b""), reasons::NOT_READ), 0);
}
