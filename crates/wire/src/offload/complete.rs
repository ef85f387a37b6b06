//! Completing the checksum of a packet that was left to whoever transmits it.

use crate::{ChecksumState, Packet};

impl Packet {
    /// Computes the transport layer's checksum and stores it, if that was still to be done. Afterwards the checksum
    /// counts as verified. Bytes of a tail that is only a length count as zeros.
    ///
    /// Its place is moved into the head, if it lies in the tail.
    ///
    /// Returns false, and changes no byte, if its place is not known, or behind the end of the packet.
    #[must_use = "a packet whose checksum cannot be computed is malformed"]
    pub fn complete_checksum(&mut self) -> bool {
        let ChecksumState::Partial { start, offset } = self.sidecar.checksum else { return true };
        let start = usize::from(start);
        let field = start + usize::from(offset);
        self.lengthen_head(field + 2);
        if field + 2 > self.head.len() {
            return false;
        }
        // The sum of the pseudo-header stands in the field.
        let sum = self.sum(start..self.len());
        // In UDP zero means that there is no checksum (RFC 768), and the other zero of one's complement takes its
        // place, which TCP's receivers accept as well.
        let checksum = match sum.checksum() {
            0 => u16::MAX,
            checksum => checksum,
        };
        self.head.bytes_mut()[field..field + 2].copy_from_slice(&checksum.to_be_bytes());
        self.sidecar.checksum = ChecksumState::Verified;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tail;

    #[test]
    fn a_checksum_covers_head_and_tail_at_any_boundary() {
        let bytes: Vec<u8> = (0..61).map(|at: u32| (at * 7) as u8).collect();
        let mut whole = Packet::of_bytes(&bytes);
        whole.sidecar.checksum = ChecksumState::Partial { start: 20, offset: 6 };
        let mut expected = bytes.clone();
        let checksum = crate::checksum::of(&bytes[20..]).to_be_bytes();
        expected[26..28].copy_from_slice(&checksum);
        for boundary in 0..=61 {
            let mut packet = Packet::of_bytes(&bytes[..boundary]).with_tail(Tail::Bytes(bytes[boundary..].into()));
            packet.sidecar.checksum = whole.sidecar.checksum;
            assert!(packet.complete_checksum());
            let mut completed = Vec::new();
            packet.append_to(&mut completed);
            assert_eq!((completed, packet.sidecar.checksum), (expected.clone(), ChecksumState::Verified));
        }
        for tail in [Tail::Length(30), Tail::Bytes([1].into())] {
            let mut short = Packet::of_bytes(&bytes[..26]).with_tail(tail);
            short.sidecar.checksum = whole.sidecar.checksum;
            assert!(!short.complete_checksum(), "nobody knows its place");
            assert_eq!(short.sidecar.checksum, whole.sidecar.checksum);
        }
    }

    #[test]
    fn a_checksum_of_zero_is_stored_as_the_other_zero() {
        let mut packet = Packet::of_bytes(&[0xFF, 0xFE, 0x00, 0x01]);
        packet.sidecar.checksum = ChecksumState::Partial { start: 0, offset: 2 };
        assert!(packet.complete_checksum());
        assert_eq!(packet.head.bytes(), [0xFF, 0xFE, 0xFF, 0xFF]);
    }
}
