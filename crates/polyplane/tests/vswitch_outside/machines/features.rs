//! Two machines and a network namespace on one switch, with several sets of features of their network cards.

use serde_json::Value;

use crate::machines::machine::{Machine, accelerator};
use crate::machines::site::Site;
use crate::machines::traffic::{crosses, datagrams, many_echoes, pings, transfers};
use crate::tools::report::Report;

/// Features of virtio's network card, by their bits (Virtual I/O Device, version 1.2, sections 5.1.3 and 6).
mod feature {
    pub const CHECKSUMS: usize = 0;
    pub const TAKES_CHECKSUMS: usize = 1;
    pub const TAKES_SUPERFRAMES: [usize; 2] = [7, 8];
    pub const SENDS_SUPERFRAMES: [usize; 2] = [11, 12];
    pub const MERGED_BUFFERS: usize = 15;
    pub const INDIRECT_DESCRIPTORS: usize = 28;
    pub const EVENT_INDEX: usize = 29;
    pub const VERSION_1: usize = 32;
}

/// Lets two machines, whose network cards have these properties, speak to each other and to a namespace. Returns the machines.
fn speak(site: &Site, properties: [&str; 2]) -> [Machine; 2] {
    let mut machines = [1, 2].map(|number: u8| site.starts(number, properties[usize::from(number) - 1]));
    machines.iter_mut().for_each(Machine::is_ready);
    let [one, two] = &mut machines;
    for address in ["10.0.1.2", "10.0.1.3", "10.0.1.254", "fd00::2", "fd00::3", "fd00::fe"] {
        assert!(one.pings(address, 56), "{address}");
    }
    for address in ["10.0.1.1", "fd00::3"] {
        assert!(two.pings(address, 4000), "{address} in fragments");
    }
    for address in ["10.0.1.2", "fd00::2"] {
        crosses(one, two, address);
    }
    for address in ["10.0.1.1", "fd00::1", "10.0.1.2", "fd00::2"] {
        many_echoes(&site.guest, address);
    }
    machines
}

/// Returns whether each machine has left segments to the switch.
fn sent_superframes(site: &Site) -> [bool; 2] {
    [1, 2].map(|vnic| {
        let port = site.port(vnic);
        let number = |name: &str| port["received"][name].as_u64().unwrap_or_else(|| panic!("{port}"));
        number("packets") > number("frames")
    })
}

/// Measures what passes between the namespace and a machine.
fn measure(site: &Site, machine: &mut Machine) -> Report {
    machine.runs("iperf3 -s -D");
    let mut report = Report::new(&format!("virtual machine ({})", accelerator()));
    for (version, address) in [("IPv4", "10.0.1.1"), ("IPv6", "fd00::1")] {
        report.version(version);
        report.add(pings(&site.guest, address, 56));
        transfers(&site.guest, address).into_iter().for_each(|rate| report.add(rate));
        // The columns of tools that the machine does not run.
        (0..4).for_each(|_| report.add("–".to_owned()));
        datagrams(&site.guest, address).into_iter().for_each(|line| report.note(&Value::from(line)));
    }
    report
}

#[test]
fn machines_speak_with_everything_left_to_their_cards() {
    Site::within("machines::features::machines_speak_with_everything_left_to_their_cards", "", |site| {
        let mut machines = speak(&site, ["", ""]);
        for machine in &mut machines {
            let bits = [feature::CHECKSUMS, feature::TAKES_CHECKSUMS, feature::MERGED_BUFFERS, feature::EVENT_INDEX];
            let more = [feature::INDIRECT_DESCRIPTORS, feature::VERSION_1];
            let segments = feature::TAKES_SUPERFRAMES.into_iter().chain(feature::SENDS_SUPERFRAMES);
            for bit in bits.into_iter().chain(more).chain(segments) {
                assert!(machine.has(bit), "the switch offers feature {bit}");
            }
        }
        assert_eq!(sent_superframes(&site), [true; 2], "segments are left to the switch");
        let mut report = measure(&site, &mut machines[0]);
        machines.iter_mut().for_each(|machine| assert_eq!(machine.complaints(), ""));
        drop(machines);
        report.note(&site.end()["discarded"]);
        report.write();
    });
}

#[test]
fn machines_speak_without_mergeable_buffers_and_without_offloads() {
    Site::within("machines::features::machines_speak_without_mergeable_buffers_and_without_offloads", "", |site| {
        let unmerged = ",mrg_rxbuf=off,indirect_desc=off,event_idx=off";
        let plain = ",csum=off,gso=off,guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off,\
            host_tso4=off,host_tso6=off,host_ecn=off,host_ufo=off";
        let [mut one, mut two] = speak(&site, [unmerged, plain]);
        for bit in [feature::MERGED_BUFFERS, feature::INDIRECT_DESCRIPTORS, feature::EVENT_INDEX] {
            assert!(!one.has(bit) && two.has(bit), "feature {bit}");
        }
        for bit in [feature::CHECKSUMS, feature::TAKES_CHECKSUMS].into_iter().chain(feature::SENDS_SUPERFRAMES) {
            assert!(one.has(bit) && !two.has(bit), "feature {bit}");
        }
        assert_eq!(sent_superframes(&site), [true, false]);
        assert_eq!(one.complaints() + &two.complaints(), "");
        drop((one, two));
        site.end();
    });
}

#[test]
fn long_packets_pass_where_everybody_takes_them() {
    Site::within("machines::features::long_packets_pass_where_everybody_takes_them", "mtu = 9000\n", |site| {
        site.guest.ip("link set eth0 mtu 9000");
        crate::namespace::ip("link set guest3 mtu 9000");
        // A machine without offloads sends and takes them as they are, in buffers that are merged.
        let plain = ",csum=off,gso=off,guest_csum=off,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off";
        let mut machines = [("", 1), (plain, 2)].map(|(properties, number)| site.starts(number, properties));
        for machine in &mut machines {
            machine.is_ready();
            machine.runs("ip link set eth0 mtu 9000");
        }
        for address in ["10.0.1.1", "fd00::1", "10.0.1.2", "fd00::2"] {
            pings(&site.guest, address, 8952);
            many_echoes(&site.guest, address);
        }
        let [one, two] = &mut machines;
        assert!(one.pings("10.0.1.2", 8972) && one.pings("fd00::2", 8952));
        crosses(one, two, "fd00::2");
        assert_eq!(one.complaints() + &two.complaints(), "");
        drop(machines);
        site.end();
    });
}
