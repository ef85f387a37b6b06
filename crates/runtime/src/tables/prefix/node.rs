//! What tries are made of.

use super::value::{Aligned, STRIDE, Value};
use crate::tables::found::Found;

/// A node of a trie, with `depth` bits above it, which all prefixes below it share. Of 32 bytes, two to a cache line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    /// At least two prefixes are below.
    Inner(Inner),
    /// One prefix is below, however long it is.
    Leaf(Leaf),
}

/// A node of a tree bitmap: it decides [`STRIDE`] bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Inner {
    /// The prefixes that are shorter than `depth + STRIDE`, by their numbers ([`number`]).
    pub(super) internal: u64,
    /// The children, by the bits that lead to them.
    pub(super) external: u64,
    /// Where the entries of the prefixes begin, in the order of their bits in `internal`.
    pub(super) results: u32,
    /// Where the children begin, in the order of their bits in `external`.
    pub(super) children: u32,
}

/// A prefix alone, of which nothing was compared below `depth`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// Its first 64 bits.
    pub(super) top: u64,
    pub(super) length: u32,
    pub(super) entry: Found,
    /// Where all of its words are, if it is longer than 64 bits.
    pub(super) words: u32,
}

/// The number of a prefix in a node, of which `length` bits are below the node's depth: 1 for the one of no bits, then
/// as in a heap, so that a longer prefix has the greater number.
#[inline]
pub(super) fn number(step: usize, length: u32) -> u32 {
    1 << length | (step >> (STRIDE - length)) as u32
}

/// For each choice of bits the numbers of the prefixes that it starts with, as a set.
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

/// How many bits of a set are below a place.
#[inline]
pub(super) fn rank(set: u64, place: u32) -> u32 {
    (set & ((1 << place) - 1)).count_ones()
}

impl Inner {
    /// The numbers of the prefixes in this node that cover the bits of `step`, as a set.
    #[inline]
    pub(super) fn covering(&self, step: usize) -> u64 {
        self.internal & COVERING[step]
    }

    /// Where the entry of a prefix in this node is.
    #[inline]
    pub(super) fn result_at(&self, number: u32) -> u32 {
        self.results + rank(self.internal, number)
    }

    /// Where the child is to which the bits of `step` lead.
    #[inline]
    pub(super) fn child(&self, step: usize) -> Option<u32> {
        let has = self.external >> step & 1 == 1;
        has.then(|| self.children + rank(self.external, step as u32))
    }

    /// Where the entry of this very prefix is.
    pub(super) fn result(&self, number: u32) -> Option<u32> {
        let has = self.internal >> number & 1 == 1;
        has.then(|| self.result_at(number))
    }
}

/// True if the first `length` bits of two values are the same.
#[inline]
pub(super) fn share<A: Value, B: Value>(a: A, b: B, length: u32) -> bool {
    let differ = |depth: u32, bits: u32| (a.window(depth) ^ b.window(depth)).unbounded_shr(64 - bits) != 0;
    (0..length).step_by(64).all(|depth| !differ(depth, (length - depth).min(64)))
}

/// The words of prefixes that are longer than 64 bits, all of the same number.
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

    /// How many prefixes there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.words.len() / self.length.max(1) - self.unused.len()
    }

    /// The bytes that they take.
    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.unused.capacity() * size_of::<u32>()
    }
}
