//! Direct tables, which decide the first bits of a value at once.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::lists::{Lists, SPAN};
use super::nodes::Nodes;
use super::value::{Aligned, Value};
use crate::tables::exact::HASHER;
use crate::tables::found::Found;

/// The number of bits that the direct table of a few prefixes decides. It takes 3 KiB.
pub(super) const FEW: u32 = 8;

/// The number of bits that the direct table of many prefixes decides. It takes 832 KiB, of which a look-up that finds a
/// longer prefix needs 256.
pub(super) const MANY: u32 = 16;

/// Stands for the absence of a position.
pub(super) const NONE: u32 = u32::MAX;

/// A direct table: for each value of the first bits, what is known of the prefixes. The arrays are separate so that a
/// look-up that finds a longer prefix does not load the shorter ones into its cache.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    /// The number of bits that the table decides: [`FEW`] or [`MANY`].
    depth: u32,
    /// For each slot, where the longer prefixes are.
    below: Vec<Below>,
    /// For each slot, the entry of the longest prefix that ends within the first bits.
    nearest: Vec<Option<Found>>,
    /// The lengths of these prefixes.
    lengths: Vec<u8>,
    lists: Lists,
    /// The entries of the prefixes that end within the first bits, by bits and length.
    short: HashMap<(u16, u8), Found, FixedState>,
}

/// The place of the prefixes that are longer than a direct table decides: [`NONE`], a list if [`LIST`] is set, or the
/// root of a trie.
#[derive(Clone, Copy, Debug)]
struct Below(u32);

/// The bit that marks a list.
const LIST: u32 = 1 << 31;

enum Longer {
    Nothing,
    List(u32),
    Trie(u32),
}

impl Below {
    const NOTHING: Self = Self(NONE);

    #[inline]
    fn longer(self) -> Longer {
        match self.0 {
            NONE => Longer::Nothing,
            list @ LIST.. => Longer::List(list ^ LIST),
            root => Longer::Trie(root),
        }
    }

    fn list(list: Option<u32>) -> Self {
        list.map_or(Self::NOTHING, |list| Self(list | LIST))
    }

    fn trie(root: Option<u32>) -> Self {
        root.map_or(Self::NOTHING, Self)
    }
}

impl Direct {
    /// Creates an empty direct table that decides `depth` bits.
    fn new(depth: u32) -> Self {
        let slots = 1 << depth;
        Self {
            depth,
            below: vec![Below::NOTHING; slots],
            nearest: vec![None; slots],
            lengths: vec![0; slots],
            lists: Lists::new(depth),
            short: HashMap::with_hasher(HASHER),
        }
    }

    /// Creates a direct table with the entry of the prefix of no bits and all prefixes of a trie, of values of `words`
    /// words.
    pub(super) fn of(shortest: Option<Found>, root: Option<u32>, nodes: &mut Nodes, words: usize) -> Box<Self> {
        let mut direct = Self::new(FEW);
        if let Some(entry) = shortest {
            direct.insert(nodes, Aligned(&vec![0; words]), 0, entry);
        }
        let Some(mut root) = root else { return Box::new(direct) };
        for (value, length, entry) in nodes.all(root, 0, words) {
            root = nodes.remove(Aligned(&value), length, root, 0).unwrap_or(root);
            direct.insert(nodes, Aligned(&value), length, entry);
        }
        Box::new(direct)
    }

    /// Returns the number of bits that the table decides.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Makes the table decide as many bits as suit many prefixes, of values of `words` words.
    pub(super) fn deepen(&mut self, nodes: &mut Nodes, words: usize) {
        let old = std::mem::replace(self, Self::new(MANY));
        for (value, length, entry) in old.all(nodes, words) {
            self.insert(nodes, Aligned(&value), length, entry);
        }
    }

    /// Returns all prefixes, of values of `words` words, and frees the tries that hold some of them.
    fn all(&self, nodes: &mut Nodes, words: usize) -> Vec<(Vec<u64>, u32, Found)> {
        let aligned = |bits: u64, below: u32| {
            let mut value = vec![0; words];
            value[0] = bits.unbounded_shl(64 - below);
            value
        };
        let short = self.short.iter();
        let short = short.map(|(&(first, length), &entry)| (aligned(first.into(), self.depth), length.into(), entry));
        let mut all: Vec<(Vec<u64>, u32, Found)> = short.collect();
        // No result may depend on the order of hashes.
        all.sort_unstable_by(|(a, shorter, _), (b, longer, _)| (a, shorter).cmp(&(b, longer)));
        for (slot, below) in (0..).zip(&self.below) {
            match below.longer() {
                Longer::Nothing => {}
                Longer::List(list) => all.extend(self.lists.all(list).map(|(bits, length, entry)| {
                    (aligned(slot << SPAN | u64::from(bits), self.depth + SPAN), length, entry)
                })),
                Longer::Trie(root) => {
                    let mut root = Some(root);
                    for (mut value, length, entry) in nodes.all(root.unwrap_or(NONE), self.depth, words) {
                        value[0] |= slot << (64 - self.depth);
                        root = root.and_then(|root| nodes.remove(Aligned(&value), length, root, self.depth));
                        all.push((value, length, entry));
                    }
                }
            }
        }
        all
    }

