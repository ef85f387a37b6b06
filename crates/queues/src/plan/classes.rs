//! The classes of packets by DSCP.

use std::sync::Arc;

/// A map from each of the 64 code points to a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassMap(Arc<[u8; 64]>);

impl ClassMap {
    /// Returns the map in which code point n is in class `classes[n]`.
    pub fn new(classes: [u8; 64]) -> Self {
        Self(Arc::new(classes))
    }

    /// Returns the map that puts each code point of `named` into the class beside it, and all others into class 0.
    pub fn of(named: &[(u8, u8)]) -> Self {
        let mut classes = [0; 64];
        for &(dscp, class) in named {
            classes[usize::from(dscp & 63)] = class;
        }
        Self::new(classes)
    }

    /// Returns the class of a code point, 0 to 63.
    #[inline]
    pub fn class(&self, dscp: u8) -> u8 {
        self.0[usize::from(dscp & 63)]
    }
}

impl Default for ClassMap {
    /// Returns the class selector map: the class is the first three bits of the code point, which were IP precedence
    /// (RFC 2474, section 4.2.2).
    fn default() -> Self {
        Self::new(std::array::from_fn(|dscp| (dscp >> 3) as u8))
    }
}

/// A class and its share of a link.
#[derive(Clone, Debug)]
pub struct ClassPlan {
    /// The share of the link in proportion to the weights of the other classes; at least 1.
    pub weight: u32,
    /// The discipline of the packets in this class.
    pub discipline: super::DisciplinePlan,
}

/// A set of code points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DscpSet(u64);

impl DscpSet {
    /// The set without any code point.
    pub const EMPTY: Self = Self(0);

    /// Returns this set with one more code point.
    pub const fn with(self, dscp: u8) -> Self {
        Self(self.0 | 1 << (dscp & 63))
    }

    /// Returns the union of the two sets.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns true if the set contains a code point, 0 to 63.
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
