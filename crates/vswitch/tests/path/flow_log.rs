//! Records of flows in the manner of AWS VPC flow logs, and what is known of a TCP connection.

use basis::{Duration, Instant};
use vswitch::configuration::{Configuration, Direction, FlowLog, Nat, Peer, Route, RouteTarget, SecurityRule};
use vswitch::flow_log::{FlowField, RecordNames, VERSION_2, fields_of_header, header};
use vswitch::reasons;
use wire::protocol;
use wire::tcp::flag::{ACK, FIN, SYN};

use crate::frames::{echo, superframe, tcp, udp};
use crate::site::{Site, address, configuration, group, prefix, sessions};

fn logged(change: impl FnOnce(&mut Configuration)) -> Site {
    let mut own = configuration(0);
    own.flow_log = Some(FlowLog {
        interval: Duration::from_microseconds(60_000_000),
        account: "123456789012".to_owned(),
        vnics: None,
        fields: None,
    });
    change(&mut own);
    Site::new(vec![own, configuration(1)])
}

/// The lines of the records that were made, without account and version, in the order of their text. The switch began at 1000 s.
fn lines(site: &mut Site) -> Vec<String> {
    let unix = |at: Instant| 1000 + at.since(Instant::ZERO).picoseconds() / 1_000_000_000_000;
    let names = |vnic: u32| ["one", "two"][vnic as usize];
    let configuration = site.switches[0].policy().configuration().clone();
    let line = |record: vswitch::FlowRecord| {
        let interface = names(record.vnic());
        let names = RecordNames { host: "host a", interface, configuration: &configuration, unix: &unix };
        let fields = configuration.flow_log.as_ref().and_then(|log| log.fields.clone());
        record.line(&fields.unwrap_or(VERSION_2.to_vec()), names)
    };
    let mut lines: Vec<String> = site.switches[0].flow_records().map(line).collect();
    lines.sort();
    lines.into_iter().map(|line| line.trim_start_matches("2 123456789012 ").to_owned()).collect()
}

/// Lets time pass on the first switch.
fn wake(site: &mut Site) {
    site.wake(0);
}

#[test]
fn both_ends_of_a_flow_have_records_of_each_direction() {
    let mut site = logged(|_| {});
    let [one, two] = [1, 2].map(|number| site.guest(number));
    site.wait(5);
    site.passes(1, 2, udp(&one, "10.0.2.2", [10, 53], &[0; 8]));
    site.wait(2);
    site.passes(1, 2, udp(&one, "10.0.2.2", [10, 53], &[0; 8]));
    site.wait(3);
    site.passes(2, 1, udp(&two, "10.0.1.1", [53, 10], &[0; 58]));
    assert_eq!(lines(&mut site), [""; 0], "the window is not over");
    site.wait(50);
    wake(&mut site);
    assert_eq!(
        lines(&mut site),
        [
            "one 10.0.1.1 10.0.2.2 10 53 17 2 100 1005 1007 ACCEPT OK",
            "one 10.0.2.2 10.0.1.1 53 10 17 1 100 1010 1010 ACCEPT OK",
            "two 10.0.1.1 10.0.2.2 10 53 17 2 100 1005 1007 ACCEPT OK",
            "two 10.0.2.2 10.0.1.1 53 10 17 1 100 1010 1010 ACCEPT OK",
        ]
    );
    // In the next window only new packets count.
    site.passes(2, 1, udp(&two, "10.0.1.1", [53, 10], &[0; 58]));
    site.wait(60);
    wake(&mut site);
    assert_eq!(
        lines(&mut site),
        [
            "one 10.0.2.2 10.0.1.1 53 10 17 1 100 1060 1060 ACCEPT OK",
            "two 10.0.2.2 10.0.1.1 53 10 17 1 100 1060 1060 ACCEPT OK",
        ]
    );
    site.wait(60);
    wake(&mut site);
    assert_eq!(lines(&mut site), ["one - - - - - - - 1120 1180 - NODATA", "two - - - - - - - 1120 1180 - NODATA"]);
}

