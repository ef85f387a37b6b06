//! Keys as words.

use super::{FieldMatch, KeyField};
use crate::Bits;

/// The maximum number of words of a key that is assembled without allocating: 2048 bits.
const ON_THE_STACK: usize = 32;

/// The layout of a key in words: the concatenated values of its fields, each as `width.div_ceil(64)` words, the least
/// significant word first, zero above the width.
#[derive(Clone, Debug)]
pub(super) struct KeyWords {
    /// For each field, the index of its first word and the number of its words.
    places: Box<[(usize, usize)]>,
    length: usize,
}

impl KeyWords {
    pub(super) fn new(fields: &[KeyField]) -> Self {
        let mut length = 0;
        let place = |field: &KeyField| {
            let count = field.width.div_ceil(64) as usize;
            length += count;
            (length - count, count)
        };
        Self { places: fields.iter().map(place).collect(), length }
    }

    /// Returns the total number of words.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Returns the index of a field's first word and the number of its words.
    pub(super) fn place(&self, field: usize) -> (usize, usize) {
        self.places[field]
    }

    /// Calls `then` with the words of the values of all fields.
    #[inline]
    pub(super) fn with<R>(&self, key: &[Bits], then: impl FnOnce(&[u64]) -> R) -> R {
        let mut on_the_stack = [0; ON_THE_STACK];
        let mut allocated = Vec::new();
        let words = match self.length {
            0..=ON_THE_STACK => &mut on_the_stack[..self.length],
            _ => {
                allocated.resize(self.length, 0);
                &mut allocated[..]
            }
        };
        for (value, &(first, count)) in key.iter().zip(&self.places) {
            match (value, count) {
                (_, 0) => {}
                (Bits::Narrow(value), _) => words[first] = *value,
                (Bits::Wide(limbs), _) => words[first..first + count].copy_from_slice(limbs),
            }
        }
        then(words)
    }

    /// Returns the words of an entry's canonical key: for each field the value, the value of the prefix or mask, or the
    /// low end of the range; zero where anything matches.
    pub(super) fn values(&self, key: &[FieldMatch]) -> Vec<u64> {
        let mut words = vec![0; self.length];
        for (asked, &(first, count)) in key.iter().zip(&self.places) {
            let value = match asked {
                FieldMatch::Exact(value) | FieldMatch::Prefix { value, .. } | FieldMatch::Mask { value, .. } => value,
                FieldMatch::Range { low, .. } => low,
                FieldMatch::Any => continue,
            };
            words[first..first + count].copy_from_slice(&value.limbs()[..count]);
        }
        words
    }
}
