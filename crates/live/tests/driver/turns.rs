//! Turns of interfaces whose packets cost a node differently.

use std::ops::ControlFlow;
use std::time::{Duration as WallDuration, Instant as WallClock};

use basis::Instant;
use live::{Driver, MemoryInterface};
use node::{Burst, Control, Node, Outbox, Port};
use wire::Packet;

/// Counts the packets of two ports. Each of the first port costs as much as so many further ones.
struct Costly {
    further: u64,
    packets: [u64; 2],
}

impl Node for Costly {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        let count = burst.drain(..).count() as u64;
        self.packets[usize::from(port.0)] += count;
        if port == Port(0) {
            out.charge(self.further * count);
        }
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

/// Returns how many packets of two ports a driver has taken when packets have always waited at those, and it has taken so many
/// of one of them.
fn taken(further: u64, waiting: [bool; 2], most: u64) -> [u64; 2] {
    let pairs = [(); 2].map(|()| MemoryInterface::pair("guest", 256).expect("there are descriptors"));
    let [[near_one, far_one], [near_two, far_two]] = pairs;
    let far = [far_one, far_two];
    let node = Costly { further, packets: [0; 2] };
    let mut driver = Driver::new(node, [(Port(0), near_one), (Port(1), near_two)]).expect("there are descriptors");
    let packet = Packet::of_bytes(&[0; 60]);
    let fill = || {
        for (far, _) in far.iter().zip(waiting).filter(|(_, waits)| *waits) {
            while far.send_packet(packet.clone()).is_ok() {}
        }
    };
    fill();
    let began = WallClock::now();
    let turn = |node: &mut Costly, _, _: &mut Outbox| {
        assert!(began.elapsed() < WallDuration::from_secs(60), "the driver has stopped: {:?}", node.packets);
        fill();
        if node.packets.iter().any(|packets| *packets >= most) {
            return ControlFlow::Break(node.packets);
        }
        ControlFlow::Continue(())
    };
    driver.run(turn).expect("it runs")
}

#[test]
fn ports_have_equal_shares_of_the_time_and_not_of_the_packets() {
    let [one, two] = taken(0, [true; 2], 64_000);
    assert!(one.abs_diff(two) <= 64, "{one} and {two} packets of equal cost");
    // Four times the cost each: a quarter of the packets. What a turn leaves unpaid is paid by the next ones.
    let [one, two] = taken(3, [true; 2], 64_000);
    assert!((15_800..=16_200).contains(&one) && two >= 64_000, "{one} and {two}");
    let [one, two] = taken(2, [true; 2], 63_000);
    assert!((20_800..=21_200).contains(&one) && two >= 63_000, "{one} and {two}");
}

#[test]
fn a_port_that_costs_much_has_all_turns_that_nobody_else_wants() {
    assert_eq!(taken(1_000_000, [true, false], 6_400), [6_400, 0]);
}
