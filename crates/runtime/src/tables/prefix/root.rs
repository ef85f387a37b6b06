//! Where a look-up in a trie begins.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::nodes::Nodes;
use super::value::{Aligned, Value};
use crate::tables::EntryHandle;
use crate::tables::exact::HASHER;

/// How many bits a direct table decides at once.
const DIRECT: u32 = 16;

/// A trie of that many prefixes gets a direct table: 576 KiB that save two or three nodes of each look-up.
const ROUTES_FOR_DIRECT: usize = 4096;

const NONE: u32 = u32::MAX;

/// A trie.
#[derive(Clone, Debug)]
pub(super) struct Root {
    top: Top,
    /// How many prefixes there are.
    count: usize,
}

#[derive(Clone, Debug)]
enum Top {
    /// Nothing is decided at once.
    Single(Slot),
    /// The first [`DIRECT`] bits are.
    Direct(Box<Direct>),
}

/// What is known of a value when its first bits are.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The entry of the longest prefix that ends within these bits, or [`NONE`].
    short: u32,
    /// The root of the trie of all longer ones, or [`NONE`].
    child: u32,
}

#[derive(Clone, Debug)]
struct Direct {
    slots: Vec<Slot>,
    /// The lengths of the slots' short prefixes.
    lengths: Vec<u8>,
    /// The entries of the prefixes that end within these bits, by their bits and lengths.
    short: HashMap<(u16, u8), EntryHandle, FixedState>,
}

impl Slot {
    const EMPTY: Self = Self { short: NONE, child: NONE };

    #[inline]
    fn short(self) -> Option<EntryHandle> {
        (self.short != NONE).then_some(EntryHandle(self.short))
    }

    #[inline]
    fn child(self) -> Option<u32> {
        (self.child != NONE).then_some(self.child)
    }
}

impl Root {
    pub(super) fn new() -> Self {
        Self { top: Top::Single(Slot::EMPTY), count: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup<V: Value>(&self, nodes: &Nodes, value: V) -> Option<EntryHandle> {
        let (slot, depth) = match &self.top {
            Top::Single(slot) => (*slot, 0),
            Top::Direct(direct) => (direct.slots[place(value)], DIRECT),
        };
        let long = slot.child().and_then(|child| nodes.lookup(value, child, depth));
        long.or(slot.short())
    }

    /// The entry of this very prefix.
    pub(super) fn find(&self, nodes: &Nodes, value: Aligned<'_>, length: u32) -> Option<EntryHandle> {
        match &self.top {
            Top::Single(slot) if length == 0 => slot.short(),
            Top::Single(slot) => nodes.find(value, length, slot.child()?, 0),
            Top::Direct(direct) if length <= DIRECT => direct.find(value, length),
            Top::Direct(direct) => nodes.find(value, length, direct.slots[place(value)].child()?, DIRECT),
        }
    }

    /// Gives a prefix that has no entry one. Values have `width` bits.
    pub(super) fn insert(
        &mut self,
        nodes: &mut Nodes,
        value: Aligned<'_>,
        length: u32,
        entry: EntryHandle,
        width: u32,
    ) {
        self.count += 1;
        match &mut self.top {
            Top::Single(slot) if length == 0 => slot.short = entry.0,
            Top::Single(slot) => slot.child = nodes.insert(value, length, entry, slot.child(), 0),
            Top::Direct(direct) => direct.insert(nodes, value, length, entry),
        }
        if let (Top::Single(slot), ROUTES_FOR_DIRECT.., DIRECT..) = (&self.top, self.count, width) {
            self.top = Top::Direct(Direct::of(*slot, nodes, value.0.len()));
        }
    }

    /// Takes the entry of a prefix away, which has one.
    pub(super) fn remove(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32) {
        self.count -= 1;
        let (slot, depth) = match &mut self.top {
            Top::Single(slot) if length == 0 => return slot.short = NONE,
            Top::Single(slot) => (slot, 0),
            Top::Direct(direct) if length <= DIRECT => return direct.remove(value, length),
            Top::Direct(direct) => (&mut direct.slots[place(value)], DIRECT),
        };
        let left = slot.child().and_then(|child| nodes.remove(value, length, child, depth));
        slot.child = left.unwrap_or(NONE);
    }

    /// The bytes that the beginning takes.
    pub(super) fn memory(&self) -> usize {
        match &self.top {
            Top::Single(_) => 0,
            Top::Direct(direct) => {
                // One byte of control beside each place of a hash table.
                let short = direct.short.capacity() * (size_of::<((u16, u8), EntryHandle)>() + 1);
                direct.slots.len() * (size_of::<Slot>() + 1) + short
            }
        }
    }
}

impl Direct {
    /// A direct table with all prefixes of a trie, of values of `words` words.
    fn of(slot: Slot, nodes: &mut Nodes, words: usize) -> Box<Self> {
        let slots = 1 << DIRECT;
        let short = HashMap::with_hasher(HASHER);
        let mut direct = Self { slots: vec![Slot::EMPTY; slots], lengths: vec![0; slots], short };
        if let Some(entry) = slot.short() {
            direct.insert(nodes, Aligned(&vec![0; words]), 0, entry);
        }
        let Some(mut root) = slot.child() else { return Box::new(direct) };
        for (value, length, entry) in nodes.all(root, 0, words) {
            root = nodes.remove(Aligned(&value), length, root, 0).unwrap_or(root);
            direct.insert(nodes, Aligned(&value), length, entry);
        }
        Box::new(direct)
    }

    fn find(&self, value: Aligned<'_>, length: u32) -> Option<EntryHandle> {
        self.short.get(&(place(value) as u16, length as u8)).copied()
    }

    fn insert(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32, entry: EntryHandle) {
        let first = place(value);
        if length > DIRECT {
            let slot = &mut self.slots[first];
            slot.child = nodes.insert(value, length, entry, slot.child(), DIRECT);
            return;
        }
        self.short.insert((first as u16, length as u8), entry);
        for at in first..first + (1 << (DIRECT - length)) {
            let longer = self.slots[at].short == NONE || u32::from(self.lengths[at]) < length;
            if longer {
                (self.slots[at].short, self.lengths[at]) = (entry.0, length as u8);
            }
        }
    }

    /// Takes a short prefix away. What it covered falls to the next shorter one.
    fn remove(&mut self, value: Aligned<'_>, length: u32) {
        let (first, count) = (place(value), 1 << (DIRECT - length));
        self.short.remove(&(first as u16, length as u8));
        let shorter = (0..length).rev().find_map(|shorter| {
            let covering = [(value.window(0) & !u64::MAX.unbounded_shr(shorter))];
            Some((self.find(Aligned(&covering), shorter)?.0, shorter as u8))
        });
        let next = shorter.unwrap_or((NONE, 0));
        for at in first..first + count {
            if self.slots[at].short != NONE && u32::from(self.lengths[at]) == length {
                (self.slots[at].short, self.lengths[at]) = next;
            }
        }
    }
}

/// The slot of a value in a direct table.
#[inline]
fn place<V: Value>(value: V) -> usize {
    (value.window(0) >> (64 - DIRECT)) as usize
}
