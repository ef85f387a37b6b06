//! What the fuzzers have found here, each described, so that it does not come back.

mod common;

use common::{file, plan, prepare};
use traffic::{Kind, Pace, Replay, Traffic};

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let length = body.len() as u32 + 12;
    [&kind.to_le_bytes(), &length.to_le_bytes(), body, &length.to_le_bytes()].concat()
}

/// A pcapng file of `unknown` interfaces that nobody reads, then an Ethernet one with two packets, of which the second
/// comes `ticks` microseconds after the first.
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

/// A capture whose faults are accepted had more than a hundred of them; they were warnings, and filled the list of
/// findings, so that the error about its timestamps was lost and it was replayed at wrong times.
#[test]
fn a_capture_of_many_accepted_faults_is_still_refused_for_timestamps_that_no_run_holds() {
    let replayed = |bytes: &[u8]| {
        let pace = Pace::Timestamps { numerator: 1, denominator: 1 };
        let replay = Replay { pace, accepts_faults: true, ..Replay::of(file("x.pcapng", bytes)) };
        Traffic::new(Kind::Capture(replay))
    };
    let a_year = 366 * 86_400 * 1_000_000;
    for unknown in [0, 1, 99, 100, 200] {
        let text = prepare(&replayed(&capture(unknown, a_year)), &[]).expect_err("a year is too long");
        assert!(text.contains("more time than a run has"), "{unknown}: {text}");
        let prepared = prepare(&replayed(&capture(unknown, 1000)), &[]).unwrap_or_else(|text| panic!("{text}"));
        assert_eq!(prepared.packets().last().map(|offered| offered.at.picoseconds()), Some(1_000_000_000));
    }
}

/// `ports` and `active` were each within their limits, and their product took gigabytes and more than ten seconds before
/// the first packet came. Found beside `fuzz/fuzz_targets/traffic_plan.rs`; mended in `Traffic::prepare`.
#[test]
fn more_active_flows_than_memory_holds_are_refused_with_what_is_possible() {
    let text = prepare(&plan("websearch:ports=65535,active=4096"), &[]).expect_err("268 million flows");
    assert!(text.contains("4096 active flows on each of 65535 ports are too many"), "{text}");
    assert!(text.contains("`active` is at most 64"), "{text}");
    assert!(prepare(&plan("websearch:ports=65535,active=65"), &[]).is_err());
    let most = prepare(&plan("hadoop:ports=65535,active=64,packets=3"), &[]).unwrap_or_else(|text| panic!("{text}"));
    assert_eq!(most.packets().count(), 3);
    // Flows without end are counted once, not for each port.
    assert!(prepare(&plan("uniform:ports=65535,packets=3"), &[]).is_ok());
}

/// The rounds of a repeated capture follow each other after the mean gap, which of two packets is all of their time: the
/// check that all rounds end before time does counted the gap once and not for each round, and what came after the end of
/// time came all at once. Found by `fuzz/fuzz_targets/capture.rs`; mended in `capture::survey`.
#[test]
fn rounds_of_a_capture_with_the_gaps_between_them_end_before_time_does() {
    let prepared = |repeat| {
        let pace = Pace::Timestamps { numerator: 1, denominator: 1 };
        let replay = Replay { pace, repeat, ..Replay::of(file("x.pcapng", capture(0, 86_400_000_000))) };
        prepare(&Traffic::new(Kind::Capture(replay)), &[])
    };
    let a_day = 86_400_000_000_000_000;
    // Time has 213.5 days, and n rounds of a day take 2n - 1.
    let fits = prepared(107).unwrap_or_else(|text| panic!("{text}"));
    assert_eq!(fits.packets().last().map(|offered| offered.at.picoseconds()), Some(213 * a_day));
    for repeat in [108, 212, u32::MAX] {
        assert!(prepared(repeat).expect_err("it ends too late").contains("more time than a run has"));
    }
}
