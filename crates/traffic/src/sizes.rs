//! How long packets are.

use std::fmt;

use basis::Random;

/// How long packets are, in bytes, link header included and frame check sequence not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketSizes {
    /// All as long as this.
    Fixed(u32),
    /// Every length from the first to the last is equally likely.
    Uniform(u32, u32),
    /// Half of them around 200 bytes and half around 1400, as Benson et al. (IMC 2010) saw in data centres and MP5
    /// section 4.4 uses: triangular, from 136 to 264 and from 1300 to 1500. The halves and the triangles are ours.
    Bimodal,
}

impl PacketSizes {
    /// The shortest packet that can be asked for.
    pub const SHORTEST: u32 = 64;
    /// The longest packet that can be asked for.
    pub const LONGEST: u32 = 9216;

    /// The length of one packet.
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
