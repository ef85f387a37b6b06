//! Traces of packets that are not the first of a guest: replies, packets for the switch itself, and packets from outside.

use std::net::IpAddr;

use vswitchd::{Answer, Request, TraceReport};

use crate::bindings::{from_guest, from_server, site};
use crate::host::{Guest, Started, VPC};

fn trace(protocol: &str, [source, destination]: [&str; 2], ports: [u16; 2], next: bool) -> Request {
    let address = |text: &str| text.parse::<IpAddr>().expect("an address");
    Request::Trace {
        protocol: protocol.into(),
        source: address(source),
        source_port: ports[0],
        destination: address(destination),
        destination_port: ports[1],
        vpc: None,
        next,
    }
}

fn report(switch: &Started, request: Request) -> TraceReport {
    match switch.ask(request) {
        Answer::Trace(report) => *report,
        other => panic!("{other:?}"),
    }
}

/// A reply was asked about as a packet that begins a session, which the rules of its sender may deny.
#[test]
fn a_reply_passes_as_its_session_says() {
    let guests = [1, 2].map(Guest::new);
    let group = "[[security_group]]\nname = \"web\"\n[[security_group.rule]]\ndirection = \"in\"\nprotocol = \"udp\"\n";
    let switch = Started::new(&format!("{VPC}{}{}{group}", guests[0].section(""), guests[1].section("\"web\"")));
    guests[0].send(2, [1000, 53]);
    assert_eq!(guests[1].receive(), [1000, 53]);
    let reply = report(&switch, trace("udp", ["10.0.1.2", "10.0.1.1"], [53, 1000], false));
    assert_eq!((&*reply.origin, &*reply.vpc, reply.is_reply), ("vNIC `guest-2`", "red", true));
    assert_eq!(
        (&*reply.verdict, &reply.session_actions[..]),
        ("allowed", &["deliver to vNIC `guest-1`".to_owned()][..])
    );
    assert_eq!(reply.steps.len(), 3, "{:?}", reply.steps);
    let text = Answer::Trace(reply.into()).to_string();
    assert!(text.contains("reply in session: udp 10.0.1.1:1000 > 10.0.1.2:53, half open\n"), "{text}");
    assert!(text.contains("policy of the packet that began the session:\n"), "{text}");
    // The same packet without the session begins one, which the rules deny.
    let first = report(&switch, trace("udp", ["10.0.1.2", "10.0.1.1"], [53, 1001], false));
    assert_eq!((&*first.verdict, first.is_reply), ("dropped: denied by a security group", false));
    switch.end();
}

/// An ICMP echo request of guest 1 with an identifier, in a frame.
fn echo(to: [u8; 4], identifier: u16) -> Vec<u8> {
    let sum = |bytes: &[u8]| {
        let sum: u32 = bytes.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
        (!((sum >> 16) + (sum & 0xFFFF)) as u16).to_be_bytes()
    };
    let mut ip = [&[0x45, 0, 0, 28, 0, 0, 0x40, 0, 64, 1, 0, 0, 10, 0, 1, 1][..], &to].concat();
    let own = sum(&ip);
    ip[10..12].copy_from_slice(&own);
    let mut message = [&[8, 0, 0, 0][..], &identifier.to_be_bytes(), &[0, 1]].concat();
    let own = sum(&message);
    message[2..4].copy_from_slice(&own);
    [&[2, 0, 0, 0, 0, 0xFE, 2, 0, 0, 0, 0, 1, 8, 0][..], &ip, &message].concat()
}

