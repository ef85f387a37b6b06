//! A driver that asks its interfaces again and again before it sleeps.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration as WallDuration, Instant as WallClock};

use basis::{Duration, Instant};
use live::{Driver, Interface, MemoryInterface, Offload};
use node::{Burst, Control, Discarded, Node, Outbox, Port};
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use wire::Packet;

use crate::sockets::pair;

/// Counts the packets of two ports.
#[derive(Default)]
struct Counter {
    packets: [u64; 2],
}

impl Node for Counter {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, _: &mut Outbox) {
        self.packets[usize::from(port.0)] += burst.drain(..).count() as u64;
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

/// Runs a driver that spins, with a link in memory at port 0 on which the next packet is there whenever the last was taken, and
/// another interface at port 1. Returns how many packets the first has had when the second has had one.
fn packets_until_the_other_has_one(other: Box<dyn Interface>) -> u64 {
    let [near, far] = MemoryInterface::pair("busy", 4).unwrap();
    let ports: [(Port, Box<dyn Interface>); 2] = [(Port(0), Box::new(near)), (Port(1), other)];
    let mut driver = Driver::new(Counter::default(), ports).unwrap();
    driver.spin(Duration::from_microseconds(1_000_000));
    let packet = Packet::of_bytes(&[0; 60]);
    let began = WallClock::now();
    let turn = |node: &mut Counter, _, _: &mut Outbox| {
        assert!(began.elapsed() < WallDuration::from_secs(60), "the other is not heard: {:?}", node.packets);
        far.send_packet(packet.clone()).unwrap();
        if node.packets[1] > 0 { ControlFlow::Break(node.packets[0]) } else { ControlFlow::Continue(()) }
    };
    driver.run(turn).unwrap()
}

#[test]
fn an_interface_that_needs_the_system_is_heard_beside_one_that_always_has_packets() {
    let (ours, theirs) = pair();
    theirs.send(&[0; 60]).unwrap();
    let packets = packets_until_the_other_has_one(Box::new(ours));
    assert!(packets < 100, "it waited for {packets} packets of the other");
}

#[test]
fn an_interface_in_memory_is_heard_beside_one_that_always_has_packets() {
    let [near, far] = MemoryInterface::pair("rare", 4).unwrap();
    far.send_packet(Packet::of_bytes(&[0; 60])).unwrap();
    let packets = packets_until_the_other_has_one(Box::new(near));
    assert!(packets < 100, "it waited for {packets} packets of the other");
}

#[test]
fn the_system_is_asked_about_everything_else_while_packets_keep_coming() {
    // The waker of a driver is only known to the system. Every round has a turn, so that another sign is looked for: a link in memory
    // whose room is told of by the system.
    let [near, far] = MemoryInterface::pair("busy", 4).unwrap();
    let mut driver = Driver::new(Echo::default(), [(Port(0), near)]).unwrap();
    driver.spin(Duration::from_microseconds(1_000_000));
    let packet = Packet::of_bytes(&[0; 60]);
    let began = WallClock::now();
    let turn = |node: &mut Echo, _, _: &mut Outbox| {
        assert!(began.elapsed() < WallDuration::from_secs(60), "room is not heard of: {}", node.packets);
        let _ = far.send_packet(packet.clone());
        // The other end has taken nothing until the link was full and packets waited for room.
        if node.packets > 100 {
            far.receive_packet();
        }
        if far.received().passed > 200 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    driver.run(turn).unwrap();
}

/// An interface whose descriptor tells of packets only while that is wanted.
struct Discreet {
    inner: MemoryInterface,
    arrived: OwnedFd,
    tells: bool,
    /// How often telling has ended and begun again.
    changes: Arc<AtomicU32>,
}

impl Discreet {
    fn new(inner: MemoryInterface, changes: &Arc<AtomicU32>) -> Self {
        let arrived = epoll::create(CreateFlags::CLOEXEC).unwrap();
        epoll::add(&arrived, inner.descriptor(), EventData::new_u64(0), EventFlags::IN).unwrap();
        Self { inner, arrived, tells: true, changes: Arc::clone(changes) }
    }
}

impl Interface for Discreet {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn offload(&self) -> Offload {
        self.inner.offload()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, discarded: &mut Vec<Discarded>) -> io::Result<()> {
        self.inner.receive(limit, into, discarded)
    }

    fn has_arrived(&self) -> Option<bool> {
        self.inner.has_arrived()
    }

    fn tell_of_arrivals(&mut self, wanted: bool) -> io::Result<()> {
        if std::mem::replace(&mut self.tells, wanted) != wanted {
            self.changes.fetch_add(1, Ordering::Relaxed);
            match wanted {
                true => {
                    epoll::add(&self.arrived, self.inner.descriptor(), EventData::new_u64(0), EventFlags::IN)?;
                }
                false => epoll::delete(&self.arrived, self.inner.descriptor())?,
            }
        }
        Ok(())
    }

    fn send(
        &mut self,
        packets: &mut VecDeque<Packet>,
        sent: &mut Burst,
        discarded: &mut Vec<Discarded>,
    ) -> io::Result<()> {
        self.inner.send(packets, sent, discarded)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.arrived.as_fd()
    }

    fn room(&self) -> Option<BorrowedFd<'_>> {
        Some(self.inner.descriptor())
    }
}

#[test]
fn interfaces_need_not_tell_of_packets_while_the_driver_asks_and_do_so_before_it_sleeps() {
    let changes = Arc::new(AtomicU32::new(0));
    let [near, far] = MemoryInterface::pair("link", 4).unwrap();
    let mut driver = Driver::new(Counter::default(), [(Port(0), Discreet::new(near, &changes))]).unwrap();
    driver.spin(Duration::from_microseconds(1_000));
    let packet = Packet::of_bytes(&[0; 60]);
    let began = WallClock::now();
    for more in [1000, 2000, 3000] {
        // The next packet is there whenever the last was taken: the driver never sleeps, and needs no descriptor.
        let turn = |node: &mut Counter, _, _: &mut Outbox| {
            assert!(began.elapsed() < WallDuration::from_secs(60), "packets are not heard of: {:?}", node.packets);
            far.send_packet(packet.clone()).unwrap();
            if node.packets[0] >= more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        driver.run(turn).unwrap();
        assert_eq!(changes.load(Ordering::Relaxed) % 2, 1, "the interface does not tell");
        // Then the next one comes long after the driver has gone to sleep, and must wake it.
        let before = driver.node().packets[0];
        // A driver that does not hear of the packet is woken by this.
        driver.wake_by(Some(driver.now() + Duration::from_microseconds(10_000_000)));
        let called = WallClock::now();
        std::thread::scope(|threads| {
            threads.spawn(|| {
                std::thread::sleep(WallDuration::from_millis(20));
                far.send_packet(packet.clone()).unwrap();
            });
            let turn = |node: &mut Counter, _, _: &mut Outbox| {
                assert!(called.elapsed() < WallDuration::from_secs(9), "the sleeping driver is not told");
                if node.packets[0] > before + 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            driver.run(turn).unwrap();
        });
        assert_eq!(changes.load(Ordering::Relaxed) % 2, 0, "the interface tells");
    }
}

/// Sends each packet back.
#[derive(Default)]
struct Echo {
    packets: u64,
}

impl Node for Echo {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.packets += burst.len() as u64;
        burst.drain(..).for_each(|packet| out.transmit(port, packet));
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}
