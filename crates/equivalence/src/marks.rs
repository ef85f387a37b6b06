//! Congestion marks, which a machine may put on a packet whatever its program says.

use wire::{Layers, Network, Packet};

/// RFC 3168, section 5: the two bits of ECN, of which both set is "congestion experienced".
const CONGESTION_EXPERIENCED: u8 = 0b11;
/// RFC 3168, section 5: the sender understands no marks, so that nobody may put one.
const NOT_ECN_CAPABLE: u8 = 0b00;

/// The head of `machine` with the mark taken off that it carries beyond `expected`, if it does.
pub(crate) fn without_mark(expected: &Packet, machine: &Packet) -> Option<Vec<u8>> {
    let layers = Layers::of(expected);
    // RFC 791: the traffic class is byte 1. RFC 8200: it is bits 4 to 11, so that ECN is in the middle of byte 1.
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
    // The checksum covers the mark; one that was not brought up to date for it is a difference.
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

    /// Ethernet and an IPv4 header with its checksum, of a traffic class.
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
    fn a_mark_on_a_packet_that_allows_it_is_no_difference_and_hides_none() {
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
    fn no_other_change_of_the_traffic_class_is_a_mark() {
        for (sent, left) in [(0b00, 0b11), (0b10, 0b01), (0b11, 0b10), (0b10, 0b111)] {
            let found = difference::bytes(&packet(sent, 4), &packet(left, 4)).map(|found| found.offset);
            assert_eq!(found, Some(15), "{sent:#b} {left:#b}");
        }
    }
}
