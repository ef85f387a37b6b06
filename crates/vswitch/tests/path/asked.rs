//! Connections to load balancers that were there before the switch was: a back end is the first to send something, and its client is asked
//! which connection that belongs to.

use vswitch::configuration::{BackEnd, Configuration, LoadBalancer};
use vswitch::{VirtualSwitch, reasons};
use wire::tcp::flag::{ACK, RST, SYN};
use wire::{Packet, protocol};

use crate::frames::{described, tcp};
use crate::midstream::numbers;
use crate::site::{Guest, Site, Told, address, configuration};

/// Host 0, with a load balancer in front of port 8080 of guest 2, and of so many addresses that nobody has.
fn balanced(others: u8) -> Configuration {
    let mut own = configuration(0);
    let back_end = |text: &str| BackEnd { address: address(text), port: 8080, weight: 1 };
    let others = (0..others).map(|number| back_end(&format!("10.0.2.{}", 100 + number)));
    own.balancers = vec![LoadBalancer {
        name: "web".to_owned(),
        vpc: 0,
        address: address("10.0.1.100"),
        protocol: protocol::TCP,
        port: 80,
        back_ends: [back_end("10.0.2.2")].into_iter().chain(others).collect(),
    }];
    own
}

/// What guest 2 sends on its connection, and the two questions that guest 1 is given for it.
fn asked(site: &mut Site) -> (Packet, [Packet; 2]) {
    let pushed = tcp(&site.guest(2), "10.0.1.1", [8080, 1000], ACK, [500, 900]);
    match &site.send(2, pushed.clone())[..] {
        [Told::Given(1, one), Told::Given(1, other), Told::Dropped(0, reason)] if *reason == reasons::ASKED => {
            (pushed, [one.clone(), other.clone()])
        }
        other => panic!("{other:?}"),
    }
}

/// The reset with which a host answers a segment whose connection it does not have.
fn no(guest: &Guest, question: &Packet, to: &str, port: u16) -> Packet {
    let (_, [_, acknowledgement]) = numbers(question, 34);
    tcp(guest, to, [1000, port], RST, [acknowledgement, 0])
}

#[test]
fn a_client_of_a_load_balancer_that_only_listens_goes_on() {
    let mut site = Site::new(vec![balanced(0)]);
    let one = site.guest(1);
    let (pushed, [balanced, direct]) = asked(&mut site);
    assert_eq!(described(&balanced), "fe>01 10.0.1.100>10.0.1.1 6 80>1000 ttl 64 ok");
    assert_eq!(described(&direct), "fe>01 10.0.2.2>10.0.1.1 6 8080>1000 ttl 64 ok");
    assert_eq!(
        [&balanced, &direct].map(|question| numbers(question, 34)).map(|(flags, [number, _])| (flags, number)),
        [(ACK, 499); 2]
    );
    // It has no connection with the back end itself, and that must not end the one that it has.
    assert_eq!(site.is_dropped(1, no(&one, &direct, "10.0.2.2", 8080)), reasons::OUT_OF_WINDOW);
    let given = site.passes(1, 2, tcp(&one, "10.0.1.100", [1000, 80], ACK, [900, 500]));
    assert_eq!(described(&given), "fe>02 10.0.1.1>10.0.2.2 6 1000>8080 ttl 63 ok");
    let given = site.passes(2, 1, pushed);
    assert_eq!(described(&given), "fe>01 10.0.1.100>10.0.1.1 6 80>1000 ttl 63 ok");
    assert_eq!(site.switches[0].sessions_count(), 1);
}

#[test]
fn a_client_of_the_back_end_itself_goes_on() {
    let mut site = Site::new(vec![balanced(0)]);
    let one = site.guest(1);
    let (pushed, [balanced, _]) = asked(&mut site);
    assert_eq!(site.is_dropped(1, no(&one, &balanced, "10.0.1.100", 80)), reasons::OUT_OF_WINDOW);
    site.passes(1, 2, tcp(&one, "10.0.2.2", [1000, 8080], ACK, [900, 500]));
    let given = site.passes(2, 1, pushed);
    assert_eq!(described(&given), "fe>01 10.0.2.2>10.0.1.1 6 8080>1000 ttl 63 ok");
    assert_eq!(site.switches[0].sessions_count(), 1);
}

#[test]
fn a_client_without_a_connection_begins_none() {
    let mut site = Site::new(vec![balanced(0)]);
    let one = site.guest(1);
    let (_, [balanced, direct]) = asked(&mut site);
    for answer in [no(&one, &balanced, "10.0.1.100", 80), no(&one, &direct, "10.0.2.2", 8080)] {
        assert_eq!(site.is_dropped(1, answer), reasons::OUT_OF_WINDOW);
    }
    assert_eq!(site.switches[0].sessions_count(), 0);
    // What begins a connection is no middle of one, and what is no back end is not meant.
    let two = site.guest(2);
    site.passes(2, 1, tcp(&two, "10.0.1.1", [8080, 1001], SYN, [1, 0]));
    site.passes(2, 1, tcp(&two, "10.0.1.1", [8081, 1000], ACK, [1, 1]));
}

#[test]
fn a_client_that_goes_on_comes_to_the_back_end_that_it_had() {
    let mut site = Site::new(vec![balanced(4)]);
    let one = site.guest(1);
    let comes = |site: &mut Site, flags: u8| -> Vec<u16> {
        let is_given = |port: &u16| {
            let told = site.send(1, tcp(&one, "10.0.1.100", [*port, 80], flags, [1, 1]));
            matches!(told[..], [Told::Given(2, _)])
        };
        (1000..1050).filter(is_given).collect()
    };
    let before = comes(&mut site, SYN);
    assert!((1..50).contains(&before.len()), "{before:?}");
    site.replace(0, VirtualSwitch::new(balanced(4), [77, 78]));
    assert_eq!(comes(&mut site, ACK), before);
}
