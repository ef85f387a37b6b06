//! Tunnels of which one end is another process from some moment on: what has come does not come again, and what is sent is new.

use std::sync::Arc;

use basis::Duration;
use vswitch::configuration::{Configuration, Encryption};
use vswitch::encryption::{InboundKey, Key, Keys};
use vswitch::{VirtualSwitch, reasons};
use wire::Packet;

use crate::encryption::{encrypted, keys, material, with};
use crate::frames::udp;
use crate::reliable::{acquainted, host};
use crate::site::{Site, Told, address};

/// Puts another process of a configuration into the place of a switch, which hands over what it has: its sessions while packets could
/// pass, and then what has changed since.
fn upgrade(site: &mut Site, host: usize, configuration: Configuration) {
    let mut next = VirtualSwitch::new(configuration, [5, 6]);
    let began = site.now;
    for since in [None, Some(began)] {
        let (bytes, behind) = site.switches[host].hand_over(site.now, 0, usize::MAX, since);
        assert_eq!(behind, None);
        next.take_over(site.now, &bytes).expect("it is of this version");
    }
    site.replace(host, next);
}

/// Returns the keys of a host as a process reads them that starts a while later.
fn later(host: usize, is_extended: bool) -> Encryption {
    let [own, other] = if host == 0 { [300, 301] } else { [301, 300] };
    let mut later = keys(host, own, &[other], is_extended);
    later.keys = later.keys.map(|keys| Arc::new(Keys { first: keys.first + (1 << 36), ..(*keys).clone() }));
    later
}

fn is_given(told: &[Told], guest: usize) -> bool {
    matches!(told, [Told::Given(to, _)] if *to == guest)
}

#[test]
fn no_encrypted_packet_that_has_come_is_accepted_by_the_next_process() {
    for is_extended in [true, false] {
        let mut site = encrypted(is_extended);
        let [one, three] = [1, 3].map(|number| site.guest(number));
        let asks = || udp(&one, "10.0.1.3", [5000, 53], b"a question");
        let answers = || udp(&three, "10.0.1.1", [53, 5000], b"an answer");
        let mut recorded: Vec<Packet> = Vec::new();
        for _ in 0..2500 {
            site.passes(1, 3, asks());
            recorded.push(site.between.pop().expect("a packet on the underlay"));
            site.passes(3, 1, answers());
            site.between.clear();
        }
        site.leave(1, asks());
        let late = site.between.pop().expect("a packet on the underlay");
        upgrade(&mut site, 1, with(1, later(1, is_extended)));
        for (number, packet) in recorded.into_iter().enumerate() {
            assert_eq!(site.arrive(1, packet), [Told::Dropped(1, reasons::REPLAYED)], "packet {number}");
        }
        assert!(is_given(&site.arrive(1, late.clone()), 3), "what was on its way arrives");
        assert_eq!(site.arrive(1, late), [Told::Dropped(1, reasons::REPLAYED)]);
        // Nor does the other end take what the next process sends for copies.
        site.passes(3, 1, answers());
        site.passes(1, 3, asks());
        // And once more, with both ends.
        upgrade(&mut site, 0, with(0, later(0, is_extended)));
        upgrade(&mut site, 1, with(1, later(1, is_extended)));
        site.passes(1, 3, asks());
        site.passes(3, 1, answers());
    }
}

#[test]
fn a_key_that_was_changed_meanwhile_begins_anew() {
    let mut site = encrypted(false);
    let one = site.guest(1);
    let asks = || udp(&one, "10.0.1.3", [5000, 53], b"");
    (0..10).for_each(|_| _ = site.passes(1, 3, asks()));
    // The same indices, with other keys.
    let other = |host: usize, index: u32| {
        let mut bytes = material(host, index);
        bytes[7] ^= 1;
        Key::new(index, false, &bytes).expect("a key")
    };
    let changed = |host: usize| {
        let (mut all, own, from) = (later(host, false), 300 + host as u32, 301 - host as u32);
        let peer = address(if host == 0 { "192.0.2.2" } else { "192.0.2.1" });
        let inbound = vec![InboundKey { peers: vec![peer], key: other(1 - host, from) }];
        all.keys = Some(Arc::new(Keys { outbound: other(host, own), inbound, first: 1 << 41 }));
        with(host, all)
    };
    upgrade(&mut site, 0, changed(0));
    upgrade(&mut site, 1, changed(1));
    site.between.clear();
    site.passes(1, 3, asks());
    let sent = site.between.pop().expect("a packet on the underlay");
    assert_eq!(sent.head.bytes()[38..42], [0, 0, 0, 1], "its first number");
}

#[test]
fn no_packet_of_a_reliable_tunnel_comes_twice_to_the_next_process() {
    let mut site = acquainted();
    let one = site.guest(1);
    let mut recorded: Vec<Packet> = Vec::new();
    for _ in 0..40 {
        site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b"data"));
        // The acknowledgement is lost.
        recorded.push(site.between.drain(..).next().expect("a packet on the underlay"));
    }
    // One that has overtaken another.
    let [first, second] = [b"1st", b"2nd"].map(|data| {
        site.leave(1, udp(&one, "10.0.1.3", [5000, 53], data));
        site.between.pop().expect("a packet on the underlay")
    });
    assert!(is_given(&site.arrive(1, second.clone()), 3));
    upgrade(&mut site, 1, host(1, false));
    assert_eq!(site.arrive(1, second), [Told::Dropped(1, reasons::COPY)]);
    for packet in recorded {
        assert_eq!(site.arrive(1, packet), [Told::Dropped(1, reasons::COPY)]);
    }
    assert!(is_given(&site.arrive(1, first.clone()), 3), "what was missing arrives");
    assert_eq!(site.arrive(1, first), [Told::Dropped(1, reasons::COPY)]);
    // What the sender keeps is acknowledged, and not sent again.
    site.now += Duration::from_microseconds(1);
    site.between.clear();
    for acknowledgement in site.tend(1) {
        site.arrive(0, acknowledgement);
    }
    assert_eq!(site.switches[0].reliable().views().map(|view| view.kept).collect::<Vec<_>>(), [0]);
}

#[test]
fn where_reliable_tunnels_are_demanded_the_next_process_needs_not_ask() {
    let mut site = Site::new(vec![host(0, true), host(1, true)]);
    let [one, three] = [1, 3].map(|number| site.guest(number));
    site.send(1, udp(&one, "10.0.1.3", [5000, 53], b""));
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
    upgrade(&mut site, 0, host(0, true));
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
    site.passes(3, 1, udp(&three, "10.0.1.1", [53, 5000], b""));
    upgrade(&mut site, 1, host(1, true));
    site.passes(3, 1, udp(&three, "10.0.1.1", [53, 5000], b""));
}
