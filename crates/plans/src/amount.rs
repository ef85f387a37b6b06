//! The capacity of a queue as plans give it: `64 KiB`, `8 packets`.

/// The capacity of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A number of bytes on the wire.
    Bytes(u64),
    /// A number of full packets of the transport, each counted with its overhead on the wire.
    Packets(u64),
}

impl Amount {
    /// Returns the amount in bytes on the wire, where a full packet takes `packet` bytes. Saturates.
    pub fn bytes(self, packet: u64) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Packets(packets) => packets.saturating_mul(packet),
        }
    }
}

/// Parses a number of bytes, such as `450 kB`; zero is allowed.
pub fn size(text: &str) -> Result<u64, String> {
    if matches!(text, "0" | "0 B" | "0B") { Ok(0) } else { units::bytes(text) }
}

/// Parses the capacity of a queue, such as `8 packets` or `64 KiB`.
pub fn amount(text: &str) -> Result<Amount, String> {
    let packets = ["packets", "packet", "pkts", "pkt"].into_iter().find_map(|unit| text.strip_suffix(unit));
    match packets {
        Some(number) => units::count(number.trim(), 0, u64::MAX)
            .map(Amount::Packets)
            .map_err(|_| "a whole number of packets, such as 8 packets".to_owned()),
        None => {
            size(text).map(Amount::Bytes).map_err(|hint| format!("a number of packets such as 8 packets, or {hint}"))
        }
    }
}

/// Formats the capacity of a queue as text that [`amount`] reads back.
pub fn amount_text(amount: Amount) -> String {
    match amount {
        Amount::Bytes(bytes) => units::bytes_text(bytes),
        Amount::Packets(1) => "1 packet".to_owned(),
        Amount::Packets(packets) => format!("{packets} packets"),
    }
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
    fn amounts_read_back() {
        for value in [Amount::Bytes(0), Amount::Bytes(1500), Amount::Packets(0), Amount::Packets(1), Amount::Packets(8)]
        {
            assert_eq!(amount(&amount_text(value)), Ok(value));
        }
    }
}
