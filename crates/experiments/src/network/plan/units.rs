//! Quantities as people write them: "100 Gb/s", "1 us", "450 kB", "8 packets".
//!
//! Prefixes are decimal, as on every data sheet of a network; `KiB` and `MiB` are binary (IEC 80000-13).

use basis::{Duration, Rate};
use traffic::demand::quantity;

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

const TIMES: [(&str, u64); 5] =
    [("ps", 1), ("ns", 1000), ("us", 1_000_000), ("ms", 1_000_000_000), ("s", 1_000_000_000_000)];
const BYTES: [(&str, u64); 4] = [("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

/// A rate, such as `100 Gb/s`.
pub fn rate(text: &str) -> Result<Rate, String> {
    quantity::rate(text)
}

/// A length of time, such as `1 us`.
pub fn duration(text: &str) -> Result<Duration, String> {
    quantity::duration(text)
}

/// A number of bytes, such as `450 kB`; also none.
pub fn bytes(text: &str) -> Result<u64, String> {
    if matches!(text, "0" | "0 B" | "0B") { Ok(0) } else { quantity::bytes(text) }
}

/// How much a queue holds, such as `8 packets` or `64 KiB`.
pub fn amount(text: &str) -> Result<Amount, String> {
    let packets = ["packets", "packet", "pkts", "pkt"].into_iter().find_map(|unit| text.strip_suffix(unit));
    match packets {
        Some(number) => quantity::count(number.trim(), 0, u64::MAX)
            .map(Amount::Packets)
            .map_err(|_| "whole packets, such as 8 packets".to_owned()),
        None => bytes(text).map(Amount::Bytes).map_err(|hint| format!("packets such as 8 packets, or {hint}")),
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
    whole(bytes, &BYTES)
}

/// How much a queue holds, as plans say it.
pub fn amount_text(amount: Amount) -> String {
    match amount {
        Amount::Bytes(bytes) => bytes_text(bytes),
        Amount::Packets(1) => "1 packet".to_owned(),
        Amount::Packets(packets) => format!("{packets} packets"),
    }
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
    fn amounts_are_packets_or_bytes() {
        assert_eq!(amount("8pkt"), Ok(Amount::Packets(8)));
        assert_eq!(amount("8 packets").map(|amount| amount.bytes(1524)), Ok(8 * 1524));
        assert_eq!(amount("9_000 B"), Ok(Amount::Bytes(9000)));
        assert!(amount("1.5 packets").is_err() && amount("8 pickets").is_err() && amount("packets").is_err());
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
