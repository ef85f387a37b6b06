//! Bindings of pools that another switch goes on with, which knows nothing else.

use std::collections::BTreeMap;

use vswitch::bindings::{Binding, BindingChange};
use vswitch::session::{FlowKey, TcpPhase};
use vswitch::{TakenOver, VirtualSwitch, reasons};
use wire::tcp::flag::{ACK, RST, SYN};

use crate::frames::{described, tcp, udp};
use crate::site::{Site, Told, configuration};
use crate::translation::{outside, stranger};

/// What a file would have: the bindings that have begun and not ended.
fn kept(site: &mut Site, kept: &mut BTreeMap<FlowKey, Binding>) {
    for BindingChange { binding, has_begun } in site.switches[0].binding_changes() {
        let is_known = kept.contains_key(&binding.0[1]);
        assert_eq!(is_known, !has_begun, "each begins once and ends once");
        if has_begun {
            kept.insert(binding.0[1], binding);
        } else {
            kept.remove(&binding.0[1]);
        }
    }
}

#[test]
fn guests_that_only_listen_hear_their_servers() {
    for cores in [1, 3] {
        let mut own = outside(4000..=4999);
        own.path.cores = cores;
        let mut site = Site::new(vec![own.clone()]);
        let [one, two] = [1, 2].map(|number| site.guest(number));
        site.switches[0].keep_bindings();
        let (server, mut file) = (stranger("203.0.113.9"), BTreeMap::new());
        let mut left = Vec::new();
        for port in 5000..5020 {
            for (number, guest) in [(1, &one), (2, &two)] {
                site.leave(number, tcp(guest, "203.0.113.9", [port, 80], SYN, [1, 0]));
                left.push((number, port, described(&site.between.pop().expect("it leaves"))));
                kept(&mut site, &mut file);
            }
        }
        site.leave(1, udp(&one, "203.0.113.9", [7000, 53], b""));
        // What stays in the VPC is no binding.
        site.send(1, udp(&one, "10.0.2.2", [7000, 53], b""));
        kept(&mut site, &mut file);
        assert_eq!(file.len(), 41);
        let bindings: Vec<Binding> = file.into_values().collect();
        own.path.cores = 4 - cores;
        let mut next = VirtualSwitch::new(own, [77, 78]);
        assert_eq!(next.restore(site.now, &bindings), TakenOver { taken: 41, refused: 0 });
        site.replace(0, next);
        for (number, port, before) in &left {
            let seen: u16 = before.split([':', '>', ' ']).filter_map(|word| word.parse().ok()).nth(3).expect("a port");
            let told = site.arrive(0, tcp(&server, "198.51.100.1", [80, seen], ACK, [500, 900]));
            let [Told::Given(to, given)] = &told[..] else { panic!("{told:?}") };
            assert_eq!(to, number);
            assert!(described(given).contains(&format!(" 6 80>{port} ")), "{}", described(given));
            // And what the guest answers has the same port.
            site.leave(*number, tcp(&site.guest(*number), "203.0.113.9", [*port, 80], ACK, [900, 501]));
            assert_eq!(described(&site.between.pop().expect("it leaves")), *before);
        }
        let (views, _) = site.switches[0].sessions_from(0, u32::MAX);
        assert!(views.iter().all(|view| view.phase.is_none_or(|phase| phase == TcpPhase::Established)));
    }
}

#[test]
fn bindings_end_with_their_sessions_and_only_those_that_are_allowed_go_on() {
    let mut site = Site::new(vec![outside(1024..=65_535)]);
    let one = site.guest(1);
    site.switches[0].keep_bindings();
    let mut file = BTreeMap::new();
    for port in [5000, 5001] {
        site.leave(1, tcp(&one, "203.0.113.9", [port, 80], SYN, [1, 0]));
    }
    kept(&mut site, &mut file);
    assert_eq!(file.len(), 2);
    site.leave(1, tcp(&one, "203.0.113.9", [5000, 80], RST, [2, 0]));
    site.wait(12);
    site.tend(0);
    kept(&mut site, &mut file);
    let bindings: Vec<Binding> = file.into_values().collect();
    let ports: Vec<[u16; 2]> = bindings.iter().map(|Binding([key, _])| key.ports()).collect();
    assert_eq!(ports, [[5001, 80]]);
    // A pool that has other ports, and a switch without one.
    for (other, reason) in [(outside(9000..=9999), reasons::UNEXPECTED), (configuration(0), reasons::UNKNOWN_TUNNEL)] {
        let mut next = VirtualSwitch::new(other, [3, 4]);
        assert_eq!(next.restore(site.now, &bindings), TakenOver { taken: 0, refused: 1 });
        assert_eq!(next.binding_changes().count(), 0);
        site.replace(0, next);
        let told = site.arrive(0, tcp(&stranger("203.0.113.9"), "198.51.100.1", [80, 5001], ACK, [1, 1]));
        assert!(told.contains(&Told::Dropped(0, reason)), "{told:?}");
    }
}
