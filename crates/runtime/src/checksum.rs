//! The hash algorithms of v1model, on strings of bits.
//!
//! What each gives follows BMv2's calculations, for v1model only names them: the input is the fields one after the
//! other in network order, filled up with zero bits to a whole byte, and the result is a number of at most 64 bits.

mod bit_string;
mod cyclic;

use basis::Random;
use crc::{CRC_16_ARC, CRC_32_ISO_HDLC, Crc};

pub use bit_string::BitString;
pub use cyclic::{CyclicCode, CyclicParameters};

use crate::Bits;

static ARC: Crc<u16> = Crc::<u16>::new(&CRC_16_ARC);
static ISO_HDLC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// A hash algorithm of v1model (`HashAlgorithm`).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// `crc32`: CRC-32/ISO-HDLC, that of Ethernet.
    Crc32,
    /// `crc32_custom`: a CRC of 32 bits that the control plane may change; that of `crc32` until it does.
    Crc32Custom(CyclicCode),
    /// `crc16`: CRC-16/ARC.
    Crc16,
    /// `crc16_custom`: a CRC of 16 bits that the control plane may change; that of `crc16` until it does.
    Crc16Custom(CyclicCode),
    /// `random`: 64 uniform bits, whatever the input is. BMv2 knows the name only from p4c and has nothing behind it.
    Random,
    /// `identity`: the first eight bytes of the input as a number in network order, or all if there are fewer.
    Identity,
    /// `csum16`: the Internet checksum (RFC 1071).
    Csum16,
    /// `xor16`: the exclusive or of the input's 16-bit words in network order. A last byte without a partner counts as
    /// followed by zero.
    Xor16,
}

impl Algorithm {
    /// The names that v1model gives them.
    pub const NAMES: [&'static str; 8] =
        ["crc32", "crc32_custom", "crc16", "crc16_custom", "random", "identity", "csum16", "xor16"];

    /// The algorithm of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "crc32" => Self::Crc32,
            "crc32_custom" => Self::Crc32Custom(CyclicCode::new(CyclicParameters::CRC32)),
            "crc16" => Self::Crc16,
            "crc16_custom" => Self::Crc16Custom(CyclicCode::new(CyclicParameters::CRC16)),
            "random" => Self::Random,
            "identity" => Self::Identity,
            "csum16" => Self::Csum16,
            "xor16" => Self::Xor16,
            _ => return None,
        })
    }

    /// Its name in v1model.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Crc32 => "crc32",
            Self::Crc32Custom(_) => "crc32_custom",
            Self::Crc16 => "crc16",
            Self::Crc16Custom(_) => "crc16_custom",
            Self::Random => "random",
            Self::Identity => "identity",
            Self::Csum16 => "csum16",
            Self::Xor16 => "xor16",
        }
    }

    /// The result for `data` as a number. `random` is drawn from only by [`Algorithm::Random`].
    pub fn number(&self, data: &[u8], random: &mut Random) -> u64 {
        self.number_with_zeros(data, 0, random)
    }

    /// The result for `data` and so many zeros behind it as a number. `random` is drawn from only by
    /// [`Algorithm::Random`].
    pub fn number_with_zeros(&self, data: &[u8], zeros: usize, random: &mut Random) -> u64 {
        match self {
            Self::Crc32 => {
                let mut digest = ISO_HDLC.digest();
                digest.update(data);
                blocks(zeros).for_each(|block| digest.update(block));
                digest.finalize().into()
            }
            Self::Crc16 => {
                let mut digest = ARC.digest();
                digest.update(data);
                blocks(zeros).for_each(|block| digest.update(block));
                digest.finalize().into()
            }
            Self::Crc32Custom(code) | Self::Crc16Custom(code) => code.checksum(data, zeros).into(),
            Self::Random => random.bits(),
            Self::Identity => {
                let bytes = data.iter().chain(std::iter::repeat_n(&0, zeros)).take(8);
                bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
            // Zeros at the end change no sum of words.
            Self::Csum16 => wire::checksum::of(data).into(),
            Self::Xor16 => data
                .chunks(2)
                .fold(0, |sum, word| sum ^ u64::from(u16::from_be_bytes([word[0], word.get(1).copied().unwrap_or(0)]))),
        }
    }

    /// The result for a string of bits in `width` bits: its low bits, or all of them with zeros above.
    pub fn output_of(&self, data: &BitString, width: u32, random: &mut Random) -> Bits {
        Bits::from_u64(self.number_with_zeros(data.bytes(), data.zeros(), random), width)
    }

    /// The result for `data` in `width` bits: its low bits, or all of them with zeros above.
    pub fn output(&self, data: &[u8], width: u32, random: &mut Random) -> Bits {
        Bits::from_u64(self.number(data, random), width)
    }

    /// v1model's `hash`: a number from `base` to `base + max - 1`, and `base` if `max` is 0; `base`, `max` and the
    /// result each in `width` bits, in which the sum wraps.
    ///
    /// BMv2 takes the result modulo `max`, and so does this. Its types may differ; the caller resizes to the widest.
    pub fn within(&self, data: &[u8], base: &Bits, max: &Bits, width: u32, random: &mut Random) -> Bits {
        if max.is_zero() {
            return base.clone();
        }
        // Modulo in the wider of both widths, so that no bit of the hash is lost before.
        let wide = width.max(64);
        let hash = Bits::from_u64(self.number(data, random), wide);
        let offset = hash.remainder(&max.resize(width, false, wide), wide, false);
        base.add(&offset.resize(wide, false, width), width)
    }
}

/// So many zeros, in blocks.
fn blocks(zeros: usize) -> impl Iterator<Item = &'static [u8]> {
    static BLOCK: [u8; 4096] = [0; 4096];
    (0..zeros).step_by(BLOCK.len()).map(move |start| &BLOCK[..BLOCK.len().min(zeros - start)])
}
