//! TCP (RFC 9293) and its options.

use serde::{Deserialize, Serialize};

super::header! {
    /// A TCP header, including its options if the bytes extend that far.
    Tcp, 20 bytes:
    /// The source port.
    source_port, set_source_port: u16 = 0;
    /// The destination port.
    destination_port, set_destination_port: u16 = 2;
    /// The sequence number of the first payload byte.
    sequence, set_sequence: u32 = 4;
    /// The sequence number of the byte that is expected next.
    acknowledgement, set_acknowledgement: u32 = 8;
    /// The header length in words of 4 bytes (4 bits), reserved (4 bits), flags (8 bits).
    offset_and_flags, set_offset_and_flags: u16 = 12;
    /// The receive window, before scaling.
    window, set_window: u16 = 14;
    /// The Internet checksum of pseudo header, header and payload.
    checksum, set_checksum: u16 = 16;
    /// The end of the urgent data.
    urgent, set_urgent: u16 = 18;
}

impl<T: AsRef<[u8]>> Tcp<T> {
    /// Returns the length in bytes of the header with its options, as the header states it.
    pub fn header_length(&self) -> usize {
        usize::from(self.offset_and_flags() >> 12) * 4
    }

    /// Returns the flags CWR, ECE, URG, ACK, PSH, RST, SYN and FIN, from bit 7 to bit 0; see [`flag`].
    pub fn flags(&self) -> u8 {
        self.offset_and_flags() as u8
    }

