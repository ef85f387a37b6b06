//! Figures 7 and 17 of ATP's paper, box by box, and what they leave open.

use basis::Instant;
use machines::aggregator::atp::{AtpSwitchParameters, Defect};
use machines::aggregator::reasons;
use wire::atp::flag;
use wire::{Packet, SharedBytes, Tail};

use crate::packets::{Fields, Seen, Switch, gradient, parameter};

const ABSORBED: Seen = Seen::Discarded(reasons::AGGREGATED);
const DUPLICATE: Seen = Seen::Discarded(reasons::DUPLICATE);

fn second() -> Switch {
    Switch::at_level(1, AtpSwitchParameters { aggregators: 8, ..AtpSwitchParameters::default() })
}

fn switch() -> Switch {
    Switch::new(AtpSwitchParameters { aggregators: 8, ..AtpSwitchParameters::default() })
}

#[test]
fn the_last_packet_carries_sum_and_bitmap_on() {
    let mut switch = switch();
    assert_eq!(switch.take(&gradient(0, 3, 5)), ABSORBED);
    assert_eq!(switch.take(&gradient(2, 3, -70)), ABSORBED);
    let last = switch.forwarded(&gradient(1, 3, 11));
    let expected = Fields { bitmaps: [0b111, 1], values: vec![-54; 62], ..gradient(0, 3, 0) };
    assert_eq!(last, expected.flags(flag::SECOND_EDGE));
    // The aggregator stays until its parameter packet comes.
    assert_eq!((switch.register("counter"), switch.register("bitmap")), (3, 7));
    assert_eq!(switch.take(&gradient(1, 3, 11)), DUPLICATE);
    switch.take(&parameter());
    assert_eq!((switch.register("identifier"), switch.register("bitmap"), switch.register("ecn")), (0, 0, 0));
}

#[test]
fn the_second_level_adds_up_what_first_edge_switches_send() {
    let mut switch = second();
    assert_eq!(switch.take(&gradient(0, 3, 5).behind_switch(4)), ABSORBED);
    let last = switch.forwarded(&gradient(1, 3, 6).behind_switch(0));
    assert_eq!((last.bitmaps, last.values[61], last.flags), ([2, 0b1_0001], 11, flag::SECOND_EDGE));
}

#[test]
fn degrees_of_32_and_of_1() {
    let mut switch = switch();
    for bit in 0..31 {
        assert_eq!(switch.take(&gradient(bit, 32, 1)), ABSORBED);
    }
    assert_eq!(switch.forwarded(&gradient(31, 32, 1)).values, [32; 62]);
    switch.take(&parameter());
    // Of one sender, the sum is complete at once, and waits for its parameter packet like any other.
    assert_eq!(switch.forwarded(&gradient(0, 1, 9)), gradient(0, 1, 9).flags(flag::SECOND_EDGE));
    assert_eq!(switch.register("counter"), 1);
    assert_eq!(switch.take(&gradient(0, 1, 9)), DUPLICATE);
}

#[test]
fn packets_of_other_levels_and_jobs_pass_untouched() {
    for (mut switch, fields) in [
        (switch(), gradient(0, 2, 5).behind_switch(0)),
        (second(), Fields { ip_ecn: 3, ..gradient(0, 2, 5) }),
        (switch(), Fields { job: 9, ..gradient(0, 2, 5) }.flags(flag::RESEND)),
    ] {
        assert_eq!(switch.forwarded(&fields), fields);
        assert_eq!(switch.register("identifier"), 0);
    }
}

#[test]
fn a_collision_goes_on_as_if_resent() {
    let mut switch = switch();
    switch.take(&gradient(0, 2, 5));
    let other = Fields { sequence: 1001, ..gradient(1, 2, 6) };
    let flags = flag::RESEND | flag::COLLISION | flag::SECOND_EDGE;
    assert_eq!(switch.forwarded(&other), other.clone().flags(flags));
    let of_another_job = Fields { job: 8, ..gradient(1, 2, 6) };
    assert_eq!(switch.forwarded(&of_another_job), of_another_job.clone().flags(flags));
    assert_eq!((switch.register("counter"), switch.counter("atp_collisions")), (1, 2));
}

