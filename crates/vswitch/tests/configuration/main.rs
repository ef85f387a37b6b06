//! Configurations in TOML: what is read, and what is refused where.

mod messages;
mod refused;

use std::path::PathBuf;

use basis::Duration;
use diagnostics::Failure;
use files::PlanText;
use runtime::meter::{MeterRates, MeterUnit};
use vswitch::configuration::{
    Configuration, Course, Direction, MirrorTarget, NextHop, PathOptions, Peer, Reading, RouteTarget, read,
};

const GOOD: &str = include_str!("../../../../experiments/vswitch/two-hosts-a.toml");

fn plan(text: &str) -> PlanText {
    PlanText { name: "host".into(), path: "host.toml".into(), text: text.into(), folder: PathBuf::new() }
}

fn good(text: &str) -> Reading {
    match read(&plan(text)) {
        Ok(reading) => reading,
        Err(failure) => panic!("{}", failure.render(false)),
    }
}

/// Returns the messages of a configuration that is refused, each with its line.
fn mistakes(text: &str) -> Vec<String> {
    let Err(Failure::BadInput { diagnostics, sources }) = read(&plan(text)) else { panic!("it is accepted") };
    let rendered = diagnostics.render(&sources, false);
    let places = rendered.lines().filter_map(|line| line.trim_start().strip_prefix("--> host.toml:"));
    let lines = places.map(|place| place.split(':').next().unwrap_or_default().to_owned());
    lines.zip(diagnostics.iter()).map(|(line, found)| format!("{line}: {}", found.message)).collect()
}

#[test]
fn a_configuration_is_read_with_its_defaults() {
    let reading = good(GOOD);
    assert_eq!(reading.interface_names().collect::<Vec<_>>(), ["client", "web", "underlay-a"]);
    let Reading { name, configuration, text, .. } = reading;
    assert_eq!(name, "host-a");
    let underlay = configuration.underlay.as_ref().expect("an underlay");
    assert_eq!((underlay.paths[0].port.0, underlay.mtu), (2, 1600));
    let vpc = &configuration.vpcs[0];
    assert_eq!((vpc.vni, vpc.gateway_mac[5], vpc.subnets.len()), (7001, 0xFE, 2));
    assert!(
        matches!(vpc.routes[0].target, RouteTarget::Endpoint { address, mac: None } if address.to_string() == "192.0.2.2")
    );
    let vnic = &configuration.vnics[1];
    assert_eq!((vnic.name.as_str(), vnic.port.0, vnic.mtu, &vnic.groups[..]), ("web", 1, 1500, &[0][..]));
    let rule = &configuration.groups[0].rules[0];
    assert_eq!((rule.direction, rule.protocol, rule.ports.clone()), (Direction::In, Some(6), Some(80..=80)));
    assert_eq!((rule.peer, rule.priority, rule.allows), (Peer::Any, 1000, true));
    assert_eq!((configuration.limits.sessions, configuration.limits.per_vnic), (1_000_000, 500_000));
    // What is printed, with its defaults, says the same.
    assert_eq!(good(&text).configuration, configuration, "{text}");
}

