//! A trie of prefixes, for the longest that a value starts with.

use super::EntryHandle;
use crate::Bits;

/// Entries by prefixes of values of one width: a binary trie whose chains of single children are one node
/// (Morrison, "PATRICIA", 1968). A look-up compares at most one node a bit of the width, and in practice few.
#[derive(Clone, Debug)]
pub(super) struct PrefixTrie {
    width: u32,
    root: Option<u32>,
    nodes: Vec<Node>,
    /// Nodes that are not in the trie, to be used again.
    unused: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Node {
    /// The bits that all values below have in common are the first `length` of these.
    value: Bits,
    length: u32,
    /// By the bit that follows.
    children: [Option<u32>; 2],
    /// The entry of this very prefix. A node without one has two children.
    entry: Option<EntryHandle>,
}

/// Where a node hangs: below another one on the side of a bit, or at the root.
type Place = Option<(u32, usize)>;

impl PrefixTrie {
    /// An empty trie for values of a width.
    pub(super) fn new(width: u32) -> Self {
        Self { width, root: None, nodes: Vec::new(), unused: Vec::new() }
    }

    /// True if there is no entry.
    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// The entry with the longest prefix of a value.
    #[inline]
    pub(super) fn lookup(&self, value: &Bits) -> Option<EntryHandle> {
        let (mut longest, mut next) = (None, self.root);
        while let Some(at) = next {
            let node = &self.nodes[at as usize];
            if !value.shares_prefix(&node.value, node.length, self.width) {
                break;
            }
            longest = node.entry.or(longest);
            if node.length == self.width {
                break;
            }
            next = node.children[self.side(value, node.length)];
        }
        longest
    }

    /// The entry of this very prefix.
    pub(super) fn find(&self, value: &Bits, length: u32) -> Option<EntryHandle> {
        let (place, _) = self.place_of(value, length)?;
        self.nodes[self.at(place)? as usize].entry
    }

    /// Gives a prefix an entry.
    pub(super) fn insert(&mut self, value: &Bits, length: u32, entry: EntryHandle) {
        let mut place: Place = None;
        while let Some(at) = self.at(place) {
            let node = &mut self.nodes[at as usize];
            let shared = node.value.common_prefix(value, self.width).min(node.length).min(length);
            if shared < node.length {
                return self.split(place, at, shared, value, length, entry);
            }
            if node.length == length {
                node.entry = Some(entry);
                return;
            }
            place = Some((at, self.side(value, shared)));
        }
        let leaf = self.add(Node { value: value.clone(), length, children: [None; 2], entry: Some(entry) });
        self.hang(place, Some(leaf));
    }

    /// Puts a prefix above a node of which it has only `shared` bits.
    fn split(&mut self, place: Place, below: u32, shared: u32, value: &Bits, length: u32, entry: EntryHandle) {
        let mut children = [None; 2];
        children[self.side(&self.nodes[below as usize].value, shared)] = Some(below);
        let is_prefix_of_node = shared == length;
        if !is_prefix_of_node {
            let leaf = self.add(Node { value: value.clone(), length, children: [None; 2], entry: Some(entry) });
            children[self.side(value, shared)] = Some(leaf);
        }
        let entry = is_prefix_of_node.then_some(entry);
        let above = self.add(Node { value: value.clone(), length: shared, children, entry });
        self.hang(place, Some(above));
    }

    /// Takes the entry of a prefix away, if it has one.
    pub(super) fn remove(&mut self, value: &Bits, length: u32) {
        let Some((place, above)) = self.place_of(value, length) else { return };
        let Some(at) = self.at(place) else { return };
        self.nodes[at as usize].entry = None;
        self.tidy(place);
        // A node above that had this one only to branch has no reason to be any more.
        if let Some(above) = above {
            self.tidy(above);
        }
    }

    /// Takes the node at a place out, if it has no entry and branches nowhere.
    fn tidy(&mut self, place: Place) {
        let Some(at) = self.at(place) else { return };
        let node = &self.nodes[at as usize];
        let only_child = match node.children {
            [Some(_), Some(_)] => return,
            [left, right] => left.or(right),
        };
        if node.entry.is_none() {
            self.hang(place, only_child);
            self.unused.push(at);
        }
    }

    /// Where the node of this very prefix hangs, and where the one above it does.
    fn place_of(&self, value: &Bits, length: u32) -> Option<(Place, Option<Place>)> {
        let (mut place, mut above): (Place, Option<Place>) = (None, None);
        loop {
            let at = self.at(place)?;
            let node = &self.nodes[at as usize];
            if node.length > length || !value.shares_prefix(&node.value, node.length, self.width) {
                return None;
            }
            if node.length == length {
                return Some((place, above));
            }
            above = Some(place);
            place = Some((at, self.side(value, node.length)));
        }
    }

    fn at(&self, place: Place) -> Option<u32> {
        match place {
            None => self.root,
            Some((above, side)) => self.nodes[above as usize].children[side],
        }
    }

    fn hang(&mut self, place: Place, node: Option<u32>) {
        match place {
            None => self.root = node,
            Some((above, side)) => self.nodes[above as usize].children[side] = node,
        }
    }

    fn add(&mut self, node: Node) -> u32 {
        if let Some(at) = self.unused.pop() {
            self.nodes[at as usize] = node;
            return at;
        }
        self.nodes.push(node);
        (self.nodes.len() - 1) as u32
    }

    /// The bit of a value that follows its first `length` ones.
    #[inline]
    fn side(&self, value: &Bits, length: u32) -> usize {
        usize::from(value.bit(self.width - 1 - length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_that_go_leave_no_node_behind() {
        let mut trie = PrefixTrie::new(16);
        let prefixes: Vec<(Bits, u32)> = (0..200u64)
            .map(|number| {
                let length = (number * 7 % 17) as u32;
                (Bits::Narrow((number * 0x9E37) & 0xFFFF & !(0xFFFF >> length)), length)
            })
            .collect();
        let mut most = 0;
        for round in 0..5 {
            for (at, (value, length)) in prefixes.iter().enumerate() {
                trie.insert(value, *length, EntryHandle(at as u32));
            }
            let live = trie.nodes.len() - trie.unused.len();
            let branches = trie.nodes.iter().filter(|node| node.entry.is_none()).count();
            assert!(branches < live, "a node without an entry branches, so there are fewer than leaves");
            most = if round == 0 { trie.nodes.len() } else { most };
            assert_eq!(trie.nodes.len(), most, "no more nodes than at first");
            for (value, length) in prefixes.iter().rev() {
                trie.remove(value, *length);
                assert_eq!(trie.find(value, *length), None);
            }
            assert!(trie.is_empty());
            assert_eq!(trie.unused.len(), trie.nodes.len());
        }
    }
}
