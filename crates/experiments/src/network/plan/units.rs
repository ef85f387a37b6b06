//! Quantities as people write them: "100 Gb/s", "1 us", "450 kB", "8 packets".
//!
//! Prefixes are decimal, as on every data sheet of a network; `KiB` and `MiB` are binary (IEC 80000-13).

use basis::{Duration, Rate};

/// How much a queue holds, as plans say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// Bytes on the wire.
    Bytes(u64),
    /// So many full packets of the transport, with what each takes on the line beside its own bytes.
    Packets(u64),
}

impl Amount {
    /// In bytes on the wire, where a full packet takes so many.
    pub fn bytes(self, packet: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Packets(packets) => packets.saturating_mul(packet),
        }
    }
}

const RATES: [(&str, u64); 5] =
    [("b/s", 1), ("kb/s", 1000), ("Mb/s", 1_000_000), ("Gb/s", 1_000_000_000), ("Tb/s", 1_000_000_000_000)];
/// What else is common for a rate.
const RATE_SYNONYMS: [(&str, &str); 8] = [
    ("bps", "b/s"),
    ("kbps", "kb/s"),
    ("Mbps", "Mb/s"),
    ("Gbps", "Gb/s"),
    ("Tbps", "Tb/s"),
    ("M", "Mb/s"),
    ("G", "Gb/s"),
    ("T", "Tb/s"),
];
const TIMES: [(&str, u64); 5] =
    [("ps", 1), ("ns", 1000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];
const BYTES: [(&str, u64); 7] = [
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// A rate, such as `100 Gb/s`.
pub fn rate(text: &str) -> Result<Rate, String> {
    const WHAT: &str = "a rate is a number with a unit: \"100 Gb/s\", \"2.5 Gb/s\", \"400 Mb/s\"";
    let (number, unit) = split(text).ok_or(WHAT)?;
    let unit = RATE_SYNONYMS.iter().find(|(known, _)| *known == unit).map_or(unit, |(_, usual)| usual);
    let bits = scaled(number, unit, &RATES).ok_or(WHAT)?;
    if bits == 0 { Err("a line carries something".to_owned()) } else { Ok(Rate::from_bits_per_second(bits)) }
}

/// A length of time, such as `1 us`.
pub fn duration(text: &str) -> Result<Duration, String> {
    const WHAT: &str = "a time is a number with a unit: \"1 us\", \"500 ns\", \"10 ms\"";
    let (number, unit) = split(text).ok_or(WHAT)?;
    let unit = if unit == "µs" { "us" } else { unit };
    let picoseconds = scaled(number, unit, &TIMES).ok_or(WHAT)?;
    Ok(Duration::from_picoseconds(picoseconds))
}

/// A number of bytes, such as `450 kB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text).ok_or(BYTES_WHAT)?;
    scaled(number, unit, &BYTES).ok_or_else(|| BYTES_WHAT.to_owned())
}

const BYTES_WHAT: &str = "a size is a number with a unit: \"450 kB\" (1000 bytes each), \"64 KiB\", \"1500 B\"";

/// How much a queue holds, such as `8 packets` or `64 KiB`.
pub fn amount(text: &str) -> Result<Amount, String> {
    match split(text) {
        Some((number, "pkt" | "pkts" | "packet" | "packets")) => {
            number.parse().map(Amount::Packets).map_err(|_| "packets are whole: \"8 packets\"".to_owned())
        }
        _ => bytes(text).map(Amount::Bytes).map_err(|_| {
            "how much fits is said in packets or bytes: \"8 packets\", \"100 kB\", \"64 KiB\"".to_owned()
        }),
    }
}

/// A time as plans say it, in the largest unit in which it is whole.
pub fn duration_text(duration: Duration) -> String {
    whole(duration.picoseconds(), &TIMES)
}

/// A rate as plans say it.
pub fn rate_text(rate: Rate) -> String {
    rate.to_string()
}

/// A number of bytes as plans say it.
pub fn bytes_text(bytes: u64) -> String {
    whole(bytes, &BYTES[..4])
}

/// How much a queue holds, as plans say it.
pub fn amount_text(amount: Amount) -> String {
    match amount {
        Amount::Bytes(bytes) => bytes_text(bytes),
        Amount::Packets(1) => "1 packet".to_owned(),
        Amount::Packets(packets) => format!("{packets} packets"),
    }
}

/// Number and unit, between which there may be blanks.
fn split(text: &str) -> Option<(&str, &str)> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_')?;
    let (number, unit) = (text[..at].trim(), text[at..].trim());
    (!number.is_empty()).then_some((number, unit))
}

/// A decimal number times its unit, exactly; `None` if there is no such unit, it is not whole or too large.
fn scaled(number: &str, unit: &str, units: &[(&str, u64)]) -> Option<u64> {
    let factor = units.iter().find(|(known, _)| *known == unit)?.1;
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let divisor = 10u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let scaled = digits.checked_mul(u128::from(factor))?;
    scaled.is_multiple_of(divisor).then_some(scaled / divisor).and_then(|value| u64::try_from(value).ok())
}

fn whole(value: u64, units: &[(&str, u64)]) -> String {
    let fits = |unit: &&(&str, u64)| value != 0 && value.is_multiple_of(unit.1);
    let (name, factor) = units.iter().rev().find(fits).unwrap_or(&units[0]);
    format!("{} {name}", value / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_exact() {
        assert_eq!(rate("100 Gb/s"), Ok(Rate::from_gigabits_per_second(100)));
        assert_eq!(rate("2.5Gbps"), Ok(Rate::from_bits_per_second(2_500_000_000)));
        assert_eq!(duration("1 us"), Ok(Duration::from_microseconds(1)));
        assert_eq!(duration("0.5 ns"), Ok(Duration::from_picoseconds(500)));
        assert_eq!(bytes("450kB"), Ok(450_000));
        assert_eq!(bytes("64 KiB"), Ok(65_536));
        assert_eq!(amount("8pkt"), Ok(Amount::Packets(8)));
        assert_eq!(amount("9_000 B"), Ok(Amount::Bytes(9000)));
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        for text in ["", "100", "Gb/s", "100 GB/s", "0 Gb/s", "1.5 b/s", "99999999999 Tb/s"] {
            assert!(rate(text).is_err(), "{text}");
        }
        for text in ["1", "1 h", "0.0001 ps", "-1 us"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(bytes("1.0001 kB").is_err() && amount("1.5 packets").is_err());
    }

    #[test]
    fn texts_read_back() {
        for value in [0, 1, 999, 1000, 1500, 1_000_000, 123_456_789_000] {
            assert_eq!(bytes(&bytes_text(value)), Ok(value));
            let time = Duration::from_picoseconds(value);
            assert_eq!(duration(&duration_text(time)), Ok(time));
        }
    }
}
