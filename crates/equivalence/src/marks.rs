//! Congestion marks (ECN), which a machine may set on a packet regardless of its program.

use wire::{Layers, Network, Packet};

/// The ECN codepoint "congestion experienced", with both bits set (RFC 3168, section 5).
const CONGESTION_EXPERIENCED: u8 = 0b11;
/// The ECN codepoint of packets that must not be marked, because the sender does not understand marks (RFC 3168,
/// section 5).
const NOT_ECN_CAPABLE: u8 = 0b00;

/// Returns the head of `machine` with its congestion mark removed, or `None` if the ECN fields are equal or differ in a
/// way that is not a permitted mark.
pub(crate) fn without_mark(expected: &Packet, machine: &Packet) -> Option<Vec<u8>> {
    let layers = Layers::of(expected);
    // The traffic class is byte 1 of an IPv4 header (RFC 791), and bits 4 to 11 of an IPv6 header (RFC 8200), where ECN
    // is in the middle of byte 1.
    let (shift, checksum) = match layers.network {
        Network::None => return None,
        Network::Ipv4 => (0, Some(layers.network_start + 10..layers.network_start + 12)),
        Network::Ipv6 => (4, None),
    };
    let traffic_class = layers.network_start + 1;
    let (ours, theirs) = (expected.head.bytes(), machine.head.bytes());
    let ecn = |head: &[u8]| head.get(traffic_class).map(|byte| byte >> shift & 0b11);
    let (before, after) = (ecn(ours)?, ecn(theirs)?);
    if after != CONGESTION_EXPERIENCED || before == after || before == NOT_ECN_CAPABLE {
        return None;
    }
    let mut unmarked = theirs.to_vec();
    unmarked[traffic_class] ^= (before ^ after) << shift;
    // The checksum covers the mark; a checksum that was not updated for it is a difference.
    if let Some(checksum) = checksum {
        let word = |head: &[u8]| Some(u16::from_be_bytes(head.get(checksum.clone())?.try_into().ok()?));
        let class = layers.network_start..layers.network_start + 2;
        let updated = wire::checksum::update(word(ours)?, &ours[class.clone()], &theirs[class], false);
        if word(theirs)? != updated {
            return None;
        }
        unmarked[checksum.clone()].copy_from_slice(&ours[checksum]);
    }
    Some(unmarked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference;

    /// Returns an Ethernet frame with an IPv4 header of this traffic class and a correct checksum.
    fn packet(traffic_class: u8, payload: u8) -> Packet {
        let mut bytes = vec![0; 14];
        bytes[12] = 8;
        bytes.extend([0x45, traffic_class, 0, 24, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        let checksum = wire::checksum::of(&bytes[14..]);
        bytes[24..26].copy_from_slice(&checksum.to_be_bytes());
        bytes.extend([1, 2, 3, payload]);
        Packet::of_bytes(&bytes)
    }

    #[test]
    fn ignores_permitted_marks_but_no_other_difference() {
        let sent = packet(0b10, 4);
        assert_eq!(difference::bytes(&sent, &packet(0b11, 4)), None);
        let found = difference::bytes(&sent, &packet(0b11, 5)).expect("the payload differs");
        assert_eq!((found.offset, found.expected, found.machine), (37, Some(4), Some(5)));
        let mut stale = sent.clone();
        stale.head.bytes_mut()[15] = 0b11;
        let found = difference::bytes(&sent, &stale).map(|found| found.offset);
        assert_eq!(found, Some(15), "the checksum must follow the mark");
    }

    #[test]
    fn reports_other_changes_of_the_traffic_class() {
        for (sent, left) in [(0b00, 0b11), (0b10, 0b01), (0b11, 0b10), (0b10, 0b111)] {
            let found = difference::bytes(&packet(sent, 4), &packet(left, 4)).map(|found| found.offset);
            assert_eq!(found, Some(15), "{sent:#b} {left:#b}");
        }
    }
}
