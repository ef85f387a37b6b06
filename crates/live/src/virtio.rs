//! The header in front of each frame that says which work was left undone in it: `struct virtio_net_hdr` (Virtual I/O
//! Device specification 1.2, section 5.1.6), in the byte order of the computer, as AF_PACKET and TAP interfaces use it.

use wire::{ChecksumState, Packet, Segmentation, SegmentationKind};

/// The length of the header in bytes.
pub const LENGTH: usize = 10;

/// The checksum is to be computed.
const NEEDS_CHECKSUM: u8 = 1;
/// The checksum was compared.
const IS_VALID: u8 = 2;
const TCP_IPV4: u8 = 1;
const TCP_IPV6: u8 = 4;
const UDP: u8 = 5;
/// Added to a kind of TCP: the flag CWR is set.
const HAS_CWR: u8 = 0x80;

/// A header that says something that is not known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

/// Reads what a header says into the sidecar of its packet.
///
/// # Errors
///
/// If the header asks for a segmentation of another protocol (fragments of UDP) or into segments without payload, or has a
/// checksum that is more than 255 bytes into its transport header or behind the end of the packet. The sidecar is
/// unchanged then.
pub fn read(header: [u8; LENGTH], packet: &mut Packet) -> Result<(), Unknown> {
    let word = |at: usize| u16::from_ne_bytes([header[at], header[at + 1]]);
    let checksum = match header[0] {
        flags if flags & NEEDS_CHECKSUM != 0 => {
            let (start, offset) = (word(6), u8::try_from(word(8)).map_err(|_| Unknown)?);
            if usize::from(start) + usize::from(offset) + 2 > packet.len() {
                return Err(Unknown);
            }
            ChecksumState::Partial { start, offset }
        }
        flags if flags & IS_VALID != 0 => ChecksumState::Verified,
        _ => ChecksumState::Unknown,
    };
    let (has_cwr, size) = (header[1] & HAS_CWR != 0, word(4));
    let kind = match header[1] & !HAS_CWR {
        0 => None,
        TCP_IPV4 => Some(SegmentationKind::TcpIpv4),
        TCP_IPV6 => Some(SegmentationKind::TcpIpv6),
        UDP => Some(SegmentationKind::Udp),
        _ => return Err(Unknown),
    };
    if kind.is_some() && size == 0 {
        return Err(Unknown);
    }
    packet.sidecar.checksum = checksum;
    packet.sidecar.segmentation = kind.map(|kind| Segmentation { kind, size, has_cwr });
    Ok(())
}

/// Returns the header of a packet.
pub fn write(packet: &Packet) -> [u8; LENGTH] {
    let mut header = [0; LENGTH];
    let mut set = |at: usize, value: u16| header[at..at + 2].copy_from_slice(&value.to_ne_bytes());
    let mut first = [0, 0];
    match packet.sidecar.checksum {
        // Whoever received the packet may have compared the checksum, but a node may have changed bytes since.
        ChecksumState::Unknown | ChecksumState::Verified => {}
        ChecksumState::Partial { start, offset } => {
            first[0] = NEEDS_CHECKSUM;
            set(6, start);
            set(8, u16::from(offset));
        }
    }
    if let Some(Segmentation { kind, size, has_cwr }) = packet.sidecar.segmentation {
        first[1] = match kind {
            SegmentationKind::TcpIpv4 => TCP_IPV4,
            SegmentationKind::TcpIpv6 => TCP_IPV6,
            SegmentationKind::Udp => UDP,
        };
        first[1] |= if has_cwr { HAS_CWR } else { 0 };
        // The length of all headers, as a hint: nothing that the kernel must have at hand lies behind the head.
        set(2, u16::try_from(packet.head.len()).unwrap_or(u16::MAX));
        set(4, size);
    }
    header[..2].copy_from_slice(&first);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written() {
        for flags in 0..4 {
            for kind in [0, TCP_IPV4, TCP_IPV4 | HAS_CWR, TCP_IPV6, UDP] {
                let mut header = [0; LENGTH];
                header[..2].copy_from_slice(&[flags, kind]);
                header[2..4].copy_from_slice(&54u16.to_ne_bytes());
                header[4..6].copy_from_slice(&1448u16.to_ne_bytes());
                header[6..8].copy_from_slice(&34u16.to_ne_bytes());
                header[8..].copy_from_slice(&16u16.to_ne_bytes());
                let mut packet = Packet::of_bytes(&[0; 54]);
                assert_eq!(read(header, &mut packet), Ok(()));
                let mut again = packet.clone();
                assert_eq!(read(write(&packet), &mut again), Ok(()));
                if packet.sidecar.checksum == ChecksumState::Verified {
                    assert_eq!(again.sidecar.checksum, ChecksumState::Unknown, "nobody vouches for it any more");
                    again.sidecar.checksum = ChecksumState::Verified;
                }
                assert_eq!(again, packet);
                assert_eq!(
                    packet.sidecar.segmentation.map(|it| (it.size, it.has_cwr)),
                    match kind {
                        0 => None,
                        kind => Some((1448, kind & HAS_CWR != 0)),
                    }
                );
            }
        }
    }

    #[test]
    fn other_kinds_and_far_checksums_are_refused() {
        let mut packet = Packet::of_bytes(&[0; 54]);
        let before = packet.clone();
        // The last has segments of length 0.
        for (at, value) in [(1, 2), (1, 3), (1, 0x7F), (1, TCP_IPV4)] {
            let mut header = [0; LENGTH];
            header[at] = value;
            assert_eq!((read(header, &mut packet), &packet), (Err(Unknown), &before));
        }
        // The last checksum that fits 54 bytes, one behind it, and one that is too far from its header.
        for (start, offset, is_known) in [(38u16, 14u16, true), (38, 15, false), (0, 256, false)] {
            let mut header = [0; LENGTH];
            header[0] = NEEDS_CHECKSUM;
            header[6..8].copy_from_slice(&start.to_ne_bytes());
            header[8..].copy_from_slice(&offset.to_ne_bytes());
            let mut packet = before.clone();
            assert_eq!((read(header, &mut packet).is_ok(), packet != before), (is_known, is_known));
        }
    }
}
