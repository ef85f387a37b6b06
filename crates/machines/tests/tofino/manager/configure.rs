//! Settings of a running chip, read and changed by requests of the control plane.

use basis::Instant;
use control::{ConfigureRequest, Error, Request, Response};
use machines::Device;
use machines::tofino::settings::ChipSettings;
use machines::tofino::{TofinoParameters, reasons};
use node::Node;

use super::support::{Order, PROGRAM, bench, drain, flag, hold_queues, seen};
use crate::bench::{Bench, End, chip_with};

fn change(bench: &mut Bench, text: &str) -> Result<Response, Error> {
    bench.chip.execute(&Request::Configure(ConfigureRequest::Change(text.to_owned())))
}

fn changed(bench: &mut Bench, text: &str) {
    assert_eq!(change(bench, text), Ok(Response::Done), "{text}");
}

fn text(bench: &mut Bench) -> String {
    match bench.chip.execute(&Request::Configure(ConfigureRequest::Read)) {
        Ok(Response::Settings(text)) => text,
        other => panic!("{other:?}"),
    }
}

/// A packet of ingress to port 4 with a mirror.
fn mirrored(session: u16) -> Vec<u8> {
    Order { port: 4, flags: flag::MIRROR_IN_INGRESS, session, ..Order::default() }.packet(10)
}

#[test]
fn sessions_and_groups_change_between_two_packets() {
    let mut bench = bench("[[mirror]]\nsession = 7\nport = 20\n");
    let to = |bench: &mut Bench| {
        let ends = bench.packet(0, &mirrored(7));
        seen(&ends).into_iter().map(|seen| seen.map(|seen| seen.port)).collect::<Vec<_>>()
    };
    assert_eq!(to(&mut bench), [Ok(20), Ok(4)]);
    changed(&mut bench, "mirror = [{ session = 7, port = 21 }, { session = 8, port = 22 }]");
    assert_eq!(to(&mut bench), [Ok(21), Ok(4)]);
    changed(&mut bench, "mirror = [{ session = 7, direction = \"none\", port = 21 }]");
    assert_eq!(to(&mut bench), [Err(reasons::UNKNOWN_MIRROR_SESSION), Ok(4)]);
    let group = Order { groups: [3, 0], ..Order::default() }.packet(0);
    changed(&mut bench, "multicast = [{ group = 3, node = [{ rid = 9, ports = [5, 6] }] }]");
    let copies: Vec<_> = seen(&bench.packet(0, &group)).into_iter().map(|seen| seen.unwrap().port).collect();
    assert_eq!(copies, [5, 6]);
    assert!(text(&mut bench).contains("session = 8\n"), "what the fragments did not name has stayed");
}

/// The queues of a port were once read as the file of the chip has them, or not at all.
#[test]
fn queues_and_memory_are_read_as_they_are_now() {
    let file = "[queue]\nqueues = 3\n[[queue.class]]\nqueues = [2]\nlimit = 9\npool = 1\nreserved = 4\n\
                [memory]\ncell = \"100 B\"\n[[memory.pool]]\nsize = \"1 MB\"\n[[memory.pool]]\nsize = \"2 MB\"\n";
    let settings = |text: &str| ChipSettings::parse("chip.toml", text).unwrap_or_else(|failure| panic!("{failure}"));
    let parameters = TofinoParameters { chip: Some(settings(file)), ..TofinoParameters::default() };
    let mut bench = Bench::of(chip_with(PROGRAM, parameters).unwrap());
    assert_eq!(settings(&text(&mut bench)), settings(file));
    changed(
        &mut bench,
        "port = [{ ports = [8], queue = { queues = 3, rate = \"1 Gb/s\", class = [{ queues = [2], limit = 7 }] } }]",
    );
    let port = "[[port]]\nports = [8]\n[port.queue]\nqueues = 3\nrate = \"1 Gb/s\"\n[[port.queue.class]]\nqueues = [2]\nlimit = 7\n\
                pool = 1\nreserved = 4\n[[port]]\nports = [0, 4, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60]\n";
    assert_eq!(settings(&text(&mut bench)), settings(&format!("{port}{file}")));
}

#[test]
fn a_port_goes_down_and_comes_up() {
    let mut bench = bench("");
    let order = Order { port: 4, ..Order::default() }.packet(0);
    changed(&mut bench, "[[port]]\nports = [4]\nup = false\n");
    assert_eq!(bench.packet(0, &order), [End::Discarded(reasons::PORT_DOWN)]);
    changed(&mut bench, "[[port]]\nports = [4]\nup = true\n");
    assert!(matches!(bench.packet(0, &order)[..], [End::Sent(4, _)]));
    // Metadata of a port is new; whether it is up stays.
    changed(&mut bench, "[[port]]\nports = [0]\nmetadata = \"0x0102030405060708\"\n");
    let ends = bench.packet(0, &order);
    assert_eq!(seen(&ends)[0].unwrap().own, 0x0102_0304_0506_0708);
}