#[test]
fn every_mistake_is_reported_at_its_place() {
    let text = r#"
[underlay]
interface = "eth1"
mac = "01:00:00:00:00:01"
addresses = ["192.0.2.1", "192.0.2.3", "ff02::1"]
next_hop = "02:00:00:00:00"
mtu = 100

[[vpc]]
name = "red"
vni = 16777216
[[vpc.subnet]]
prefix = "10.0.2.0/24"
gateway = "10.0.1.1"
[[vpc.route]]
prefix = "10.0.3.0/24"
[[vpc.route]]
prefix = "10.0.4.0/24"
endpoint = "2001:db8::1"
[[vpc.route]]
prefix = "10.0.4.0/24"
endpoint = "192.0.2.1"

[[vpc]]
name = "red"
vni = 7
[[vpc.subnet]]
prefix = "10.0.1.1/24"
gateway = "10.0.1.1"

[[vnic]]
name = "one"
interface = "eth1"
vpc = "blue"
mac = "02:00:00:00:00:01"
addresses = ["10.0.2.7"]

[[vnic]]
name = "two"
interface = "tap2"
vpc = "red"
mac = "02:00:00:00:00:fe"
addresses = ["10.0.9.7", "10.0.2.7"]
security_groups = ["wep"]
colour = "red"

[[nat]]
name = "world"
addresses = ["192.0.2.1", "198.51.100.1", "198.51.100.1"]
ports = "0-10"

[[load_balancer]]
name = "web"
vpc = "red"
address = "10.0.2.7"
port = 80
[[load_balancer.back_end]]
address = "fd00::1"
[[load_balancer.back_end]]
address = "10.0.2.8"
[[load_balancer.back_end]]
address = "10.0.2.8"

[[load_balancer]]
name = "empty"
vpc = "red"
address = "10.0.2.9"
port = 0

[[security_group]]
name = "web"
[[security_group.rule]]
direction = "up"
protocol = "icmp"
ports = "9-5"
peer = "group:nobody"
"#;
    let expected = [
        "4: `01:00:00:00:00:01` is not the address of one interface",
        "5: a second address of IPv4",
        "5: no host has the address ff02::1",
        "6: `02:00:00:00:00` is neither an IP address nor an Ethernet address",
        "7: invalid value for `mtu`",
        "11: invalid value for `vni`",
        "14: the gateway 10.0.1.1 is not in 10.0.2.0/24",
        "15: a route leads to one place",
        "19: this switch has no address of IPv6 to speak to 2001:db8::1",
        "21: a second route to 10.0.4.0/24",
        "22: 192.0.2.1 is this switch itself",
        "25: there are two VPCs called `red`",
        "28: `10.0.1.1/24` is not a prefix",
        "33: the interface `eth1` is used twice",
        "34: there is no VPC called `blue`",
        "42: this is the Ethernet address of the gateway",
        "43: 10.0.9.7 is in no subnet of the VPC `red`",
        "44: there is no security group called `wep`",
        "45: unknown entry `colour` in vnic",
        "49: 192.0.2.1 is a tunnel endpoint of this switch",
        "49: 198.51.100.1 is in a pool already",
        "50: 0 is no port",
        "55: 10.0.2.7 is the address of the vNIC `two`",
        "58: fd00::1 is not of the load balancer's version of IP",
        "62: the back end 10.0.2.8 with port 80 is there twice",
        "64: a load balancer with 0 back ends",
        "68: invalid value for `port`",
        "73: there is no `direction` called `up`",
        "75: invalid value for `ports`",
        "76: there is no security group called `nobody`",
    ];
    let mut found = mistakes(text);
    let number = |line: &String| line.split(':').next().and_then(|line| line.parse::<u32>().ok());
    found.sort_by_key(|line| (number(line), line.clone()));
    assert_eq!(found, expected);
}

#[test]
fn what_is_missing_is_asked_for() {
    let text =
        "[underlay]\n[[vpc]]\n[[vpc.subnet]]\n[[vpc.route]]\n[[vnic]]\n[[security_group]]\n[[security_group.rule]]\n";
    let found = mistakes(text).join("\n");
    for name in ["interface", "mac", "addresses", "name", "vni", "prefix", "gateway", "vpc", "direction"] {
        assert!(found.contains(&format!("has no `{name}`")), "{name}: {found}");
    }
}

