//! Rules: the conditions of entries on the words of a key.

use std::cmp::Ordering;

use crate::Bits;
use crate::tables::field::prefix_mask;
use crate::tables::key_words::KeyWords;
use crate::tables::{FieldMatch, KeyField};

/// The conditions of an entry on a key.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The rank: the least one wins. All ranks are different.
    pub(super) rank: u64,
    /// For each word of the key, the bits that are compared and their values. For a range these are the bits that all
    /// its values share.
    pub(super) tests: Vec<Test>,
    /// The ranges that the tests do not fully describe.
    ranges: Box<[Range]>,
}

/// The bits of a word that are compared, and their values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Test {
    pub(super) mask: u64,
    pub(super) value: u64,
}

/// A range of a field's values, both ends included.
#[derive(Clone, Debug)]
enum Range {
    Word { word: usize, low: u64, high: u64 },
    Words { first: usize, low: Box<[u64]>, high: Box<[u64]> },
}

impl Rule {
    /// Makes the rule of an entry's canonical key.
    pub(super) fn new(rank: u64, asked: &[FieldMatch], fields: &[KeyField], key: &KeyWords) -> Self {
        let mut tests = vec![Test::default(); key.length()];
        let mut ranges = Vec::new();
        for (field, (asked, KeyField { width, .. })) in asked.iter().zip(fields).enumerate() {
            let (first, count) = key.place(field);
            let mut put = |mask: &Bits, value: &Bits| {
                let words = tests[first..first + count].iter_mut().zip(mask.limbs()).zip(value.limbs());
                words.for_each(|((test, &mask), &value)| *test = Test { mask, value: value & mask });
            };
            match asked {
                FieldMatch::Any => {}
                FieldMatch::Exact(value) => put(&Bits::ones(*width), value),
                FieldMatch::Prefix { value, length } => put(&prefix_mask(*length, *width), value),
                FieldMatch::Mask { value, mask } => put(mask, value),
                FieldMatch::Range { low, high } => {
                    put(&prefix_mask(low.common_prefix(high, *width), *width), low);
                    ranges.extend((low != high).then(|| Range::new(first, low, high)));
                }
            }
        }
        Self { rank, tests, ranges: ranges.into() }
    }
}

impl Range {
    fn new(first: usize, low: &Bits, high: &Bits) -> Self {
        match (low, high) {
            (&Bits::Narrow(low), &Bits::Narrow(high)) => Self::Word { word: first, low, high },
            _ => Self::Words { first, low: low.limbs().into(), high: high.limbs().into() },
        }
    }

    #[inline]
    fn contains(&self, key: &[u64]) -> bool {
        match self {
            Self::Word { word, low, high } => (*low..=*high).contains(&key[*word]),
            Self::Words { first, low, high } => {
                let value = &key[*first..*first + low.len()];
                // The most significant word is the last.
                let compare = |bound: &[u64]| -> Ordering { value.iter().rev().cmp(bound.iter().rev()) };
                compare(low).is_ge() && compare(high).is_le()
            }
        }
    }
}

/// Rules at numbered places, some of which may be empty.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// The number of words of a key.
    length: usize,
    /// The tests of all rules, concatenated.
    tests: Vec<Test>,
    ranges: Vec<Box<[Range]>>,
    ranks: Vec<u64>,
}

/// The rank of an empty place, over which every rule wins.
pub(super) const NO_RULE: u64 = u64::MAX;

impl Rules {
    /// Creates `places` empty places for rules on keys of `length` words.
    pub(super) fn new(length: usize, places: usize) -> Self {
        let tests = vec![Test::default(); length * places];
        Self { length, tests, ranges: vec![Box::default(); places], ranks: vec![NO_RULE; places] }
    }

    /// Returns the number of places.
    pub(super) fn places(&self) -> usize {
        self.ranks.len()
    }

    /// Returns the ranks of the rules at all places.
    #[inline]
    pub(super) fn ranks(&self) -> &[u64] {
        &self.ranks
    }

    /// Returns the tests of the rule at a place.
    #[inline]
    pub(super) fn tests(&self, place: usize) -> &[Test] {
        &self.tests[place * self.length..][..self.length]
    }

    /// Returns true if the rule at a place matches a key.
    #[inline]
    pub(super) fn holds(&self, place: usize, key: &[u64]) -> bool {
        let tests = self.tests(place).iter().zip(key);
        // The fold avoids a branch per word.
        let differs = tests.fold(0, |differs, (test, word)| differs | (word & test.mask ^ test.value));
        differs == 0 && self.ranges[place].iter().all(|range| range.contains(key))
    }

    /// Returns the first place whose rule matches a key.
    #[inline]
    pub(super) fn first(&self, key: &[u64]) -> Option<usize> {
        // Few rules of a list match, and most of them fail at the first or second word.
        let passes =
            |place: &usize| self.tests(*place).iter().zip(key).all(|(test, word)| word & test.mask == test.value);
        let in_range = |place: &usize| self.ranges[*place].iter().all(|range| range.contains(key));
        (0..self.places()).find(|place| passes(place) && in_range(place))
    }

    /// Stores a rule at a place.
    pub(super) fn put(&mut self, place: usize, rule: Rule) {
        self.tests[place * self.length..][..self.length].copy_from_slice(&rule.tests);
        self.ranges[place] = rule.ranges;
        self.ranks[place] = rule.rank;
    }

    /// Removes the rule at a place, which becomes empty.
    pub(super) fn take(&mut self, place: usize) -> Rule {
        let tests = self.tests(place).to_vec();
        let rank = std::mem::replace(&mut self.ranks[place], NO_RULE);
        Rule { rank, tests, ranges: std::mem::take(&mut self.ranges[place]) }
    }

    /// Inserts a rule at a place; the rules from there on move up.
    pub(super) fn insert(&mut self, place: usize, rule: Rule) {
        let at = place * self.length;
        self.tests.splice(at..at, rule.tests);
        self.ranges.insert(place, rule.ranges);
        self.ranks.insert(place, rule.rank);
    }

    /// Removes a place with its rule; the places after it move down.
    pub(super) fn remove(&mut self, place: usize) {
        let at = place * self.length;
        self.tests.drain(at..at + self.length);
        self.ranges.remove(place);
        self.ranks.remove(place);
    }

    /// Returns the memory that the rules take, in bytes.
    pub(super) fn memory(&self) -> usize {
        let ranges: usize = self.ranges.iter().map(|ranges| size_of_val(&**ranges)).sum();
        let lists = self.ranges.capacity() * size_of::<Box<[Range]>>() + self.ranks.capacity() * size_of::<u64>();
        ranges + lists + self.tests.capacity() * size_of::<Test>()
    }
}
