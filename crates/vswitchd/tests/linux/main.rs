//! The virtual switch between guests of Linux, and beside the kernel's VXLAN. Where rights or tools are missing, a test says
//! so.

#![cfg(target_os = "linux")]

mod encrypted;
mod guest;
mod kernel_tunnel;
#[path = "../../../live/tests/linux/namespace.rs"]
mod namespace;
mod paths;
mod reliable;
mod tunnels_of_guests;

use std::thread::JoinHandle;

use files::PlanText;
use guest::Guest;
use namespace::{ip, set, within};
use vswitch::configuration::read;
use vswitchd::{Answer, Request, Switch, SwitchHandle, Totals};

/// A switch that runs on a thread of its own.
struct Started {
    handle: SwitchHandle,
    thread: JoinHandle<Totals>,
}

impl Started {
    /// Starts the switch of a configuration in this namespace.
    fn new(text: &str) -> Self {
        let plan =
            PlanText { name: "host".into(), path: "host.toml".into(), text: text.into(), folder: Default::default() };
        let reading = read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        vswitchd::check(&reading).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        // A switch stays on the thread that opens its interfaces.
        let (sender, opened) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let switch = Switch::open(reading).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
            sender.send(switch.handle()).expect("the test waits for it");
            switch.run(None).expect("no interface fails")
        });
        Self { handle: opened.recv().expect("it can be opened"), thread }
    }

    /// Stops the switch, and returns its counts.
    fn end(self) -> Totals {
        self.handle.stop();
        let totals = self.thread.join().expect("the switch does not panic");
        assert_eq!(totals.missing(), 0, "every frame has a verdict: {totals:?}");
        totals
    }
}

/// The configuration of a host: a VPC with one subnet of each version, guests by number, and perhaps an underlay and routes.
fn host(name: &str, guests: &[u8], rest: &str) -> String {
    let mut text = format!("name = \"{name}\"\n{rest}\n");
    for number in guests {
        text.push_str(&format!(
            "[[vnic]]\nname = \"{number}\"\ninterface = \"guest{number}\"\nvpc = \"red\"\n\
             mac = \"02:00:00:00:00:{number:02x}\"\naddresses = [\"10.0.1.{number}\", \"fd00::{number}\"]\n"
        ));
    }
    text
}

const VPC: &str = "[[vpc]]\nname = \"red\"\nvni = 7001\n\
    [[vpc.subnet]]\nprefix = \"10.0.1.0/24\"\ngateway = \"10.0.1.254\"\n\
    [[vpc.subnet]]\nprefix = \"fd00::/64\"\ngateway = \"fd00::fe\"\n";

/// The underlay of one of two hosts, 1 or 2.
fn underlay(own: u8) -> String {
    let other = 3 - own;
    format!(
        "[underlay]\ninterface = \"underlay{own}\"\nmac = \"02:00:00:01:00:0{own}\"\naddresses = [\"192.0.2.{own}\"]\n\
         mtu = 1600\nnext_hop = \"02:00:00:01:00:0{other}\"\n{VPC}"
    )
}

fn route(number: u8, endpoint: u8) -> String {
    format!(
        "[[vpc.route]]\nprefix = \"10.0.1.{number}\"\nendpoint = \"192.0.2.{endpoint}\"\n\
         [[vpc.route]]\nprefix = \"fd00::{number}\"\nendpoint = \"192.0.2.{endpoint}\"\n"
    )
}

/// Makes the cable between the underlays of two hosts, both of which are here.
fn cable() {
    set("ipv6/conf/default/disable_ipv6", "1");
    ip("link add underlay1 address 02:00:00:01:00:01 type veth peer name underlay2 address 02:00:00:01:00:02");
    for end in ["underlay1", "underlay2"] {
        ip(&format!("link set {end} mtu 1600 up"));
    }
}

#[test]
fn guests_of_one_switch_reach_each_other() {
    within("guests_of_one_switch_reach_each_other", || {
        set("ipv6/conf/default/disable_ipv6", "1");
        let [one, two] = [1, 2].map(Guest::new);
        let switch = Started::new(&host("one", &[1, 2], VPC));
        for address in ["10.0.1.254", "10.0.1.2", "fd00::fe", "fd00::2"] {
            assert!(one.pings(address), "{address}");
        }
        assert!(two.pings("10.0.1.1") && !two.pings("10.0.1.77"));
        let totals = switch.end();
        assert!(totals.vnics.iter().all(|(_, counts)| counts.sent.packets > 4 && counts.received.packets > 4));
    });
}

#[test]
fn guests_of_two_switches_reach_each_other_through_a_tunnel() {
    within("guests_of_two_switches_reach_each_other_through_a_tunnel", || {
        cable();
        let [one, _three] = [1, 3].map(Guest::new);
        let near = Started::new(&host("near", &[1], &(underlay(1) + &route(3, 2))));
        let far = Started::new(&host("far", &[3], &(underlay(2) + &route(1, 1))));
        for address in ["10.0.1.3", "fd00::3"] {
            assert!(one.pings(address), "{address}");
        }
        // What is longer than a frame crosses the tunnel in fragments.
        assert!(one.pings_with("10.0.1.3", &["-s", "4000"]));
        let [near, far] = [near.end(), far.end()];
        assert!(near.sessions >= 2 && far.sessions >= 2);
        assert!(near.vnics[0].1.received.packets >= 3);
    });
}

