//! Parsing of quantities.

use basis::{Duration, Rate};

use crate::{BYTES, FREQUENCIES, TIMES};

/// The units of rates in bits per second.
const RATES: &[(&str, u64)] = &[
    ("b/s", 1),
    ("kb/s", 1000),
    ("Mb/s", 1_000_000),
    ("Gb/s", 1_000_000_000),
    ("Tb/s", 1_000_000_000_000),
    ("k", 1000),
    ("M", 1_000_000),
    ("G", 1_000_000_000),
    ("T", 1_000_000_000_000),
];

/// Parses a number of bytes, at least 1. A number without a unit is also bytes.
///
/// # Errors
/// Fails if `text` is not such a number; the error is a noun phrase that says what is expected, with examples.
pub fn bytes(text: &str) -> Result<u64, String> {
    let bytes = scaled(text, &BYTES, Some(1)).filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| "bytes such as 1500, 450kB, 2MB or 1MiB, at least 1".to_owned())
}

/// Parses a duration, which needs a unit.
///
/// # Errors
/// Fails if `text` is not a duration; the error is a noun phrase that says what is expected, with examples.
pub fn duration(text: &str) -> Result<Duration, String> {
    let hint = || "a time such as 500ns, 1us, 2.5ms or 1s".to_owned();
    scaled(text, &TIMES, None).map(Duration::from_picoseconds).ok_or_else(hint)
}

/// Parses a rate, which must not be zero.
///
/// # Errors
/// Fails if `text` is not such a rate; the error is a noun phrase that says what is expected, with examples.
pub fn rate(text: &str) -> Result<Rate, String> {
    let rate = scaled(text, RATES, None).filter(|&rate| rate > 0);
    rate.map(Rate::from_bits_per_second).ok_or_else(|| "a rate such as 100G, 100Gb/s or 2.5Gb/s, not zero".to_owned())
}

/// Parses the frequency of a clock in hertz, which must not be zero.
///
/// # Errors
/// Fails if `text` is not such a frequency; the error is a noun phrase that says what is expected, with examples.
pub fn frequency(text: &str) -> Result<u64, String> {
    let frequency = scaled(text, &FREQUENCIES, None).filter(|&frequency| frequency > 0);
    frequency.ok_or_else(|| "a frequency such as 1.22GHz or 800MHz, not zero".to_owned())
}

/// Parses a share from 0 to 1, such as `0.5` or `50%`, rounded down to a multiple of 10^-6.
///
/// # Errors
/// Fails if `text` is not such a share; the error is a noun phrase that says what is expected, with examples.
pub fn share(text: &str) -> Result<f64, String> {
    const MILLION: u64 = 1_000_000;
    let millionths = match text.strip_suffix('%') {
        Some(percent) => scaled(percent, &[], Some(MILLION / 100)),
        None => scaled(text, &[], Some(MILLION)),
    };
    let share = millionths.filter(|&millionths| millionths <= MILLION);
    share.map(|share| share as f64 / MILLION as f64).ok_or_else(|| "a share such as 0.5 or 50%".to_owned())
}

/// Parses a whole number from `least` to `most`.
///
/// # Errors
/// Fails if `text` is not such a number; the error is a noun phrase that says what is expected.
pub fn count(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let count = scaled(text, &[], Some(1)).filter(|count| (least..=most).contains(count) && !text.contains('.'));
    count.ok_or_else(|| format!("a number from {least} to {most}"))
}

/// Parses a decimal number followed by a unit. A number without a unit has the factor `without`, or is not allowed if
/// that is `None`.
fn scaled(text: &str, units: &[(&str, u64)], without: Option<u64>) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | '_')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let factor = match unit {
        "" => without?,
        _ => units.iter().find(|(name, _)| *name == unit)?.1,
    };
    let number: String = number.chars().filter(|&c| c != '_').collect();
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() || fraction.len() > 18 || (number.contains('.') && fraction.is_empty()) {
        return None;
    }
    let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<u64>().ok() };
    let parts = u128::from(digits(fraction)?) * u128::from(factor) / 10_u128.pow(fraction.len() as u32);
    u64::try_from(u128::from(digits(whole)?) * u128::from(factor) + parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_quantities_exactly_and_rejects_mistakes() {
        assert_eq!(bytes("450kB"), Ok(450_000));
        assert_eq!(bytes("1.5KiB"), Ok(1536));
        assert_eq!(bytes("9_000"), Ok(9000));
        assert_eq!(duration("2.5us"), Ok(Duration::from_nanoseconds(2500)));
        assert_eq!(rate("100G"), Ok(Rate::from_gigabits_per_second(100)));
        assert_eq!(rate("2.5 Gb/s"), Ok(Rate::from_bits_per_second(2_500_000_000)));
        assert_eq!((frequency("1.22 GHz"), frequency("800MHz")), (Ok(1_220_000_000), Ok(800_000_000)));
        assert!(frequency("0 Hz").is_err() && frequency("3").is_err());
        assert_eq!((share("35%"), share("0.35")), (Ok(0.35), Ok(0.35)));
        for wrong in ["", "0", "kB", "1.", ".5kB", "1..2kB", "5 parsecs", "-1", "99999999999999999999", "1e3"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
        assert!(duration("5").is_err() && rate("0G").is_err() && share("1.5").is_err() && count("1.0", 0, 9).is_err());
    }
}
