//! The distribution of packets over states or flows.

use std::fmt;

use basis::Random;

/// A share, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u32);

impl Share {
    /// Returns a share of this many percent.
    ///
    /// # Panics
    ///
    /// Panics if `percent` is above 100.
    pub const fn percent(percent: u32) -> Self {
        assert!(percent <= 100, "a share is at most 100%");
        Self(percent * 10_000)
    }

    /// Parses a share such as `95%` or `2.5%`; `None` if the text is not one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let number = text.trim().strip_suffix('%')?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let digits = |text: &str| !text.is_empty() && text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return None;
        }
        let millionths = whole.parse::<u32>().ok()? * 10_000 + format!("{fraction:0<4}").parse::<u32>().ok()?;
        (millionths <= 1_000_000).then_some(Self(millionths))
    }

    /// Returns this share of a number, rounded to the nearest.
    fn of(self, number: u64) -> u64 {
        ((u128::from(number) * u128::from(self.0) + 500_000) / 1_000_000) as u64
    }

    fn happens(self, random: &mut Random) -> bool {
        random.below(1_000_000) < u64::from(self.0)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / 10_000, self.0 % 10_000);
        match fraction {
            0 => write!(f, "{whole}%"),
            _ => write!(f, "{whole}.{}%", format!("{fraction:04}").trim_end_matches('0')),
        }
    }
}

/// The way in which packets are distributed over numbered states or flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// All are equally likely (MP5 section 4.3.1).
    Uniform,
    /// `share` of the packets go to the first `hot` of the states and the others to the rest, each part evenly (MP5
    /// section 4.3.1: 95% to 30%).
    Skewed {
        /// The share of the states that are hot.
        hot: Share,
        /// The share of the packets that go to hot states.
        share: Share,
    },
}

impl Pattern {
    /// The skew of the MP5 paper.
    pub const SKEWED: Self = Self::Skewed { hot: Share::percent(30), share: Share::percent(95) };

    /// Draws one of `count` states; `count` must be at least 1.
    pub(crate) fn draw(self, count: u64, random: &mut Random) -> u64 {
        match self {
            Self::Uniform => random.below(count),
            Self::Skewed { hot, share } => {
                let hot = hot.of(count).clamp(1, count);
                if hot == count || share.happens(random) { random.below(hot) } else { hot + random.below(count - hot) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skew_matches_the_paper() {
        let mut random = Random::new(3);
        let hot = (0..100_000).filter(|_| Pattern::SKEWED.draw(512, &mut random) < 154).count();
        assert!((94_700..95_300).contains(&hot), "{hot}"); // standard deviation 69
        assert!((0..1000).all(|_| Pattern::SKEWED.draw(1, &mut random) == 0));
    }

    #[test]
    fn shares_parse_as_they_print() {
        for text in ["95%", "0%", "2.5%", "0.0001%", "100%"] {
            assert_eq!(Share::parse(text).unwrap().to_string(), text);
        }
        for text in ["95", "101%", "-1%", "1.%", "%", "1.00001%", "99999%"] {
            assert_eq!(Share::parse(text), None, "{text}");
        }
    }
}