#[test]
fn refused_packets_are_recorded_where_they_are_refused() {
    let rule = SecurityRule {
        direction: Direction::In,
        protocol: Some(protocol::TCP),
        ports: Some(80..=80),
        peer: Peer::Any,
        priority: 1,
        allows: true,
    };
    let mut site = logged(|own| {
        own.groups = vec![group(vec![rule])];
        own.vnics[1].groups = vec![0];
    });
    let [one, two] = [1, 2].map(|number| site.guest(number));
    for _ in 0..3 {
        assert_eq!(site.is_dropped(1, udp(&one, "10.0.2.2", [10, 53], b"")), reasons::DENIED);
    }
    assert_eq!(site.is_dropped(2, udp(&two, "10.0.1.1", [9, 9], b"")), reasons::DENIED);
    site.wait(60);
    wake(&mut site);
    assert_eq!(
        lines(&mut site),
        [
            "one 10.0.1.1 10.0.2.2 10 53 17 3 126 1000 1000 ACCEPT OK",
            "two 10.0.1.1 10.0.2.2 10 53 17 3 126 1000 1000 REJECT OK",
            "two 10.0.2.2 10.0.1.1 9 9 17 1 42 1000 1000 REJECT OK",
        ]
    );
}

#[test]
fn the_last_window_of_a_vnic_that_is_gone_is_recorded() {
    let log = FlowLog {
        interval: Duration::from_microseconds(60_000_000),
        account: "123456789012".to_owned(),
        vnics: None,
        fields: None,
    };
    let mut site = logged(|own| own.groups = vec![group(Vec::new())]);
    let one = site.guest(1);
    site.passes(1, 2, udp(&one, "10.0.2.2", [10, 53], &[0; 8]));
    let mut without = Configuration { flow_log: Some(log), ..configuration(0) };
    without.vnics.truncate(1);
    site.wait(1);
    site.switches[0].apply(without.clone());
    wake(&mut site);
    let expected = "10.0.1.1 10.0.2.2 10 53 17 1 50 1000 1000 ACCEPT OK";
    assert_eq!(lines(&mut site), [format!("one {expected}"), format!("two {expected}")]);
    assert_eq!(site.switches[0].flow_log_of_gone().into_values().collect::<Vec<_>>(), ["guest-2"]);
    // From now on nothing is recorded of it, not even that there is nothing.
    site.wait(60);
    wake(&mut site);
    assert_eq!(lines(&mut site), ["one - - - - - - - 1060 1120 - NODATA"; 0]);
    site.wait(60);
    wake(&mut site);
    assert_eq!(lines(&mut site), ["one - - - - - - - 1060 1120 - NODATA"]);
    // Another one in its place begins anew.
    let mut other = Configuration { flow_log: without.flow_log.clone(), ..configuration(0) };
    other.vnics[1].name = "another".to_owned();
    site.switches[0].apply(other);
    wake(&mut site);
    assert!(site.switches[0].flow_log_of_gone().is_empty());
}

#[test]
fn sessions_are_recorded_as_guests_see_them_when_they_end() {
    let mut site = logged(|own| {
        own.nats = vec![Nat { name: "world".to_owned(), addresses: vec![address("198.51.100.1")], ports: 4000..=4001 }];
        own.vpcs[0].routes.push(Route { prefix: prefix("0.0.0.0/0"), target: RouteTarget::Nat(0), mtu: None });
        own.flow_log.as_mut().expect("a log").vnics = Some(vec![0]);
    });
    let one = site.guest(1);
    site.leave(1, echo(&one, "203.0.113.9", true, 77));
    site.leave(1, superframe(tcp(&one, "203.0.113.9", [10, 80], ACK, [1, 1]), 3000, 1000));
    // Nothing else is needed than that the switch stops.
    let now = site.now;
    site.switches[0].end_flow_log(now);
    assert_eq!(
        lines(&mut site),
        [
            "one 10.0.1.1 203.0.113.9 0 0 1 1 46 1000 1000 ACCEPT OK",
            "one 10.0.1.1 203.0.113.9 10 80 6 3 3162 1000 1000 ACCEPT OK",
        ]
    );
}

