//! Front ends that listen, to which the switch connects.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

use live::{Interface, InterfaceEvent, Options, VhostUser};
use vhost::VhostBackend;

use crate::frames::{receive, send};
use crate::guest::{Guest, HEADER, RECEIVE, TRANSMIT, VERSION_1, await_link, socket, wait};

/// A path at which front ends listen, which is removed with the test.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        Self(socket())
    }

    /// Listens anew, as a front end does that was started again.
    fn listen(&self) -> UnixListener {
        let _ = std::fs::remove_file(&self.0);
        UnixListener::bind(&self.0).expect("a socket can be made")
    }

    fn interface(&self) -> VhostUser {
        VhostUser::connect(self.0.to_str().expect("a path of ASCII")).expect("a thread can be had")
    }

    fn name(&self) -> String {
        format!("vhost-user-client:{}", self.0.display())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Passes a frame each way between a guest and the switch.
fn speaks(guest: &mut Guest, interface: &mut VhostUser) {
    guest.transmit([0; HEADER], &[&[7; 60]]);
    assert_eq!(receive(interface).0.len(), 1);
    guest.offer_buffers(1, 2048);
    assert_eq!(send(interface, vec![wire::Packet::of_bytes(&[9; 60])]).1, 1);
    assert_eq!(guest.received()[0].0[HEADER..], [9; 60]);
}

#[test]
fn the_switch_connects_when_a_front_end_listens_and_again_when_it_comes_back() {
    let place = Place::new();
    let mut interface = place.interface();
    await_link(&mut interface, false);
    for _ in 0..2 {
        // A front end that ends its connection, as QEMU does when its machine boots again, listens on.
        let listener = place.listen();
        for _ in 0..2 {
            let mut guest = Guest::accept(&listener, VERSION_1);
            await_link(&mut interface, true);
            speaks(&mut guest, &mut interface);
            drop(guest);
            assert_eq!(await_link(&mut interface, false), [], "to go is no mistake");
        }
    }
    drop(interface);
    assert!(place.0.exists(), "the socket is the front end's");
}

#[test]
fn the_next_switch_waits_at_the_socket_until_the_one_before_has_gone() {
    let place = Place::new();
    let listener = place.listen();
    let mut first = place.interface();
    let mut guest = Guest::accept(&listener, VERSION_1);
    await_link(&mut first, true);
    let mut second = place.interface();
    await_link(&mut second, false);
    speaks(&mut guest, &mut first);
    drop(first);
    let mut guest = Guest::accept(&listener, VERSION_1);
    await_link(&mut second, true);
    speaks(&mut guest, &mut second);
}

/// DPDK's virtio-user says that its queues begin at 0 when it is connected again, though they have gone on: frames were taken twice, or the queue
/// was given up.
#[test]
fn queues_go_on_where_they_were_whatever_the_front_end_says() {
    let place = Place::new();
    let listener = place.listen();
    let mut interface = place.interface();
    let mut guest = Guest::accept(&listener, VERSION_1);
    await_link(&mut interface, true);
    for _ in 0..3 {
        speaks(&mut guest, &mut interface);
        for queue in [RECEIVE, TRANSMIT] {
            guest.front_end_stops(queue);
            guest.front_end.set_vring_base(queue, 0).expect("a queue that was set up");
            guest.front_end.set_vring_call(queue, &guest.calls[queue]).expect("an event descriptor");
            guest.front_end_starts(queue).expect("a queue that was described");
        }
        await_link(&mut interface, true);
        assert_eq!(receive(&mut interface).0.len(), 0, "no frame is taken twice");
    }
}

#[test]
fn an_interface_ends_whatever_its_front_end_does() {
    let place = Place::new();
    // Nobody listens; nobody accepts, or takes as many connections as wait; somebody accepts and says nothing.
    drop(place.interface());
    let listener = place.listen();
    drop(place.interface());
    let waiting: Vec<VhostUser> = (0..300).map(|_| place.interface()).collect();
    drop(waiting);
    let listener = {
        drop(listener);
        place.listen()
    };
    let interface = place.interface();
    wait(&listener);
    let (mut silent, _) = listener.accept().expect("it has connected");
    drop(interface);
    assert_eq!(silent.read(&mut [0]).expect("the connection has ended"), 0);
}

#[test]
fn a_front_end_that_breaks_the_protocol_is_left_and_connected_to_again() {
    let place = Place::new();
    let listener = place.listen();
    let mut interface = place.interface();
    wait(&listener);
    let (mut stream, _) = listener.accept().expect("it has connected");
    stream.write_all(&[0xFF; 20]).expect("it reads");
    let mut next = Guest::accept(&listener, VERSION_1);
    let warnings = await_link(&mut interface, true);
    assert!(warnings.iter().flatten().any(|warning| warning.contains("broke the vhost-user protocol")), "{warnings:?}");
    speaks(&mut next, &mut interface);
}

#[test]
fn what_cannot_be_a_front_ends_socket_is_refused_or_warned_of() {
    let place = Place::new();
    let check = || live::check(&place.name(), &Options::default());
    assert_eq!(check().map(|claims| claims.len()), Ok(1), "the front end may come later");
    std::fs::write(&place.0, "a file").expect("a file can be written");
    assert!(check().is_err_and(|unusable| unusable.message.contains("no socket")));
    // It may have come behind the check.
    let mut interface = place.interface();
    let warnings = loop {
        wait(interface.events().expect("it has events"));
        let events: Vec<_> = std::iter::from_fn(|| interface.next_event().expect("events can be read"))
            .filter(|event| *event != InterfaceEvent::Down)
            .collect();
        if !events.is_empty() {
            break events;
        }
    };
    assert!(matches!(warnings[..], [InterfaceEvent::Warning(Some(_))]), "{warnings:?}");
    let listener = place.listen();
    assert_eq!(check().map(|claims| claims.len()), Ok(1));
    let _guest = Guest::accept(&listener, VERSION_1);
    assert_eq!(await_link(&mut interface, true), [None], "the warning is over");
    let lost = "vhost-user-client:/nowhere-at-all/one.sock";
    assert!(live::check(lost, &Options::default()).is_err_and(|unusable| unusable.message.contains("/nowhere-at-all")));
    let both =
        [place.name(), place.name()].map(|name| live::check(&name, &Options::default()).expect("it can be used"));
    assert!(both[0][0].conflicts_with(&both[1][0]), "two interfaces cannot have one front end");
}
