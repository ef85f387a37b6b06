//! The roots of tries, where look-ups begin.

use super::direct::{Direct, FEW, MANY, NONE};
use super::nodes::Nodes;
use super::value::{Aligned, Value};
use crate::tables::found::Found;

/// The number of prefixes from which on a trie gets a direct table, which saves one or two nodes in each look-up.
const PREFIXES_FOR_DIRECT: usize = 8;

/// The number of prefixes from which on a direct table decides as many bits as it can.
const PREFIXES_FOR_DEEP: usize = 4096;

/// A trie.
#[derive(Clone, Debug)]
pub(super) struct Root {
    top: Top,
    /// The number of prefixes.
    count: usize,
}

#[derive(Clone, Debug)]
#[repr(u8)] // For the reason that is given at `Matcher`.
enum Top {
    /// No bits are decided at the root.
    Single(Slot),
    /// The first bits are decided at once.
    Direct(Box<Direct>),
}

/// The prefixes of a trie without a direct table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The entry of the prefix of no bits.
    short: Option<Found>,
    /// The root of the trie of all longer prefixes, or [`NONE`].
    child: u32,
}

impl Slot {
    const EMPTY: Self = Self { short: None, child: NONE };

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

    /// Returns the entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup<V: Value>(&self, nodes: &Nodes, value: V) -> Option<Found> {
        match &self.top {
            Top::Single(slot) => slot.child().and_then(|child| nodes.lookup(value, child, 0)).or(slot.short),
            Top::Direct(direct) => direct.lookup(nodes, value),
        }
    }

    /// Returns the entry with exactly this prefix.
    pub(super) fn find(&self, nodes: &Nodes, value: Aligned<'_>, length: u32) -> Option<Found> {
        match &self.top {
            Top::Single(slot) if length == 0 => slot.short,
            Top::Single(slot) => nodes.find(value, length, slot.child()?, 0),
            Top::Direct(direct) if length <= direct.depth() => direct.find_short(value, length),
            Top::Direct(direct) => direct.find_longer(nodes, value, length),
        }
    }

    /// Adds an entry for a prefix that has none. Values have `width` bits.
    pub(super) fn insert(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32, entry: Found, width: u32) {
        self.count += 1;
        match &mut self.top {
            Top::Single(slot) if length == 0 => slot.short = Some(entry),
            Top::Single(slot) => slot.child = nodes.insert(value, length, entry, slot.child(), 0),
            Top::Direct(direct) => direct.insert(nodes, value, length, entry),
        }
        match (&mut self.top, self.count, width) {
            (Top::Single(slot), PREFIXES_FOR_DIRECT.., FEW..) => {
                self.top = Top::Direct(Direct::of(slot.short, slot.child(), nodes, value.0.len()));
            }
            (Top::Direct(direct), PREFIXES_FOR_DEEP.., MANY..) if direct.depth() < MANY => {
                direct.deepen(nodes, value.0.len());
            }
            _ => {}
        }
    }

    /// Removes the entry of a prefix, which must have one.
    pub(super) fn remove(&mut self, nodes: &mut Nodes, value: Aligned<'_>, length: u32) {
        self.count -= 1;
        match &mut self.top {
            Top::Single(slot) if length == 0 => slot.short = None,
            Top::Single(slot) => {
                let left = slot.child().and_then(|child| nodes.remove(value, length, child, 0));
                slot.child = left.unwrap_or(NONE);
            }
            Top::Direct(direct) if length <= direct.depth() => direct.remove_short(value, length),
            Top::Direct(direct) => direct.remove_longer(nodes, value, length),
        }
    }

    /// Returns the memory that the root takes, in bytes.
    pub(super) fn memory(&self) -> usize {
        match &self.top {
            Top::Single(_) => 0,
            Top::Direct(direct) => direct.memory(),
        }
    }
}