#[test]
fn paths_of_the_underlay_are_read() {
    let underlay = |entries: &str| GUESTS.to_owned() + "[underlay]\naddresses = [\"192.0.2.1\"]\n" + entries;
    let own = "interface = \"eth1\"\nmac = \"02:00:00:00:01:01\"\n";
    let further = "[[underlay.path]]\ninterface = \"eth2\"\nmac = \"02:00:00:00:01:02\"\nnext_hop = \"192.0.2.254\"\n";
    let paths = |text: &str| {
        let Reading { configuration, text, .. } = good(text);
        assert_eq!(good(&text).configuration, configuration, "{text}");
        let paths = configuration.underlay.expect("an underlay").paths.into_iter();
        paths.map(|path| (path.interface, path.port.0, path.next_hop)).collect::<Vec<_>>()
    };
    let router = NextHop::Router("192.0.2.254".parse().expect("an address"));
    let [one, two] = ["eth1", "eth2"].map(str::to_owned);
    assert_eq!(paths(&underlay(own)), [(one.clone(), 2, NextHop::Neighbours)]);
    assert_eq!(paths(&underlay(&format!("{own}{further}"))), [(one, 2, NextHop::Neighbours), (two.clone(), 3, router)]);
    assert_eq!(paths(&underlay(&format!("probe_interval = \"50 ms\"\n{further}"))), [(two, 2, router)]);
    for (entries, message) in [
        (format!("{own}next_hop = \"192.0.2.1\"\n"), "192.0.2.1 is this switch itself"),
        (format!("{own}next_hop = \"fe80::1\"\n"), "this switch has no address of IPv6 to speak to fe80::1"),
        (format!("{own}next_hop = \"ff02::1\"\n"), "no host has the address ff02::1"),
        (format!("{own}{}", further.replace("eth2", "eth1")), "the interface `eth1` is used twice"),
        (format!("{own}probe_count = 0\n"), "invalid value for `probe_count`"),
        (format!("{own}[[underlay.path]]\ninterface = \"eth2\"\n"), "has no `mac`"),
    ] {
        let found = mistakes(&underlay(&entries));
        assert!(found.len() == 1 && found[0].contains(message), "{message}: {found:?}");
    }
}

const GUESTS: &str = r#"
[[vpc]]
name = "red"
vni = 7001
[[vpc.subnet]]
prefix = "10.0.1.0/24"
gateway = "10.0.1.254"
[[vnic]]
name = "one"
interface = "tap1"
vpc = "red"
mac = "02:00:00:00:00:01"
addresses = ["10.0.1.1"]
[[vnic]]
name = "two"
interface = "tap2"
vpc = "red"
mac = "02:00:00:00:00:02"
addresses = ["10.0.1.2"]
"#;

#[test]
fn limiters_mirrors_and_flow_logs_are_read() {
    let text = GUESTS.to_owned()
        + r#"
[[limiter]]
name = "slow"
vnic = "two"
direction = "ingress"
rate = "80 Mb/s"
[[limiter]]
name = "few"
vnic = "one"
direction = "egress"
rate = "1000 packets/s"
burst = 7
peak_rate = "2000 packets/s"
excess_dscp = 12
[[mirror]]
name = "watch"
vnic = "one"
direction = "ingress"
protocol = "tcp"
ports = "80-90"
peer = "10.0.1.0/24"
length = 128
to = "two"
[flow_log]
interval = "1 min"
account = "123456789012"
vnics = ["two"]
"#;
    let reading = good(&text);
    let Configuration { limiters, mirrors, flow_log, .. } = &reading.configuration;
    let rates = |committed_rate, committed_burst, peak_rate, peak_burst| MeterRates {
        committed_rate,
        committed_burst,
        peak_rate,
        peak_burst,
    };
    assert_eq!((limiters[0].vnic, limiters[0].course, limiters[0].unit), (1, Course::Ingress, MeterUnit::Bytes));
    assert_eq!(limiters[0].rates, rates(10_000_000, 1_000_000, 10_000_000, 1_000_000));
    assert_eq!((limiters[1].vnic, limiters[1].course, limiters[1].unit), (0, Course::Egress, MeterUnit::Packets));
    assert_eq!((limiters[1].rates, limiters[1].excess_dscp), (rates(1000, 7, 2000, 200), Some(12)));
    assert_eq!((mirrors[0].vnic, &mirrors[0].courses[..]), (0, &[Course::Ingress][..]));
    assert_eq!((mirrors[0].ports.clone(), mirrors[0].length), (Some(80..=90), Some(128)));
    assert_eq!(mirrors[0].target, MirrorTarget::Vnic(1));
    let log = flow_log.as_ref().expect("a flow log");
    assert_eq!((log.account.as_str(), log.vnics.as_deref()), ("123456789012", Some(&[1][..])));
    assert_eq!(good(&reading.text).configuration, reading.configuration, "{}", reading.text);
}

