//! Sessions that another switch has taken over: they go on as if nothing had happened.

use std::net::IpAddr;

use vswitch::configuration::{BackEnd, Configuration, LoadBalancer, Nat, Route, RouteTarget};
use vswitch::handover::{HandoverError, VERSION, read, write_version};
use vswitch::{SessionView, TakenOver, VirtualSwitch, reasons};
use wire::protocol;
use wire::tcp::flag::{ACK, RST, SYN};

use crate::frames::{described, tcp, udp};
use crate::midstream::serving;
use crate::site::{Site, address, configuration, prefix, sessions};

/// The configuration of host 0, where guest 2 may be spoken to at port 80 and says nothing by itself.
fn guarded() -> Configuration {
    serving(configuration(0), 2)
}

/// Hands the sessions of host 0 over to a switch of a configuration, some slots at a time, by another clock.
fn upgrade(site: &mut Site, configuration: Configuration) -> TakenOver {
    let mut next = VirtualSwitch::new(configuration, [3, 4]);
    let (mut from, mut all) = (Some(0), TakenOver::default());
    while let Some(slot) = from {
        let (bytes, behind) = site.switches[0].hand_over(site.now, slot, 2, None);
        let TakenOver { taken, refused } = next.take_over(site.now, &bytes).expect("sessions of this version");
        (all.taken, all.refused, from) = (all.taken + taken, all.refused + refused, behind);
    }
    site.replace(0, next);
    all
}

fn session(site: &Site) -> SessionView {
    sessions(&site.switches[0]).remove(0)
}

#[test]
fn a_connection_goes_on_in_the_middle() {
    let mut site = Site::new(vec![guarded()]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.wait(10);
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5000, 80], SYN, [100, 0]));
    site.passes(2, 1, tcp(&two, "10.0.1.1", [80, 5000], SYN | ACK, [500, 101]));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5000, 80], ACK, [101, 501]));
    let before = session(&site);
    site.wait(5);
    assert_eq!(upgrade(&mut site, guarded()), TakenOver { taken: 1, refused: 0 });
    let after = session(&site);
    assert_eq!((after.known.keys, after.counts, after.phase), (before.known.keys, before.counts, before.phase));
    assert_eq!((after.began, after.last, after.seen[0].flags), (before.began, before.last, before.seen[0].flags));
    // Without the session, guest 2 could say nothing, and any RST would pass.
    site.passes(2, 1, tcp(&two, "10.0.1.1", [80, 5000], ACK, [501, 101]));
    let late = tcp(&two, "10.0.1.1", [80, 5000], RST, [90_000_000, 0]);
    assert_eq!(site.is_dropped(2, late), reasons::OUT_OF_WINDOW);
    assert_eq!(site.switches[0].slow_path_packets(), 0, "nothing was decided anew");
}

#[test]
fn without_their_sessions_replies_do_not_pass() {
    let mut site = Site::new(vec![guarded()]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5000, 80], SYN, [100, 0]));
    site.replace(0, VirtualSwitch::new(guarded(), [3, 4]));
    let told = site.send(2, tcp(&two, "10.0.1.1", [80, 5000], ACK, [501, 101]));
    assert!(told.contains(&crate::site::Told::Dropped(0, reasons::DENIED)), "{told:?}");
    // The connection is picked up in the middle by what the guest sends that may begin it, which is asked for it (`midstream.rs`).
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5000, 80], ACK, [101, 501]));
    site.passes(2, 1, tcp(&two, "10.0.1.1", [80, 5000], ACK, [501, 101]));
}

#[test]
fn times_go_on() {
    let mut site = Site::new(vec![configuration(0)]);
    let one = site.guest(1);
    site.wait(1000);
    site.passes(1, 2, udp(&one, "10.0.2.2", [5000, 53], b""));
    site.wait(200);
    assert_eq!(upgrade(&mut site, configuration(0)).taken, 1);
    site.wait(99);
    site.wake(0);
    assert_eq!(site.switches[0].sessions_count(), 1);
    site.wait(3);
    site.wake(0);
    assert_eq!(site.switches[0].sessions_count(), 0, "300 s after its last packet");
}

