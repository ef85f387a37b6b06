//! Links in memory, between a driver and a thread, and between two drivers.

use std::ops::ControlFlow;
use std::sync::Arc;

use basis::{Duration, Instant};
use live::{Driver, MemoryCounts, MemoryInterface, reasons};
use node::{Burst, Control, Node, Outbox, Port};
use wire::Packet;

/// Sends each packet back.
#[derive(Default)]
struct Echo {
    packets: usize,
}

impl Node for Echo {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.packets += burst.len();
        burst.drain(..).for_each(|packet| out.transmit(port, packet));
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

fn packet(number: u32) -> Packet {
    let mut bytes = vec![0; 60];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    Packet::of_bytes(&bytes)
}

fn number(packet: &Packet) -> u32 {
    u32::from_be_bytes(*packet.head.bytes().first_chunk().expect("it has 60 bytes"))
}

/// Runs a driver until its node has seen a number of packets.
fn run_until(driver: &mut Driver<Echo, MemoryInterface>, packets: usize) {
    let turn = |node: &mut Echo, _, _: &mut Outbox| match node.packets >= packets {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    driver.run(turn).unwrap();
}

#[test]
fn a_thread_and_a_driver_exchange_packets_through_queues_that_fill_up() {
    // No more than may wait for room at a port (4,096): a receiver that gets no processor time for a while loses none.
    const COUNT: u32 = 4_000;
    let [near, far] = MemoryInterface::pair("cpu", 7).unwrap();
    let far = Arc::new(far);
    let mut driver = Driver::new(Echo::default(), [(Port(3), near)]).unwrap();
    let counted = Arc::clone(&far);
    let sender = std::thread::spawn({
        let far = Arc::clone(&far);
        move || {
            for count in 0..COUNT {
                let mut packet = packet(count);
                while let Err(refused) = far.send_packet(packet) {
                    packet = refused;
                    std::thread::yield_now();
                }
            }
        }
    });
    let receiver = std::thread::spawn(move || {
        for count in 0..COUNT {
            while !far.wait(None).unwrap() {}
            assert_eq!(number(&far.receive_packet().expect("one has arrived")), count, "in their order");
        }
        assert!(far.receive_packet().is_none());
        (far.sent(), far.received())
    });
    // The driver sleeps whenever nothing comes and nothing finds room, and must be woken each time.
    run_until(&mut driver, COUNT as usize);
    // It ends by what it does itself; the end of a thread does not wake it.
    let has_sent_all = || counted.received().passed == u64::from(COUNT);
    driver.run(|_, _, _| if has_sent_all() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }).unwrap();
    sender.join().unwrap();
    let (sent, received) = receiver.join().unwrap();
    assert_eq!((sent.passed, sent.waiting), (u64::from(COUNT), 0));
    assert_eq!(received, MemoryCounts { passed: u64::from(COUNT), refused: 0, waiting: 0 });
    assert!(driver.tally().discarded.is_empty());
}

#[test]
fn a_full_link_gives_packets_back_and_a_driver_keeps_them() {
    let [near, far] = MemoryInterface::pair("cpu", 4).unwrap();
    assert!((0..4).all(|count| far.send_packet(packet(count)).is_ok()));
    assert_eq!(far.send_packet(packet(4)).map_err(|packet| number(&packet)), Err(4));
    assert_eq!(far.sent(), MemoryCounts { passed: 4, refused: 1, waiting: 4 });
    let mut driver = Driver::new(Echo::default(), [(Port(0), near)]).unwrap();
    run_until(&mut driver, 4);
    assert!((4..8).all(|count| far.send_packet(packet(count)).is_ok()));
    run_until(&mut driver, 8);
    assert_eq!((driver.ports().next().unwrap().waiting, far.received().waiting), (4, 4), "four find no room");
    assert!((0..4).all(|count| number(&far.receive_packet().unwrap()) == count));
    driver
        .run(|_, _, _| if far.received().passed < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
        .unwrap();
    assert!((4..8).all(|count| number(&far.receive_packet().unwrap()) == count));
}

#[test]
fn a_link_without_its_other_end_takes_nothing() {
    let [near, far] = MemoryInterface::pair("cpu", 4).unwrap();
    assert!(!far.wait(Some(Duration::from_microseconds(10))).unwrap(), "nothing has arrived");
    let mut driver = Driver::new(Echo::default(), [(Port(0), near)]).unwrap();
    assert!((0..3).all(|count| far.send_packet(packet(count)).is_ok()) && far.is_connected());
    drop(far);
    run_until(&mut driver, 3);
    assert_eq!(driver.tally().discarded[&reasons::INTERFACE_DOWN], 3, "what was sent before is still received");
    let mut turns = 0;
    let end = driver.now() + Duration::from_microseconds(3000);
    driver.wake_by(Some(end));
    driver
        .run(|_, now, _| {
            turns += 1;
            if now < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
    assert!(turns < 10, "the driver sleeps, and had {turns} turns");
    let [near, far] = MemoryInterface::pair("cpu", 4).unwrap();
    drop(near);
    assert!(!far.wait(None).unwrap() && !far.is_connected(), "nothing will come");
    assert!(far.send_packet(packet(0)).is_err());
}

#[test]
fn a_driver_knows_whether_it_keeps_up_and_calls_its_node_between_rounds() {
    let [near, far] = MemoryInterface::pair("cpu", 256).unwrap();
    let mut driver = Driver::new(Echo::default(), [(Port(3), near)]).unwrap();
    (0..100).for_each(|count| far.send_packet(packet(count)).expect("there is room"));
    // One turn is not enough for so many.
    driver.run(|_, _, _| ControlFlow::Break(())).unwrap();
    assert!(driver.has_backlog());
    driver.run(|_, _, _| ControlFlow::Break(())).unwrap();
    assert!(!driver.has_backlog());
    let seen = driver.call(|node, _, out| {
        out.transmit(Port(3), packet(100));
        node.packets
    });
    assert_eq!(seen.unwrap(), 100);
    let back: Vec<u32> = std::iter::from_fn(|| far.receive_packet()).map(|packet| number(&packet)).collect();
    assert_eq!(back, (0..=100).collect::<Vec<_>>());
}

/// Takes one burst every millisecond, and remembers the times at which frames came although it wanted none.
#[derive(Default)]
struct Slow {
    packets: usize,
    bursts: usize,
    not_before: Instant,
    early: usize,
}

impl Node for Slow {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.early += usize::from(now < self.not_before);
        self.packets += burst.drain(..).count();
        self.bursts += 1;
        self.not_before = now + Duration::from_microseconds(1000);
        out.receive_after(port, self.not_before);
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

#[test]
fn frames_wait_in_the_interface_while_a_node_wants_none() {
    let [near, far] = MemoryInterface::pair("cpu", 512).unwrap();
    let mut driver = Driver::new(Slow::default(), [(Port(0), near)]).unwrap();
    assert!((0..512).all(|count| far.send_packet(packet(count)).is_ok()));
    let mut turns = 0;
    driver
        .run(|node: &mut Slow, _, _: &mut Outbox| {
            turns += 1;
            if node.packets < 512 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
    let Slow { bursts, early, .. } = *driver.node();
    assert_eq!(early, 0);
    assert!(bursts > 1, "not all of them fit into a burst");
    // The driver sleeps while nothing is to be fetched, instead of finding the same frames again and again.
    assert!(turns <= 4 * bursts + 4, "{turns} turns for {bursts} bursts");
}
