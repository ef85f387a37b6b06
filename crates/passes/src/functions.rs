//! Boolean functions in canonical form: two predicates are equal exactly if their functions have the same number.
//!
//! Whether a packet accesses a register is the disjunction of the predicates of all its reads and writes. Machines may
//! order packets by it, so it matters that `c | !c` is recognised as true, and `(c & d) | (c & !d)` as `c`. Reduced
//! ordered binary decision diagrams (Bryant, "Graph-Based Algorithms for Boolean Function Manipulation", 1986) answer
//! such questions exactly. Their size is bounded; past the bound there is no answer, and the caller assumes the safe
//! one.

use std::collections::{BTreeSet, HashMap};

/// A Boolean function of atoms, identified by its node in the diagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Function(u32);

impl Function {
    pub(crate) const FALSE: Self = Self(0);
    pub(crate) const TRUE: Self = Self(1);

    pub(crate) const fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// Returns the value of a constant function; `None` for all others.
    pub(crate) fn as_constant(self) -> Option<bool> {
        match self {
            Self::FALSE => Some(false),
            Self::TRUE => Some(true),
            _ => None,
        }
    }
}

/// A node of the diagram: the first atom that a function depends on, and the functions that remain for its two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    pub(crate) atom: u32,
    pub(crate) if_true: Function,
    pub(crate) if_false: Function,
}

/// The diagram: all functions created so far.
pub(crate) struct Functions {
    nodes: Vec<Node>,
    /// For each node, the length of the longest path from it to a constant.
    depths: Vec<usize>,
    // These maps are never iterated, so that their order decides nothing.
    numbers: HashMap<Node, Function>,
    choices: HashMap<[Function; 3], Function>,
    most_nodes: usize,
}

/// The maximum number of nodes: enough for every program that people write, and built within milliseconds.
const MOST_NODES: usize = 20_000;
/// The maximum depth of the diagram, which is traversed recursively.
const DEEPEST: usize = 500;

impl Functions {
    pub(crate) fn new() -> Self {
        Self::with_bound(MOST_NODES)
    }

    fn with_bound(most_nodes: usize) -> Self {
        // The two constants depend on a pseudo-atom that comes after all others.
        let constant = |function| Node { atom: u32::MAX, if_true: function, if_false: function };
        let nodes = vec![constant(Function::FALSE), constant(Function::TRUE)];
        Self { nodes, depths: vec![0, 0], numbers: HashMap::new(), choices: HashMap::new(), most_nodes }
    }

    /// Returns the function that is a single atom. This never fails, even at the bound.
    pub(crate) fn atom(&mut self, atom: u32) -> Function {
        self.number(Node { atom, if_true: Function::TRUE, if_false: Function::FALSE })
    }

    /// Returns the node of a function that is not constant.
    pub(crate) fn node(&self, function: Function) -> Node {
        self.nodes[function.0 as usize]
    }

    /// Returns `condition ? if_true : if_false`; `None` past the bound.
    pub(crate) fn choose(&mut self, condition: Function, if_true: Function, if_false: Function) -> Option<Function> {
        if condition == Function::TRUE || if_true == if_false {
            return Some(if_true);
        } else if condition == Function::FALSE {
            return Some(if_false);
        } else if if_true == Function::TRUE && if_false == Function::FALSE {
            return Some(condition);
        }
        let key = [condition, if_true, if_false];
        if let Some(&known) = self.choices.get(&key) {
            return Some(known);
        }
        if self.nodes.len() >= self.most_nodes || self.choices.len() >= 8 * self.most_nodes {
            return None;
        }
        let first = key.map(|function| self.node(function).atom).into_iter().min().expect("there are three");
        let [c, t, e] = key.map(|function| self.restricted(function, first));
        let when_true = self.choose(c.0, t.0, e.0)?;
        let when_false = self.choose(c.1, t.1, e.1)?;
        let deepest = self.depths[when_true.0 as usize].max(self.depths[when_false.0 as usize]);
        let result = if when_true == when_false {
            when_true
        } else if deepest >= DEEPEST {
            return None;
        } else {
            self.number(Node { atom: first, if_true: when_true, if_false: when_false })
        };
        self.choices.insert(key, result);
        Some(result)
    }

