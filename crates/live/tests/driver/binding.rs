//! Interfaces that come to a node while it runs, and that are taken away.

use std::ops::ControlFlow;
use std::os::unix::net::UnixDatagram;

use basis::{Duration, Instant};
use live::{Driver, reasons};
use node::{Burst, Control, Node, Outbox, Port};

use crate::sockets::{End, pair, received};

/// Sends each frame to the port whose number is its first byte.
struct ByNumber;

impl Node for ByNumber {
    fn receive(&mut self, _: Instant, _: Port, burst: &mut Burst, out: &mut Outbox) {
        for packet in burst.drain(..) {
            out.transmit(Port(packet.head.bytes()[0].into()), packet);
        }
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}
}

/// Sends a frame for a port from a peer, runs the driver, and returns whether it arrives at the other peer.
fn crosses(driver: &mut Driver<ByNumber, End>, from: &UnixDatagram, port: u8, to: &UnixDatagram) -> bool {
    from.send(&[port, 1]).unwrap();
    let end = driver.now() + Duration::from_microseconds(200_000);
    driver.wake_by(Some(end));
    driver
        .run(|_, now, _| {
            let frame = received(to);
            let is_over = frame.is_some() || now >= end;
            if is_over { ControlFlow::Break(frame == Some(vec![port, 1])) } else { ControlFlow::Continue(()) }
        })
        .unwrap()
}

#[test]
fn interfaces_come_and_go_while_others_carry_packets() {
    let [(zero, zero_peer), (one, one_peer), (two, two_peer)] = [pair(), pair(), pair()];
    let mut driver = Driver::new(ByNumber, [(Port(0), zero), (Port(1), one), (Port(2), two)]).unwrap();
    assert!(crosses(&mut driver, &zero_peer, 2, &two_peer));
    // The last one takes the place of the first, with a frame that waits there.
    two_peer.send(&[1, 1]).unwrap();
    assert!(driver.unbind(Port(0)).unwrap().is_some());
    assert!(driver.unbind(Port(0)).unwrap().is_none(), "it is gone");
    assert!(crosses(&mut driver, &two_peer, 1, &one_peer));
    assert_eq!(received(&one_peer), Some(vec![1, 1]));
    assert!(crosses(&mut driver, &one_peer, 2, &two_peer));
    // Frames for a port without an interface have no port.
    assert!(!crosses(&mut driver, &one_peer, 0, &two_peer));
    assert_eq!(driver.tally().discarded[&node::Reason::NO_SUCH_PORT], 1);
    let (new, new_peer) = pair();
    driver.bind(Port(0), new).unwrap();
    assert!(crosses(&mut driver, &new_peer, 2, &two_peer) && crosses(&mut driver, &two_peer, 0, &new_peer));
    // What passed through the interface that is gone is still counted.
    assert_eq!((driver.tally().received, driver.ports().count()), (7, 3));
}

#[test]
fn packets_that_wait_for_an_interface_that_goes_are_discarded() {
    let [(mut zero, zero_peer), (one, one_peer)] = [pair(), pair()];
    zero.refusals = 1_000_000;
    let mut driver = Driver::new(ByNumber, [(Port(0), zero), (Port(1), one)]).unwrap();
    assert!(!crosses(&mut driver, &one_peer, 0, &zero_peer));
    assert_eq!(driver.held(), 1);
    driver.unbind(Port(0)).unwrap();
    assert_eq!((driver.held(), driver.tally().discarded[&reasons::INTERFACE_DOWN]), (0, 1));
    // What was to be tried again is forgotten with it.
    assert!(crosses(&mut driver, &one_peer, 1, &one_peer));
}
