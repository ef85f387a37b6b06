//! The translation of numbers to wires: bits of polynomials, and comparisons in a normal form.

use std::collections::HashMap;

use ir::BinaryOperator;

use super::Prover;
use super::gates::Wire;
use super::numbers::{Meaning, Number, Polynomial, Range, Unknown};
use super::trees::{Node, Tree};

/// Returns the width of signed numbers that holds a range.
fn width_of((low, high): Range) -> u32 {
    let bits = |value: i128| 128 - (if value < 0 { !value } else { value }).leading_zeros() + 1;
    bits(low).max(bits(high))
}

impl Prover {
    /// Returns the low `width` bits of a number in two's complement.
    pub(super) fn bits(&mut self, number: Number, width: u32) -> Vec<Wire> {
        if let Some(known) = self.known_bits.get(&(number, width)) {
            return known.clone();
        }
        let Polynomial { constant, terms } = self.numbers.polynomial(number).clone();
        let mut sum: Vec<Wire> = (0..width).map(|place| Wire::constant(constant >> place.min(127) & 1 == 1)).collect();
        for (unknown, factor) in terms {
            let (word, is_signed) = self.unknown_bits(unknown);
            let fill = if is_signed { *word.last().expect("a word has bits") } else { Wire::FALSE };
            for place in (0..width).filter(|&place| factor.unsigned_abs() >> place.min(127) & 1 == 1) {
                let bit = |at: u32| match at.checked_sub(place) {
                    None => Wire::FALSE,
                    Some(from) => word.get(from as usize).copied().unwrap_or(fill),
                };
                let shifted: Vec<Wire> = (0..width).map(bit).collect();
                sum = self.gates.add(&sum, &shifted, factor < 0);
            }
        }
        self.known_bits.insert((number, width), sum.clone());
        sum
    }

    /// Returns all bits of an unknown, and whether the last one is a sign bit.
    fn unknown_bits(&mut self, unknown: Unknown) -> (Vec<Wire>, bool) {
        let (meaning, range) = self.numbers.meaning(unknown);
        let (meaning, is_signed) = (meaning.clone(), range.0 < 0);
        let width = width_of(range) - u32::from(!is_signed);
        let width = width.max(1);
        if let Some(known) = self.known_unknowns.get(&unknown) {
            return (known.clone(), is_signed);
        }
        let word = match meaning {
            Meaning::Wrapped(_, number) => self.bits(number, width),
            Meaning::Bitwise(operator, ty, a, b) => {
                let (a, b) = (self.tree_bits(a, ty.width()), self.tree_bits(b, ty.width()));
                self.bitwise(operator, ty.is_signed(), &a, &b)
            }
            Meaning::Variable(_) | Meaning::Product(_) | Meaning::Result(..) | Meaning::Fresh(_) => {
                self.gates.free_word(width)
            }
        };
        self.known_unknowns.insert(unknown, word.clone());
        (word, is_signed)
    }

    fn bitwise(&mut self, operator: BinaryOperator, signed: bool, a: &[Wire], b: &[Wire]) -> Vec<Wire> {
        if operator == BinaryOperator::ShiftRight {
            // The count is a constant, so its wires are constant.
            let count = b.iter().enumerate().map(|(place, &wire)| u64::from(wire == Wire::TRUE) << place).sum::<u64>();
            let fill = if signed { *a.last().expect("a word has bits") } else { Wire::FALSE };
            let moved = |place: usize| {
                usize::try_from(count).ok().and_then(|count| place.checked_add(count)).and_then(|from| a.get(from))
            };
            return (0..a.len()).map(|place| moved(place).copied().unwrap_or(fill)).collect();
        }
        let gate = |(&a, &b): (&Wire, &Wire)| match operator {
            BinaryOperator::And => self.gates.and(a, b),
            BinaryOperator::Or => self.gates.or(a, b),
            _ => self.gates.xor(a, b),
        };
        a.iter().zip(b).map(gate).collect()
    }

    /// Returns the low `width` bits of a value that depends on conditions.
    fn tree_bits(&mut self, tree: Tree, width: u32) -> Vec<Wire> {
        if let Some(known) = self.known_trees.get(&(tree, width)) {
            return known.clone();
        }
        let word: Vec<Wire> = match self.trees.node(tree) {
            Node::Leaf(number) => self.bits(number, width),
            Node::Branch(gate, high, low) => {
                let condition = Wire(gate << 1);
                let (high, low) = (self.tree_bits(high, width), self.tree_bits(low, width));
                high.iter().zip(&low).map(|(&high, &low)| self.gates.select(condition, high, low)).collect()
            }
        };
        self.known_trees.insert((tree, width), word.clone());
        word
    }

    /// Applies a relation to the leaves of two diagrams. The result is meaningless once the prover is full.
    pub(super) fn relate(
        &mut self,
        a: Tree,
        b: Tree,
        relation: &mut dyn FnMut(&mut Self, Number, Number) -> Wire,
    ) -> Wire {
        self.relate_known(a, b, relation, &mut HashMap::new())
    }

