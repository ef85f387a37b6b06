//! Short lists of prefixes that share their first bits.

use super::blocks::Blocks;
use super::value::{Aligned, Value};
use crate::tables::found::Found;

/// The number of bits after the shared ones that a list compares.
pub(super) const SPAN: u32 = 16;

/// The maximum number of prefixes in a list: three cache lines. For more, a trie is better.
const MOST: usize = 16;

/// Lists of prefixes that share their first `depth` bits and are at most [`SPAN`] bits longer. The owner of a list
/// knows where it begins.
///
/// In a table of many routes nearly every direct slot leads to only a few prefixes. A trie spreads them over several
/// nodes, each of which must be loaded before the next one is known. A list has them in one place, in twelve bytes
/// each, so that more of the table stays in the cache (the idea of DXR: Zec, Rizzo and Mikuc, "DXR: Towards a Billion
/// Routing Lookups Per Second in Software", 2012).
#[derive(Clone, Debug)]
pub(super) struct Lists {
    depth: u32,
    items: Blocks<Item>,
}

/// A prefix in a list. Longer prefixes precede shorter ones, so that the first one that covers a value is the longest.
#[derive(Clone, Copy, Debug)]
struct Item {
    /// The bits after the shared ones; zero after the end of the prefix.
    bits: u16,
    /// The number of these bits that belong to the prefix.
    length: u8,
    /// Whether this is the last item of its list.
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
    /// Creates storage for lists of prefixes that are longer than `depth`.
    pub(super) fn new(depth: u32) -> Self {
        Self { depth, items: Blocks::new() }
    }

    /// Returns the entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup<V: Value>(&self, value: V, list: u32) -> Option<Found> {
        let bits = self.bits(value);
        self.items(list).find(|item| item.covers(bits)).map(|item| item.entry)
    }

    /// Returns the entry with exactly this prefix.
    pub(super) fn find(&self, value: Aligned<'_>, length: u32, list: u32) -> Option<Found> {
        self.place(value, length, list).map(|place| self.items.get(list + place as u32).entry)
    }

    /// Returns true if a prefix of this length can be added to a list, or to a new one if `list` is `None`.
    pub(super) fn takes(&self, length: u32, list: Option<u32>) -> bool {
        let has_room = list.is_none_or(|list| self.items(list).count() < MOST);
        has_room && (self.depth + 1..=self.depth + SPAN).contains(&length)
    }

    /// Adds the entry of a prefix that has none to a list that has room for it, or to a new list. Returns where the
    /// list begins.
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

    /// Removes the entry of a prefix, if it has one. Returns where the list begins; `None` if it is empty now.
    pub(super) fn remove(&mut self, value: Aligned<'_>, length: u32, list: u32) -> Option<u32> {
        let Some(place) = self.place(value, length, list) else { return Some(list) };
        let count = self.items(list).count();
        let left = self.items.remove(list, count, place);
        let last = left + (count as u32).checked_sub(2)?;
        self.items.get_mut(last).is_last = true;
        Some(left)
    }

    /// Returns, for each prefix of a list, its bits after the shared ones, its length and its entry.
    pub(super) fn all(&self, list: u32) -> impl Iterator<Item = (u16, u32, Found)> {
        self.items(list).map(|item| (item.bits, self.depth + u32::from(item.length), item.entry))
    }

    /// Removes a list. Returns what [`Lists::all`] does.
    pub(super) fn take(&mut self, list: u32) -> Vec<(u16, u32, Found)> {
        let all: Vec<(u16, u32, Found)> = self.all(list).collect();
        (1..=all.len()).rev().fold(list, |list, count| self.items.remove(list, count, count - 1));
        all
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

    /// Returns the position of exactly this prefix in a list.
    fn place(&self, value: Aligned<'_>, length: u32, list: u32) -> Option<usize> {
        let bits = self.bits(value);
        self.items(list).position(|item| self.depth + u32::from(item.length) == length && item.covers(bits))
    }

    /// Returns the memory that all lists take, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.items.memory()
    }

    /// Returns true if there are no lists.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let (room, unused) = self.items.room();
        room == unused
    }
}