#[test]
fn marks_are_merged_also_from_duplicates_and_from_the_ip_header() {
    let marked_in_ip = Fields { ip_ecn: 3, ..gradient(0, 2, 5) };
    for marked in [gradient(0, 2, 5).flags(flag::ECN), marked_in_ip] {
        let mut switch = switch();
        switch.take(&gradient(0, 2, 5));
        assert_eq!((switch.register("ecn"), switch.take(&marked)), (0, DUPLICATE));
        let last = switch.forwarded(&gradient(1, 2, 6));
        assert_eq!((last.flags & flag::ECN, last.ip_ecn), (flag::ECN, 2));
    }
    let mut switch = switch();
    switch.take(&parameter());
    switch.take(&gradient(0, 2, 5).flags(flag::ECN));
    let partial = switch.forwarded(&gradient(0, 2, 5).flags(flag::RESEND));
    assert!(partial.flags & flag::ECN != 0, "a partial sum carries the mark on, too");
    assert!(switch.forwarded(&gradient(0, 1, 5)).flags & flag::ECN == 0, "no mark is left over");
    let Seen::Sent(sent) = switch.take(&Fields { ip_ecn: 3, ..parameter() }) else { panic!("not sent") };
    assert!(sent.iter().all(|(_, fields)| fields.flags == flag::ACK | flag::ECN), "also marks of parameter packets");
}

#[test]
fn a_resent_packet_takes_the_partial_sum_on_at_the_first_level() {
    // Box 6: its own values are added first, if they are not part of the sum.
    for (bit, bitmap, sum) in [(1, 0b101 | 2, 18), (2, 0b101, 12)] {
        let mut switch = switch();
        switch.take(&gradient(0, 4, 5));
        switch.take(&gradient(2, 4, 7));
        let resent = gradient(bit, 4, 6).flags(flag::RESEND);
        let partial = switch.forwarded(&resent);
        assert_eq!((partial.bitmaps[0], partial.values[0]), (bitmap, sum));
        assert_eq!(partial.flags, flag::RESEND | flag::SECOND_EDGE);
        assert_eq!(switch.register("identifier"), 0, "box 7");
        // Box 4: the next one finds nothing, and takes nothing.
        let next = gradient(0, 4, 5).flags(flag::RESEND);
        assert_eq!(switch.forwarded(&next), next.clone().flags(flag::SECOND_EDGE));
        assert_eq!(switch.register("identifier"), 0);
    }
}

#[test]
fn a_resent_packet_discards_the_sum_of_the_second_level() {
    let mut switch = second();
    switch.take(&gradient(0, 2, 5).behind_switch(0));
    let resent = gradient(1, 2, 6).behind_switch(1).flags(flag::RESEND);
    assert_eq!(switch.forwarded(&resent), resent);
    assert_eq!((switch.register("identifier"), switch.counter("atp_abandoned_sums")), (0, 1));
    // A resent packet of another fragment concerns nothing here.
    switch.take(&gradient(0, 2, 5).behind_switch(0));
    switch.take(&Fields { sequence: 5, ..resent });
    assert_eq!(switch.register("counter"), 1);
}

#[test]
fn any_parameter_packet_frees_an_old_aggregator() {
    let mut switch = switch().with_age(1000);
    let other = Fields { sequence: 9, ..parameter() };
    switch.take(&gradient(0, 3, 5));
    switch.now = Instant::from_microseconds(900);
    switch.take(&gradient(1, 3, 5));
    switch.now = Instant::from_microseconds(1800);
    switch.take(&other);
    assert_eq!(switch.register("counter"), 2, "the age counts from the last aggregation");
    switch.now = Instant::from_microseconds(2100);
    switch.take(&Fields { aggregator: 4, ..other.clone() });
    assert_eq!(switch.register("counter"), 2, "another index");
    switch.take(&other);
    assert_eq!((switch.register("identifier"), switch.counter("atp_aged")), (0, 1));
}

