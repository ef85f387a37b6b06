//! The driver of a node, over sockets instead of interfaces.
#![cfg(unix)]

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixDatagram;

use basis::{Duration, Instant};
use live::{Driver, Interface, Offload, reasons};
use node::{Burst, Control, Discarded, Node, Outbox, Port, Reason};
use wire::Packet;

/// One end of a pair of sockets that preserve frame boundaries. It has no room while it is `full`.
struct End {
    socket: UnixDatagram,
    refusals: u32,
}

fn pair() -> (End, UnixDatagram) {
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    theirs.set_nonblocking(true).unwrap();
    (End { socket: ours, refusals: 0 }, theirs)
}

impl Interface for End {
    fn offload(&self) -> Offload {
        Offload::default()
    }

    fn receive(&mut self, limit: usize, into: &mut Burst, _: &mut Vec<Discarded>) -> io::Result<()> {
        let mut frame = [0; 100];
        for _ in 0..limit {
            match self.socket.recv(&mut frame) {
                Ok(length) => into.push(Packet::of_bytes(&frame[..length])),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn send(&mut self, packets: &mut VecDeque<Packet>, _: &mut Vec<Discarded>) -> io::Result<u64> {
        let mut sent = 0;
        while let Some(packet) = packets.front() {
            if self.refusals > 0 {
                self.refusals -= 1;
                break;
            }
            self.socket.send(packet.head.bytes())?;
            packets.pop_front();
            sent += 1;
        }
        Ok(sent)
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

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

fn received(socket: &UnixDatagram) -> Option<Vec<u8>> {
    let mut frame = [0; 100];
    socket.recv(&mut frame).ok().map(|length| frame[..length].to_vec())
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
    let mut driver = Driver::new(Notes::default(), [(Port(0), first), (Port(1), second)]);
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
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]);
    peer.send(b"r").unwrap();
    run_until(&mut driver, |calls| calls.len() == 4);
    let calls: Vec<_> = driver.node().calls.iter().map(|(_, call)| *call).collect();
    assert_eq!(calls, [NodeCall::Wake, NodeCall::Frame(0, b'r'), NodeCall::Ready(0), NodeCall::Wake]);
    let times: Vec<_> = driver.node().calls.iter().map(|&(at, _)| at).collect();
    assert!(times.is_sorted() && times[2] >= times[1] + LATER && times[3] >= times[1] + LATER.times(2));
}

#[test]
fn holds_packets_until_their_time() {
    let (end, peer) = pair();
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]);
    peer.send(b"l").unwrap();
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
}

#[test]
fn frames_without_room_wait_in_order() {
    let (mut end, peer) = pair();
    end.refusals = 5;
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]);
    for number in 0..4u8 {
        peer.send(&[b'e', number]).unwrap();
    }
    let mut back = Vec::new();
    driver
        .run(|_, _, _| {
            back.extend(received(&peer));
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
    let mut driver = Driver::new(Notes::default(), [(Port(0), end)]);
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
    let mut driver = Driver::new(Blaster, [(Port(0), end)]);
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