#[test]
fn queues_change_and_what_may_go_then_goes() {
    let mut bench = bench("");
    hold_queues(&mut bench, 1000, 100);
    // A shaper of 1 kb/s lets nothing go after the first packet.
    changed(&mut bench, "[[port]]\nports = [4]\n[port.queue]\nqueues = 4\nrate = \"1 kb/s\"\n");
    let order = Order { port: 4, ..Order::default() }.packet(500);
    let sent: usize = (0..3).map(|_| bench.packet(0, &order).len()).sum();
    assert_eq!(sent, 1);
    changed(&mut bench, "[[port]]\nports = [4]\n[port.queue]\nqueues = 4\n");
    let now = Instant::from_microseconds(1_000_000);
    bench.out.begin(now);
    bench.chip.wake(now, &mut bench.out);
    let mut ends = bench.ends();
    ends.extend(drain(&mut bench));
    assert_eq!(ends.len(), 2, "{ends:?}");
    let refused = change(&mut bench, "[[port]]\nports = [4]\n[port.queue]\nqueues = 8\n").unwrap_err().to_string();
    assert!(refused.contains("port 4 has 4 queues, and the settings give 8; their number cannot change"), "{refused}");
}

#[test]
fn every_mistake_is_told_and_nothing_changes() {
    let mut bench = bench("[[mirror]]\nsession = 7\nport = 20\n");
    let before = text(&mut bench);
    let refused = change(
        &mut bench,
        "pipes = 2\ncolour = 1\n[latency]\ningress = \"1 us\"\n[[mirror]]\nsession = 7\nport = 21\n[[mirror]]\n\
         session = 9\n[[port]]\nports = [200, 8]\nrate = \"1 Gb/s\"\n[[port]]\nports = [4]\n[[port.queue.class]]\npool = 1\n",
    );
    let Err(Error::Configuration(findings)) = refused else { panic!("{refused:?}") };
    let said: Vec<(usize, &str)> =
        findings.iter().map(|finding| (finding.line.unwrap(), finding.message.as_str())).collect();
    let mut expected = [
        (1, "`pipes` cannot change while the chip runs"),
        (2, "unknown entry `colour` in the settings"),
        (3, "`latency` cannot change while the chip runs"),
        (8, "the mirror session sends its packets nowhere"),
        (11, "the chip has no port 200"),
        (12, "the rate of port 8 cannot change while the chip runs"),
        (16, "`pool` of a queue cannot change while the chip runs: other queues rely on it"),
    ];
    let mut found = said.clone();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert!(findings.iter().all(|finding| finding.hint.is_some()));
    assert_eq!(text(&mut bench), before);
    // What the architecture cannot have is told as well.
    let refused = change(&mut bench, "[[port]]\nports = [4]\nmetadata = \"0x010203040506070809\"\n");
    let Err(Error::Configuration(findings)) = refused else { panic!("{refused:?}") };
    assert_eq!(findings[0].message, "port 4 has 9 bytes of metadata, and ports of tna have 8");
    assert!(change(&mut bench, "mirror = [").is_err());
}

#[test]
fn what_is_read_is_a_file_that_sets_the_same() {
    let file = r#"
pipes = 2
cpu_port = 192
clock = "1 GHz"
global_rid = 5
[latency]
ingress = "200 ns"
[ghost]
stage = 3
latency = "7 ns"
[[port]]
ports = [0, 4]
metadata = "0x01ff"
[[port]]
ports = [130]
rate = "25 Gb/s"
up = false
[[deflection]]
port = 4
queue = 3
length = 100
[[multicast]]
group = 3
[[multicast.node]]
rid = 9
ports = [0, 130]
lags = [1]
exclusion = 6
[[multicast.ecmp]]
exclusion = 2
[[multicast.ecmp.node]]
rid = 1
ports = [4]
[[lag]]
number = 1
ports = [0, 4]
[[exclusion]]
number = 8
ports = [130]
[[mirror]]
session = 7
direction = "egress"
mcast_grp_a = 3
level2_mcast_hash = 4
rid = 2
copy_to_cpu = true
icos_for_copy_to_cpu = 6
color = "yellow"
deflect_on_drop = true
[[mirror]]
session = 8
port = 4
length = 64
[[generator]]
application = 2
pipes = [1]
trigger = "periodic"
timer = "5 us"
triggers = 7
packet = "0x0a0b"
batches = 2
packets = 3
packet_gap = "10 ns"
[[generator]]
application = 3
pipes = [0, 1]
trigger = "recirculation"
pattern = "0x01020304"
mask = "0x00ff00ff"
packet = "0x0a"
[[generator]]
application = 4
enabled = false
trigger = "port_down"
ports = [1, 2]
packet = "0x0a"
"#;
    let settings = ChipSettings::parse("chip.toml", file).unwrap_or_else(|failure| panic!("{failure}"));
    let parameters = TofinoParameters { chip: Some(settings.clone()), ..TofinoParameters::default() };
    let mut bench = Bench::of(chip_with(PROGRAM, parameters).unwrap());
    let read = text(&mut bench);
    let again = ChipSettings::parse("read.toml", &read).unwrap_or_else(|failure| panic!("{failure}\n{read}"));
    assert_eq!(again, settings, "{read}");
}
