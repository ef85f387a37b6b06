//! Reliable tunnels, frame by frame.

use vswitch::VirtualSwitch;
use vswitch::configuration::{Configuration, ReliableOptions};
use vswitch::reasons;
use wire::Packet;

use crate::frames::{described, udp};
use crate::site::{Site, Told, address, configuration};

pub fn host(number: usize, is_demanded: bool) -> Configuration {
    let endpoints = vec![address(if number == 0 { "192.0.2.2" } else { "192.0.2.1" })];
    Configuration { reliable: Some(ReliableOptions { endpoints, is_demanded }), ..configuration(number) }
}

/// Returns the source port of the outer UDP header.
fn path_of(packet: &Packet) -> u16 {
    u16::from_be_bytes([packet.head.bytes()[34], packet.head.bytes()[35]])
}

/// Two switches that have found out that both know reliable tunnels.
pub fn acquainted() -> Site {
    let mut site = Site::new(vec![host(0, false), host(1, false)]);
    let one = site.guest(1);
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
    assert!(site.switches.iter().all(|switch| switch.reliable().views().any(|view| view.is_answered)));
    site.between.clear();
    site
}

#[test]
fn a_packet_arrives_as_it_was_and_its_copy_does_not() {
    let mut site = acquainted();
    let one = site.guest(1);
    let given = site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b"data"));
    assert_eq!(described(&given), "fe>03 10.0.1.1>10.0.1.3 17 5000>53 ttl 64 ok");
    let sent = site.between.remove(0);
    assert_eq!(sent.len(), given.len() + 50 + 26, "a number costs 26 bytes");
    assert_eq!(site.arrive(1, sent), [Told::Dropped(1, reasons::COPY)]);
    assert_eq!(site.switches[1].reliable().counts().copies, 1);
}

#[test]
fn what_is_not_acknowledged_is_sent_again_on_other_paths_and_then_given_up() {
    let mut site = acquainted();
    let one = site.guest(1);
    let told = site.leave(1, udp(&one, "10.0.1.3", [5000, 53], b"data"));
    assert_eq!(told, [], "nobody has it");
    let mut paths = vec![path_of(&site.between.pop().expect("it was sent"))];
    for _ in 0..60 {
        site.now += basis::Duration::from_microseconds(50_000);
        let again = site.tend(0);
        paths.extend(again.iter().filter(|packet| packet.len() == 14 + 20 + 16 + 26 + 46).map(path_of));
    }
    assert!((4..=6).contains(&paths.len()), "{paths:?}");
    assert!(paths.windows(2).all(|pair| pair[0] != pair[1]), "{paths:?}");
    let view = site.switches[0].reliable().views().next().expect("a tunnel");
    assert!(view.kept == 0 && site.switches[0].reliable().counts().given_up == 1, "{view:?}");
}

#[test]
fn a_switch_that_has_forgotten_everything_is_found_out() {
    let mut site = acquainted();
    let one = site.guest(1);
    site.replace(1, VirtualSwitch::new(host(1, false), [9, 9]));
    // It reads numbers without having been asked.
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b"data"));
    // One that does not know them any more gets nothing until it is taken for gone; then packets are plain again.
    site.replace(1, VirtualSwitch::new(configuration(1), [9, 9]));
    let told = site.send(1, udp(&one, "10.0.1.3", [5000, 53], b"data"));
    assert!(matches!(told[..], [Told::Dropped(1, _)]), "{told:?}");
    for _ in 0..60 {
        site.now += basis::Duration::from_microseconds(50_000);
        site.tend(0);
    }
    // The question that goes with it is nothing that the other one knows.
    let told = site.send(1, udp(&one, "10.0.1.3", [5000, 53], b"data"));
    assert!(matches!(told[..], [Told::Given(3, _), Told::Dropped(1, _)]), "{told:?}");
    let counts = site.switches[0].reliable().counts();
    assert!(counts.given_up >= 1 && counts.plain >= 1, "{counts:?}");
}

#[test]
fn where_it_is_demanded_nothing_goes_before_the_other_switch_has_answered() {
    let mut site = Site::new(vec![host(0, true), host(1, true)]);
    let one = site.guest(1);
    assert_eq!(site.send(1, udp(&one, "10.0.1.3", [5000, 53], b"")), [Told::Dropped(0, reasons::NOT_RELIABLE)]);
    // The question went with it, and the answer came.
    site.passes(1, 3, udp(&one, "10.0.1.3", [5000, 53], b""));
}

#[test]
fn a_thousand_packets_without_an_answer_are_kept_and_no_more() {
    let mut site = acquainted();
    let one = site.guest(1);
    for _ in 0..3000 {
        site.leave(1, udp(&one, "10.0.1.3", [5000, 53], &[0; 1000]));
        site.between.clear();
    }
    let view = site.switches[0].reliable().views().next().expect("a tunnel");
    assert!(view.kept <= 1024, "{view:?}");
    assert!(site.switches[0].reliable().counts().given_up >= 1976);
}

#[test]
fn a_tunnel_ends_with_its_vpc_and_asks_for_nothing_more() {
    let mut site = acquainted();
    let one = site.guest(1);
    site.leave(1, udp(&one, "10.0.1.3", [5000, 53], b"data"));
    let without = Configuration { vpcs: Vec::new(), vnics: Vec::new(), ..host(0, false) };
    site.switches[0].apply(without);
    let mut sent = 0;
    for _ in 0..60 {
        site.now += basis::Duration::from_microseconds(50_000);
        sent += site.tend(0).len();
    }
    assert!(sent <= 5 && site.switches[0].reliable().views().all(|view| view.kept == 0), "{sent}");
}
