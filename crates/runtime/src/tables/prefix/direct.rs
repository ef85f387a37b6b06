//! Direct tables, which decide the first bits of a value at once.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::lists::{Lists, SPAN};
use super::nodes::Nodes;
use super::value::{Aligned, Value};
use crate::tables::exact::HASHER;
use crate::tables::found::Found;

/// The number of bits that a direct table decides.
pub(super) const DIRECT: u32 = 16;

/// Stands for the absence of a position.
pub(super) const NONE: u32 = u32::MAX;

/// A direct table: for each value of the first bits, what is known of the prefixes. The arrays are separate so that a
/// look-up that finds a longer prefix does not load the shorter ones into its cache.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    /// For each slot, where the longer prefixes are.
    below: Vec<Below>,
    /// For each slot, the entry of the longest prefix that ends within the first bits.
    nearest: Vec<Found>,
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
    /// Creates a direct table with the entry of the prefix of no bits and all prefixes of a trie, of values of `words`
    /// words.
    pub(super) fn of(shortest: Option<Found>, root: Option<u32>, nodes: &mut Nodes, words: usize) -> Box<Self> {
        let slots = 1 << DIRECT;
        let mut direct = Self {
            below: vec![Below::NOTHING; slots],
            nearest: vec![Found::NOTHING; slots],
            lengths: vec![0; slots],
            lists: Lists::new(DIRECT),
            short: HashMap::with_hasher(HASHER),
        };
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

    /// Returns the entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup<V: Value>(&self, nodes: &Nodes, value: V) -> Option<Found> {
        let at = place(value);
        let longer = match self.below[at].longer() {
            Longer::Nothing => None,
            Longer::List(list) => self.lists.lookup(value, list),
            Longer::Trie(root) => nodes.lookup(value, root, DIRECT),
        };
        longer.or_else(|| self.nearest[at].some())
    }

    /// Returns the entry with exactly this prefix, which ends within the first bits.
    pub(super) fn find_short(&self, value: Aligned<'_>, length: u32) -> Option<Found> {
        self.short.get(&(place(value) as u16, length as u8)).copied()
    }

    /// Returns the entry with exactly this prefix, which is longer than the first bits.
    pub(super) fn find_longer(&self, nodes: &Nodes, value: Aligned<'_>, length: u32) -> Option<Found> {
        match self.below[place(value)].longer() {
            Longer::Nothing => None,
            Longer::List(list) => self.lists.find(value, length, list),
            Longer::Trie(root) => nodes.find(value, length, root, DIRECT),
        }
    }

    /// Adds an entry for a prefix that has none.
    pub(super) fn insert(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32, entry: Found) {
        let first = place(value);
        if length > DIRECT {
            return self.insert_longer(nodes, value, length, entry);
        }
        self.short.insert((first as u16, length as u8), entry);
        for at in first..first + (1 << (DIRECT - length)) {
            let longer = self.nearest[at] == Found::NOTHING || u32::from(self.lengths[at]) < length;
            if longer {
                (self.nearest[at], self.lengths[at]) = (entry, length as u8);
            }
        }
    }

    fn insert_longer(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32, entry: Found) {
        let at = place(value);
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
        self.below[at] = Below::trie(Some(nodes.insert(value, length, entry, root, DIRECT)));
    }

    /// Converts a list to a trie. All its prefixes share the first bits of `value`.
    fn trie_of(&mut self, nodes: &mut Nodes, value: Aligned<'_>, list: u32) -> Option<u32> {
        let shared = (place(value) as u64) << (64 - DIRECT);
        self.lists.take(list).into_iter().fold(None, |root, (bits, length, entry)| {
            let mut words = vec![0; value.0.len()];
            words[0] = shared | u64::from(bits) << (64 - DIRECT - SPAN);
            Some(nodes.insert(Aligned(&words), length, entry, root, DIRECT))
        })
    }

    /// Removes the entry of a prefix that is longer than the first bits.
    pub(super) fn remove_longer(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32) {
        let at = place(value);
        self.below[at] = match self.below[at].longer() {
            Longer::Nothing => Below::NOTHING,
            Longer::List(list) => Below::list(self.lists.remove(value, length, list)),
            Longer::Trie(root) => Below::trie(nodes.remove(value, length, root, DIRECT)),
        };
    }

    /// Removes a prefix that ends within the first bits. The next shorter prefix takes over the slots that it covered.
    pub(super) fn remove_short(&mut self, value: Aligned<'_>, length: u32) {
        let (first, count) = (place(value), 1 << (DIRECT - length));
        self.short.remove(&(first as u16, length as u8));
        let shorter = (0..length).rev().find_map(|shorter| {
            let covering = [(value.window(0) & !u64::MAX.unbounded_shr(shorter))];
            Some((self.find_short(Aligned(&covering), shorter)?, shorter as u8))
        });
        let next = shorter.unwrap_or((Found::NOTHING, 0));
        for at in first..first + count {
            if self.nearest[at] != Found::NOTHING && u32::from(self.lengths[at]) == length {
                (self.nearest[at], self.lengths[at]) = next;
            }
        }
    }

    /// Returns the memory that the table takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        // A hash table has one control byte per slot.
        let short = self.short.capacity() * (size_of::<((u16, u8), Found)>() + 1);
        let slot = size_of::<Below>() + size_of::<Found>() + size_of::<u8>();
        self.below.len() * slot + short + self.lists.memory()
    }
}

/// Returns the slot of a value in a direct table.
#[inline]
fn place<V: Value>(value: V) -> usize {
    (value.window(0) >> (64 - DIRECT)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::EntryHandle;

    fn found(number: u32) -> Found {
        Found { entry: EntryHandle(number), target: !number }
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
