//! Values that depend on conditions: ordered decision diagrams with numbers at the leaves, in which equal nodes are
//! shared.
//!
//! Arithmetic is moved into the branches, so that `(c ? a : b) - x` and `c ? a - x : b - x` are identical.

use std::collections::HashMap;

use super::gates::Wire;
use super::numbers::Number;

/// A diagram, by the index of its root in [`Trees`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Tree(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Leaf(Number),
    /// A gate, and the diagrams for when it is true and when it is false.
    Branch(u32, Tree, Tree),
}

/// The maximum number of nodes; claims that need more are given up.
const MOST_NODES: usize = 20_000;

#[derive(Default)]
pub(super) struct Trees {
    nodes: Vec<Node>,
    made: HashMap<Node, Tree>,
}

impl Trees {
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() > MOST_NODES
    }

    pub(super) fn node(&self, tree: Tree) -> Node {
        self.nodes[tree.0 as usize]
    }

    fn make(&mut self, node: Node) -> Tree {
        if let Some(&tree) = self.made.get(&node) {
            return tree;
        }
        let tree = Tree(self.nodes.len() as u32);
        self.nodes.push(node);
        self.made.insert(node, tree);
        tree
    }

    pub(super) fn leaf(&mut self, number: Number) -> Tree {
        self.make(Node::Leaf(number))
    }

    fn branch(&mut self, gate: u32, high: Tree, low: Tree) -> Tree {
        if high == low { high } else { self.make(Node::Branch(gate, high, low)) }
    }

    /// Returns the first gate that a diagram depends on.
    pub(super) fn top(&self, tree: Tree) -> Option<u32> {
        match self.node(tree) {
            Node::Leaf(_) => None,
            Node::Branch(gate, ..) => Some(gate),
        }
    }

    /// Returns the diagram for when a gate, its first one or an earlier one, has the given value.
    pub(super) fn given(&self, tree: Tree, gate: u32, value: bool) -> Tree {
        match self.node(tree) {
            Node::Branch(first, high, low) if first == gate => {
                if value {
                    high
                } else {
                    low
                }
            }
            _ => tree,
        }
    }

    /// Applies an operation to the leaves of two diagrams. The result is meaningless once [`Trees::is_full`] is true.
    pub(super) fn lift(&mut self, a: Tree, b: Tree, operation: &mut dyn FnMut(Number, Number) -> Number) -> Tree {
        self.lift_known(a, b, operation, &mut HashMap::new())
    }

    fn lift_known(
        &mut self,
        a: Tree,
        b: Tree,
        operation: &mut dyn FnMut(Number, Number) -> Number,
        known: &mut HashMap<(Tree, Tree), Tree>,
    ) -> Tree {
        if let (Node::Leaf(a), Node::Leaf(b)) = (self.node(a), self.node(b)) {
            return self.leaf(operation(a, b));
        }
        if let Some(&tree) = known.get(&(a, b)) {
            return tree;
        }
        if self.is_full() {
            return a;
        }
        let gate = self.top(a).into_iter().chain(self.top(b)).min().expect("one of them branches");
        let [high, low] = [true, false].map(|value| {
            let (a, b) = (self.given(a, gate, value), self.given(b, gate, value));
            self.lift_known(a, b, operation, known)
        });
        let tree = self.branch(gate, high, low);
        known.insert((a, b), tree);
        tree
    }

    /// Computes `condition ? a : b`. The result is meaningless once [`Trees::is_full`] is true.
    pub(super) fn select(&mut self, condition: Wire, a: Tree, b: Tree) -> Tree {
        let (a, b) = if condition.is_inverted() { (b, a) } else { (a, b) };
        if condition.node() == 0 {
            // The condition is the constant false, or, if it was inverted, true with the sides already exchanged.
            return b;
        }
        self.select_known(condition.node() as u32, a, b, &mut HashMap::new())
    }

    fn select_known(&mut self, gate: u32, a: Tree, b: Tree, known: &mut HashMap<(Tree, Tree), Tree>) -> Tree {
        if a == b || self.is_full() {
            return a;
        }
        if let Some(&tree) = known.get(&(a, b)) {
            return tree;
        }
        let first = self.top(a).into_iter().chain(self.top(b)).chain([gate]).min().expect("there is one");
        let tree = if first == gate {
            let (high, low) = (self.given(a, gate, true), self.given(b, gate, false));
            self.branch(gate, high, low)
        } else {
            let [high, low] = [true, false].map(|value| {
                let (a, b) = (self.given(a, first, value), self.given(b, first, value));
                self.select_known(gate, a, b, known)
            });
            self.branch(first, high, low)
        };
        known.insert((a, b), tree);
        tree
    }
}