#[test]
fn the_kernels_vxlan_speaks_to_a_guest() {
    within("the_kernels_vxlan_speaks_to_a_guest", || {
        cable();
        let one = Guest::new(1);
        // The other endpoint is the kernel of this namespace.
        ip("address add 192.0.2.2/24 dev underlay2");
        ip("neighbor add 192.0.2.1 lladdr 02:00:00:01:00:01 dev underlay2 nud permanent");
        let to_kernel = "[[vpc.route]]\nprefix = \"10.0.1.9\"\nendpoint = \"192.0.2.2\"\nmac = \"02:00:00:00:00:09\"\n";
        // The kernel leaves out the outer checksum by default.
        for checksum in ["noudpcsum", "udpcsum"] {
            ip(&format!(
                "link add kernel0 address 02:00:00:00:00:09 type vxlan id 7001 local 192.0.2.2 remote 192.0.2.1 dstport 4789 dev underlay2 {checksum}"
            ));
            ip("address add 10.0.1.9/24 dev kernel0");
            ip("link set kernel0 up");
            ip("neighbor add 10.0.1.1 lladdr 02:00:00:00:00:fe dev kernel0 nud permanent");
            let switch = Started::new(&host("near", &[1], &(underlay(1) + to_kernel)));
            assert!(one.pings("10.0.1.9"), "{checksum}");
            assert!(guest::pings_from_here("10.0.1.1"), "the kernel begins, {checksum}");
            ip("link del kernel0");
            let totals = switch.end();
            assert!(totals.vnics[0].1.received.packets >= 3, "{totals:?}");
        }
    });
}

#[test]
fn a_guest_with_long_packets_reaches_one_with_short_ones() {
    within("a_guest_with_long_packets_reaches_one_with_short_ones", || {
        set("ipv6/conf/default/disable_ipv6", "1");
        let [one, _two] = [1, 2].map(Guest::new);
        ip("link set guest1 mtu 8500");
        one.ip("link set eth0 mtu 8500");
        let text = host("one", &[1, 2], VPC);
        let switch = Started::new(&text.replace("name = \"1\"\n", "name = \"1\"\nmtu = 8500\n"));
        for (address, version) in [("10.0.1.2", "-4"), ("fd00::2", "-6")] {
            assert!(one.pings_with(address, &["-M", "do", "-s", "1400"]));
            assert!(!one.pings_with(address, &["-M", "do", "-s", "4000"]), "{address}: it must not be cut");
            // The guest was told how much the other one takes.
            let route = one.ip(&format!("{version} route get {address}"));
            assert!(route.contains("mtu 1500"), "{route}");
            assert!(one.pings_with(address, &["-s", "4000"]), "{address}: in fragments");
        }
        let totals = switch.end();
        assert!(totals.discarded[&vswitch::reasons::TOO_LONG] >= 1);
    });
}

#[test]
fn interfaces_that_are_made_or_pass_too_little_are_mentioned() {
    within("interfaces_that_are_made_or_pass_too_little_are_mentioned", || {
        cable();
        let _one = Guest::new(1);
        ip("link set guest1 mtu 1400");
        ip("link set underlay1 mtu 1500");
        let plan = |text: &str| {
            let plan = PlanText {
                name: "near".into(),
                path: "near.toml".into(),
                text: text.into(),
                folder: Default::default(),
            };
            read(&plan).unwrap_or_else(|failure| panic!("{}", failure.render(false)))
        };
        let notes =
            |text: &str| vswitchd::check(&plan(text)).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let text = host("near", &[1], &underlay(1));
        let expected = [
            "the `mtu` of the vNIC `1` is 1500, and its interface `guest1` passes packets of at most 1400 bytes: longer ones are \
             dropped, and nobody is told",
            "the `mtu` of [underlay] is 1600, and its interface `underlay1` passes packets of at most 1500 bytes: longer ones are \
             dropped, and nobody is told",
        ];
        assert_eq!(notes(&text), expected);
        for link in ["guest1", "underlay1"] {
            ip(&format!("link set {link} mtu 1600"));
        }
        assert_eq!(notes(&text), Vec::<String>::new());
        let switch = Started::new(&text);
        // No other switch passes the same packets on.
        let refused = vswitchd::check(&plan(&text)).expect_err("it is taken").render(false);
        assert!(refused.contains("another virtual switch passes the packets of `guest1` on"), "{refused}");
        assert!(Switch::open(plan(&text)).is_err_and(|failure| failure.render(false) == refused));
        if std::fs::File::open("/dev/net/tun").is_err() {
            eprintln!("no TAP interface can be made here");
            switch.end();
            return;
        }
        let misspelt = text.replace("\"guest1\"", "\"gest1\"").replace("\"underlay1\"", "\"underlay7\"");
        let expected = [
            "there is no interface `gest1`, which the vNIC `1` names: it is made as a TAP interface",
            "there is no interface `underlay7`, which [underlay] names: it is made as a TAP interface, which leads to no network \
             until somebody connects it",
        ];
        assert_eq!(notes(&misspelt), expected);
        let apply = |dry_run| Request::Apply { path: "near.toml".into(), text: Some(misspelt.clone()), dry_run };
        for dry_run in [true, false] {
            // The thread that asks is in this namespace.
            let Ok(Answer::Applied(report)) = switch.handle.ask(apply(dry_run)) else { panic!("it is applied") };
            assert_eq!(report.notes, expected);
        }
        // The others may have another switch now, and those that were made are there.
        vswitchd::check(&plan(&text)).unwrap_or_else(|failure| panic!("{}", failure.render(false)));
        let Ok(Answer::Applied(report)) = switch.handle.ask(apply(true)) else { panic!("it is applied") };
        assert!(
            report.notes.len() == 1 && report.notes[0].contains("`underlay7` passes packets of at most 1500 bytes")
        );
        switch.end();
    });
}