#[test]
fn round_trips_and_flags_of_a_connection_are_known() {
    let mut site = Site::pair();
    let [one, three] = [1, 3].map(|number| site.guest(number));
    let there = |flags, numbers| tcp(&one, "10.0.1.3", [1000, 80], flags, numbers);
    let back = |flags, numbers| tcp(&three, "10.0.1.1", [80, 1000], flags, numbers);
    let after = |site: &mut Site, microseconds| site.now += Duration::from_microseconds(microseconds);
    after(&mut site, 10);
    site.passes(1, 3, there(SYN, [10, 0]));
    after(&mut site, 300);
    site.passes(3, 1, back(SYN | ACK, [20, 11]));
    after(&mut site, 40);
    site.passes(1, 3, there(ACK, [11, 21]));
    site.passes(1, 3, there(ACK | FIN, [11, 21]));
    after(&mut site, 100);
    site.passes(3, 1, back(ACK, [21, 12]));
    let session = sessions(&site.switches[0]).remove(0);
    // 300 us, and then an eighth of 100 us.
    assert_eq!(session.seen.map(|seen| seen.round_trip()), [Some(300_000 - 37_500 + 12_500), Some(40_000)]);
    let flags = session.seen.map(|seen| (seen.flags.syn, seen.flags.fin, seen.flags.rst));
    assert_eq!(flags, [(1, 1, 0), (1, 0, 0)]);
}

/// Returns a list of fields by their names.
fn fields(names: &str) -> Vec<FlowField> {
    fields_of_header(names).expect("names of fields")
}

#[test]
fn records_have_the_fields_that_the_configuration_names() {
    let mut site = logged(|own| {
        own.nats = vec![Nat { name: "world".to_owned(), addresses: vec![address("198.51.100.1")], ports: 4000..=4001 }];
        own.vpcs[0].routes.push(Route { prefix: prefix("0.0.0.0/0"), target: RouteTarget::Nat(0), mtu: None });
        let log = own.flow_log.as_mut().expect("a log");
        log.vnics = Some(vec![0]);
        log.fields = Some(fields(
            "version host vpc-id interface-id type srcaddr dstaddr flow-direction traffic-path pkt-srcaddr pkt-dstaddr \
             peer-srcaddr peer-srcport peer-dstaddr peer-dstport peer-interface-id local-endpoint remote-endpoint \
             underlay-interface session-start action",
        ));
    });
    let [one, three] = [1, 3].map(|number| site.guest(number));
    site.wait(5);
    site.leave(1, udp(&one, "203.0.113.9", [10, 53], b"to the world"));
    site.passes(1, 2, udp(&one, "10.0.2.2", [10, 53], b"to a neighbour"));
    site.passes(1, 3, udp(&one, "10.0.1.3", [10, 53], b"through a tunnel"));
    site.passes(3, 1, udp(&three, "10.0.1.1", [53, 10], b"and back"));
    let now = site.now;
    site.switches[0].end_flow_log(now);
    let common = "5 host_a red one IPv4";
    assert_eq!(
        lines(&mut site),
        [
            format!(
                "{common} 10.0.1.1 10.0.1.3 egress 1 10.0.1.1 10.0.1.3 10.0.1.1 10 10.0.1.3 53 - 192.0.2.1 192.0.2.2 eth0 1005 ACCEPT"
            ),
            format!(
                "{common} 10.0.1.1 10.0.2.2 egress 1 10.0.1.1 10.0.2.2 10.0.1.1 10 10.0.2.2 53 guest-2 - - - 1005 ACCEPT"
            ),
            format!(
                "{common} 10.0.1.1 203.0.113.9 egress 8 10.0.1.1 203.0.113.9 198.51.100.1 4000 203.0.113.9 53 - - - eth0 1005 ACCEPT"
            ),
            format!(
                "{common} 10.0.1.3 10.0.1.1 ingress - 10.0.1.3 10.0.1.1 10.0.1.3 53 10.0.1.1 10 - 192.0.2.1 192.0.2.2 - 1005 ACCEPT"
            ),
        ]
    );
}

#[test]
fn names_of_fields_are_told_from_records() {
    let all = header(&FlowField::ALL);
    assert_eq!(fields_of_header(&all).expect("names"), FlowField::ALL);
    assert_eq!(fields_of_header("2 123456789012 one 10.0.1.1 10.0.2.2 10 53 17 2 100 1005 1007 ACCEPT OK"), None);
    assert_eq!(fields_of_header("version colour"), None);
}
