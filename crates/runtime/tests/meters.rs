//! Meters: examples of RFC 2698, and properties that are checked without maintaining buckets.

use basis::Instant;
use proptest::prelude::*;
use runtime::meter::MeterError;
use runtime::{Color, MeterArray, MeterRates, MeterUnit};

use Color::{Green, Red, Yellow};

const SECOND: u64 = 1_000_000_000_000;

fn meter(rates: MeterRates) -> MeterArray {
    let mut meters = MeterArray::new(1, MeterUnit::Bytes);
    meters.set(0, Some(rates)).unwrap();
    meters
}

#[test]
fn bursts_pass_first_and_then_each_rate_applies() {
    let rates = MeterRates { committed_rate: 1000, committed_burst: 1500, peak_rate: 2000, peak_burst: 3000 };
    let mut meters = meter(rates);
    let mut at = |picoseconds, amount| meters.mark(0, Instant::from_picoseconds(picoseconds), amount);
    // Both buckets are full, also long after the start.
    assert_eq!([at(SECOND, 1500), at(SECOND, 1500), at(SECOND, 1)], [Green, Yellow, Red]);
    // One millisecond adds one committed and two peak tokens. A red packet takes none (section 3).
    let later = SECOND + SECOND / 1000;
    assert_eq!(
        [at(later - 1, 2), at(later, 3), at(later, 1), at(later, 1), at(later, 1)],
        [Red, Red, Green, Yellow, Red]
    );
    // Buckets never hold more than the burst sizes.
    let late = 1000 * SECOND;
    assert_eq!([at(late, 3001), at(late, 3000), at(late, 1)], [Red, Yellow, Red]);
}

#[test]
fn a_packet_never_becomes_greener() {
    let rates = MeterRates { committed_rate: 0, committed_burst: 10, peak_rate: 0, peak_burst: 20 };
    let mut meters = meter(rates);
    let mut colored = |amount, color| meters.mark_colored(0, Instant::ZERO, amount, color);
    assert_eq!(colored(5, Red), Red);
    assert_eq!(colored(5, Yellow), Yellow, "a yellow packet takes peak tokens only");
    assert_eq!([colored(10, Green), colored(5, Green), colored(1, Green)], [Green, Yellow, Red]);
}

#[test]
fn unconfigured_meters_keep_the_color_and_are_independent() {
    let rates = MeterRates { committed_rate: 0, committed_burst: 1, peak_rate: 0, peak_burst: 1 };
    let mut meters = MeterArray::new(3, MeterUnit::Packets);
    assert_eq!(meters.unit().amount(1500), 1);
    meters.set(1, Some(rates)).unwrap();
    meters.set(2, Some(rates)).unwrap();
    let now = Instant::ZERO;
    for index in [0, 3, u64::MAX] {
        assert_eq!(meters.mark(index, now, 1), Green);
        assert_eq!([Green, Yellow, Red].map(|color| meters.mark_colored(index, now, 1, color)), [Green, Yellow, Red]);
    }
    assert_eq!([meters.mark(1, now, 1), meters.mark(1, now, 1), meters.mark(2, now, 1)], [Green, Red, Green]);
    assert_eq!((meters.get(0), meters.get(1), meters.get(3)), (None, Some(rates), None));
    meters.set(1, None).unwrap();
    assert_eq!(meters.mark(1, now, 1), Green);
    assert_eq!([Green, Yellow, Red].map(Color::number), [0, 1, 2]);
    assert_eq!([0, 1, 2, 3].map(Color::from_number), [Green, Yellow, Red, Red]);
}

