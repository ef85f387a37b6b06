//! The order of events at the same time.

use basis::{Duration, Instant, Rate};
use measure::{Event, Interest};
use netsim::topology::{Cable, CableProperties, Role, StationPlan, Topology};
use netsim::{Ended, Recorder, Settings, Simulation};
use node::{Account, Burst, Control, Node, Outbox, Port, Reason, Station};
use transports::{Flow, FlowEvent, FlowId};
use wire::Packet;

const LINE: CableProperties =
    CableProperties::ethernet(Rate::from_gigabits_per_second(100), Duration::from_microseconds(1));

/// The arrival time of packets of 101 bytes that are sent at the start: 125 bytes take 10 ns.
const THEN: Instant = Instant::from_picoseconds(1_010_000);

/// Sends packets at the start, requests everything else for the time at which they arrive, and reports what happens: 1
/// for a port that is ready, 2 for a packet with its first byte, 3 for the deadline.
struct Teller {
    address: u32,
    packets: u8,
    /// False if the station only sends.
    asks: bool,
    received: u64,
    sent: u64,
}

impl Teller {
    fn tell(&self, what: u32, out: &mut Outbox) {
        out.emit(Flow { flow: FlowId { source: self.address, message: what }, happened: FlowEvent::Delivered });
    }
}

impl Node for Teller {
    fn receive(&mut self, now: Instant, _port: Port, burst: &mut Burst, out: &mut Outbox) {
        assert_eq!(now, THEN);
        for packet in burst.drain(..) {
            self.received += 1;
            self.tell(2 + 10 * u32::from(packet.head.bytes()[0]), out);
        }
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        if now > Instant::ZERO {
            return self.tell(3, out);
        }
        if self.asks {
            out.wake_at(THEN);
            out.ready_at(Port(0), THEN);
        }
        for number in 0..self.packets {
            // All packets are sent at once, as no real link would accept them.
            out.transmit(Port(0), Packet::of_bytes(&[number; 101]));
            self.sent += 1;
        }
    }

    fn control(&mut self, now: Instant, _request: Control, out: &mut Outbox) {
        assert_eq!(now, THEN);
        self.tell(1, out);
    }
}

impl Station for Teller {
    fn account(&self) -> Account {
        Account { generated: self.sent, consumed: self.received, ..Account::default() }
    }
}

#[derive(Default)]
struct EventOrder(Vec<(usize, u32)>);

impl Recorder for EventOrder {
    fn event(&mut self, _at: Instant, station: usize, event: Event) {
        let Ok(Flow { flow, .. }) = event.read() else { return };
        self.0.push((station, flow.message));
    }
}

/// Returns a network of two stations with a cable between them, and a third one without a cable.
fn network(packets: u8, asks: bool) -> Simulation {
    let station = |number| StationPlan { name: format!("h{number}"), role: Role::Host { address: number, paths: 1 } };
    let cables = vec![Cable { ends: [(0, 0), (1, 0)], link: LINE }];
    let topology = Topology { stations: (0..3).map(station).collect(), cables };
    let settings = Settings { interest: Interest::of::<Flow>(), ..Settings::default() };
    Simulation::new(&topology, settings, |index| {
        Box::new(Teller { address: index as u32, packets, asks, received: 0, sent: 0 })
    })
}

#[test]
fn ready_ports_come_before_packets_before_deadlines() {
    let (mut simulation, mut order) = (network(1, true), EventOrder::default());
    assert_eq!(simulation.run(&mut order), Ended::Idle);
    // The first link ends at the second station. A port without a link is never ready, and its packets are discarded.
    assert_eq!(order.0, [(0, 1), (1, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]);
    assert_eq!(simulation.passed(2).discarded.of(Reason::NO_SUCH_PORT), 1);
}

#[test]
fn packets_of_a_link_arrive_in_order_across_a_stop() {
    let (mut simulation, mut order) = (network(3, false), EventOrder::default());
    for end in [0, THEN.picoseconds() - 1] {
        simulation.set_end(Some(Instant::from_picoseconds(end)));
        assert_eq!(simulation.run(&mut order), Ended::TimeLimit);
    }
    let conservation = simulation.conservation().expect("packets are conserved");
    assert_eq!((conservation.generated, conservation.on_links, conservation.discarded), (9, 6, 3));
    simulation.set_end(Some(THEN));
    assert_eq!(simulation.run(&mut order), Ended::Idle);
    let packets: Vec<_> = order.0.into_iter().filter(|(_, what)| what % 10 == 2).collect();
    assert_eq!(packets, [(1, 2), (1, 12), (1, 22), (0, 2), (0, 12), (0, 22)]);
}

basis::snapshot!(Teller {});
