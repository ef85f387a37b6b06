//! Boolean circuits of AND gates and inverters (and-inverter graphs), in which equal gates are shared.

use std::collections::HashMap;

/// A wire: the output of a node, inverted if the lowest bit is set. Node 0 is the constant false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Wire(pub u32);

impl Wire {
    pub(super) const FALSE: Self = Self(0);
    pub(super) const TRUE: Self = Self(1);

    pub(super) const fn constant(value: bool) -> Self {
        Self(value as u32)
    }

    pub(super) const fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) const fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }
}

impl std::ops::Not for Wire {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// A Boolean circuit.
pub(super) struct Gates {
    /// The inputs of each node; `None` for the constant and for free inputs.
    nodes: Vec<Option<(Wire, Wire)>>,
    made: HashMap<(Wire, Wire), Wire>,
}

impl Gates {
    pub(super) fn new() -> Self {
        Self { nodes: vec![None], made: HashMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the inputs of a node, if it is a gate.
    pub(super) fn inputs(&self, node: usize) -> Option<(Wire, Wire)> {
        self.nodes[node]
    }

    /// Adds a free input, which may have any value.
    pub(super) fn free(&mut self) -> Wire {
        self.nodes.push(None);
        Wire((self.nodes.len() as u32 - 1) << 1)
    }

    pub(super) fn free_word(&mut self, width: u32) -> Vec<Wire> {
        (0..width).map(|_| self.free()).collect()
    }

    pub(super) fn and(&mut self, a: Wire, b: Wire) -> Wire {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Wire::FALSE || a == !b {
            return Wire::FALSE;
        }
        if a == Wire::TRUE || a == b {
            return b;
        }
        if let Some(&gate) = self.made.get(&(a, b)) {
            return gate;
        }
        self.nodes.push(Some((a, b)));
        let gate = Wire((self.nodes.len() as u32 - 1) << 1);
        self.made.insert((a, b), gate);
        gate
    }

    pub(super) fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let (first, second) = (self.and(a, !b), self.and(!a, b));
        self.or(first, second)
    }

    pub(super) fn select(&mut self, condition: Wire, a: Wire, b: Wire) -> Wire {
        if a == b {
            return a;
        }
        let (first, second) = (self.and(condition, a), self.and(!condition, b));
        self.or(first, second)
    }

    /// Computes `a + b` or `a - b`, wrapping, of words of equal width.
    pub(super) fn add(&mut self, a: &[Wire], b: &[Wire], subtract: bool) -> Vec<Wire> {
        // a - b = a + !b + 1
        let mut carry = Wire::constant(subtract);
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let b = if subtract { !b } else { b };
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            let (both, carried) = (self.and(a, b), self.and(half, carry));
            carry = self.or(both, carried);
        }
        sum
    }

    /// Compares two words of equal width for equality.
    pub(super) fn equal(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let mut all = Wire::TRUE;
        for (&a, &b) in a.iter().zip(b) {
            let differs = self.xor(a, b);
            all = self.and(all, !differs);
        }
        all
    }

    /// Computes `a < b` for signed numbers of equal width.
    pub(super) fn less(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let width = a.len();
        let mut less = Wire::FALSE;
        for (place, (&a, &b)) in a.iter().zip(b).enumerate() {
            // A set sign bit makes the number smaller.
            let (a, b) = if place + 1 == width { (b, a) } else { (a, b) };
            let differs = self.xor(a, b);
            less = self.select(differs, b, less);
        }
        less
    }
}
