//! IPv4 (RFC 791; DSCP and ECN: RFC 2474, RFC 3168).

use std::net::Ipv4Addr;

use crate::checksum;

super::header! {
    /// An IPv4 header, including its options if the bytes extend that far.
    Ipv4, 20 bytes:
    /// The version (4 bits) and the header length in words of 4 bytes (4 bits).
    version_and_length, set_version_and_length: u8 = 0;
    /// DSCP (6 bits) and ECN (2 bits).
    traffic_class, set_traffic_class: u8 = 1;
    /// The length in bytes of header and payload; 0 where the sender left segmentation to its network card.
    total_length, set_total_length: u16 = 2;
    /// The number of the datagram that a fragment belongs to.
    identification, set_identification: u16 = 4;
    /// The flags (3 bits: reserved, do not fragment, more fragments) and the offset in units of 8 bytes (13 bits).
    fragmentation, set_fragmentation: u16 = 6;
    /// The time to live, in hops.
    time_to_live, set_time_to_live: u8 = 8;
    /// The protocol that follows; see [`crate::protocol`].
    protocol, set_protocol: u8 = 9;
    /// The Internet checksum of the header with its options.
    checksum, set_checksum: u16 = 10;
    /// The source address, as a number.
    source_bits, set_source_bits: u32 = 12;
    /// The destination address, as a number.
    destination_bits, set_destination_bits: u32 = 16;
}

impl<T: AsRef<[u8]>> Ipv4<T> {
    /// Returns the version, which is 4 in a valid header.
    pub fn version(&self) -> u8 {
        self.version_and_length() >> 4
    }

    /// Returns the length in bytes of the header with its options, as the header states it.
    pub fn header_length(&self) -> usize {
        usize::from(self.version_and_length() & 0x0F) * 4
    }

    /// Returns the options, or `None` if they are truncated.
    pub fn options(&self) -> Option<&[u8]> {
        self.bytes().get(Self::LENGTH..self.header_length())
    }

    /// Returns the differentiated services code point, 0 to 63.
    pub fn dscp(&self) -> u8 {
        self.traffic_class() >> 2
    }

    /// Returns the explicit congestion notification bits, 0 to 3.
    pub fn ecn(&self) -> u8 {
        self.traffic_class() & 3
    }

    /// Returns the offset of this fragment's payload within the datagram, in bytes.
    pub fn fragment_offset(&self) -> usize {
        usize::from(self.fragmentation() & 0x1FFF) * 8
    }

    /// Returns true unless this is the last fragment of the datagram, or the whole datagram.
    pub fn more_fragments(&self) -> bool {
        self.fragmentation() & 0x2000 != 0
    }

    /// Returns the source address.
    pub fn source(&self) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.source_bits())
    }

    /// Returns the destination address.
    pub fn destination(&self) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.destination_bits())
    }

    /// Returns whether the checksum is correct, or `None` if the options are truncated.
    pub fn is_checksum_right(&self) -> Option<bool> {
        let header = self.bytes().get(..self.header_length().max(Self::LENGTH))?;
        Some(checksum::of(header) == 0)
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Ipv4<T> {
    /// Decrements the time to live as a router does (RFC 1812, section 5.3.1), and keeps the checksum as right or wrong as
    /// it was. Returns false, and changes nothing, if the packet must not go any further.
    #[inline]
    pub fn decrement_time_to_live(&mut self) -> bool {
        let time_to_live = self.time_to_live();
        if time_to_live <= 1 {
            return false;
        }
        self.set_time_to_live(time_to_live - 1);
        // The one's complement sum has decreased by 0x0100, so its complement increases by as much. 0xFFFF, which is
        // -0, must become 0 (RFC 1624, section 3).
        let sum = u32::from(self.checksum()) + 0x0100;
        self.set_checksum((sum + u32::from(sum >= 0xFFFF)) as u16);
        true
    }

    /// Computes the checksum afresh. Missing options count as zeros.
    pub fn fill_checksum(&mut self) {
        self.set_checksum(0);
        let length = self.header_length().max(Self::LENGTH).min(self.bytes().len());
        let sum = checksum::of(&self.bytes()[..length]);
        self.set_checksum(sum);
    }
}
