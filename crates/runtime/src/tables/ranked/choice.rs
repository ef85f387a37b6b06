//! The choice of the bytes of a key that best distinguish rules.

use basis::Random;

use super::rule::Rules;

/// A byte of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Byte {
    pub(super) word: usize,
    pub(super) shift: u32,
}

/// The maximum number of bytes that are indexed. The remaining rules are compared in full, so further bytes save less
/// and less.
pub(super) const MOST_BYTES: usize = 16;

/// The number of sample keys: one bit of a word for each.
const KEYS: usize = 64;

/// The number of sample rules.
const RULES: usize = 512;

/// The number of rules per key by which a byte must reduce the candidates to be worth indexing.
const WORTH: usize = 2;

impl Byte {
    #[inline]
    pub(super) fn of(self, word: u64) -> u8 {
        (word >> self.shift) as u8
    }

    /// Returns all bytes of keys of `length` words.
    fn all(length: usize) -> impl Iterator<Item = Self> {
        (0..length).flat_map(|word| (0..8).map(move |byte| Self { word, shift: 8 * byte }))
    }
}

/// Chooses the bytes of keys of `length` words that distinguish the rules at these places: first the one that leaves
/// the fewest rules per key, then the one that leaves the fewest of these, until another byte would change little.
///
/// The sample keys are derived from the rules, because most packets match some rule.
pub(super) fn bytes(rules: &Rules, places: &[usize], length: usize) -> Vec<Byte> {
    let some = |most: usize| {
        let count = places.len().min(most);
        (0..count).map(move |at| places[at * places.len() / count])
    };
    let mut random = Random::new(0);
    let mut key = |place: usize| -> Vec<u64> {
        rules.tests(place).iter().map(|test| test.value | random.bits() & !test.mask).collect()
    };
    let keys: Vec<Vec<u64>> = some(KEYS).map(&mut key).collect();
    // For each byte and rule, the set of the keys that it lets through.
    let passing = |byte: Byte| -> Option<(Byte, Vec<u64>)> {
        let matters = some(RULES).any(|place| byte.of(rules.tests(place)[byte.word].mask) != 0);
        let passes = |place: usize| {
            let test = rules.tests(place)[byte.word];
            let (mask, value) = (byte.of(test.mask), byte.of(test.value));
            let holds = keys.iter().map(|key| byte.of(key[byte.word]) & mask == value);
            holds.enumerate().fold(0, |set, (at, holds)| set | u64::from(holds) << at)
        };
        matters.then(|| (byte, some(RULES).map(passes).collect()))
    };
    let mut candidates: Vec<(Byte, Vec<u64>)> = Byte::all(length).filter_map(passing).collect();
    let mut left: Vec<u64> = some(RULES).map(|_| u64::MAX >> (64 - keys.len())).collect();
    let count = |left: &[u64], set: &[u64]| -> u32 { left.iter().zip(set).map(|(a, b)| (a & b).count_ones()).sum() };
    let mut chosen = Vec::new();
    while chosen.len() < MOST_BYTES {
        let counted = candidates.iter().map(|(_, set)| count(&left, set)).enumerate();
        let Some((fewest, at)) = counted.map(|(at, count)| (count, at)).min() else { break };
        let before = count(&left, &left);
        let saved = (before - fewest) as usize * places.len() / (left.len() * keys.len());
        if !chosen.is_empty() && saved < WORTH {
            break;
        }
        let (byte, set) = candidates.swap_remove(at);
        left.iter_mut().zip(set).for_each(|(left, set)| *left &= set);
        chosen.push(byte);
    }
    chosen
}
