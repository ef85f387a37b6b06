//! Regression tests for what the fuzzers have found in this crate, each with a description.

mod common;

use common::{file, plan, prepare};
use traffic::{Pace, Replay, Traffic, TrafficSource};

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32 + 12;
    [&kind.to_le_bytes(), &length.to_le_bytes(), body, &length.to_le_bytes()].concat()
}

/// Returns a pcapng file of `unknown` interfaces with unsupported link types, followed by an Ethernet interface with
/// two packets, the second of which arrives `ticks` microseconds after the first.
fn capture(unknown: u32, ticks: u64) -> Vec<u8> {
    let mut bytes = block(0x0A0D_0D0A, &[&0x1A2B_3C4Du32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xFF; 8]].concat());
    for _ in 0..unknown {
        bytes.extend(block(1, &[0xE7, 0x03, 0, 0, 0, 0, 0, 0]));
    }
    bytes.extend(block(1, &[1, 0, 0, 0, 0, 0, 0, 0]));
    for time in [0, ticks] {
        let words = [unknown, (time >> 32) as u32, time as u32, 4, 60];
        let body: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).chain([1, 2, 3, 4]).collect();
        bytes.extend(block(6, &body));
    }
    bytes
}

/// A capture with more than a hundred accepted faults filled the list of findings with warnings. The error about its
/// timestamps was therefore lost, and it was replayed at wrong times.
#[test]
fn many_accepted_faults_do_not_hide_an_error() {
    let replayed = |bytes: &[u8]| {
        let pace = Pace::Timestamps { numerator: 1, denominator: 1 };
        let replay = Replay { pace, accepts_faults: true, ..Replay::of(file("x.pcapng", bytes)) };
        Traffic::new(TrafficSource::Capture(replay))
    };
    let a_year = 366 * 86_400 * 1_000_000;
    for unknown in [0, 1, 99, 100, 200] {
        let text = prepare(&replayed(&capture(unknown, a_year)), &[]).expect_err("a year is too long");
        assert!(text.contains("more time than a run can have"), "{unknown}: {text}");
        let prepared = prepare(&replayed(&capture(unknown, 1000)), &[]).unwrap_or_else(|text| panic!("{text}"));
        assert_eq!(prepared.packets().last().map(|offered| offered.at.picoseconds()), Some(1_000_000_000));
    }
}

/// `ports` and `active` were each within their limits, but their product took gigabytes and more than ten seconds
/// before the first packet. Found beside `fuzz/fuzz_targets/traffic_plan.rs`; fixed in `Traffic::prepare`.
#[test]
fn refuses_more_active_flows_than_memory_holds() {
    let text = prepare(&plan("websearch:ports=65535,active=4096"), &[]).expect_err("268 million flows");
    assert!(text.contains("4096 active flows on each of 65535 ports are too many"), "{text}");
    assert!(text.contains("`active` is at most 64"), "{text}");
    assert!(prepare(&plan("websearch:ports=65535,active=65"), &[]).is_err());
    let most = prepare(&plan("hadoop:ports=65535,active=64,packets=3"), &[]).unwrap_or_else(|text| panic!("{text}"));
    assert_eq!(most.packets().count(), 3);
    // The flows of a pattern are counted once rather than per port.
    assert!(prepare(&plan("uniform:ports=65535,packets=3"), &[]).is_ok());
}

/// The rounds of a repeated capture follow each other after the mean gap, which for two packets is their whole span.
/// The check that all rounds end before time does counted the gap once rather than per round, and all packets after
/// the end of time arrived at once. Found by `fuzz/fuzz_targets/capture.rs`; fixed in `capture::survey`.
#[test]
fn repeated_captures_must_end_before_time_does() {
    let prepared = |repeat| {
        let pace = Pace::Timestamps { numerator: 1, denominator: 1 };
        let replay = Replay { pace, repeat, ..Replay::of(file("x.pcapng", capture(0, 86_400_000_000))) };
        prepare(&Traffic::new(TrafficSource::Capture(replay)), &[])
    };
    let a_day = 86_400_000_000_000_000;
    // Time ends after 213.5 days, and n rounds of a day take 2n - 1 days.
    let fits = prepared(107).unwrap_or_else(|text| panic!("{text}"));
    assert_eq!(fits.packets().last().map(|offered| offered.at.picoseconds()), Some(213 * a_day));
    for repeat in [108, 212, u32::MAX] {
        assert!(prepared(repeat).expect_err("it ends too late").contains("more time than a run can have"));
    }
}
