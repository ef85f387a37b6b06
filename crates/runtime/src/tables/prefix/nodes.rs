//! Tries: look-up, insertion and removal.

use super::blocks::Blocks;
use super::node::{Inner, Leaf, LongPrefixes, Node, number, rank, share};
use super::value::{Aligned, STRIDE, Value};
use crate::tables::found::Found;

/// The nodes of all tries of a table. A trie is identified by its root, which is absent if it has no prefix, and by the
/// number of bits above the root.
///
/// The tries are tree bitmaps (Eatherton, Varghese and Dittia, "Tree Bitmap", 2004) whose nodes decide six bits each,
/// so that the contents of a node are a set in one word and their position is a count of bits, as in Poptrie (Asai and
/// Ohara, SIGCOMM 2015). A subtree with a single prefix is a leaf, whatever the length of the prefix, so that isolated
/// long prefixes cost one node.
#[derive(Clone, Debug)]
pub(super) struct Nodes {
    nodes: Blocks<Node>,
    results: Blocks<Found>,
    long: LongPrefixes,
}

impl Nodes {
    /// Creates storage for tries of values of `words` words.
    pub(super) fn new(words: usize) -> Self {
        Self { nodes: Blocks::new(), results: Blocks::new(), long: LongPrefixes::new(words) }
    }

