//! The lengths of packets.

use std::fmt;

use basis::Random;

/// The distribution of packet lengths, in bytes including the Ethernet header but not the frame check sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketSizes {
    /// All packets have this length.
    Fixed(u32),
    /// Lengths from the first to the last, all equally likely.
    Uniform(u32, u32),
    /// Half of the packets have around 200 bytes and half around 1400, as Benson et al. (IMC 2010) observed in data
    /// centres and MP5 section 4.4 uses: the distributions are triangular, from 136 to 264 and from 1300 to 1500. The
    /// equal halves and the triangles are our choice.
    Bimodal,
}

impl PacketSizes {
    /// The shortest packet that a plan may ask for.
    pub const SHORTEST: u32 = 64;
    /// The longest packet that a plan may ask for.
    pub const LONGEST: u32 = 9216;

    /// Draws the length of a packet.
    pub(crate) fn draw(self, random: &mut Random) -> u32 {
        match self {
            Self::Fixed(size) => size,
            Self::Uniform(first, last) => first + random.below(u64::from(last - first) + 1) as u32,
            Self::Bimodal => {
                let (middle, reach): (u32, u32) = if random.below(2) == 0 { (200, 64) } else { (1400, 100) };
                let mut step = || random.below(u64::from(reach) + 1) as u32;
                middle - reach + step() + step()
            }
        }
        .clamp(Self::SHORTEST, Self::LONGEST)
    }
}

impl fmt::Display for PacketSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(size) => write!(f, "{size}"),
            Self::Uniform(first, last) => write!(f, "{first}..{last}"),
            Self::Bimodal => f.write_str("bimodal"),
        }
    }
}
