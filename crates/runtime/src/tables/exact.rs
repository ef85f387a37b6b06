//! A hash table on the exact fields of a key.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::key_words::KeyWords;
use super::long_keys::LongKeys;
use super::word_map::WordMap;

/// The maximum number of words that are gathered without allocating.
const ON_THE_STACK: usize = 32;

/// A hasher with the same seed in every run. No result depends on the order of hashes.
pub(crate) const HASHER: FixedState = FixedState::with_seed(0);

/// Values indexed by the exact fields of a key.
#[derive(Clone, Debug)]
pub(super) struct ExactMap<V> {
    /// The indices of the key's words that belong to these fields, and the number of bits in each.
    parts: Box<[(usize, u32)]>,
    /// Whether these are all words of the key, in order.
    is_whole: bool,
    values: Values<V>,
}

#[derive(Clone, Debug)]
#[repr(u8)] // For the reason that is given at `Matcher`.
enum Values<V> {
    /// There are no exact fields, or they have no bits, so there is one value.
    One(Option<V>),
    /// All fields together have at most 64 bits and are packed in one word.
    Word(WordMap<V>),
    /// All fields together have at most 128 bits.
    Pair(HashMap<[u64; 2], V, FixedState>),
    /// All fields together have more than 128 bits.
    Many(LongKeys<V>),
}

impl<V> ExactMap<V> {
    /// Creates an empty table on these fields of a key, given by index and width.
    pub(super) fn new(fields: &[(usize, u32)], key: &KeyWords) -> Self {
        let words = fields.iter().flat_map(|&(field, width)| {
            let (first, count) = key.place(field);
            (0..count).map(move |word| (first + word, 64.min(width - word as u32 * 64)))
        });
        let parts: Box<[(usize, u32)]> = words.collect();
        let is_whole = parts.len() == key.length();
        let values = match parts.iter().map(|&(_, bits)| u64::from(bits)).sum::<u64>() {
            0 => Values::One(None),
            1..=64 => Values::Word(WordMap::new()),
            65..=128 => Values::Pair(HashMap::with_hasher(HASHER)),
            _ => Values::Many(LongKeys::new(parts.len())),
        };
        Self { parts, is_whole, values }
    }

    /// Returns the value of a key.
    #[inline]
    pub(super) fn get(&self, key: &[u64]) -> Option<&V> {
        match &self.values {
            Values::One(value) => value.as_ref(),
            Values::Word(values) => values.get(self.word(key)),
            Values::Pair(_) | Values::Many(_) => self.get_long(key),
        }
    }

    #[inline(never)] // So that the look-up of a short key is short.
    fn get_long(&self, key: &[u64]) -> Option<&V> {
        match &self.values {
            Values::One(_) | Values::Word(_) => None,
            Values::Pair(values) => values.get(&self.pair(key)),
            Values::Many(values) => self.with_parts(key, |key| values.get(key)),
        }
    }

    /// Returns the value of a key for modification.
    pub(super) fn get_mut(&mut self, key: &[u64]) -> Option<&mut V> {
        let (word, pair) = (self.word(key), self.pair(key));
        match &mut self.values {
            Values::One(value) => value.as_mut(),
            Values::Word(values) => values.get_mut(word),
            Values::Pair(values) => values.get_mut(&pair),
            Values::Many(values) => values.get_mut(&gather(&self.parts, key)),
        }
    }

    /// Sets the value of a key that has none.
    pub(super) fn insert(&mut self, key: &[u64], value: V) {
        let (word, pair) = (self.word(key), self.pair(key));
        match &mut self.values {
            Values::One(old) => *old = Some(value),
            Values::Word(values) => values.insert(word, value),
            Values::Pair(values) => _ = values.insert(pair, value),
            Values::Many(values) => values.insert(&gather(&self.parts, key), value),
        }
    }

    /// Removes the value of a key.
    pub(super) fn remove(&mut self, key: &[u64]) {
        let (word, pair) = (self.word(key), self.pair(key));
        match &mut self.values {
            Values::One(old) => *old = None,
            Values::Word(values) => values.remove(word),
            Values::Pair(values) => _ = values.remove(&pair),
            Values::Many(values) => values.remove(&gather(&self.parts, key)),
        }
    }

    /// Returns all values in arbitrary order.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        let (one, word, pair, many) = match &self.values {
            Values::One(value) => (value.as_ref(), None, None, None),
            Values::Word(values) => (None, Some(values.values()), None, None),
            Values::Pair(values) => (None, None, Some(values.values()), None),
            Values::Many(values) => (None, None, None, Some(values.values())),
        };
        let (word, pair) = (word.into_iter().flatten(), pair.into_iter().flatten());
        one.into_iter().chain(word).chain(pair).chain(many.into_iter().flatten())
    }

    /// Returns all fields packed in one word, if they fit.
    #[inline]
    fn word(&self, key: &[u64]) -> u64 {
        match *self.parts {
            [(only, _)] => key[only],
            _ => self.parts.iter().fold(0, |word, &(part, bits)| word.unbounded_shl(bits) | key[part]),
        }
    }

    /// Returns all fields packed in two words, if they fit.
    #[inline]
    fn pair(&self, key: &[u64]) -> [u64; 2] {
        let joined = self.parts.iter().fold(0u128, |pair, &(part, bits)| pair << bits | u128::from(key[part]));
        [joined as u64, (joined >> 64) as u64]
    }

    #[inline]
    fn with_parts<R>(&self, key: &[u64], then: impl FnOnce(&[u64]) -> R) -> R {
        if self.is_whole {
            return then(key);
        }
        if self.parts.len() > ON_THE_STACK {
            return then(&gather(&self.parts, key));
        }
        let mut words = [0; ON_THE_STACK];
        words.iter_mut().zip(&self.parts).for_each(|(word, &(part, _))| *word = key[part]);
        then(&words[..self.parts.len()])
    }

    /// Returns the memory that the table takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        match &self.values {
            Values::One(_) => 0,
            Values::Word(values) => values.memory(),
            // A hash table has one control byte per slot.
            Values::Pair(values) => values.capacity() * (size_of::<([u64; 2], V)>() + 1),
            Values::Many(values) => values.memory(),
        }
    }
}

fn gather(parts: &[(usize, u32)], key: &[u64]) -> Vec<u64> {
    parts.iter().map(|&(part, _)| key[part]).collect()
}
