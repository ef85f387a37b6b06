//! Hash algorithms on bit strings.
//!
//! v1model only names its algorithms; their results follow BMv2's calculations. The input is the concatenation of the
//! fields in network order, padded with zero bits to a whole byte, and the result is a number of at most 64 bits.

mod bit_string;
mod cyclic;

use std::borrow::Cow;

use basis::Random;
use crc::{CRC_16_ARC, CRC_32_ISO_HDLC, Crc};

pub use bit_string::BitString;
pub use cyclic::{CyclicCode, CyclicParameters};

use crate::Bits;

static ARC: Crc<u16> = Crc::<u16>::new(&CRC_16_ARC);
static ISO_HDLC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

/// A hash algorithm.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// `crc32`: CRC-32/ISO-HDLC, which Ethernet uses.
    Crc32,
    /// `crc32_custom`: a 32-bit CRC whose parameters the control plane may change; initially the same as `crc32`.
    Crc32Custom(CyclicCode),
    /// `crc16`: CRC-16/ARC.
    Crc16,
    /// `crc16_custom`: a 16-bit CRC whose parameters the control plane may change; initially the same as `crc16`.
    Crc16Custom(CyclicCode),
    /// `random`: 64 uniform random bits, whatever the input is. BMv2 knows only the name, from p4c, and does not
    /// implement it.
    Random,
    /// `identity`: the first eight bytes of the input as a number in network order, or the whole input if it is
    /// shorter.
    Identity,
    /// `csum16`: the Internet checksum (RFC 1071).
    Csum16,
    /// `xor16`: the exclusive or of the input's 16-bit words in network order. An odd last byte is padded with a zero
    /// byte.
    Xor16,
    /// `xor8`: the exclusive or of the input's bytes.
    Xor8,
    /// `xor32`: the exclusive or of the input's 32-bit words in network order. The last one is padded with zero bytes.
    Xor32,
    /// A CRC whose parameters the program states.
    Cyclic(CyclicCode),
}

impl Algorithm {
    /// The names of all algorithms but the CRCs whose parameters a program states, which are named after these.
    pub const NAMES: [&'static str; 10] =
        ["crc32", "crc32_custom", "crc16", "crc16_custom", "random", "identity", "csum16", "xor16", "xor8", "xor32"];

    /// Returns the algorithm of a name, with its initial parameters.
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
            "xor8" => Self::Xor8,
            "xor32" => Self::Xor32,
            _ => Self::Cyclic(CyclicCode::new(CyclicParameters::from_name(name)?)),
        })
    }

    /// Returns the name.
    pub fn name(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Crc32 => "crc32",
            Self::Crc32Custom(_) => "crc32_custom",
            Self::Crc16 => "crc16",
            Self::Crc16Custom(_) => "crc16_custom",
            Self::Random => "random",
            Self::Identity => "identity",
            Self::Csum16 => "csum16",
            Self::Xor16 => "xor16",
            Self::Xor8 => "xor8",
            Self::Xor32 => "xor32",
            Self::Cyclic(code) => return Cow::Owned(code.parameters().name()),
        })
    }

    /// Returns the result for `data` as a number. Only [`Algorithm::Random`] draws from `random`.
    pub fn number(&self, data: &[u8], random: &mut Random) -> u64 {
        self.number_with_zeros(data, 0, random)
    }

    /// Returns the result for `data` followed by `zeros` zero bytes as a number. Only [`Algorithm::Random`] draws from
    /// `random`.
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
            Self::Crc32Custom(code) | Self::Crc16Custom(code) | Self::Cyclic(code) => code.checksum(data, zeros),
            Self::Random => random.bits(),
            Self::Identity => {
                let bytes = data.iter().chain(std::iter::repeat_n(&0, zeros)).take(8);
                bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
            }
            // Zero bytes at the end do not change a sum of words.
            Self::Csum16 => wire::checksum::of(data).into(),
            Self::Xor16 => xor_of_words(data, 2),
            Self::Xor8 => xor_of_words(data, 1),
            Self::Xor32 => xor_of_words(data, 4),
        }
    }

    /// Returns the result for a bit string as `width` bits: truncated, or extended with zeros.
    pub fn output_of(&self, data: &BitString, width: u32, random: &mut Random) -> Bits {
        Bits::from_u64(self.number_with_zeros(data.bytes(), data.zeros(), random), width)
    }

    /// Returns the result for `data` as `width` bits: truncated, or extended with zeros.
    pub fn output(&self, data: &[u8], width: u32, random: &mut Random) -> Bits {
        Bits::from_u64(self.number(data, random), width)
    }

    /// Computes v1model's `hash`: a number from `base` to `base + max - 1`, or `base` if `max` is 0. `base`, `max` and
    /// the result have `width` bits, in which the sum wraps around.
    ///
    /// The hash is taken modulo `max`, as in BMv2. There the three types may differ; the caller resizes to the widest.
    pub fn within(&self, data: &[u8], base: &Bits, max: &Bits, width: u32, random: &mut Random) -> Bits {
        if max.is_zero() {
            return base.clone();
        }
        // The modulo is computed in the greater of both widths, so that no bit of the hash is lost before it.
        let wide = width.max(64);
        let hash = Bits::from_u64(self.number(data, random), wide);
        let offset = hash.remainder(&max.resize(width, false, wide), wide, false);
        base.add(&offset.resize(wide, false, width), width)
    }
}

/// Returns the exclusive or of words of so many bytes in network order; zero bytes complete the last one.
fn xor_of_words(data: &[u8], bytes: usize) -> u64 {
    let word = |word: &[u8]| (0..bytes).fold(0, |value, at| value << 8 | u64::from(word.get(at).copied().unwrap_or(0)));
    data.chunks(bytes).fold(0, |sum, own| sum ^ word(own))
}

/// Returns blocks of zero bytes that add up to `zeros` bytes.
fn blocks(zeros: usize) -> impl Iterator<Item = &'static [u8]> {
    static BLOCK: [u8; 4096] = [0; 4096];
    (0..zeros).step_by(BLOCK.len()).map(move |start| &BLOCK[..BLOCK.len().min(zeros - start)])
}
