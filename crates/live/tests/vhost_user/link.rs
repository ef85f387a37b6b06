//! Guests that come and go, and two of them on one driver.

use std::ops::ControlFlow;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant as Clock};

use basis::Instant;
use live::{Driver, Interface, Options, VhostUser, reasons};
use node::{Burst, Control, Node, Outbox, Port};
use wire::Packet;

use crate::frames::{receive, send};
use crate::guest::{
    CHECKSUMS, Guest, HEADER, MERGED, RECEIVE, SEGMENTS, VERSION_1, await_link, interface, is_readable, socket,
};

#[test]
fn the_link_is_up_while_a_guest_uses_both_queues() {
    let (mut interface, path) = interface();
    await_link(&mut interface, false);
    assert_eq!(send(&mut interface, vec![Packet::of_bytes(&[1; 60])]).2[0].reason, reasons::INTERFACE_DOWN);
    for _ in 0..3 {
        let mut guest = Guest::start(&path, VERSION_1);
        await_link(&mut interface, true);
        guest.transmit([0; HEADER], &[&[7; 60]]);
        assert_eq!(receive(&mut interface).0.len(), 1);
        guest.front_end_disables(RECEIVE);
        await_link(&mut interface, false);
        guest.front_end_enables(RECEIVE);
        await_link(&mut interface, true);
        drop(guest);
        assert_eq!(await_link(&mut interface, false), [], "to go is no mistake");
    }
}

#[test]
fn what_a_guest_transmitted_before_its_link_was_up_is_found() {
    let (mut interface, path) = interface();
    let mut guest = Guest::connect(&path, VERSION_1);
    guest.share_memory(crate::guest::LENGTH).expect("the memory is accepted");
    guest.set_up(crate::guest::TRANSMIT);
    guest.transmit([0; HEADER], &[&[7; 60]]);
    assert_eq!(receive(&mut interface).0.len(), 1, "the queue runs, although the other does not");
    guest.transmit([0; HEADER], &[&[7; 60]]);
    guest.set_up(RECEIVE);
    await_link(&mut interface, true);
    assert!(is_readable(interface.descriptor(), 10));
    assert_eq!(receive(&mut interface).0.len(), 1);
}

#[test]
fn the_memory_of_a_running_guest_may_change() {
    let (mut interface, path) = interface();
    let mut guest = Guest::start(&path, VERSION_1);
    await_link(&mut interface, true);
    for _ in 0..3 {
        guest.transmit([0; HEADER], &[&[7; 60]]);
        assert_eq!(receive(&mut interface).0.len(), 1);
        guest.share_memory(crate::guest::LENGTH - 4096).expect("the queues lie in it");
    }
    guest.transmit([0; HEADER], &[&[7; 60]]);
    assert_eq!(receive(&mut interface).0.len(), 1);
    // A front end stops a queue by asking how far it is.
    assert_eq!(guest.front_end_stops(crate::guest::TRANSMIT), 4);
    await_link(&mut interface, false);
}

#[test]
fn an_abandoned_socket_is_replaced_and_one_in_use_is_not() {
    let path = socket();
    let name = format!("vhost-user:{}", path.display());
    drop(UnixListener::bind(&path).expect("a socket can be made"));
    assert_eq!(live::check(&name, &Options::default()).map(|claims| claims.len()), Ok(1));
    let first = live::open(&name, &Options::default()).expect("nobody listens there");
    assert!(live::check(&name, &Options::default()).is_err());
    assert!(live::open(&name, &Options::default()).is_err());
    drop(first);
    assert!(!path.exists(), "nothing is left");
    std::fs::write(&path, "a file").expect("a file can be written");
    assert!(live::open(&name, &Options::default()).is_err());
    std::fs::remove_file(&path).expect("it is there");
    let long = format!("vhost-user:/tmp/{}", "x".repeat(120));
    assert!(live::check(&long, &Options::default()).is_err());
}

/// Sends what comes from one port to the other.
struct Cross;

impl Node for Cross {
    fn receive(&mut self, _: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        burst.drain(..).for_each(|packet| out.transmit(Port(1 - port.0), packet));
    }

    fn wake(&mut self, _: Instant, _: &mut Outbox) {}

    fn control(&mut self, _: Instant, _: Control, _: &mut Outbox) {}

    fn takes_whole(&mut self, _: &Packet) -> bool {
        true
    }
}

/// Runs a driver until a condition holds. Fails after ten seconds.
fn run_until(driver: &mut Driver<Cross, VhostUser>, mut holds: impl FnMut() -> bool) {
    let began = Clock::now();
    loop {
        driver.wake_by(Some(driver.now() + basis::Duration::from_microseconds(1000)));
        driver.run(|_, _, _| ControlFlow::Break(())).expect("the driver runs");
        if holds() {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(10), "it does not come to that");
    }
}

#[test]
fn a_driver_carries_frames_between_two_guests() {
    let ([first, second], paths): ([VhostUser; 2], [_; 2]) = {
        let ((first, a), (second, b)) = (interface(), interface());
        ([first, second], [a, b])
    };
    let mut driver = Driver::new(Cross, [(Port(0), first), (Port(1), second)]).expect("descriptors are left");
    let features = VERSION_1 | MERGED | CHECKSUMS;
    let mut guests = [Guest::start(&paths[0], features | SEGMENTS), Guest::start(&paths[1], features)];
    // Ten frames for which the other guest has no buffers yet.
    for number in 0..10u8 {
        guests[0].transmit([0; HEADER], &[&[number; 60]]);
    }
    let mut up = 0;
    run_until(&mut driver, || {
        up += 1;
        up > 20
    });
    assert_eq!(driver.ports().nth(1).map(|port| port.waiting), Some(10));
    guests[1].offer_buffers(16, 2048);
    let mut received = Vec::new();
    run_until(&mut driver, || {
        received.extend(guests[1].received().into_iter().map(|(bytes, _)| bytes[HEADER]));
        received.len() == 10
    });
    assert_eq!(received, (0..10).collect::<Vec<u8>>(), "in their order");
}
