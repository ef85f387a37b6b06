//! Recognising a checksum that is still to be computed where nothing says so.

use crate::{Layers, Network, Packet, checksum, protocol};

impl Packet {
    /// Returns true if the checksum of TCP or UDP seems still to be computed, although the sidecar does not say so: the sum of
    /// the pseudo-header stands in its place, and it is wrong as a checksum. Interfaces that pass on frames without what
    /// travels beside them show such packets.
    pub fn lacks_checksum(&self) -> bool {
        let layers = Layers::of(self);
        let offset = match layers.protocol {
            protocol::TCP => 16,
            protocol::UDP => 6,
            _ => return false,
        };
        let (Some(transport), false) = (layers.transport, layers.is_fragment) else { return false };
        let head = self.head.bytes();
        let Some(&[high, low]) = head.get(transport + offset..transport + offset + 2) else { return false };
        let addresses = match layers.network {
            Network::Ipv4 => layers.network_start + 12..layers.network_start + 20,
            Network::Ipv6 => layers.network_start + 8..layers.network_start + 40,
            _ => return false,
        };
        let (Some(addresses), Some(length)) = (head.get(addresses), layers.network_end.checked_sub(transport)) else {
            return false;
        };
        // RFC 9293, section 3.1, and RFC 8200, section 8.1. A length above 65,535 has two words.
        let mut sum = checksum::Sum::default();
        sum.add(addresses);
        sum.add_word(u16::from(layers.protocol));
        sum.add(&(length as u32).to_be_bytes());
        let stored = u16::from_be_bytes([high, low]);
        // In UDP zero says that there is no checksum.
        if stored == 0 || stored != sum.folded() {
            return false;
        }
        // One of 65,536 right checksums looks the same.
        sum.add_sum(self.sum(transport..layers.network_end));
        sum.checksum() != 0
    }
}

#[cfg(test)]
mod tests {
    use crate::{ChecksumState, Packet};

    /// Returns a frame of TCP above IPv4 whose checksum is partial, and where it begins.
    fn frame(payload: &[u8]) -> Packet {
        let mut bytes = vec![2; 12];
        bytes.extend([8, 0, 0x45, 0]);
        bytes.extend((40 + payload.len() as u16).to_be_bytes());
        bytes.extend([0, 0, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend([0x10, 0, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 1, 0, 0, 0, 0, 0]);
        let mut sum = crate::checksum::Sum::default();
        sum.add(&bytes[26..34]);
        sum.add_word(6);
        sum.add_word(20 + payload.len() as u16);
        bytes[50..52].copy_from_slice(&sum.folded().to_be_bytes());
        bytes.extend(payload);
        Packet::of_bytes(&bytes)
    }

    #[test]
    fn a_partial_checksum_is_recognised_until_it_is_completed() {
        for payload in [&b""[..], b"odd", b"even"] {
            let mut packet = frame(payload);
            assert!(packet.lacks_checksum());
            packet.sidecar.checksum = ChecksumState::Partial { start: 34, offset: 16 };
            assert!(packet.complete_checksum() && !packet.lacks_checksum());
        }
    }

    #[test]
    fn other_packets_lack_none() {
        let mut wrong = frame(b"payload");
        wrong.head.bytes_mut()[51] ^= 1;
        assert!(!wrong.lacks_checksum(), "a wrong checksum is not a partial one");
        let whole = frame(b"payload");
        let mut bytes = Vec::new();
        whole.append_to(&mut bytes);
        for length in 0..52 {
            assert!(!Packet::of_bytes(&bytes[..length]).lacks_checksum(), "{length} bytes");
        }
        let mut fragment = frame(b"payload");
        fragment.head.bytes_mut()[20] = 0x20;
        assert!(!fragment.lacks_checksum());
    }
}