#[test]
fn mistakes_in_limiters_mirrors_and_flow_logs_are_reported() {
    let text = GUESTS.to_owned()
        + r#"[[limiter]]
name = "a"
vnic = "three"
direction = "up"
rate = "fast"
[[limiter]]
name = "a"
vnic = "one"
direction = "egress"
rate = "1 Gb/s"
peak_rate = "10 packets/s"
[[limiter]]
name = "b"
vnic = "one"
direction = "egress"
rate = "10 packets/s"
peak_rate = "9 packets/s"
burst = 0
[[mirror]]
name = "own"
vnic = "one"
to = "one"
length = 10
[[mirror]]
name = "both"
vnic = "one"
to = "two"
endpoint = "192.0.2.9"
[flow_log]
interval = "2 min"
account = "a b"
vnics = ["four"]
fields = [
    "srcaddr",
    "dstadr",
]
"#;
    let mut found = mistakes(&text);
    let number = |line: &String| line.split(':').next().and_then(|line| line.parse::<u32>().ok());
    found.sort_by_key(|line| (number(line), line.clone()));
    let expected = [
        "22: there is no vNIC called `three`",
        "23: there is no `direction` called `up`",
        "24: invalid value for `rate`",
        "26: there are two limiters called `a`",
        "30: `peak_rate` is of another unit than `rate`",
        "36: `peak_rate` is below `rate`",
        "37: invalid value for `burst`",
        "41: a vNIC is the receiver of its own copies",
        "42: invalid value for `length`",
        "43: [[mirror]] has no `vni`",
        "43: a mirror has one receiver",
        "49: there is no `interval` called `2 min`",
        "50: invalid value for `account`",
        "51: there is no vNIC called `four`",
        "54: there is no field `dstadr`",
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_example_that_uses_everything_is_read() {
    let reading = good(include_str!("../../../../experiments/vswitch/everything.toml"));
    let Configuration { vpcs, vnics, nats, balancers, limiters, mirrors, reliable, flow_log, path, .. } =
        &reading.configuration;
    assert_eq!((vpcs.len(), vnics.len(), nats.len(), balancers.len()), (2, 3, 1, 1));
    assert_eq!((limiters.len(), mirrors.len(), flow_log.is_some()), (2, 2, true));
    assert!(path.vectors && path.slicing && path.flow_index == 1024);
    assert!(reliable.as_ref().is_some_and(|reliable| reliable.endpoints.len() == 1 && !reliable.is_demanded));
    assert_eq!(good(&reading.text).configuration, reading.configuration, "{}", reading.text);
}

#[test]
fn mistakes_in_encrypted_and_reliable_tunnels_are_reported() {
    let text = GUESTS.to_owned()
        + r#"[[encryption]]
vpc = "red"
keys = "red.keys"
[[encryption]]
vpc = "red"
keys = "other.keys"
demanded = false
[[encryption]]
vpc = "rad"
keys = "rad.keys"
[[encryption]]
vpc = "red"
[[mirror]]
name = "in the clear"
vnic = "one"
endpoint = "192.0.2.9"
vni = 99
[reliable]
endpoints = ["192.0.2.9"]
"#;
    let mut found = mistakes(&text);
    let number = |line: &String| line.split(':').next().and_then(|line| line.parse::<u32>().ok());
    found.sort_by_key(|line| (number(line), line.clone()));
    let expected = [
        "24: the VPC is encrypted already",
        "28: there is no VPC called `rad`",
        "30: [[encryption]] has no `keys`",
        "35: a way out without an underlay",
        "35: copies of packets of `red`, which is encrypted, would leave in the clear",
        "38: a way out without an underlay",
    ];
    assert_eq!(found, expected);
}

#[test]
fn options_of_the_path_are_read_and_refused_at_their_places() {
    let text = format!("{GUESTS}[path]\nspin = \"100 us\"\ndecide_each_packet = true\n");
    let path = good(&text).configuration.path;
    assert!(good(GUESTS).text.contains("spin = \"0 us\"\n"), "none");
    let expected =
        PathOptions { spin: Duration::from_microseconds(100), decide_each_packet: true, ..PathOptions::default() };
    assert_eq!(path, expected);
    let line = GUESTS.lines().count() + 2;
    assert_eq!(mistakes(&text.replace("100 us", "11 ms")), [format!("{line}: `spin` cannot be 11 ms")]);
}
