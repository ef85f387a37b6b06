//! A map from words that is an array where the words are small numbers.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::exact::HASHER;

/// Values by words.
///
/// The keys of many tables are numbers that a program or its control plane counts up from 0: ports, next hops, virtual
/// routers. As long as all of them are small, a key is the place of its value in an array, and a look-up neither hashes
/// nor compares.
#[derive(Clone, Debug)]
#[repr(u8)] // For the reason that is given at `Matcher`.
pub(super) enum WordMap<V> {
    /// The value of each number up to the greatest key so far, and how many of them there are.
    Array { values: Vec<Option<V>>, count: usize },
    /// Some key is too great for an array.
    Hashed(HashMap<u64, V, FixedState>),
}

/// Returns the number of places that the array of a map of `count` values may have: so few that it takes no more memory
/// than a hash table of some times as many values, and a few KiB in any case.
fn room(count: usize) -> u64 {
    4 * count as u64 + 256
}

#[inline(never)] // So that the look-up in an array is short.
fn find<V>(values: &HashMap<u64, V, FixedState>, key: u64) -> Option<&V> {
    values.get(&key)
}

impl<V> WordMap<V> {
    pub(super) fn new() -> Self {
        Self::Array { values: Vec::new(), count: 0 }
    }

    /// Returns the value of a key.
    #[inline]
    pub(super) fn get(&self, key: u64) -> Option<&V> {
        match self {
            Self::Array { values, .. } => values.get(usize::try_from(key).ok()?)?.as_ref(),
            Self::Hashed(values) => find(values, key),
        }
    }

    /// Returns the value of a key for modification.
    pub(super) fn get_mut(&mut self, key: u64) -> Option<&mut V> {
        match self {
            Self::Array { values, .. } => values.get_mut(usize::try_from(key).ok()?)?.as_mut(),
            Self::Hashed(values) => values.get_mut(&key),
        }
    }

    /// Sets the value of a key that has none.
    pub(super) fn insert(&mut self, key: u64, value: V) {
        match self {
            Self::Array { values, count } if key < room(*count + 1) => {
                let place = key as usize;
                if values.len() <= place {
                    values.resize_with(place + 1, || None);
                }
                *count += usize::from(values[place].replace(value).is_none());
            }
            Self::Array { values, .. } => {
                let mut hashed = HashMap::with_hasher(HASHER);
                hashed.extend((0..).zip(values.drain(..)).filter_map(|(key, value)| Some((key, value?))));
                hashed.insert(key, value);
                *self = Self::Hashed(hashed);
            }
            Self::Hashed(values) => {
                values.insert(key, value);
                // Looking for the greatest key whenever the number of values has doubled costs little for each of them.
                let greatest = if values.len().is_power_of_two() { values.keys().max() } else { None };
                if let Some(&greatest) = greatest.filter(|greatest| **greatest < room(values.len())) {
                    let mut array: Vec<Option<V>> = Vec::new();
                    array.resize_with(greatest as usize + 1, || None);
                    let count = values.len();
                    values.drain().for_each(|(key, value)| array[key as usize] = Some(value));
                    *self = Self::Array { values: array, count };
                }
            }
        }
    }

    /// Removes the value of a key.
    pub(super) fn remove(&mut self, key: u64) {
        match self {
            Self::Array { values, count } => {
                let place = usize::try_from(key).ok().and_then(|place| values.get_mut(place));
                *count -= usize::from(place.and_then(Option::take).is_some());
                // What is left is bounded by the values that there are, not by those that there were.
                if values.len() as u64 > 2 * room(*count) {
                    let last = values.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
                    values.truncate(last);
                    values.shrink_to(2 * last);
                    self.hash_if_sparse();
                }
            }
            Self::Hashed(values) => _ = values.remove(&key),
        }
    }

    /// Turns an array into a hash table if it is too long for its values.
    fn hash_if_sparse(&mut self) {
        let Self::Array { values, count } = self else { return };
        if values.len() as u64 > 2 * room(*count) {
            let mut hashed = HashMap::with_hasher(HASHER);
            hashed.extend((0..).zip(values.drain(..)).filter_map(|(key, value)| Some((key, value?))));
            *self = Self::Hashed(hashed);
        }
    }

    /// Returns all values in arbitrary order.
    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        let (array, hashed) = match self {
            Self::Array { values, .. } => (Some(values.iter().flatten()), None),
            Self::Hashed(values) => (None, Some(values.values())),
        };
        array.into_iter().flatten().chain(hashed.into_iter().flatten())
    }

    /// Returns the memory that the map takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        match self {
            Self::Array { values, .. } => values.capacity() * size_of::<Option<V>>(),
            // A hash table has one control byte per slot.
            Self::Hashed(values) => values.capacity() * (size_of::<(u64, V)>() + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use basis::Random;

    use super::*;

    fn is_array<V>(map: &WordMap<V>) -> bool {
        matches!(map, WordMap::Array { .. })
    }

    #[test]
    fn numbers_from_zero_on_are_an_array_in_any_order() {
        for up in [true, false] {
            let mut map = WordMap::new();
            (0..10_000).for_each(|number| map.insert(if up { number } else { 9_999 - number }, number));
            assert!(is_array(&map), "{up}");
            assert_eq!(map.values().count(), 10_000);
        }
        let mut far = WordMap::new();
        far.insert(u64::MAX, 1);
        far.insert(0, 2);
        assert!(!is_array(&far));
        assert_eq!((far.get(u64::MAX), far.get(0), far.get(1)), (Some(&1), Some(&2), None));
    }

    #[test]
    fn a_long_array_with_few_values_left_is_given_up() {
        let mut map = WordMap::new();
        (0..10_000).for_each(|number| map.insert(number, number));
        let full = map.memory();
        (0..9_999).for_each(|number| map.remove(number));
        assert!(!is_array(&map) && map.memory() < full / 4);
        assert_eq!((map.get(9_999), map.get(9_998), map.values().count()), (Some(&9_999), None, 1));
    }

    /// The map has the values of a map of the standard library, whatever is inserted and removed.
    #[test]
    fn operations_give_what_those_of_another_map_give() {
        let mut random = Random::new(1);
        let (mut map, mut model) = (WordMap::new(), BTreeMap::new());
        for step in 0..100_000u64 {
            // Keys that are near and far by turns, and numbers of values that grow and shrink.
            let most = if step / 10_000 % 2 == 0 { 2_000 } else { 20_000 };
            let key = random.below(most);
            let grows = step / 5_000 % 3 != 2;
            if random.chance(if grows { 0.7 } else { 0.1 }) {
                if model.insert(key, step).is_some() {
                    map.remove(key);
                }
                map.insert(key, step);
            } else {
                map.remove(key);
                model.remove(&key);
            }
            assert_eq!(map.get(key), model.get(&key));
        }
        assert!((0..20_000).all(|key| map.get(key) == model.get(&key)));
        assert_eq!(map.values().count(), model.len());
        let sum: u64 = map.values().fold(0, |sum, value| sum.wrapping_add(*value));
        assert_eq!(sum, model.values().fold(0u64, |sum, value| sum.wrapping_add(*value)));
    }
}
