//! TCP (RFC 9293) and its options.

use serde::{Deserialize, Serialize};

super::header! {
    /// A TCP header, with its options if the bytes go on.
    Tcp, 20 bytes:
    /// The source port.
    source_port, set_source_port: u16 = 0;
    /// The destination port.
    destination_port, set_destination_port: u16 = 2;
    /// The number of the first payload byte.
    sequence, set_sequence: u32 = 4;
    /// The number of the byte that is expected next.
    acknowledgement, set_acknowledgement: u32 = 8;
    /// Header length in words of 4 bytes (4 bits), reserved (4 bits), flags (8 bits).
    offset_and_flags, set_offset_and_flags: u16 = 12;
    /// The receive window, before scaling.
    window, set_window: u16 = 14;
    /// The Internet checksum of pseudo header, header and payload.
    checksum, set_checksum: u16 = 16;
    /// Where urgent data end.
    urgent, set_urgent: u16 = 18;
}

impl<T: AsRef<[u8]>> Tcp<T> {
    /// The length in bytes of the header with its options, by its own account.
    pub fn header_length(&self) -> usize {
        usize::from(self.offset_and_flags() >> 12) * 4
    }

    /// CWR, ECE, URG, ACK, PSH, RST, SYN and FIN, from bit 7 to bit 0; see [`flag`].
    pub fn flags(&self) -> u8 {
        self.offset_and_flags() as u8
    }

    /// The bytes of the options, if all of them are there.
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

/// Flags (RFC 9293, section 3.1; ECE and CWR: RFC 3168, section 6.1).
pub mod flag {
    /// The sender has nothing more to send.
    pub const FIN: u8 = 0x01;
    /// Sequence numbers begin.
    pub const SYN: u8 = 0x02;
    /// The connection is no more.
    pub const RST: u8 = 0x04;
    /// Data are to be handed on at once.
    pub const PSH: u8 = 0x08;
    /// The acknowledgement number is meant.
    pub const ACK: u8 = 0x10;
    /// The urgent pointer is meant.
    pub const URG: u8 = 0x20;
    /// A packet that was marked as having met congestion has arrived. In SYN: we know of ECN.
    pub const ECE: u8 = 0x40;
    /// The sender has heard an ECE and reduced its window.
    pub const CWR: u8 = 0x80;
}

/// The most bytes that options take: the header length is counted in 4 bits.
pub const LONGEST_OPTIONS: usize = 40;
/// The most SACK blocks that options have room for.
pub const MOST_SACK_BLOCKS: usize = 4;

/// What the options say that we know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The largest payload that the sender takes, in bytes (RFC 9293, section 3.7.1). In SYN.
    pub maximum_segment: Option<u16>,
    /// The sender knows of selective acknowledgements (RFC 2018, section 2). In SYN.
    pub is_sack_permitted: bool,
    /// By how many bits the sender's windows are shifted (RFC 7323, section 2). In SYN.
    pub window_scale: Option<u8>,
    /// The sender's clock, and the value of ours that it has seen last (RFC 7323, section 3).
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
    /// SACK blocks: the first byte that is there, and the first behind it (RFC 2018, section 3).
    pub fn sack_blocks(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.block_count)]
    }

    /// Adds a SACK block; false if there is no room for it beside the other options.
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

    /// Reads options; those that are not known are skipped (RFC 9293, MUST-6). `None` if one of them does not fit.
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
            // RFC 9293, MUST-68: every other option says its length, which counts kind and length.
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

    /// Writes options to the front of `into`, in the order and with the padding that RFC 7323, appendix A advises.
    /// Says how many bytes they take, a multiple of 4. Options that do not fit together are left out from the end.
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
        // Either both of these or one of them and padding: full words.
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
    fn options_of_a_syn_have_the_bytes_that_linux_sends() {
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
    fn there_is_room_for_three_sack_blocks_beside_timestamps_and_four_without() {
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
    fn unknown_options_are_skipped_and_what_does_not_fit_is_refused() {
        // Kind 253 (RFC 4727), then padding, then a window scale, then the end and noise.
        let bytes = [253, 4, 9, 9, 1, 3, 3, 5, 0, 77, 200];
        assert_eq!(Options::parse(&bytes).unwrap().window_scale, Some(5));
        for bad in [&[8u8, 10, 1][..], &[2, 1, 5, 5], &[2, 0], &[3]] {
            assert_eq!(Options::parse(bad), None, "{bad:?}");
        }
    }
}