#[test]
fn rates_that_rfc_2698_forbids_are_refused() {
    let rates = MeterRates { committed_rate: 2, committed_burst: 1, peak_rate: 2, peak_burst: 1 };
    let mut meters = meter(rates);
    let bad = MeterRates { peak_rate: 1, ..rates };
    assert_eq!(meters.set(0, Some(bad)), Err(MeterError::PeakBelowCommitted));
    assert_eq!(meters.set(0, Some(MeterRates { peak_burst: 0, ..rates })), Err(MeterError::NoBurst));
    assert_eq!(meters.set(0, Some(MeterRates { committed_burst: 0, ..rates })), Err(MeterError::NoBurst));
    assert_eq!(meters.set(1, Some(rates)), Err(MeterError::NoSuchMeter { size: 1 }));
    assert_eq!(meters.get(0), Some(rates));
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let most = u64::MAX;
    let rates = MeterRates { committed_rate: most, committed_burst: most, peak_rate: most, peak_burst: most };
    let mut meters = meter(rates);
    assert_eq!(meters.mark(0, Instant::ZERO, most), Green);
    assert_eq!(meters.mark(0, Instant::ZERO, 1), Red);
    assert_eq!(meters.mark(0, Instant::MAX, most), Green);
    assert_eq!(meter(rates).mark(0, Instant::MAX, most), Green, "the buckets are full and all time has passed");
}

#[test]
fn time_that_goes_back_adds_no_tokens_twice() {
    let rates = MeterRates { committed_rate: 1, committed_burst: 10, peak_rate: 1, peak_burst: 10 };
    let mut meters = meter(rates);
    let mut at = |second, amount| meters.mark(0, Instant::from_picoseconds(second * SECOND), amount);
    assert_eq!([at(20, 10), at(12, 1), at(20, 1), at(21, 1), at(21, 1)], [Green, Red, Red, Green, Red]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A token bucket lets packets through exactly if every interval of them stays within burst + rate * time (the
    /// definition of a token bucket). The test maintains no bucket, so nothing can drift.
    #[test]
    fn red_marks_what_exceeds_the_peak_bucket(
        rate in 1..5_000_000_000u64,
        burst in 1..4000u64,
        packets in proptest::collection::vec((0..2_000_000u64, 1..2000u64), 1..60),
    ) {
        let rates = MeterRates { committed_rate: rate, committed_burst: burst, peak_rate: rate, peak_burst: burst };
        let mut meters = meter(rates);
        let mut now = 0;
        let mut passed: Vec<(u64, u64)> = Vec::new();
        for (gap, amount) in packets {
            now += gap;
            let mut sum = u128::from(amount);
            let mut allowed = sum <= u128::from(burst);
            for &(then, earlier) in passed.iter().rev() {
                sum += u128::from(earlier);
                let tokens = u128::from(burst) * u128::from(SECOND) + u128::from(now - then) * u128::from(rate);
                allowed &= sum * u128::from(SECOND) <= tokens;
            }
            if allowed {
                passed.push((now, amount));
            }
            let expected = if allowed { Green } else { Red };
            prop_assert_eq!(meters.mark(0, Instant::from_picoseconds(now), amount), expected, "at {} ps", now);
        }
    }

    /// Frequent and rare calls give the same result: the tokens of packets that cannot pass are not lost.
    #[test]
    fn the_frequency_of_calls_does_not_matter(
        committed_rate in 0..3_000_000u64,
        above in 0..3_000_000u64,
        asked in proptest::collection::vec(1..1_000_000_000u64, 1..50),
    ) {
        let peak_rate = committed_rate + above;
        let rates = MeterRates { committed_rate, committed_burst: 100, peak_rate, peak_burst: 200 };
        let (mut often, mut seldom) = (meter(rates), meter(rates));
        for meters in [&mut often, &mut seldom] {
            assert_eq!([meters.mark(0, Instant::ZERO, 100), meters.mark(0, Instant::ZERO, 100)], [Green, Yellow]);
        }
        let mut now = 0;
        for gap in asked {
            now += gap;
            // An amount greater than the buckets is red and takes no tokens.
            prop_assert_eq!(often.mark(0, Instant::from_picoseconds(now), 201), Red);
        }
        for amount in [3, 50, 7, 1] {
            let now = Instant::from_picoseconds(now);
            prop_assert_eq!(often.mark(0, now, amount), seldom.mark(0, now, amount));
        }
    }
}