    /// Returns the slot of a value.
    #[inline]
    fn place<V: Value>(&self, value: V) -> usize {
        (value.window(0) >> (64 - self.depth)) as usize
    }

    /// Returns the entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup<V: Value>(&self, nodes: &Nodes, value: V) -> Option<Found> {
        let at = self.place(value);
        let longer = match self.below[at].longer() {
            Longer::Nothing => None,
            Longer::List(list) => self.lists.lookup(value, list),
            Longer::Trie(root) => nodes.lookup(value, root, self.depth),
        };
        longer.or_else(|| self.nearest[at])
    }

    /// Returns the entry with exactly this prefix, which ends within the first bits.
    pub(super) fn find_short(&self, value: Aligned<'_>, length: u32) -> Option<Found> {
        self.short.get(&(self.place(value) as u16, length as u8)).copied()
    }

    /// Returns the entry with exactly this prefix, which is longer than the first bits.
    pub(super) fn find_longer(&self, nodes: &Nodes, value: Aligned<'_>, length: u32) -> Option<Found> {
        match self.below[self.place(value)].longer() {
            Longer::Nothing => None,
            Longer::List(list) => self.lists.find(value, length, list),
            Longer::Trie(root) => nodes.find(value, length, root, self.depth),
        }
    }

    /// Adds an entry for a prefix that has none.
    pub(super) fn insert(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32, entry: Found) {
        let first = self.place(value);
        if length > self.depth {
            return self.insert_longer(nodes, value, length, entry);
        }
        self.short.insert((first as u16, length as u8), entry);
        for at in first..first + (1 << (self.depth - length)) {
            let longer = self.nearest[at].is_none() || u32::from(self.lengths[at]) < length;
            if longer {
                (self.nearest[at], self.lengths[at]) = (Some(entry), length as u8);
            }
        }
    }

    fn insert_longer(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32, entry: Found) {
        let at = self.place(value);
        let root = match self.below[at].longer() {
            Longer::Nothing if self.lists.takes(length, None) => {
                self.below[at] = Below::list(Some(self.lists.insert(value, length, entry, None)));
                return;
            }
            Longer::List(list) if self.lists.takes(length, Some(list)) => {
                self.below[at] = Below::list(Some(self.lists.insert(value, length, entry, Some(list))));
                return;
            }
            Longer::Nothing => None,
            // It remains a trie until its last prefix is removed, so that it does not alternate between the two.
            Longer::List(list) => self.trie_of(nodes, value, list),
            Longer::Trie(root) => Some(root),
        };
        self.below[at] = Below::trie(Some(nodes.insert(value, length, entry, root, self.depth)));
    }

    /// Converts a list to a trie. All its prefixes share the first bits of `value`.
    fn trie_of(&mut self, nodes: &mut Nodes, value: Aligned<'_>, list: u32) -> Option<u32> {
        let (depth, shared) = (self.depth, (self.place(value) as u64) << (64 - self.depth));
        self.lists.take(list).into_iter().fold(None, |root, (bits, length, entry)| {
            let mut words = vec![0; value.0.len()];
            words[0] = shared | u64::from(bits) << (64 - depth - SPAN);
            Some(nodes.insert(Aligned(&words), length, entry, root, depth))
        })
    }

    /// Removes the entry of a prefix that is longer than the first bits.
    pub(super) fn remove_longer(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32) {
        let at = self.place(value);
        self.below[at] = match self.below[at].longer() {
            Longer::Nothing => Below::NOTHING,
            Longer::List(list) => Below::list(self.lists.remove(value, length, list)),
            Longer::Trie(root) => Below::trie(nodes.remove(value, length, root, self.depth)),
        };
    }

    /// Removes a prefix that ends within the first bits. The next shorter prefix takes over the slots that it covered.
    pub(super) fn remove_short(&mut self, value: Aligned<'_>, length: u32) {
        let (first, count) = (self.place(value), 1 << (self.depth - length));
        self.short.remove(&(first as u16, length as u8));
        let shorter = (0..length).rev().find_map(|shorter| {
            let covering = [(value.window(0) & !u64::MAX.unbounded_shr(shorter))];
            Some((self.find_short(Aligned(&covering), shorter)?, shorter as u8))
        });
        let next = shorter.map_or((None, 0), |(entry, shorter)| (Some(entry), shorter));
        for at in first..first + count {
            if self.nearest[at].is_some() && u32::from(self.lengths[at]) == length {
                (self.nearest[at], self.lengths[at]) = next;
            }
        }
    }

    /// Returns the memory that the table takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        // A hash table has one control byte per slot.
        let short = self.short.capacity() * (size_of::<((u16, u8), Found)>() + 1);
        let slot = size_of::<Below>() + size_of::<Option<Found>>() + size_of::<u8>();
        self.below.len() * slot + short + self.lists.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::EntryHandle;

    fn found(number: u32) -> Found {
        Found::new(EntryHandle(number), !number)
    }

    /// A table that decides more bits has the same prefixes, and nothing of them is left in tries.
    #[test]
    fn a_deeper_table_has_the_same_prefixes() {
        let mut nodes = Nodes::new(2);
        let mut direct = Direct::of(Some(found(0)), None, &mut nodes, 2);
        let lengths = [1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 33, 64, 65, 100];
        let prefix = |number: u32| {
            let length = lengths[number as usize % lengths.len()];
            let word = |place: u64| (u64::from(number) / 15 + place).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let cut = |word: u64, bits: u32| word & !u64::MAX.unbounded_shr(bits);
            ([cut(word(0), length), cut(word(1), length.saturating_sub(64))], length)
        };
        let mut known = std::collections::BTreeMap::from([(([0, 0], 0), found(0))]);
        for number in 1..2000 {
            if let std::collections::btree_map::Entry::Vacant(place) = known.entry(prefix(number)) {
                let &(value, length) = place.key();
                direct.insert(&mut nodes, Aligned(&value), length, *place.insert(found(number)));
            }
        }
        direct.deepen(&mut nodes, 2);
        for (&(value, length), &entry) in &known {
            let is_short = length <= direct.depth();
            let value = Aligned(&value);
            let own =
                if is_short { direct.find_short(value, length) } else { direct.find_longer(&nodes, value, length) };
            assert_eq!(own, Some(entry), "{length}");
        }
        for &(value, length) in known.keys() {
            match length <= direct.depth() {
                true => direct.remove_short(Aligned(&value), length),
                false => direct.remove_longer(&mut nodes, Aligned(&value), length),
            }
        }
        assert!(nodes.is_empty() && direct.lists.is_empty() && direct.short.is_empty());
    }

    /// Few prefixes are held in a list and many in a trie; the trie becomes a list again only after all have been
    /// removed.
    #[test]
    fn a_list_that_grows_becomes_a_trie() {
        let mut nodes = Nodes::new(1);
        let mut direct = Direct::of(None, None, &mut nodes, 1);
        let value = |number: u32| [0x0A01_0000_0000_0000 | u64::from(number) << 40];
        for number in 0..40 {
            direct.insert(&mut nodes, Aligned(&value(number)), 24, found(number));
            assert_eq!(direct.lists.is_empty(), number >= 16, "{number}");
            for other in 0..=number {
                assert_eq!(direct.lookup(&nodes, Aligned(&value(other))), Some(found(other)));
            }
        }
        for number in 0..40 {
            direct.remove_longer(&mut nodes, Aligned(&value(number)), 24);
            assert_eq!(direct.lookup(&nodes, Aligned(&value(number))), None);
            assert!(direct.lists.is_empty());
        }
        assert!(nodes.is_empty());
        direct.insert(&mut nodes, Aligned(&value(0)), 24, found(0));
        assert!(nodes.is_empty() && !direct.lists.is_empty());
        // A prefix that is too long for a list turns it into a trie, however short it is.
        direct.insert(&mut nodes, Aligned(&value(1)), 40, found(1));
        assert!(direct.lists.is_empty());
        assert_eq!(direct.lookup(&nodes, Aligned(&value(0))), Some(found(0)));
        assert_eq!(direct.lookup(&nodes, Aligned(&value(1))), Some(found(1)));
    }

    #[test]
    fn the_longest_prefix_of_a_list_wins() {
        let value = [0x0A01_8081_0000_0000];
        let lengths = [24, 17, 32, 20];
        for first in 0..lengths.len() {
            let mut nodes = Nodes::new(1);
            let mut direct = Direct::of(Some(found(0)), None, &mut nodes, 1);
            for at in 0..lengths.len() {
                let length = lengths[(first + at) % lengths.len()];
                let prefix = [value[0] & !(u64::MAX >> length)];
                direct.insert(&mut nodes, Aligned(&prefix), length, found(length));
            }
            for length in [32, 24, 20, 17] {
                assert_eq!(direct.lookup(&nodes, Aligned(&value)), Some(found(length)));
                let prefix = [value[0] & !(u64::MAX >> length)];
                assert_eq!(direct.find_longer(&nodes, Aligned(&prefix), length), Some(found(length)));
                direct.remove_longer(&mut nodes, Aligned(&prefix), length);
            }
            assert_eq!(direct.lookup(&nodes, Aligned(&value)), Some(found(0)), "only the prefix of no bits is left");
            assert!(direct.lists.is_empty());
        }
    }
}