/// `trace` had the tables say `no route` to a ping of the gateway and to a group, and waited for ever for the next one.
#[test]
fn what_no_table_is_asked_about_has_its_verdict() {
    let guests = [1, 2].map(Guest::new);
    let switch = Started::new(&format!("{VPC}{}{}", guests[0].section(""), guests[1].section("")));
    for (protocol, to, bytes, verdict, found) in [
        ("icmp", "10.0.1.254", [10, 0, 1, 254], "answered by the gateway", "for the switch itself"),
        ("icmp", "224.0.0.1", [224, 0, 0, 1], "dropped: not unicast IP", "discarded: not unicast IP"),
    ] {
        let now = report(&switch, trace(protocol, ["10.0.1.1", to], [7, 7], false));
        assert_eq!((&*now.verdict, now.steps.len()), (verdict, 0), "{to}");
        let handle = switch.handle.clone();
        let request = trace(protocol, ["10.0.1.1", to], [0, 0], true);
        let waiting = std::thread::spawn(move || handle.ask(request));
        while !waiting.is_finished() {
            guests[0].send_frame(&echo(bytes, 7));
            // The reply of the gateway, if there is one.
            guests[0].frame_soon();
        }
        let Ok(Ok(Answer::Trace(next))) = waiting.join() else { panic!("a trace of {to}") };
        assert_eq!(
            (&*next.verdict, &*next.origin, &*next.packet),
            (verdict, "vNIC `guest-1`", &*format!("icmp 10.0.1.1:7 > {to}:7"))
        );
        assert_eq!(next.came.map(|came| came.found).as_deref(), Some(found));
    }
    // Another message to the gateway is for nobody.
    let other = report(&switch, trace("udp", ["10.0.1.1", "10.0.1.254"], [7, 7], false));
    assert_eq!(other.verdict, "dropped: no route in its network");
    switch.end();
}

/// Packets from outside to a pool were refused, also those of a live session.
#[test]
fn a_packet_from_outside_is_one_of_the_session_that_expects_it() {
    const SYN: u8 = 2;
    let (one, world, text) = site();
    let other = "[[vpc]]\nname = \"blue\"\nvni = 7002\n";
    let switch = Started::new(&format!("{text}{other}"));
    one.send_frame(&from_guest(SYN, [100, 0]));
    let frame = world.frame();
    let port = u16::from_be_bytes([frame[34], frame[35]]);
    let expected = report(&switch, trace("tcp", ["203.0.113.9", "198.51.100.1"], [80, port], false));
    assert_eq!((&*expected.origin, &*expected.vpc, expected.is_reply), ("outside all VPCs", "red", true));
    assert_eq!(expected.session_actions.last().map(String::as_str), Some("deliver to vNIC `guest-1`"));
    assert_eq!(expected.session.map(|session| session.from).as_deref(), Some("10.0.1.1:5000"));
    assert_eq!(expected.verdict, "allowed");
    let unexpected = report(&switch, trace("tcp", ["203.0.113.9", "198.51.100.1"], [81, port], false));
    assert_eq!((&*unexpected.verdict, unexpected.steps.len()), ("dropped: from outside, unexpected", 0));
    let text = Answer::Trace(unexpected.into()).to_string();
    assert!(text.starts_with(&format!("tcp 203.0.113.9:81 > 198.51.100.1:{port} from outside all VPCs\n")), "{text}");
    // The next packet to the pool, which nobody expects.
    let handle = switch.handle.clone();
    let request = trace("tcp", ["203.0.113.9", "198.51.100.1"], [80, port ^ 1], true);
    let waiting = std::thread::spawn(move || handle.ask(request));
    while !waiting.is_finished() {
        world.send_frame(&from_server(port ^ 1, SYN, [1, 0]));
        one.frame_soon();
    }
    let Ok(Ok(Answer::Trace(next))) = waiting.join() else { panic!("a trace") };
    assert_eq!((&*next.verdict, &*next.origin), ("dropped: from outside, unexpected", "outside all VPCs"));
    switch.end();
}

/// The route to all of IPv6 was told as the reason why a packet of IPv4 has no way.
#[test]
fn a_route_of_ipv6_is_no_reason_for_ipv4() {
    let guest = Guest::new(1);
    let route = "[[vpc.route]]\nprefix = \"::/0\"\nblackhole = true\n";
    let switch = Started::new(&format!("{VPC}{route}{}", guest.section("")));
    let report = report(&switch, trace("udp", ["10.0.1.1", "203.0.113.9"], [7, 7], false));
    assert_eq!(report.verdict, "dropped: no route in its network");
    assert_eq!(report.steps.last().map(|step| &*step.because), Some("no route fits"));
    switch.end();
}