    /// Returns the entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup<V: Value>(&self, value: V, root: u32, mut depth: u32) -> Option<Found> {
        // The last node on the path that has a prefix of the value, with all such prefixes. Which one is the longest,
        // and where its entry is, matters only at the end.
        let (mut at, mut longest) = (root, None);
        loop {
            match self.nodes.get_ref(at) {
                Node::Leaf(leaf) if self.covers(leaf, value) => return Some(leaf.entry),
                Node::Leaf(_) => break,
                Node::Inner(inner) => {
                    let step = value.step(depth);
                    let covering = inner.covering(step);
                    if covering != 0 {
                        longest = Some((inner, covering));
                    }
                    let Some(child) = inner.child(step) else { break };
                    at = child;
                    depth += STRIDE;
                }
            }
        }
        longest.map(|(inner, covering)| self.results.get(inner.result_at(covering.ilog2())))
    }

    #[inline]
    fn covers<V: Value>(&self, leaf: &Leaf, value: V) -> bool {
        match leaf.length {
            0..=64 => (value.window(0) ^ leaf.top).unbounded_shr(64 - leaf.length) == 0,
            _ => share(value, self.long.get(leaf.words), leaf.length),
        }
    }

    /// Returns the entry with exactly this prefix.
    pub(super) fn find(&self, value: Aligned<'_>, length: u32, root: u32, mut depth: u32) -> Option<Found> {
        let mut at = root;
        loop {
            match self.nodes.get_ref(at) {
                Node::Leaf(leaf) => return (leaf.length == length && self.covers(leaf, value)).then_some(leaf.entry),
                Node::Inner(inner) if length < depth + STRIDE => {
                    let result = inner.result(number(value.step(depth), length - depth));
                    return result.map(|result| self.results.get(result));
                }
                Node::Inner(inner) => at = inner.child(value.step(depth))?,
            }
            depth += STRIDE;
        }
    }

    /// Adds an entry for a prefix that has none. Returns the root.
    pub(super) fn insert(
        &mut self,
        value: Aligned<'_>,
        length: u32,
        entry: Found,
        root: Option<u32>,
        mut depth: u32,
    ) -> u32 {
        let Some(root) = root else {
            let leaf = self.leaf(value, length, entry);
            return self.nodes.insert(0, 0, 0, leaf);
        };
        let mut at = root;
        loop {
            let mut inner = match self.nodes.get(at) {
                Node::Inner(inner) => inner,
                Node::Leaf(leaf) => self.branch(leaf, depth),
            };
            let step = value.step(depth);
            if length < depth + STRIDE {
                self.add_result(&mut inner, number(step, length - depth), entry);
                *self.nodes.get_mut(at) = Node::Inner(inner);
                return root;
            }
            if let Some(child) = inner.child(step) {
                *self.nodes.get_mut(at) = Node::Inner(inner);
                at = child;
                depth += STRIDE;
                continue;
            }
            let leaf = self.leaf(value, length, entry);
            self.add_child(&mut inner, step, leaf);
            *self.nodes.get_mut(at) = Node::Inner(inner);
            return root;
        }
    }

    /// Converts a leaf to an inner node, which other prefixes can join.
    fn branch(&mut self, leaf: Leaf, depth: u32) -> Inner {
        let mut inner = Inner::default();
        let step = match leaf.length {
            0..=64 => Aligned(&[leaf.top]).step(depth),
            _ => self.long.get(leaf.words).step(depth),
        };
        if leaf.length < depth + STRIDE {
            self.add_result(&mut inner, number(step, leaf.length - depth), leaf.entry);
            self.forget(leaf);
        } else {
            self.add_child(&mut inner, step, Node::Leaf(leaf));
        }
        inner
    }

    fn leaf(&mut self, value: Aligned<'_>, length: u32, entry: Found) -> Node {
        let words = if length > 64 { self.long.add(value.0) } else { 0 };
        Node::Leaf(Leaf { top: value.window(0), length, entry, words })
    }

    /// Frees what a leaf occupies besides its node.
    fn forget(&mut self, leaf: Leaf) {
        if leaf.length > 64 {
            self.long.remove(leaf.words);
        }
    }

    fn add_result(&mut self, inner: &mut Inner, number: u32, entry: Found) {
        let (count, place) = (inner.internal.count_ones(), rank(inner.internal, number));
        inner.results = self.results.insert(inner.results, count as usize, place as usize, entry);
        inner.internal |= 1 << number;
    }

    fn add_child(&mut self, inner: &mut Inner, step: usize, child: Node) {
        let (count, place) = (inner.external.count_ones(), rank(inner.external, step as u32));
        inner.children = self.nodes.insert(inner.children, count as usize, place as usize, child);
        inner.external |= 1 << step;
    }

    /// Removes the entry of a prefix, if it has one. Returns the root; `None` if nothing is left.
    pub(super) fn remove(&mut self, value: Aligned<'_>, length: u32, root: u32, mut depth: u32) -> Option<u32> {
        let (mut at, mut above) = (root, Vec::new());
        let mut inner = loop {
            match self.nodes.get(at) {
                Node::Leaf(leaf) if leaf.length != length || !self.covers(&leaf, value) => return Some(root),
                Node::Leaf(leaf) => {
                    self.forget(leaf);
                    let Some(parent) = above.pop() else {
                        self.nodes.remove(root, 1, 0);
                        return None;
                    };
                    (at, depth) = (parent, depth - STRIDE);
                    let Node::Inner(mut inner) = self.nodes.get(at) else { return Some(root) };
                    self.remove_child(&mut inner, value.step(depth));
                    break inner;
                }
                Node::Inner(mut inner) if length < depth + STRIDE => {
                    let number = number(value.step(depth), length - depth);
                    if inner.result(number).is_none() {
                        return Some(root);
                    }
                    self.remove_result(&mut inner, number);
                    break inner;
                }
                Node::Inner(inner) => {
                    let Some(child) = inner.child(value.step(depth)) else { return Some(root) };
                    above.push(at);
                    (at, depth) = (child, depth + STRIDE);
                }
            }
        };
        // A node with a single prefix left below it becomes a leaf, and then so may its ancestors.
        loop {
            let node = self.settled(inner, value, depth);
            *self.nodes.get_mut(at) = node;
            if let Node::Inner(_) = node {
                return Some(root);
            }
            let Some(parent) = above.pop() else { return Some(root) };
            (at, depth) = (parent, depth - STRIDE);
            let Node::Inner(next) = self.nodes.get(at) else { return Some(root) };
            inner = next;
        }
    }

    /// Returns the node to use after something was removed from it: a leaf, if only one prefix is left. The node is on
    /// the path of `value`.
    fn settled(&mut self, mut inner: Inner, value: Aligned<'_>, depth: u32) -> Node {
        match (inner.internal.count_ones(), inner.external.count_ones()) {
            (1, 0) => {
                let (number, entry) = (inner.internal.ilog2(), self.results.get(inner.results));
                self.remove_result(&mut inner, number);
                let (words, length) = joined(value, depth, number);
                self.leaf(Aligned(&words), length, entry)
            }
            (0, 1) => match self.nodes.get(inner.children) {
                leaf @ Node::Leaf(_) => {
                    let step = inner.external.ilog2() as usize;
                    self.remove_child(&mut inner, step);
                    leaf
                }
                Node::Inner(_) => Node::Inner(inner),
            },
            _ => Node::Inner(inner),
        }
    }

    fn remove_result(&mut self, inner: &mut Inner, number: u32) {
        let (count, place) = (inner.internal.count_ones(), rank(inner.internal, number));
        inner.results = self.results.remove(inner.results, count as usize, place as usize);
        inner.internal &= !(1 << number);
    }

    fn remove_child(&mut self, inner: &mut Inner, step: usize) {
        let (count, place) = (inner.external.count_ones(), rank(inner.external, step as u32));
        inner.children = self.nodes.remove(inner.children, count as usize, place as usize);
        inner.external &= !(1 << step);
    }

    /// Returns all prefixes of a trie of values of `words` words: the aligned value, the length and the entry of each.
    pub(super) fn all(&self, root: u32, depth: u32, words: usize) -> Vec<(Vec<u64>, u32, Found)> {
        let mut all = Vec::new();
        let mut left = vec![(root, depth, vec![0; words])];
        while let Some((at, depth, path)) = left.pop() {
            let inner = match self.nodes.get(at) {
                Node::Inner(inner) => inner,
                Node::Leaf(leaf) => {
                    let mut value = vec![0; words];
                    match leaf.length {
                        0..=64 => value[0] = leaf.top,
                        _ => value.copy_from_slice(self.long.get(leaf.words).0),
                    }
                    all.push((value, leaf.length, leaf.entry));
                    continue;
                }
            };
            for number in (0..64).filter(|number| inner.internal >> number & 1 == 1) {
                let (value, length) = joined(Aligned(&path), depth, number);
                all.extend(inner.result(number).map(|result| (value, length, self.results.get(result))));
            }
            for step in (0..1 << STRIDE).filter(|step| inner.external >> step & 1 == 1) {
                let (path, depth) = joined(Aligned(&path), depth, (1 << STRIDE) | step);
                left.extend(inner.child(step as usize).map(|child| (child, depth, path)));
            }
        }
        all
    }

    /// Returns the memory that all tries take, in bytes.
    pub(super) fn memory(&self) -> usize {
        self.nodes.memory() + self.results.memory() + self.long.memory()
    }

    /// Returns true if no nodes, entries or words are in use.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let is_empty = |(room, unused): (usize, usize)| room == unused;
        is_empty(self.nodes.room()) && is_empty(self.results.room()) && self.long.len() == 0
    }
}

/// Appends the bits of a prefix's number to the first `depth` bits of a value. Returns the result and its length in
/// bits.
fn joined(value: Aligned<'_>, depth: u32, number: u32) -> (Vec<u64>, u32) {
    let (below, mut words) = (number.ilog2(), value.0.to_vec());
    let bits = (u64::from(number) ^ 1 << below).unbounded_shl(64 - below);
    for (at, word) in words.iter_mut().enumerate() {
        let begin = at as u32 * 64;
        let kept = depth.saturating_sub(begin).min(64);
        *word &= !u64::MAX.unbounded_shr(kept);
        if (begin..begin + 64).contains(&depth) {
            *word |= bits >> (depth - begin);
        } else if begin > depth && begin - depth < 64 {
            *word |= bits << (begin - depth);
        }
    }
    (words, depth + below)
}