    /// Returns the bytes of the options, or `None` if they are truncated.
    pub fn options(&self) -> Option<&[u8]> {
        self.bytes().get(Self::LENGTH..self.header_length())
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Tcp<T> {
    /// Sets the length in bytes of the header with its options, a multiple of 4 up to 60, and the flags.
    pub fn set_header_length_and_flags(&mut self, length: usize, flags: u8) {
        self.set_offset_and_flags((length as u16 / 4) << 12 | u16::from(flags));
    }
}

/// The flags (RFC 9293, section 3.1; ECE and CWR: RFC 3168, section 6.1).
pub mod flag {
    /// The sender has no more data to send.
    pub const FIN: u8 = 0x01;
    /// Synchronises sequence numbers at the start of a connection.
    pub const SYN: u8 = 0x02;
    /// The connection is reset.
    pub const RST: u8 = 0x04;
    /// Data should be delivered to the application at once.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement number is valid.
    pub const ACK: u8 = 0x10;
    /// The urgent pointer is valid.
    pub const URG: u8 = 0x20;
    /// A packet marked as having met congestion has arrived. In SYN: the sender supports ECN.
    pub const ECE: u8 = 0x40;
    /// The sender has received an ECE and reduced its window.
    pub const CWR: u8 = 0x80;
}

/// The most bytes that options can take, because the header length is a field of 4 bits.
pub const LONGEST_OPTIONS: usize = 40;
/// The most SACK blocks that fit into the options.
pub const MOST_SACK_BLOCKS: usize = 4;

/// The options that we support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The largest payload that the sender accepts, in bytes (RFC 9293, section 3.7.1). In SYN.
    pub maximum_segment: Option<u16>,
    /// True if the sender supports selective acknowledgements (RFC 2018, section 2). In SYN.
    pub is_sack_permitted: bool,
    /// The number of bits by which the sender's windows are shifted (RFC 7323, section 2). In SYN.
    pub window_scale: Option<u8>,
    /// The sender's timestamp, and the last of our timestamps that it has seen (RFC 7323, section 3).
    pub timestamps: Option<(u32, u32)>,
    blocks: [(u32, u32); MOST_SACK_BLOCKS],
    block_count: u8,
}

mod kind {
    pub const END: u8 = 0;
    pub const NOTHING: u8 = 1;
    pub const MAXIMUM_SEGMENT: u8 = 2;
    pub const WINDOW_SCALE: u8 = 3;
    pub const SACK_PERMITTED: u8 = 4;
    pub const SACK: u8 = 5;
    pub const TIMESTAMPS: u8 = 8;
}

impl Options {
    /// Returns the SACK blocks: the first sequence number of each block and the first one behind it (RFC 2018, section
    /// 3).
    pub fn sack_blocks(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.block_count)]
    }

    /// Adds a SACK block. Returns false if there is no room for it beside the other options.
    pub fn add_sack_block(&mut self, first: u32, behind: u32) -> bool {
        let others = if self.timestamps.is_some() { 12 } else { 0 };
        let count = usize::from(self.block_count);
        if count == MOST_SACK_BLOCKS || others + 4 + 8 * (count + 1) > LONGEST_OPTIONS {
            return false;
        }
        self.blocks[count] = (first, behind);
        self.block_count += 1;
        true
    }

    /// Parses options; unknown ones are skipped (RFC 9293, MUST-6). Returns `None` if an option does not fit into the
    /// bytes.
    pub fn parse(mut bytes: &[u8]) -> Option<Self> {
        let mut options = Self::default();
        let word = |bytes: &[u8]| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        while let [first, rest @ ..] = bytes {
            match *first {
                kind::END => break,
                kind::NOTHING => {
                    bytes = rest;
                    continue;
                }
                _ => {}
            }
            // RFC 9293, MUST-68: every other option has a length byte, which counts the kind and itself.
            let length = usize::from(*rest.first()?);
            let value = bytes.get(2..length)?;
            match (*first, value.len()) {
                (kind::MAXIMUM_SEGMENT, 2) => options.maximum_segment = Some(u16::from_be_bytes([value[0], value[1]])),
                (kind::WINDOW_SCALE, 1) => options.window_scale = Some(value[0]),
                (kind::SACK_PERMITTED, 0) => options.is_sack_permitted = true,
                (kind::TIMESTAMPS, 8) => options.timestamps = Some((word(value), word(&value[4..]))),
                (kind::SACK, length) if length % 8 == 0 && length / 8 <= MOST_SACK_BLOCKS => {
                    for (block, value) in options.blocks.iter_mut().zip(value.chunks_exact(8)) {
                        *block = (word(value), word(&value[4..]));
                    }
                    options.block_count = (length / 8) as u8;
                }
                _ => {}
            }
            bytes = &bytes[length..];
        }
        Some(options)
    }

    /// Writes the options to the start of `into`, in the order and with the padding that RFC 7323, appendix A
    /// recommends. Returns how many bytes they take, a multiple of 4. Options that do not fit together are left out
    /// from the end.
    pub fn write(&self, into: &mut [u8; LONGEST_OPTIONS]) -> usize {
        let mut length = 0;
        let mut put = |bytes: &[u8]| {
            if let Some(place) = into.get_mut(length..length + bytes.len()) {
                place.copy_from_slice(bytes);
                length += bytes.len();
            }
        };
        if let Some(maximum) = self.maximum_segment {
            let [high, low] = maximum.to_be_bytes();
            put(&[kind::MAXIMUM_SEGMENT, 4, high, low]);
        }
        // Either both options, or one of them and padding, so that words are full.
        let permitted = if self.is_sack_permitted { [kind::SACK_PERMITTED, 2] } else { [kind::NOTHING; 2] };
        if let Some((value, echo)) = self.timestamps {
            let [a, b, c, d] = value.to_be_bytes();
            let [e, f, g, h] = echo.to_be_bytes();
            put(&[permitted[0], permitted[1], kind::TIMESTAMPS, 10, a, b, c, d, e, f, g, h]);
        } else if self.is_sack_permitted {
            put(&[kind::NOTHING, kind::NOTHING, permitted[0], permitted[1]]);
        }
        if let Some(scale) = self.window_scale {
            put(&[kind::NOTHING, kind::WINDOW_SCALE, 3, scale]);
        }
        let blocks = self.sack_blocks();
        if !blocks.is_empty() {
            put(&[kind::NOTHING, kind::NOTHING, kind::SACK, 2 + 8 * self.block_count]);
            for (first, behind) in blocks {
                let [a, b, c, d] = first.to_be_bytes();
                let [e, f, g, h] = behind.to_be_bytes();
                put(&[a, b, c, d, e, f, g, h]);
            }
        }
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(options: &Options) -> Vec<u8> {
        let mut bytes = [0; LONGEST_OPTIONS];
        let length = options.write(&mut bytes);
        bytes[..length].to_vec()
    }

    #[test]
    fn writes_the_options_of_a_syn_like_linux() {
        let options = Options {
            maximum_segment: Some(1460),
            is_sack_permitted: true,
            timestamps: Some((0x0102_0304, 0)),
            window_scale: Some(7),
            ..Options::default()
        };
        let bytes = [2, 4, 0x05, 0xB4, 4, 2, 8, 10, 1, 2, 3, 4, 0, 0, 0, 0, 1, 3, 3, 7];
        assert_eq!(written(&options), bytes);
        assert_eq!(Options::parse(&bytes), Some(options));
    }

    #[test]
    fn fits_3_sack_blocks_beside_timestamps_or_4_alone() {
        for (timestamps, room) in [(Some((1, 2)), 3), (None, 4)] {
            let mut options = Options { timestamps, ..Options::default() };
            let taken = (0..6).take_while(|&block| options.add_sack_block(block * 10, block * 10 + 5)).count();
            assert_eq!(taken, room);
            let bytes = written(&options);
            assert_eq!(bytes.len() % 4, 0);
            assert_eq!(Options::parse(&bytes), Some(options));
        }
    }

    #[test]
    fn skips_unknown_and_refuses_truncated_options() {
        // Kind 253 (RFC 4727), then padding, a window scale, the end of the options, and noise.
        let bytes = [253, 4, 9, 9, 1, 3, 3, 5, 0, 77, 200];
        assert_eq!(Options::parse(&bytes).unwrap().window_scale, Some(5));
        for bad in [&[8u8, 10, 1][..], &[2, 1, 5, 5], &[2, 0], &[3]] {
            assert_eq!(Options::parse(bad), None, "{bad:?}");
        }
    }
}
