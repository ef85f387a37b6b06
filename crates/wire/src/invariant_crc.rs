//! The invariant CRC of RoCEv2 (InfiniBand Architecture Specification, volume 1, annex A17): four bytes at the end of
//! a packet that cover everything from the IP header on, except for the fields that switches may change.

use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};

use crate::{Bth, Ipv4, Udp};

/// The length of the CRC in bytes.
pub const LENGTH: usize = 4;

/// Ethernet's CRC, computed by tables for 16 bytes at a time.
static ETHERNET: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);

const IPV4: usize = Ipv4::<&[u8]>::LENGTH;
const UDP: usize = Udp::<&[u8]>::LENGTH;
const BTH: usize = Bth::<&[u8]>::LENGTH;
/// The length of the headers with masked fields.
const MASKED: usize = IPV4 + UDP + BTH;

/// A computation of the invariant CRC, part by part.
pub struct InvariantCrc(Digest<'static, u32, Table<16>>);

impl InvariantCrc {
    /// Begins with the first bytes of a packet, from its IPv4 header without options on, which must end before the CRC
    /// itself. Returns `None` if they are shorter than the headers with masked fields.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let (headers, rest) = bytes.split_first_chunk::<MASKED>()?;
        let mut headers = *headers;
        // Traffic class, time to live, checksums and the BTH's reserved congestion bits are replaced by ones.
        headers[1] = 0xFF;
        headers[8] = 0xFF;
        headers[10..12].fill(0xFF);
        headers[IPV4 + 6..IPV4 + 8].fill(0xFF);
        headers[IPV4 + UDP + 4] = 0xFF;
        let mut digest = ETHERNET.digest();
        // Eight bytes of ones stand for InfiniBand's local routing header.
        digest.update(&[0xFF; 8]);
        digest.update(&headers);
        digest.update(rest);
        Some(Self(digest))
    }

    /// Adds the bytes that follow.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the CRC in the byte order of the packet.
    pub fn bytes(self) -> [u8; LENGTH] {
        self.0.finalize().to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A congestion notification as a ConnectX-4 Lx sent it (captured; github secdev/scapy, test/contrib/roce.uts),
    /// from its IPv4 header on.
    const CAPTURED: &str = "45c2003c718c4000401191610a0011010a001201 000012b700280000 8100ffff4000011800000000 \
                            00000000000000000000000000000000 82fd002a";

    fn captured() -> Vec<u8> {
        let digits: Vec<u32> = CAPTURED.chars().filter_map(|digit| digit.to_digit(16)).collect();
        digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
    }

    fn of(bytes: &[u8]) -> [u8; LENGTH] {
        InvariantCrc::new(bytes).expect("long enough").bytes()
    }

    #[test]
    fn matches_a_capture_of_a_network_card() {
        let packet = captured();
        let (bytes, crc) = packet.split_at(packet.len() - LENGTH);
        assert_eq!(of(bytes), crc);
        let (first, second) = bytes.split_at(MASKED + 3);
        let mut parts = InvariantCrc::new(first).expect("long enough");
        parts.add(second);
        assert_eq!(parts.bytes(), crc);
        assert!(InvariantCrc::new(&bytes[..MASKED - 1]).is_none());
    }

    #[test]
    fn covers_all_but_what_switches_change() {
        let packet = captured();
        let bytes = &packet[..packet.len() - LENGTH];
        let changed: Vec<usize> = (0..bytes.len())
            .filter(|&place| {
                let mut other = bytes.to_vec();
                other[place] ^= 0x10;
                of(&other) == of(bytes)
            })
            .collect();
        assert_eq!(changed, [1, 8, 10, 11, 26, 27, 32]);
    }
}
