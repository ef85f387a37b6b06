//! Few prefixes that begin with the same bits, one behind the other.

use super::blocks::Blocks;
use super::value::{Aligned, Value};
use crate::tables::found::Found;

/// How many bits a list compares behind those that its prefixes share.
pub(super) const SPAN: u32 = 16;

/// How many prefixes a list has at most: three cache lines. More are better off in a trie.
const MOST: usize = 16;

/// Lists of prefixes that share their first bits, at `depth` and at most [`SPAN`] bits longer. Who has a list knows
/// where it begins.
///
/// In a table of many routes nearly every direct slot leads to a few prefixes only. A trie has them in several nodes,
/// each of which is waited for before the next one is known; a list has them in one place, in twelve bytes each, so that
/// more of the table stays in the cache (the idea of DXR: Zec, Rizzo and Mikuc, "DXR: Towards a Billion Routing Lookups
/// Per Second in Software", 2012).
#[derive(Clone, Debug)]
pub(super) struct Lists {
    depth: u32,
    items: Blocks<Item>,
}

/// A prefix of a list. Longer ones stand before shorter ones, so that the first that covers a value is the longest.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// The bits behind the shared ones, zero behind the prefix.
    bits: u16,
    /// How many of them count.
    length: u8,
    /// No other follows.
    is_last: bool,
    entry: Found,
}

impl Item {
    #[inline]
    fn covers(self, bits: u16) -> bool {
        u32::from(self.bits ^ bits) >> (SPAN - u32::from(self.length)) == 0
    }
}

impl Lists {
    /// No lists, of prefixes that are longer than `depth`.
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, items: Blocks::new() }
    }

    /// The entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup<V: Value>(&self, value: V, list: u32) -> Option<Found> {
        let bits = self.bits(value);
        self.items(list).find(|item| item.covers(bits)).map(|item| item.entry)
    }

    /// The entry of this very prefix.
    pub(super) fn find(&self, value: Aligned<'_>, length: u32, list: u32) -> Option<Found> {
        self.place(value, length, list).map(|place| self.items.get(list + place as u32).entry)
    }

    /// True if a prefix of this length can join a list, or begin one.
    pub(super) fn takes(&self, length: u32, list: Option<u32>) -> bool {
        let has_room = list.is_none_or(|list| self.items(list).count() < MOST);
        has_room && (self.depth + 1..=self.depth + SPAN).contains(&length)
    }

    /// Adds the entry of a prefix that has none, to a list that takes it or to a new one. Gives back where it begins.
    pub(super) fn insert(&mut self, value: Aligned<'_>, length: u32, entry: Found, list: Option<u32>) -> u32 {
        let length = length - self.depth;
        let count = list.map_or(0, |list| self.items(list).count());
        let longer = |item: &Item| u32::from(item.length) > length;
        let place = list.map_or(0, |list| self.items(list).take_while(longer).count());
        let is_last = place == count;
        if let (Some(list), true, 1..) = (list, is_last, count) {
            self.items.get_mut(list + count as u32 - 1).is_last = false;
        }
        let bits = self.bits(value) & !u16::MAX.unbounded_shr(length);
        let item = Item { bits, length: length as u8, is_last, entry };
        self.items.insert(list.unwrap_or(0), count, place, item)
    }

    /// Takes the entry of a prefix away, if it has one. Gives back where the list is, if anything is left.
    pub(super) fn remove(&mut self, value: Aligned<'_>, length: u32, list: u32) -> Option<u32> {
        let Some(place) = self.place(value, length, list) else { return Some(list) };
        let count = self.items(list).count();
        let left = self.items.remove(list, count, place);
        let last = left + (count as u32).checked_sub(2)?;
        self.items.get_mut(last).is_last = true;
        Some(left)
    }

    /// Takes a list away. Gives back what each prefix has behind the shared bits, its length and its entry.
    pub(super) fn take(&mut self, list: u32) -> Vec<(u16, u32, Found)> {
        let all: Vec<Item> = self.items(list).collect();
        (1..=all.len()).rev().fold(list, |list, count| self.items.remove(list, count, count - 1));
        all.into_iter().map(|item| (item.bits, self.depth + u32::from(item.length), item.entry)).collect()
    }

    #[inline]
    fn bits<V: Value>(&self, value: V) -> u16 {
        (value.window(self.depth) >> (64 - SPAN)) as u16
    }

    #[inline]
    fn items(&self, list: u32) -> impl Iterator<Item = Item> {
        let mut next = Some(list);
        std::iter::from_fn(move || {
            let at = next?;
            let item = self.items.get(at);
            next = (!item.is_last).then_some(at + 1);
            Some(item)
        })
    }

    /// Where this very prefix stands in a list.
    fn place(&self, value: Aligned<'_>, length: u32, list: u32) -> Option<usize> {
        let bits = self.bits(value);
        self.items(list).position(|item| self.depth + u32::from(item.length) == length && item.covers(bits))
    }

    /// The bytes that all lists take.
    pub(super) fn memory(&self) -> usize {
        self.items.memory()
    }

    /// True if there is no list.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let (room, unused) = self.items.room();
        room == unused
    }
}
