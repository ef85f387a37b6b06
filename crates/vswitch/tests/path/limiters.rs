//! Limits of the rates of vNICs.

use basis::Duration;
use runtime::meter::{MeterRates, MeterUnit};
use vswitch::configuration::{Configuration, Course, FlowLog, Limiter};
use vswitch::reasons;
use vswitch::session::Count;
use vswitch::{FlowRecord, LimiterCounts, VirtualSwitch};
use wire::tcp::flag::ACK;

use crate::frames::{superframe, tcp, udp};
use crate::site::{Site, Told, configuration, sessions};

fn limited(limiters: Vec<Limiter>) -> Configuration {
    Configuration { limiters, ..configuration(0) }
}

/// A limiter of guest 1 (position 0) or 2.
fn limiter(vnic: usize, course: Course, unit: MeterUnit, rates: [u64; 4]) -> Limiter {
    let [committed_rate, committed_burst, peak_rate, peak_burst] = rates;
    let rates = MeterRates { committed_rate, committed_burst, peak_rate, peak_burst };
    Limiter { name: format!("{vnic} {course:?}"), vnic, course, unit, rates, excess_dscp: None }
}

#[test]
fn packets_above_the_rate_are_dropped_in_one_direction() {
    let own = limiter(0, Course::Egress, MeterUnit::Packets, [10, 5, 10, 5]);
    let mut site = Site::new(vec![limited(vec![own])]);
    let [one, two] = [1, 2].map(|number| site.guest(number));
    let there = || udp(&one, "10.0.2.2", [1, 2], b"");
    for _ in 0..5 {
        site.passes(1, 2, there());
    }
    assert_eq!(site.is_dropped(1, there()), reasons::OVER_RATE);
    for _ in 0..20 {
        site.passes(2, 1, udp(&two, "10.0.1.1", [2, 1], b""));
    }
    // A packet's time is a tenth of a second.
    site.now += Duration::from_microseconds(100_000);
    site.passes(1, 2, there());
    assert_eq!(site.is_dropped(1, there()), reasons::OVER_RATE);
    let counts = site.switches[0].limiter_counts(0);
    assert_eq!(counts, LimiterCounts { within: 6, excess: 0, dropped: 2 });
}

#[test]
fn bytes_for_a_guest_are_limited_whoever_sends_them() {
    let own = limiter(1, Course::Ingress, MeterUnit::Bytes, [100, 300, 100, 300]);
    let mut site = Site::new(vec![limited(vec![own]), configuration(1)]);
    let [one, three] = [1, 3].map(|number| site.guest(number));
    // 14 + 20 + 8 + 58 bytes each.
    site.passes(1, 2, udp(&one, "10.0.2.2", [1, 2], &[0; 58]));
    site.passes(3, 2, udp(&three, "10.0.2.2", [1, 2], &[0; 58]));
    site.passes(1, 2, udp(&one, "10.0.2.2", [3, 4], &[0; 58]));
    assert_eq!(site.is_dropped(3, udp(&three, "10.0.2.2", [1, 2], &[0; 58])), reasons::OVER_RATE);
    // Another guest is not concerned.
    site.passes(3, 1, udp(&three, "10.0.1.1", [1, 2], &[0; 58]));
}

#[test]
fn packets_above_the_committed_rate_are_marked() {
    let mut own = limiter(0, Course::Egress, MeterUnit::Packets, [1, 1, 10, 3]);
    own.excess_dscp = Some(12);
    let mut site = Site::new(vec![limited(vec![own])]);
    let one = site.guest(1);
    for (to, at) in [("10.0.2.2", 15), ("fd00::2", 14)] {
        site.wait(10);
        let packet = || udp(&one, to, [1, 2], b"");
        let class = |packet: &wire::Packet| match at {
            15 => packet.head.bytes()[15],
            _ => packet.head.bytes()[14] << 4 | packet.head.bytes()[15] >> 4,
        };
        let classes = [0; 3].map(|_| class(&site.passes(1, 2, packet())));
        assert_eq!(classes, [0, 12 << 2, 12 << 2]);
        assert_eq!(site.is_dropped(1, packet()), reasons::OVER_RATE);
    }
    assert_eq!(site.switches[0].limiter_counts(0), LimiterCounts { within: 2, excess: 4, dropped: 2 });
}

#[test]
fn as_many_segments_of_a_superframe_pass_as_the_rate_allows() {
    let own = limiter(0, Course::Egress, MeterUnit::Packets, [1, 10, 1, 10]);
    let mut site = Site::new(vec![limited(vec![own])]);
    let one = site.guest(1);
    let frame = |segments: usize| superframe(tcp(&one, "10.0.2.2", [1, 2], ACK, [1, 1]), segments * 1000, 1000);
    let told = site.send(1, frame(6));
    assert!(matches!(&told[..], [Told::Given(2, packet)] if packet.segments().count == 6), "it stays whole: {told:?}");
    let told = site.send(1, frame(6));
    let passed = told.iter().filter(|told| matches!(told, Told::Given(2, _))).count();
    let dropped = told.iter().filter(|told| **told == Told::Dropped(0, reasons::OVER_RATE)).count();
    assert_eq!((passed, dropped), (4, 2));
    assert_eq!(site.switches[0].limiter_counts(0), LimiterCounts { within: 10, excess: 0, dropped: 2 });
}

