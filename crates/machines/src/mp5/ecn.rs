//! Congestion marks in IPv4 headers (RFC 3168), for packets that waited in long queues (MP5 section 3.4).

/// The length of an Ethernet header, whose last two bytes are the EtherType (IEEE 802.3).
const ETHERNET: usize = 14;
const IPV4: [u8; 2] = [0x08, 0x00];

/// Sets "congestion experienced" in the IPv4 header of an Ethernet frame whose sender is ECN-capable (RFC 3168, section
/// 5: ECT(0) is 2, ECT(1) is 1, CE is 3, and 0 must not be marked). All other packets are left unchanged.
pub(super) fn mark(frame: &mut [u8]) {
    if frame.len() < ETHERNET + 20 || frame[12..14] != IPV4 || frame[ETHERNET] >> 4 != 4 {
        return;
    }
    let header = &mut frame[ETHERNET..];
    let before = u16::from_be_bytes([header[0], header[1]]);
    if !matches!(before & 3, 1 | 2) {
        return;
    }
    let after = before | 3;
    // RFC 1624 section 3, equation 3: HC' = ~(~HC + ~m + m').
    let checksum = u16::from_be_bytes([header[10], header[11]]);
    let mut sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    header[..2].copy_from_slice(&after.to_be_bytes());
    header[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if a header has a correct checksum: its one's complement sum is all ones (RFC 1071).
    fn sums_to_ones(header: &[u8]) -> bool {
        let sum: u32 = header.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        (sum & 0xffff) + (sum >> 16) == 0xffff
    }

    fn frame(traffic_class: u8) -> Vec<u8> {
        let mut frame = vec![0; ETHERNET];
        frame[12..14].copy_from_slice(&IPV4);
        frame.extend([0x45, traffic_class, 0, 60, 0x1c, 0x46, 0x40, 0, 0x40, 6, 0, 0, 10, 1, 2, 3, 10, 4, 5, 6]);
        let sum: u32 = frame[ETHERNET..].chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        let checksum = !(((sum & 0xffff) + (sum >> 16)) as u16);
        frame[24..26].copy_from_slice(&checksum.to_be_bytes());
        frame
    }

    #[test]
    fn marks_only_ecn_capable_packets_and_updates_checksum() {
        for (before, after) in [(0xb8, 0xb8), (0xb9, 0xbb), (0xba, 0xbb), (0xbb, 0xbb)] {
            let mut frame = frame(before);
            mark(&mut frame);
            assert_eq!(frame[15], after);
            assert!(sums_to_ones(&frame[ETHERNET..]), "{before:#x}");
        }
    }

    #[test]
    fn other_packets_than_ipv4_are_not_marked() {
        let mut short = vec![2; 20];
        mark(&mut short);
        assert_eq!(short, vec![2; 20]);
        let mut other = frame(1);
        other[13] = 6;
        let copy = other.clone();
        mark(&mut other);
        assert_eq!(other, copy);
    }
}
