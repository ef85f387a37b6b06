//! Formatting of quantities as texts that parse back to the same value.

use basis::Duration;

use crate::{BYTES, DECIMAL, FREQUENCIES, TIMES};

/// Formats a number of bytes in the largest decimal unit of which it is a whole multiple, such as `450 kB`.
pub fn bytes_text(bytes: u64) -> String {
    whole(bytes, &BYTES[..DECIMAL])
}

/// Formats a duration in the largest unit of which it is a whole multiple, such as `1 us`.
pub fn duration_text(duration: Duration) -> String {
    whole(duration.picoseconds(), &TIMES)
}

/// Formats a frequency in hertz in the largest unit of which it is a whole multiple, such as `1220 MHz`.
pub fn frequency_text(frequency: u64) -> String {
    whole(frequency, &FREQUENCIES)
}

fn whole(value: u64, units: &[(&str, u64)]) -> String {
    let fits = |unit: &&(&str, u64)| value != 0 && value.is_multiple_of(unit.1);
    let (name, factor) = units.iter().rev().find(fits).unwrap_or(&units[0]);
    format!("{} {name}", value / factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{bytes, duration, frequency};

    #[test]
    fn formatted_quantities_parse_back() {
        for value in [1, 999, 1000, 1500, 1_000_000, 123_456_789_000] {
            assert_eq!(bytes(&bytes_text(value)), Ok(value));
            let time = Duration::from_picoseconds(value);
            assert_eq!(duration(&duration_text(time)), Ok(time));
            assert_eq!(frequency(&frequency_text(value)), Ok(value));
        }
        assert_eq!((bytes_text(0), duration_text(Duration::ZERO)), ("0 B".to_owned(), "0 ps".to_owned()));
    }
}