    pub(crate) fn not(&mut self, a: Function) -> Option<Function> {
        self.choose(a, Function::FALSE, Function::TRUE)
    }

    pub(crate) fn and(&mut self, a: Function, b: Function) -> Option<Function> {
        self.choose(a, b, Function::FALSE)
    }

    pub(crate) fn or(&mut self, a: Function, b: Function) -> Option<Function> {
        self.choose(a, Function::TRUE, b)
    }

    pub(crate) fn xor(&mut self, a: Function, b: Function) -> Option<Function> {
        let not = self.not(b)?;
        self.choose(a, not, b)
    }

    /// Quantifies the given atoms existentially: returns the function that is true where some values of these atoms
    /// make `function` true. `None` past the bound.
    pub(crate) fn some(&mut self, function: Function, atoms: &dyn Fn(u32) -> bool) -> Option<Function> {
        let mut known = HashMap::new();
        self.some_known(function, atoms, &mut known)
    }

    fn some_known(
        &mut self,
        function: Function,
        atoms: &dyn Fn(u32) -> bool,
        known: &mut HashMap<Function, Function>,
    ) -> Option<Function> {
        if function.as_constant().is_some() {
            return Some(function);
        }
        if let Some(&result) = known.get(&function) {
            return Some(result);
        }
        let node = self.node(function);
        let if_true = self.some_known(node.if_true, atoms, known)?;
        let if_false = self.some_known(node.if_false, atoms, known)?;
        let result = if atoms(node.atom) {
            self.or(if_true, if_false)?
        } else {
            let atom = self.atom(node.atom);
            self.choose(atom, if_true, if_false)?
        };
        known.insert(function, result);
        Some(result)
    }

    /// Returns the atoms that a function depends on.
    pub(crate) fn support(&self, function: Function) -> BTreeSet<u32> {
        let mut atoms = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![function];
        while let Some(function) = open.pop() {
            if function.as_constant().is_none() && seen.insert(function) {
                let node = self.node(function);
                atoms.insert(node.atom);
                open.extend([node.if_true, node.if_false]);
            }
        }
        atoms
    }

    fn restricted(&self, function: Function, atom: u32) -> (Function, Function) {
        let node = self.node(function);
        if node.atom == atom && function.as_constant().is_none() {
            (node.if_true, node.if_false)
        } else {
            (function, function)
        }
    }

    fn number(&mut self, node: Node) -> Function {
        if let Some(&known) = self.numbers.get(&node) {
            return known;
        }
        let function = Function(u32::try_from(self.nodes.len()).expect("bounded"));
        self.nodes.push(node);
        let below = [node.if_true, node.if_false].map(|function| self.depths[function.0 as usize]);
        self.depths.push(1 + below[0].max(below[1]));
        self.numbers.insert(node, function);
        function
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_predicates_have_the_same_function() {
        let mut all = Functions::new();
        let [c, d] = [0, 1].map(|atom| all.atom(atom));
        let [not_c, not_d] = [c, d].map(|atom| all.not(atom).unwrap());
        assert_eq!(all.or(c, not_c), Some(Function::TRUE));
        assert_eq!(all.and(c, not_c), Some(Function::FALSE));
        let (with, without) = (all.and(c, d).unwrap(), all.and(c, not_d).unwrap());
        assert_eq!(all.or(with, without), Some(c));
        assert_eq!(all.some(with, &|atom| atom == 1), Some(c));
        assert_eq!(all.support(with), BTreeSet::from([0, 1]));
        let (odd, even) = (all.xor(c, d).unwrap(), all.xor(not_c, d).unwrap());
        assert_eq!(all.not(odd), Some(even));
    }

    #[test]
    fn at_the_bound_atoms_can_still_be_created() {
        let mut all = Functions::with_bound(8);
        let mut function = Some(all.atom(0));
        for number in 1..10 {
            let atom = all.atom(number);
            function = function.and_then(|function| all.xor(function, atom));
        }
        assert_eq!(function, None);
        assert_eq!(all.atom(3), all.atom(3));
    }
}
