//! Keys in words.

use super::{FieldMatch, KeyField};
use crate::Bits;

/// The most words of a key that is put together without allocating: 2048 bits.
const ON_THE_STACK: usize = 32;

/// How a key lies in words: the values of its fields one behind the other, each as `width.div_ceil(64)` words, the
/// lowest word first, zero above the width.
#[derive(Clone, Debug)]
pub(super) struct KeyWords {
    /// For each field, where its words begin and how many there are.
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

    /// How many words all fields together have.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Where the words of a field begin and how many there are.
    pub(super) fn place(&self, field: usize) -> (usize, usize) {
        self.places[field]
    }

    /// Hands on the words of the values of all fields.
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

    /// The words of a canonical key of an entry: for each field the one value, or the value of a prefix or a mask, or
    /// the low end of a range; zero where anything goes.
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
