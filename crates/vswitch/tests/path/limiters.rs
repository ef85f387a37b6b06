//! Limits of the rates of vNICs.

use basis::Duration;
use runtime::meter::{MeterRates, MeterUnit};
use vswitch::LimiterCounts;
use vswitch::configuration::{Configuration, Course, Limiter};
use vswitch::reasons;
use wire::tcp::flag::ACK;

use crate::frames::{superframe, tcp, udp};
use crate::site::{Site, Told, configuration};

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