#[test]
fn translated_ports_and_chosen_back_ends_stay() {
    let mut configuration = configuration(0);
    configuration.nats =
        vec![Nat { name: "world".to_owned(), addresses: vec![address("198.51.100.1")], ports: 4000..=4999 }];
    let target = RouteTarget::Nat(0);
    configuration.vpcs[0].routes.push(Route { prefix: prefix("0.0.0.0/0"), target, mtu: None });
    let back_end = |text: &str| BackEnd { address: address(text), port: 8080, weight: 1 };
    configuration.balancers = vec![LoadBalancer {
        name: "web".to_owned(),
        vpc: 0,
        address: address("10.0.1.100"),
        protocol: protocol::TCP,
        port: 80,
        back_ends: vec![back_end("10.0.2.2"), back_end("10.0.1.3")],
    }];
    let mut site = Site::new(vec![configuration.clone()]);
    let one = site.guest(1);
    let seen = |site: &mut Site, number: u16| {
        site.leave(1, udp(&one, "203.0.113.9", [number, 53], b""));
        described(&site.between.pop().expect("a packet on the underlay"))
    };
    let ports: Vec<String> = (100..120).map(|number| seen(&mut site, number)).collect();
    for port in 0..20 {
        site.send(1, tcp(&one, "10.0.1.100", [6000 + port, 80], SYN, [1, 0]));
    }
    let keys = |site: &Site| {
        let mut keys: Vec<_> = sessions(&site.switches[0]).iter().map(|view| view.known.keys).collect();
        keys.sort();
        keys
    };
    let before = keys(&site);
    // Others would be chosen today: the order of back ends and the hash are others.
    configuration.balancers[0].back_ends.reverse();
    assert_eq!(upgrade(&mut site, configuration.clone()), TakenOver { taken: before.len() as u64, refused: 0 });
    assert_eq!(keys(&site), before);
    let after: Vec<String> = (100..120).map(|number| seen(&mut site, number)).collect();
    assert_eq!(after, ports);
    // What was chosen is not there any more.
    let gone: IpAddr = address("10.0.2.2");
    configuration.balancers[0].back_ends.retain(|back_end| back_end.address != gone);
    configuration.nats[0].ports = 9000..=9999;
    let refused = before.iter().filter(|keys| keys[1].vni() == 0 || keys[1].addresses()[0] == gone).count() as u64;
    assert!(refused > 20 && refused < before.len() as u64, "{refused}");
    assert_eq!(upgrade(&mut site, configuration), TakenOver { taken: before.len() as u64 - refused, refused });
}

#[test]
fn sessions_that_the_new_switch_does_not_allow_end() {
    let mut site = Site::new(vec![configuration(0)]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5000, 80], SYN, [1, 0]));
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5000, 81], SYN, [1, 0]));
    site.passes(2, 1, udp(&two, "10.0.1.1", [7, 7], b""));
    assert_eq!(upgrade(&mut site, guarded()), TakenOver { taken: 1, refused: 2 });
    let mut without = guarded();
    without.vnics.remove(0);
    assert_eq!(upgrade(&mut site, without), TakenOver { taken: 0, refused: 1 });
}

#[test]
fn what_happened_while_sessions_were_handed_over_is_handed_over_again() {
    let mut site = Site::new(vec![configuration(0)]);
    let one = site.guest(1);
    for port in [5000, 5001] {
        site.passes(1, 2, tcp(&one, "10.0.2.2", [port, 80], SYN, [1, 0]));
    }
    site.wait(1);
    let mut next = VirtualSwitch::new(configuration(0), [3, 4]);
    let began = site.now;
    let (bytes, _) = site.switches[0].hand_over(began, 0, 100, None);
    next.take_over(began, &bytes).expect("sessions of this version");
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5001, 80], RST, [2, 0]));
    let (bytes, _) = site.switches[0].hand_over(site.now, 0, 100, Some(began));
    assert_eq!(next.take_over(site.now, &bytes), Ok(TakenOver { taken: 1, refused: 0 }));
    site.replace(0, next);
    let packets: Vec<u64> = sessions(&site.switches[0]).iter().map(|view| view.counts[0].packets).collect();
    assert_eq!(packets.iter().sum::<u64>(), 3);
    assert_eq!(packets.len(), 2);
}

#[test]
fn older_versions_are_read_and_newer_ones_refused() {
    let mut site = Site::new(vec![configuration(0)]);
    let one = site.guest(1);
    site.passes(1, 2, tcp(&one, "10.0.2.2", [5000, 80], SYN, [1, 0]));
    let (bytes, _) = site.switches[0].hand_over(site.now, 0, 100, None);
    let first = write_version(&read(&bytes).expect("sessions of this version"), 1);
    let mut next = VirtualSwitch::new(configuration(0), [3, 4]);
    assert_eq!(next.take_over(site.now, &first), Ok(TakenOver { taken: 1, refused: 0 }));
    let mut newer = bytes;
    newer[8..10].copy_from_slice(&(VERSION + 1).to_be_bytes());
    assert_eq!(next.take_over(site.now, &newer), Err(HandoverError::Version(VERSION + 1)));
    assert_eq!(next.sessions_count(), 1, "nothing has changed");
}