#[test]
fn other_tables_do_not_fill_a_limiter_again() {
    let own = limiter(0, Course::Egress, MeterUnit::Packets, [1, 2, 1, 2]);
    let mut site = Site::new(vec![limited(vec![own.clone()])]);
    let one = site.guest(1);
    let packet = || udp(&one, "10.0.2.2", [1, 2], b"");
    site.passes(1, 2, packet());
    site.passes(1, 2, packet());
    let other = limiter(1, Course::Egress, MeterUnit::Packets, [1, 2, 1, 2]);
    site.switches[0].apply(limited(vec![other, own]));
    assert_eq!(site.is_dropped(1, packet()), reasons::OVER_RATE);
    site.switches[0].apply(limited(Vec::new()));
    site.passes(1, 2, packet());
}

/// Limiters, and a flow log of all vNICs.
fn logged(limiters: Vec<Limiter>) -> Configuration {
    let interval = Duration::from_microseconds(60_000_000);
    let log = FlowLog { interval, account: "-".to_owned(), vnics: None, fields: None };
    Configuration { flow_log: Some(log), ..limited(limiters) }
}

/// Ends the window of the flow log, and returns what it has of each vNIC, by its position, and of each course.
fn recorded(site: &mut Site) -> Vec<(u32, Course, Count)> {
    let now = site.now;
    site.switches[0].end_flow_log(now);
    let flow = |record| match record {
        FlowRecord::Flow(flow) => Some((flow.vnic, flow.course, flow.count)),
        _ => None,
    };
    site.switches[0].flow_records().filter_map(flow).collect()
}

/// A flow log once counted for the receiver what a limiter had dropped before it.
#[test]
fn the_flow_log_of_a_receiver_has_what_it_was_given() {
    let count = |packets| Count { packets, bytes: 50 * packets };
    for (vnic, course) in [(0, Course::Egress), (1, Course::Ingress)] {
        let own = limiter(vnic, course, MeterUnit::Packets, [1, 3, 1, 3]);
        let mut site = Site::new(vec![logged(vec![own])]);
        let [one, two] = [1, 2].map(|number| site.guest(number));
        let there = || udp(&one, "10.0.2.2", [1, 2], &[0; 8]);
        (0..3).for_each(|_| drop(site.passes(1, 2, there())));
        (0..4).for_each(|_| assert_eq!(site.is_dropped(1, there()), reasons::OVER_RATE));
        site.passes(2, 1, udp(&two, "10.0.1.1", [2, 1], &[0; 8]));
        let expected = [
            (0, Course::Egress, count(7)),
            (1, Course::Ingress, count(3)),
            (0, Course::Ingress, count(1)),
            (1, Course::Egress, count(1)),
        ];
        let [there_and_back, ..] = &sessions(&site.switches[0])[..] else { panic!("there is no session") };
        assert_eq!(there_and_back.counts, [count(3), count(1)], "{course:?}");
        assert_eq!(recorded(&mut site), expected, "{course:?}");
        // A window in which nothing passes is one without a record for the receiver.
        assert_eq!(site.is_dropped(1, there()), reasons::OVER_RATE);
        assert_eq!(recorded(&mut site), [(0, Course::Egress, count(1))], "{course:?}");
    }
}

/// What was dropped is not given to another process as if it had passed.
#[test]
fn the_flow_log_goes_on_at_another_process_with_what_was_dropped() {
    let own = || logged(vec![limiter(0, Course::Egress, MeterUnit::Packets, [1, 2, 1, 2])]);
    let mut site = Site::new(vec![own()]);
    let one = site.guest(1);
    let frame = || superframe(tcp(&one, "10.0.2.2", [1, 2], ACK, [1, 1]), 3000, 1000);
    assert_eq!(site.send(1, frame()).len(), 3);
    let now = site.now;
    let (bytes, next) = site.switches[0].hand_over(now, 0, 1000, Some(now));
    assert_eq!(next, None);
    let mut other = VirtualSwitch::new(own(), [3, 4]);
    assert_eq!(other.take_over(now, &bytes).expect("sessions").taken, 1);
    site.replace(0, other);
    let recorded: Vec<_> = recorded(&mut site).into_iter().map(|(vnic, _, count)| (vnic, count.packets)).collect();
    assert_eq!(recorded, [(0, 3), (1, 2)]);
}

/// What is too long for its receiver is dropped too.
#[test]
fn the_flow_log_of_a_receiver_lacks_what_was_too_long_for_it() {
    let mut own = logged(Vec::new());
    own.vnics[1].mtu = 1280;
    let mut site = Site::new(vec![own]);
    let one = site.guest(1);
    site.passes(1, 2, udp(&one, "fd00::2", [1, 2], &[0; 8]));
    let told = site.send(1, udp(&one, "fd00::2", [1, 2], &[0; 1300]));
    assert!(
        matches!(told[..], [Told::Given(1, _), Told::Dropped(0, reason)] if reason == reasons::TOO_LONG),
        "{told:?}"
    );
    let recorded: Vec<_> = recorded(&mut site).into_iter().map(|(vnic, _, count)| (vnic, count.packets)).collect();
    assert_eq!(recorded, [(0, 2), (1, 1)]);
}