#[test]
fn clamped_values_stay_clamped() {
    let mut switch = switch();
    switch.take(&gradient(0, 3, i32::MAX - 1));
    switch.take(&gradient(1, 3, 2));
    let last = switch.forwarded(&gradient(2, 3, -100));
    assert_eq!(last.values, [i32::MAX; 62]);
    assert_eq!(last.flags, flag::SECOND_EDGE, "the values say it, and no flag");
}

#[test]
fn originals_pass_untouched() {
    let mut switch = switch();
    switch.take(&gradient(0, 2, 5));
    for flags in [flag::OVERFLOW, flag::OVERFLOW | flag::RESEND] {
        let originals = Fields { ip_ecn: 3, ..gradient(1, 2, 6) }.flags(flags);
        assert_eq!(switch.forwarded(&originals), originals);
    }
    assert_eq!(switch.register("counter"), 1);
}

#[test]
fn what_cannot_be_aggregated_passes_as_it_is() {
    let mut switch = switch();
    let short = Fields { values: vec![1; 61], ..gradient(0, 2, 5) };
    for fields in [Fields { aggregator: 8, ..gradient(0, 2, 5) }, Fields { job: 0, ..gradient(0, 2, 5) }, short] {
        assert_eq!(switch.forwarded(&fields), fields);
    }
    let single_pass = |bit| Fields { values: vec![4; 31], ..gradient(bit, 2, 5) };
    assert_eq!(switch.take(&single_pass(0)), ABSORBED);
    assert_eq!(switch.forwarded(&single_pass(1)).values, [8; 31]);
    switch.take(&parameter());
    let mut unknown = gradient(0, 2, 5).packet();
    unknown.truncate(58);
    let unknown = unknown.with_tail(Tail::Length(248));
    assert!(matches!(switch.take_packet(unknown), Seen::Sent(_)), "values that nobody knows");
    assert_eq!(switch.register("identifier"), 0);
    // Interfaces deliver the payload in the tail.
    let bytes = gradient(0, 2, 5).packet();
    let (head, tail) = bytes.head.bytes().split_at(60);
    let split = Packet::of_bytes(head).with_tail(Tail::Bytes(SharedBytes::from(tail)));
    assert_eq!(switch.take_packet(split), ABSORBED);
    assert_eq!(switch.forwarded(&gradient(1, 2, 6)).values, [11; 62]);
}

#[test]
fn each_defect_shows() {
    let with = |defect| Switch::new(AtpSwitchParameters { aggregators: 8, defect: Some(defect) }).with_age(100);
    let mut switch = with(Defect::NoBitmapCheck);
    switch.take(&gradient(0, 3, 5));
    switch.take(&gradient(0, 3, 5));
    assert_eq!(switch.forwarded(&gradient(1, 3, 6)).values[0], 16, "a value was added twice");
    let mut switch = with(Defect::FanInOffByOne);
    switch.take(&gradient(0, 3, 5));
    assert_eq!(switch.forwarded(&gradient(1, 3, 6)).values[0], 11, "one packet too early");
    let mut switch = with(Defect::EcnNotMerged);
    switch.take(&gradient(0, 3, 5));
    switch.take(&gradient(1, 3, 5).flags(flag::ECN));
    assert_eq!(switch.forwarded(&gradient(2, 3, 6)).flags & flag::ECN, 0);
    let mut switch = with(Defect::ResendIgnored);
    switch.take(&gradient(0, 3, 5));
    assert_eq!(switch.take(&gradient(0, 3, 5).flags(flag::RESEND)), DUPLICATE);
    let mut switch = with(Defect::NoAgeing);
    switch.take(&gradient(0, 3, 5));
    switch.now = Instant::from_microseconds(1_000_000);
    switch.take(&Fields { sequence: 9, ..parameter() });
    assert_eq!(switch.register("counter"), 1);
}