    fn relate_known(
        &mut self,
        a: Tree,
        b: Tree,
        relation: &mut dyn FnMut(&mut Self, Number, Number) -> Wire,
        known: &mut HashMap<(Tree, Tree), Wire>,
    ) -> Wire {
        if let Some(&wire) = known.get(&(a, b)) {
            return wire;
        }
        if self.is_full() {
            return Wire::FALSE;
        }
        let wire = match (self.trees.node(a), self.trees.node(b)) {
            (Node::Leaf(a), Node::Leaf(b)) => relation(self, a, b),
            _ => {
                let gate = self.trees.top(a).into_iter().chain(self.trees.top(b)).min().expect("one of them branches");
                let [high, low] = [true, false].map(|value| {
                    let (a, b) = (self.trees.given(a, gate, value), self.trees.given(b, gate, value));
                    self.relate_known(a, b, relation, known)
                });
                self.gates.select(Wire(gate << 1), high, low)
            }
        };
        known.insert((a, b), wire);
        wire
    }

    /// Computes `a < b`.
    pub(super) fn less(&mut self, a: Number, b: Number) -> Wire {
        match self.numbers.combine((b, 1), (a, -1), 0) {
            Some(difference) => self.positive(difference),
            None => self.gates.free(),
        }
    }

    /// Computes `a == b`.
    pub(super) fn equal(&mut self, a: Number, b: Number) -> Wire {
        match self.numbers.combine((b, 1), (a, -1), 0) {
            Some(difference) => self.zero(difference),
            None => self.gates.free(),
        }
    }

    /// Computes whether a number is greater than 0. Equivalent forms, such as `x > 0` and `!(-x >= 0)`, and positive
    /// multiples all get the same circuit.
    fn positive(&mut self, number: Number) -> Wire {
        let (low, high) = self.numbers.range(number);
        if low > 0 || high <= 0 {
            return Wire::constant(low > 0);
        }
        let Polynomial { mut constant, mut terms } = self.numbers.polynomial(number).clone();
        // x > 0  <=>  !(1 - x > 0)
        let inverted = terms[0].1 < 0;
        if inverted {
            constant = 1 - constant;
            terms.iter_mut().for_each(|(_, factor)| *factor = -*factor);
        }
        // g * x + c > 0  <=>  x > floor(-c / g)
        let divisor = common_divisor(&terms);
        terms.iter_mut().for_each(|(_, factor)| *factor /= divisor);
        constant = -(-constant).div_euclid(divisor);
        let wire = self.greater_parts(constant, &terms);
        if inverted { !wire } else { wire }
    }

    /// Computes `terms + constant > 0`, with each term moved to the side on which it is positive.
    fn greater_parts(&mut self, constant: i128, terms: &[(Unknown, i128)]) -> Wire {
        match self.sides(constant, terms) {
            Some((left, right)) => {
                let (a, b) = (self.numbers.range(left), self.numbers.range(right));
                let width = width_of((a.0.min(b.0), a.1.max(b.1)));
                let (left, right) = (self.bits(left, width), self.bits(right, width));
                self.gates.less(&right, &left)
            }
            None => self.gates.free(),
        }
    }

    /// Returns the positive part of a sum, and its negative part negated.
    fn sides(&mut self, constant: i128, terms: &[(Unknown, i128)]) -> Option<(Number, Number)> {
        let mut sides = [self.numbers.constant(constant.max(0)), self.numbers.constant((-constant).max(0))];
        for &(unknown, factor) in terms {
            let (meaning, range) = self.numbers.meaning(unknown);
            let meaning = meaning.clone();
            let alone = self.numbers.unknown(meaning, range);
            let side = &mut sides[usize::from(factor < 0)];
            *side = self.numbers.combine((*side, 1), (alone, factor.abs()), 0)?;
        }
        Some((sides[0], sides[1]))
    }

    /// Computes whether a number is 0.
    fn zero(&mut self, number: Number) -> Wire {
        let (low, high) = self.numbers.range(number);
        if low > 0 || high < 0 || (low == 0 && high == 0) {
            return Wire::constant(low == 0 && high == 0);
        }
        let Polynomial { mut constant, mut terms } = self.numbers.polynomial(number).clone();
        let divisor = common_divisor(&terms) * terms[0].1.signum();
        if constant % divisor != 0 {
            return Wire::FALSE;
        }
        constant /= divisor;
        terms.iter_mut().for_each(|(_, factor)| *factor /= divisor);
        match self.sides(constant, &terms) {
            Some((left, right)) => {
                let (a, b) = (self.numbers.range(left), self.numbers.range(right));
                let width = width_of((a.0.min(b.0), a.1.max(b.1)));
                let (left, right) = (self.bits(left, width), self.bits(right, width));
                self.gates.equal(&left, &right)
            }
            None => self.gates.free(),
        }
    }

    /// Computes whether two numbers are equal modulo 2 to the power `width`.
    pub(super) fn congruent(&mut self, a: Number, b: Number, width: u32) -> Wire {
        let Some(difference) = self.numbers.combine((a, 1), (b, -1), 0) else { return self.gates.free() };
        let difference = self.numbers.reduce(difference, width);
        let Polynomial { constant, terms } = self.numbers.polynomial(difference).clone();
        if terms.is_empty() {
            return Wire::constant(constant == 0);
        }
        match self.sides(constant, &terms) {
            Some((left, right)) => {
                let (left, right) = (self.bits(left, width), self.bits(right, width));
                self.gates.equal(&left, &right)
            }
            None => self.gates.free(),
        }
    }
}

fn common_divisor(terms: &[(Unknown, i128)]) -> i128 {
    terms.iter().fold(0, |mut a, &(_, mut b)| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    })
}
