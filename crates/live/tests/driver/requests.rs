//! A node's requests are carried out: packets, times, ports that are ready.

use std::ops::ControlFlow;

use basis::{Duration, Instant};
use live::{Driver, reasons};
use node::{Burst, Control, Node, Outbox, Port, Reason};
use wire::Packet;

use crate::sockets::{End, pair, received};

/// A call of the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeCall {
    Frame(u16, u8),
    Wake,
    Ready(u16),
}

/// A node that handles a frame as its first byte says, and records every call.
#[derive(Default)]
struct Notes {
    calls: Vec<(Instant, NodeCall)>,
}

const LATER: Duration = Duration::from_microseconds(3000);

impl Node for Notes {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            let order = packet.head.bytes()[0];
            assert!(packet.sidecar.arrival == now && packet.len() == packet.sidecar.original_length as usize);
            self.calls.push((now, NodeCall::Frame(port.0, order)));
            match order {
                b'e' => out.transmit(port, packet),
                b'o' => out.transmit(Port(1 - port.0), packet),
                b'l' => out.transmit_at(port, packet, now + LATER),
                b'n' => out.transmit(Port(7), packet),
                b'r' => {
                    out.ready_at(port, now + LATER);
                    out.wake_at(now + LATER.times(2));
                    out.discard(packet, Reason::PROGRAM);
                }
                _ => out.discard(packet, Reason::MALFORMED),
            }
        }
    }

    fn wake(&mut self, now: Instant, _out: &mut Outbox) {
        self.calls.push((now, NodeCall::Wake));
    }

    fn control(&mut self, now: Instant, request: Control, _out: &mut Outbox) {
        if let Control::PortReady(port) = request {
            self.calls.push((now, NodeCall::Ready(port.0)));
        }
    }
}

/// Runs the driver until a condition holds for the recorded calls.
fn run_until(driver: &mut Driver<Notes, End>, is_enough: impl Fn(&[(Instant, NodeCall)]) -> bool) {
    let turn = |node: &mut Notes, _, _: &mut Outbox| match is_enough(&node.calls) {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    driver.run(turn).unwrap();
}

#[test]
fn sends_frames_and_counts_discards() {
    let ((first, first_peer), (second, second_peer)) = (pair(), pair());
    let mut driver = Driver::new(Notes::default(), [(Port(0), first), (Port(1), second)]).unwrap();
    for frame in [b"e1", b"o2", b"n3", b"x4"] {
        first_peer.send(frame).unwrap();
    }
    second_peer.send(b"e5").unwrap();
    run_until(&mut driver, |calls| calls.len() == 6);
    assert_eq!(driver.node().calls[0].1, NodeCall::Wake, "the node is woken once at the start");
    assert_eq!((received(&first_peer).unwrap(), received(&first_peer)), (b"e1".to_vec(), None));
    assert_eq!([received(&second_peer), received(&second_peer)], [Some(b"o2".to_vec()), Some(b"e5".to_vec())]);
    let tally = driver.tally();
    assert_eq!((tally.received, tally.transmitted), (5, 3));
    assert!(tally.discarded.iter().eq([(&Reason::NO_SUCH_PORT, &1), (&Reason::MALFORMED, &1)]), "{tally:?}");
}

#[test]
fn calls_the_node_at_requested_times_in_order() {
    let (end, peer) = pair();
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]).unwrap();
    peer.send(b"r").unwrap();
    run_until(&mut driver, |calls| calls.len() == 4);
    let calls: Vec<_> = driver.node().calls.iter().map(|(_, call)| *call).collect();
    assert_eq!(calls, [NodeCall::Wake, NodeCall::Frame(0, b'r'), NodeCall::Ready(0), NodeCall::Wake]);
    let times: Vec<_> = driver.node().calls.iter().map(|&(at, _)| at).collect();
    assert!(times.is_sorted() && times[2] >= times[1] + LATER && times[3] >= times[1] + LATER.times(2));
    let delays = driver.delays();
    assert_eq!([delays.readies.count, delays.wakes.count, delays.transmissions.count], [1, 1, 0]);
    assert_eq!(delays.readies.total, times[2].since(times[1] + LATER));
    assert_eq!(delays.wakes.greatest, times[3].since(times[1] + LATER.times(2)));
}

#[test]
fn holds_packets_until_their_time() {
    let (end, peer) = pair();
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]).unwrap();
    peer.send(b"l").unwrap();
    run_until(&mut driver, |calls| calls.len() == 2);
    // A slow computer may have sent it already.
    assert_eq!(driver.held() + driver.tally().transmitted, 1, "a packet is held or sent");
    assert_eq!(driver.held(), driver.delayed());
    let mut sent = None;
    let at = driver
        .run(|node, now, _| {
            let Some(&(asked, NodeCall::Frame(..))) = node.calls.last() else { return ControlFlow::Continue(()) };
            if received(&peer).is_none() {
                return ControlFlow::Continue(());
            }
            sent = Some(now);
            ControlFlow::Break(asked)
        })
        .unwrap();
    assert!(sent.unwrap() >= at + LATER);
    assert_eq!(driver.delays().transmissions.count, 1);
}

#[test]
fn frames_without_room_wait_in_order() {
    let (mut end, peer) = pair();
    end.refusals = 5;
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]).unwrap();
    for number in 0..4u8 {
        peer.send(&[b'e', number]).unwrap();
    }
    let mut back = Vec::new();
    driver
        .run(|_, _, _| {
            back.extend(std::iter::from_fn(|| received(&peer)));
            if back.len() == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert!(back.iter().zip(0..).all(|(frame, number)| frame == &[b'e', number]));
    assert_eq!(driver.tally().transmitted, 4);
}

/// A backlog grew without end while an interface had no room.
#[test]
fn packets_beyond_the_backlog_are_discarded_and_counted() {
    let (mut end, peer) = pair();
    end.refusals = u32::MAX;
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]).unwrap();
    let mut sent = 0u64;
    driver
        .run(|node, _, _| {
            while sent < 5000 && peer.send(b"e").is_ok() {
                sent += 1;
            }
            let frames = node.calls.iter().filter(|(_, call)| matches!(call, NodeCall::Frame(..))).count() as u64;
            if sent == 5000 && frames == sent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    let tally = driver.tally();
    assert_eq!((tally.received, tally.transmitted), (5000, 0));
    assert!(tally.discarded.iter().eq([(&reasons::INTERFACE_FULL, &(5000 - 4096))]), "{tally:?}");
}

/// A node that always sends as soon as its link is free, which it always is.
struct Blaster;

impl Node for Blaster {
    fn receive(&mut self, _: Instant, _: Port, burst: &mut Burst, out: &mut Outbox) {
        burst.drain(..).for_each(|packet| out.discard(packet, Reason::PROGRAM));
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        out.ready_at(Port(0), now);
    }

    fn control(&mut self, now: Instant, _: Control, out: &mut Outbox) {
        out.transmit(Port(7), Packet::of_bytes(b"!"));
        out.ready_at(Port(0), now + Duration::from_picoseconds(1));
    }
}

/// A TCP that sent megabytes heard of no acknowledgement until it was done, because its port was always ready again
/// before the interface was polled, and the kernel's queue overflowed.
#[test]
fn a_node_that_always_sends_still_receives() {
    let (end, peer) = pair();
    let mut driver = Driver::new(Blaster, [(Port(0), end)]).unwrap();
    peer.send(b"hello").unwrap();
    let mut turns = 0;
    driver
        .run(|_, _, _| {
            turns += 1;
            if turns == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(driver.tally().received, 1);
}
