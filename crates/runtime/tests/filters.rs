//! Low-pass filters and random early detectors, against the formulas that they approximate.

use basis::{Instant, Random};
use proptest::prelude::*;
use runtime::filter::{FilterError, FilterKind, FilterSettings};
use runtime::wred::WredSettings;
use runtime::{FilterArray, WredArray};

fn at(nanoseconds: u64) -> Instant {
    Instant::from_picoseconds(nanoseconds * 1000)
}

fn filter(kind: FilterKind, gain: u64, decay: u64) -> FilterArray {
    let mut filters = FilterArray::new(1);
    let settings = FilterSettings { kind, gain_time_constant: gain, decay_time_constant: decay, scale_down: 0 };
    filters.set(0, Some(settings)).unwrap();
    filters
}

#[test]
fn a_sample_filter_approaches_its_values() {
    let mut filters = filter(FilterKind::Sample, 1000, 4000);
    assert_eq!(filters.filter(0, at(50), 1_000_000), 1_000_000, "the first value is taken as it is");
    // After one time constant 1/e of the distance is left, by the constant of the direction.
    assert_eq!(filters.filter(0, at(4050), 0), 367_879, "10^6 / e");
    assert_eq!(filters.filter(0, at(4050), 0), 367_879, "no time has passed");
    assert_eq!(filters.filter(0, at(5050), 1_000_000), 767_455, "10^6 - (10^6 - 10^6 / e) / e");
    assert_eq!(filters.filter(0, at(10), 0), 767_455, "time that goes back stands still");
    assert_eq!(filters.filter(0, at(u64::MAX / 1000), 5), 5, "after all time nothing is left of the past");
}

#[test]
fn a_rate_filter_adds_values_that_fade() {
    let mut filters = filter(FilterKind::Rate, 1000, 1000);
    assert_eq!(filters.filter(0, at(0), 1_000_000), 1_000_000);
    assert_eq!(filters.filter(0, at(1000), 1_000_000), 1_367_879);
    // 100 bytes each 10 ns are 10,000 bytes in a time constant, up to how the values are spread within it.
    let mut steady = filter(FilterKind::Rate, 1000, 1000);
    let last = (0..1000).map(|number| steady.filter(0, at(number * 10), 100)).last().unwrap();
    assert!((9_900..=10_100).contains(&last), "{last}");
    assert_eq!(steady.filter(0, at(10_000), u64::MAX), u32::MAX.into(), "levels do not overflow");
}

#[test]
fn outputs_are_scaled_and_mistakes_are_refused() {
    let mut filters = FilterArray::new(2);
    assert_eq!(filters.filter(0, at(0), 77), 77, "a filter that is not configured filters nothing");
    assert_eq!(filters.filter(2, at(0), u64::MAX), u32::MAX.into(), "nor does one that does not exist");
    let valid =
        FilterSettings { kind: FilterKind::Sample, gain_time_constant: 1, decay_time_constant: 1, scale_down: 4 };
    filters.set(1, Some(valid)).unwrap();
    assert_eq!(filters.filter(1, at(0), 0xFFF), 0xFF);
    assert_eq!((filters.get(1), filters.level(1)), (Some(valid), 0xFFF << 32));
    assert_eq!(filters.set(2, Some(valid)), Err(FilterError::NoSuchFilter { size: 2 }));
    let set = |settings| FilterArray::new(1).set(0, Some(settings));
    assert_eq!(set(FilterSettings { gain_time_constant: 0, ..valid }), Err(FilterError::NoTimeConstant));
    assert_eq!(set(FilterSettings { scale_down: 32, ..valid }), Err(FilterError::ScaleTooLarge));
}

fn detector(minimum: u32, maximum: u32, maximum_probability: u32) -> WredArray {
    let mut wreds = WredArray::new(1);
    wreds.set(0, Some(WredSettings { time_constant: 1, minimum, maximum, maximum_probability })).unwrap();
    wreds
}

#[test]
fn a_detector_drops_between_its_thresholds_by_chance() {
    let mut wreds = detector(100, 200, 500_000);
    let mut random = Random::new(3);
    let mut now = 0;
    // The average follows at once, because each value comes a thousand time constants after the last.
    let mut dropped = |value| {
        (0..10_000)
            .filter(|_| {
                now += 1000;
                wreds.drops(0, at(now), value, &mut random)
            })
            .count()
    };
    assert_eq!([dropped(0), dropped(99), dropped(100)], [0; 3]);
    assert_eq!([dropped(200), dropped(u64::MAX)], [10_000; 2]);
    let (half, nearly) = (dropped(150), dropped(199));
    // A quarter and 49.5%; the standard deviation of each count is at most 50.
    assert!((2300..=2700).contains(&half) && (4750..=5150).contains(&nearly), "{half} {nearly}");
}

#[test]
fn a_detector_draws_only_if_chance_decides() {
    let mut random = Random::new(3);
    let untouched = format!("{random:?}");
    let mut wreds = detector(100, 200, 500_000);
    assert!(!wreds.drops(0, at(0), 99, &mut random) && !wreds.drops(1, at(0), 500, &mut random));
    let mut above = detector(100, 100, 0);
    assert!(above.drops(0, at(0), 100, &mut random), "thresholds that are equal are one");
    assert_eq!(format!("{random:?}"), untouched);
    let set = |settings| WredArray::new(1).set(0, Some(settings));
    let valid = WredSettings { time_constant: 1, minimum: 1, maximum: 2, maximum_probability: 1_000_000 };
    assert_eq!(set(valid), Ok(()));
    assert_eq!(set(WredSettings { time_constant: 0, ..valid }), Err(FilterError::NoTimeConstant));
    assert_eq!(set(WredSettings { minimum: 3, ..valid }), Err(FilterError::ThresholdsReversed));
    assert_eq!(set(WredSettings { maximum_probability: 1_000_001, ..valid }), Err(FilterError::ProbabilityTooLarge));
}

proptest! {
    /// The reference computes in floating point; the filter rounds times to 2^-32 time constants.
    #[test]
    fn filters_agree_with_their_formula(
        is_rate in any::<bool>(), gain in 1u64..1_000_000, decay in 1u64..1_000_000,
        packets in prop::collection::vec((0u64..2_000_000, 0u64..1 << 24), 1..50),
    ) {
        let kind = if is_rate { FilterKind::Rate } else { FilterKind::Sample };
        let mut filters = filter(kind, gain, decay);
        let (mut now, mut level) = (0, None::<f64>);
        for (elapsed, value) in packets {
            now += elapsed;
            let output = filters.filter(0, at(now), value);
            let found = filters.level(0) as f64 / f64::powi(2.0, 32);
            prop_assert_eq!(output, filters.level(0) >> 32, "the output has no fraction");
            let fades = |constant: u64| (-(elapsed as f64) / constant as f64).exp();
            let value = value as f64;
            let expected = match level {
                None => value,
                Some(old) if is_rate => {
                    let rising = old * fades(gain) + value;
                    if rising >= old { rising } else { old * fades(decay) + value }
                }
                Some(old) => value + (old - value) * fades(if value >= old { gain } else { decay }),
            };
            // Where the direction is a matter of rounding, both constants are as good.
            prop_assume!(level.is_none_or(|old| (old * fades(gain) + value - old).abs() > 1e-3 || !is_rate));
            prop_assert!((found - expected).abs() <= 0.05, "{found}, expected {expected}");
            level = Some(expected);
        }
    }
}
