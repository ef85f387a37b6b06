//! Which class a packet is in, by its DSCP.

use std::sync::Arc;

/// A class for each of the 64 code points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassMap(Arc<[u8; 64]>);

impl ClassMap {
    /// The map in which code point n is in class `classes[n]`.
    pub fn new(classes: [u8; 64]) -> Self {
        Self(Arc::new(classes))
    }

    /// The map in which the code points named are in the classes named, and all others in class 0.
    pub fn of(named: &[(u8, u8)]) -> Self {
        let mut classes = [0; 64];
        for &(dscp, class) in named {
            classes[usize::from(dscp & 63)] = class;
        }
        Self::new(classes)
    }

    /// The class of a code point, 0 to 63.
    #[inline]
    pub fn class(&self, dscp: u8) -> u8 {
        self.0[usize::from(dscp & 63)]
    }
}

impl Default for ClassMap {
    /// The class selector: the first three bits, which were IP precedence (RFC 2474, section 4.2.2).
    fn default() -> Self {
        Self::new(std::array::from_fn(|dscp| (dscp >> 3) as u8))
    }
}

/// A class and its part of a line.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassPlan {
    /// Its part, in proportion to those of the other classes; from 1.
    pub weight: u32,
    /// How packets wait in it.
    pub discipline: super::DisciplinePlan,
}

/// A set of code points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DscpSet(u64);

impl DscpSet {
    /// No code point.
    pub const EMPTY: Self = Self(0);

    /// This set and one more.
    pub const fn with(self, dscp: u8) -> Self {
        Self(self.0 | 1 << (dscp & 63))
    }

    /// What is in either.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if it holds a code point, 0 to 63.
    #[inline]
    pub const fn contains(self, dscp: u8) -> bool {
        self.0 >> (dscp & 63) & 1 != 0
    }
}

impl FromIterator<u8> for DscpSet {
    fn from_iter<I: IntoIterator<Item = u8>>(points: I) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }
}
