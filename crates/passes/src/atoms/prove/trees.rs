//! Values that depend on conditions: ordered decision diagrams with numbers at the leaves, each made once.
//!
//! Arithmetic moves into the branches, so that `(c ? a : b) - x` and `c ? a - x : b - x` are the same thing.

use std::collections::HashMap;

use super::gates::Wire;
use super::numbers::Number;

/// A diagram, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Tree(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Leaf(Number),
    /// The gate that decides, and the value where it is true and where it is false.
    Branch(u32, Tree, Tree),
}

/// A codelet that needs more than this is given up.
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

    /// The gate that decides first.
    pub(super) fn top(&self, tree: Tree) -> Option<u32> {
        match self.node(tree) {
            Node::Leaf(_) => None,
            Node::Branch(gate, ..) => Some(gate),
        }
    }

    /// The diagram where a gate, its first one or an earlier one, has a value.
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

    /// An operation on the leaves of two diagrams. When full the result is of no use.
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

    /// `condition ? a : b`. When full the result is of no use.
    pub(super) fn select(&mut self, condition: Wire, a: Tree, b: Tree) -> Tree {
        let (a, b) = if condition.is_inverted() { (b, a) } else { (a, b) };
        if condition.node() == 0 {
            // The constant: false as it is, true inverted.
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
