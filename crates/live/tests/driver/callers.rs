//! What callers of a driver see and do: wake it, replace its node, look at its ports, observe its packets.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use basis::{Duration, Instant};
use live::{Driver, Observer, Traffic};
use node::{Burst, Control, Node, Outbox, Port, Reason};
use wire::Packet;

use crate::sockets::{pair, received};

/// Sends each frame to the other port, but discards those that begin with `x`, and those that begin with a digit as if they had come by
/// the port of that number.
#[derive(Default)]
pub struct Patch {
    wakes: u32,
    readies: u32,
    pub packets: u64,
    /// What it heard of links.
    pub links: Vec<(Port, bool)>,
}

impl Node for Patch {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            self.packets += 1;
            match packet.head.bytes()[0] {
                b'x' => out.discard(packet, Reason::PROGRAM),
                digit @ b'0'..=b'9' => out.discard_from(Port((digit - b'0').into()), packet, Reason::PROGRAM),
                _ => out.transmit(Port(1 - port.0), packet),
            }
        }
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.wakes += 1;
        out.wake_at(now + Duration::from_microseconds(1_000_000_000));
        out.ready_at(Port(0), now + Duration::from_microseconds(1000));
    }

    fn control(&mut self, _: Instant, request: Control, _: &mut Outbox) {
        match request {
            Control::Link { port, up } => self.links.push((port, up)),
            _ => self.readies += 1,
        }
    }
}

#[test]
fn another_thread_ends_the_sleep() {
    let (end, _peer) = pair();
    let mut driver = Driver::new(Patch::default(), [(Port(0), end)]).unwrap();
    let waker = driver.waker();
    for _ in 0..3 {
        let (mut turns, mut thread) = (0, None);
        driver
            .run(|_, _, _| {
                turns += 1;
                // The thread is started by the second turn, after which nothing is due for long.
                if turns == 2 {
                    let waker = waker.clone();
                    thread = Some(std::thread::spawn(move || waker.wake()));
                }
                if turns >= 3 {
                    ControlFlow::Break(())
                } else {
                    waker.wake();
                    ControlFlow::Continue(())
                }
            })
            .unwrap();
        thread.unwrap().join().unwrap();
    }
}

#[test]
fn a_turn_comes_at_the_time_that_was_asked_for() {
    let (end, _peer) = pair();
    let mut driver = Driver::new(Patch::default(), [(Port(0), end)]).unwrap();
    let at = driver.now() + Duration::from_microseconds(5000);
    driver.wake_by(Some(at));
    let mut turns = 0;
    driver
        .run(|_, now, _| {
            turns += 1;
            if now >= at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert!(turns < 10, "nothing was due in the meantime, and yet there were {turns} turns");
}

#[test]
fn another_node_takes_the_place() {
    let (end, peer) = pair();
    let mut driver = Driver::new(Patch::default(), [(Port(1), end)]).unwrap();
    driver.run(|_, _, _| ControlFlow::Break(())).unwrap();
    let old = driver.replace_node(Patch::default());
    assert_eq!((old.wakes, old.readies), (1, 0));
    peer.send(b"x").unwrap();
    // The new node hears of the port once, as it asked itself.
    driver.run(|node, _, _| if node.readies > 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }).unwrap();
    assert_eq!((driver.node().wakes, driver.node().readies), (1, 1));
    assert_eq!(driver.tally().discarded[&Reason::PROGRAM], 1, "what came in between is not lost");
}

/// What an observer was told.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Received(Port, Vec<u8>),
    Transmitted(Port, Vec<u8>),
    Discarded(Option<Port>, Vec<u8>, Reason),
}

struct Notebook(Rc<RefCell<Vec<Told>>>);

fn bytes(packet: &Packet) -> Vec<u8> {
    packet.head.bytes().to_vec()
}

impl Observer for Notebook {
    fn received(&mut self, _: Instant, port: Port, packet: &Packet) {
        self.0.borrow_mut().push(Told::Received(port, bytes(packet)));
    }

    fn transmitted(&mut self, _: Instant, port: Port, packet: &Packet) {
        self.0.borrow_mut().push(Told::Transmitted(port, bytes(packet)));
    }

    fn discarded(&mut self, _: Instant, port: Option<Port>, packet: &Packet, reason: Reason) {
        self.0.borrow_mut().push(Told::Discarded(port, bytes(packet), reason));
    }
}

/// A node may discard what has come by another port than that of its present call, and by one that is there no more.
#[test]
fn what_is_discarded_counts_for_the_port_that_it_came_by() {
    let ((first, first_peer), (second, _second_peer)) = (pair(), pair());
    let mut driver = Driver::new(Patch::default(), [(Port(0), first), (Port(1), second)]).unwrap();
    for frame in [&b"0"[..], b"1", b"1", b"7", b"7", b"7", b"x"] {
        first_peer.send(frame).unwrap();
    }
    driver.receive_waiting(7).unwrap();
    assert_eq!(driver.tally().discarded[&Reason::PROGRAM], 7);
    let of_ports: Vec<_> = driver.ports().map(|view| view.tally.discarded[&Reason::PROGRAM]).collect();
    assert_eq!(of_ports, [2, 2], "three came by a port that is not there");
}

#[test]
fn ports_are_counted_and_packets_observed() {
    let ((first, first_peer), (second, second_peer)) = (pair(), pair());
    let mut driver = Driver::new(Patch::default(), [(Port(0), first), (Port(1), second)]).unwrap();
    let told = Rc::new(RefCell::new(Vec::new()));
    driver.observe(Some(Box::new(Notebook(Rc::clone(&told)))));
    for frame in [&b"ab"[..], b"xyz", b"abcd"] {
        first_peer.send(frame).unwrap();
    }
    let mut frames = Vec::new();
    driver
        .run(|_, _, _| {
            frames.extend(std::iter::from_fn(|| received(&second_peer)));
            if frames.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    let views: Vec<_> = driver.ports().collect();
    assert_eq!((views[0].port, views[0].name, views[0].is_up, views[0].waiting), (Port(0), "end", true, 0));
    assert_eq!(views[0].tally.received, Traffic { frames: 3, packets: 3, bytes: 9 });
    assert_eq!(views[1].tally.transmitted, Traffic { frames: 2, packets: 2, bytes: 6 });
    assert_eq!(views[0].tally.discarded[&Reason::PROGRAM], 1);
    assert!(views[1].tally.discarded.is_empty() && views[1].tally.received == Traffic::default());
    let tally = driver.tally();
    assert_eq!((tally.received, tally.transmitted, tally.discarded[&Reason::PROGRAM]), (3, 2, 1));
    let received = |frame: &[u8]| Told::Received(Port(0), frame.to_vec());
    let transmitted = |frame: &[u8]| Told::Transmitted(Port(1), frame.to_vec());
    let expected = [
        received(b"ab"),
        received(b"xyz"),
        received(b"abcd"),
        Told::Discarded(Some(Port(0)), b"xyz".to_vec(), Reason::PROGRAM),
        transmitted(b"ab"),
        transmitted(b"abcd"),
    ];
    assert_eq!(told.borrow()[..], expected);
}
