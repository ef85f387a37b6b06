//! The nodes of tries.

use super::value::{Aligned, STRIDE, Value};
use crate::tables::found::Found;

/// A node of a trie. All prefixes below it share the `depth` bits above it. A node has 32 bytes, so two fit in a cache
/// line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// At least two prefixes are below the node.
    Inner(Inner),
    /// A single prefix of any length is below the node.
    Leaf(Leaf),
}

/// A node of a tree bitmap, which decides [`STRIDE`] bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inner {
    /// The set of the prefixes that are shorter than `depth + STRIDE`, by their numbers ([`number`]).
    pub(super) internal: u64,
    /// The set of the children, by the bits that lead to them.
    pub(super) external: u64,
    /// The position of the first of the prefixes' entries, which are in the order of their bits in `internal`.
    pub(super) results: u32,
    /// The position of the first of the children, which are in the order of their bits in `external`.
    pub(super) children: u32,
}

/// A single prefix, whose bits after `depth` have not been compared on the path to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The first 64 bits of the prefix.
    pub(super) top: u64,
    pub(super) length: u32,
    pub(super) entry: Found,
    /// The position of all of its words, if it is longer than 64 bits.
    pub(super) words: u32,
}

/// Returns the number of a prefix in a node that has `length` bits below the node's depth: 1 for no bits, then as in a
/// binary heap, so that a longer prefix has a greater number.
#[inline]
pub(super) fn number(step: usize, length: u32) -> u32 {
    1 << length | (step >> (STRIDE - length)) as u32
}

/// For each value of the decided bits, the set of the numbers of the prefixes that cover it.
const COVERING: [u64; 1 << STRIDE] = {
    let mut covering = [0; 1 << STRIDE];
    let mut step = 0;
    while step < covering.len() {
        let mut length = 0;
        while length < STRIDE {
            covering[step] |= 1 << (1 << length | step >> (STRIDE - length));
            length += 1;
        }
        step += 1;
    }
    covering
};

/// Returns the number of bits of a set below a position.
#[inline]
pub(super) fn rank(set: u64, place: u32) -> u32 {
    (set & ((1 << place) - 1)).count_ones()
}

impl Inner {
    /// Returns the set of the numbers of the prefixes in this node that cover the bits of `step`.
    #[inline]
    pub(super) fn covering(&self, step: usize) -> u64 {
        self.internal & COVERING[step]
    }

    /// Returns the position of the entry of a prefix in this node.
    #[inline]
    pub(super) fn result_at(&self, number: u32) -> u32 {
        self.results + rank(self.internal, number)
    }

    /// Returns the position of the child to which the bits of `step` lead.
    #[inline]
    pub(super) fn child(&self, step: usize) -> Option<u32> {
        let has = self.external >> step & 1 == 1;
        has.then(|| self.children + rank(self.external, step as u32))
    }

    /// Returns the position of the entry of exactly this prefix, if it is in this node.
    pub(super) fn result(&self, number: u32) -> Option<u32> {
        let has = self.internal >> number & 1 == 1;
        has.then(|| self.result_at(number))
    }
}

/// Returns true if the first `length` bits of two values are equal.
#[inline]
pub(super) fn share<A: Value, B: Value>(a: A, b: B, length: u32) -> bool {
    let differ = |depth: u32, bits: u32| (a.window(depth) ^ b.window(depth)).unbounded_shr(64 - bits) != 0;
    (0..length).step_by(64).all(|depth| !differ(depth, (length - depth).min(64)))
}

/// The words of prefixes that are longer than 64 bits, the same number for each.
#[derive(Clone, Debug)]
pub(super) struct LongPrefixes {
    length: usize,
    words: Vec<u64>,
    unused: Vec<u32>,
}

impl LongPrefixes {
    pub(super) fn new(length: usize) -> Self {
        Self { length, words: Vec::new(), unused: Vec::new() }
    }

    #[inline]
    pub(super) fn get(&self, at: u32) -> Aligned<'_> {
        Aligned(&self.words[at as usize * self.length..][..self.length])
    }

    pub(super) fn add(&mut self, words: &[u64]) -> u32 {
        let at = self.unused.pop().unwrap_or_else(|| {
            let at = self.words.len() / self.length;
            self.words.resize(self.words.len() + self.length, 0);
            at as u32
        });
        self.words[at as usize * self.length..][..self.length].copy_from_slice(words);
        at
    }

    pub(super) fn remove(&mut self, at: u32) {
        self.unused.push(at);
    }

    /// Returns the number of prefixes.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.words.len() / self.length.max(1) - self.unused.len()
    }

    /// Returns the memory that they take, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.unused.capacity() * size_of::<u32>()
    }
}
