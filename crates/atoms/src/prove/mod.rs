//! Proves a claim, or finds values that refute it.
//!
//! There are three steps, each of which leaves less to the next. Values become integer polynomials in a normal form, in
//! which most equal values are identical. What is left becomes a circuit, in which equal gates are shared. Finally, a
//! SAT solver searches for inputs for which the claim's circuit is false. Hashes, quotients and products of variables
//! are free words, so a refutation is checked by evaluation.

mod gates;
mod numbers;
mod solver;
mod trees;
mod words;

use std::collections::HashMap;

use ir::{BinaryOperator, Expression, Type, UnaryOperator, VariableId};

use crate::Claim;
use gates::{Gates, Wire};
use numbers::{Meaning, Number, Numbers, Operation, Unknown, range_of};
use solver::Answer;
use trees::{Tree, Trees};

/// The result of an attempt to prove a claim.
pub(crate) enum Verdict {
    /// The claim holds.
    Proven,
    /// The claim does not hold for these values of its variables.
    Refuted(Vec<u64>),
    /// The bound on steps was reached, or the answer depends on an operation about which too little is known.
    Unknown,
}

/// The value of an expression of the claim.
#[derive(Clone, Copy)]
enum Value {
    Bool(Wire),
    Word(Tree),
}

struct Prover {
    gates: Gates,
    numbers: Numbers,
    trees: Trees,
    known_bits: HashMap<(Number, u32), Vec<Wire>>,
    known_unknowns: HashMap<Unknown, Vec<Wire>>,
    known_trees: HashMap<(Tree, u32), Vec<Wire>>,
    /// The values of the claim's variables.
    values: Vec<Option<Value>>,
    /// Wires that are assumed to be true.
    assumed: Vec<Wire>,
}

/// Proves or refutes a claim, in a bounded number of steps.
pub(crate) fn prove(claim: &Claim) -> Verdict {
    let mut prover = Prover {
        gates: Gates::new(),
        numbers: Numbers::default(),
        trees: Trees::default(),
        known_bits: HashMap::new(),
        known_unknowns: HashMap::new(),
        known_trees: HashMap::new(),
        values: vec![None; claim.scope.variables.len()],
        assumed: Vec::new(),
    };
    for &id in &claim.free {
        let value = match claim.scope.variable(id).ty {
            Type::Bool => Value::Bool(prover.gates.free()),
            ty => {
                let number = prover.numbers.unknown(Meaning::Variable(id), range_of(ty));
                Value::Word(prover.trees.leaf(number))
            }
        };
        prover.values[id.index()] = Some(value);
    }
    for (id, expression) in &claim.definitions {
        let value = prover.define(claim, *id, expression);
        prover.values[id.index()] = Some(value);
    }
    for assumption in &claim.assumptions {
        let wire = prover.condition(claim, assumption);
        prover.assumed.push(wire);
    }
    let mut all = Wire::TRUE;
    for (left, right) in &claim.equalities {
        let same = prover.same(claim, left, right);
        all = prover.gates.and(all, same);
    }
    if prover.is_full() {
        return Verdict::Unknown;
    }
    let mut wires = prover.assumed.clone();
    wires.push(!all);
    match solver::solve(&prover.gates, &wires) {
        Answer::Unsatisfiable => Verdict::Proven,
        Answer::Unknown => Verdict::Unknown,
        Answer::Satisfiable(nodes) => {
            let mut values = prover.model(claim, &nodes);
            match claim.refuted_by(&mut values) {
                Some(_) => Verdict::Refuted(values),
                None => Verdict::Unknown,
            }
        }
    }
}

/// The maximum number of gates; claims with larger circuits are given up.
const MOST_GATES: usize = 500_000;

impl Prover {
    /// Returns true if the claim must be given up, because everything computed past the bound may be wrong.
    fn is_full(&self) -> bool {
        self.trees.is_full() || self.gates.len() > MOST_GATES
    }

    /// Returns the values of the free variables in a model; those that the circuit does not contain are 0.
    fn model(&mut self, claim: &Claim, nodes: &[bool]) -> Vec<u64> {
        let mut values = claim.blank();
        let wire_value = |wire: Wire| nodes.get(wire.node()).copied().unwrap_or(false) ^ wire.is_inverted();
        for &id in &claim.free {
            values[id.index()] = match self.values[id.index()] {
                Some(Value::Bool(wire)) => u64::from(wire_value(wire)),
                _ => {
                    let ty = claim.scope.variable(id).ty;
                    let number = self.numbers.unknown(Meaning::Variable(id), range_of(ty));
                    let bits = self.bits(number, ty.width());
                    bits.iter().enumerate().map(|(place, &wire)| u64::from(wire_value(wire)) << place).sum()
                }
            };
        }
        values
    }

    fn define(&mut self, claim: &Claim, id: VariableId, expression: &Expression) -> Value {
        if !claim.exact.contains(&id) {
            return self.value(claim, expression);
        }
        // By the premise the integer result is in range. It is therefore the result, and its range can be assumed.
        let ty = claim.scope.variable(id).ty;
        let Some((operator, a, b)) = Claim::exact_parts(expression) else { return self.value(claim, expression) };
        let (a, b) = (self.word(claim, &a), self.word(claim, &b));
        let mut representable = true;
        let exact = self.trees.lift(a, b, &mut |a, b| {
            let result = match operator {
                BinaryOperator::Add => self.numbers.combine((a, 1), (b, 1), 0),
                BinaryOperator::Subtract => self.numbers.combine((a, 1), (b, -1), 0),
                _ => self.numbers.multiply(a, b),
            };
            representable &= result.is_some();
            result.unwrap_or(a)
        });
        if !representable {
            return self.value(claim, expression);
        }
        let (low, high) = range_of(ty);
        let below = self.numbers.constant(low - 1);
        let above = self.numbers.constant(high + 1);
        let (below, above) = (self.trees.leaf(below), self.trees.leaf(above));
        for (smaller, greater) in [(below, exact), (exact, above)] {
            let wire = self.relate(smaller, greater, &mut Self::less);
            self.assumed.push(wire);
        }
        Value::Word(exact)
    }

    fn condition(&mut self, claim: &Claim, expression: &Expression) -> Wire {
        match self.value(claim, expression) {
            Value::Bool(wire) => wire,
            Value::Word(word) => {
                let zero = self.constant(0);
                !self.relate(word, zero, &mut Self::equal)
            }
        }
    }

    fn word(&mut self, claim: &Claim, expression: &Expression) -> Tree {
        match self.value(claim, expression) {
            Value::Word(word) => word,
            Value::Bool(wire) => self.word_of_bool(wire),
        }
    }

    fn word_of_bool(&mut self, wire: Wire) -> Tree {
        let (one, zero) = (self.constant(1), self.constant(0));
        self.trees.select(wire, one, zero)
    }

    fn constant(&mut self, value: i128) -> Tree {
        let number = self.numbers.constant(value);
        self.trees.leaf(number)
    }

    /// Compares two values of the same type for equality. Both are in the range of the type, so comparing them modulo
    /// its width is enough.
    fn same(&mut self, claim: &Claim, left: &Expression, right: &Expression) -> Wire {
        match (self.value(claim, left), self.value(claim, right)) {
            (Value::Bool(left), Value::Bool(right)) => !self.gates.xor(left, right),
            (Value::Word(a), Value::Word(b)) => {
                let width = claim.scope.type_of(left).width();
                self.relate(a, b, &mut |prover, a, b| prover.congruent(a, b, width))
            }
            _ => self.gates.free(),
        }
    }

    fn value(&mut self, claim: &Claim, expression: &Expression) -> Value {
        match expression {
            Expression::Constant(constant) if constant.ty == Type::Bool => {
                Value::Bool(Wire::constant(constant.value != 0))
            }
            Expression::Constant(constant) => Value::Word(self.constant(constant.ty.number(constant.value))),
            Expression::Variable(id) => self.values[id.index()].expect("definitions are in order"),
            // A claim contains no reads.
            Expression::Read { .. } => Value::Bool(self.gates.free()),
            // Nor does it contain these, because it comes from flat code.
            Expression::Wide(..)
            | Expression::Slice { .. }
            | Expression::Concatenate(..)
            | Expression::Element { .. }
            | Expression::Undefined(_)
            | Expression::Checksum(_)
            | Expression::Lookup(_)
            | Expression::Memory(_) => Value::Bool(self.gates.free()),
            Expression::Unary(UnaryOperator::Not, a) => Value::Bool(!self.condition(claim, a)),
            Expression::Unary(operator, a) => {
                let ty = claim.scope.type_of(a);
                // ~x = -x - 1
                let constant = -i128::from(*operator == UnaryOperator::Complement);
                let (a, zero) = (self.word(claim, a), self.constant(0));
                Value::Word(self.sum(ty, (a, -1), (zero, 0), constant))
            }
            Expression::Binary(operator, a, b) => self.binary(claim, *operator, a, b),
            Expression::Select(condition, a, b) => {
                let condition = self.condition(claim, condition);
                match (self.value(claim, a), self.value(claim, b)) {
                    (Value::Bool(a), Value::Bool(b)) => Value::Bool(self.gates.select(condition, a, b)),
                    (Value::Word(a), Value::Word(b)) => Value::Word(self.trees.select(condition, a, b)),
                    _ => Value::Bool(self.gates.free()),
                }
            }
            Expression::Hash(function, arguments) => {
                let arguments = arguments.iter().map(|argument| self.word(claim, argument)).collect();
                let meaning = Meaning::Result(Operation::Hash(*function), arguments);
                Value::Word(self.opaque(meaning, Type::INT32))
            }
            Expression::Cast(Type::Bool, a) => Value::Bool(self.condition(claim, a)),
            Expression::Cast(ty, a) => {
                let (a, zero) = (self.word(claim, a), self.constant(0));
                Value::Word(self.sum(*ty, (a, 1), (zero, 0), 0))
            }
        }
    }

    fn binary(&mut self, claim: &Claim, operator: BinaryOperator, a: &Expression, b: &Expression) -> Value {
        let ty = claim.scope.type_of(a);
        if ty == Type::Bool && !operator.is_comparison() {
            let (a, b) = (self.condition(claim, a), self.condition(claim, b));
            return Value::Bool(match operator {
                BinaryOperator::And => self.gates.and(a, b),
                BinaryOperator::Or => self.gates.or(a, b),
                BinaryOperator::Xor => self.gates.xor(a, b),
                _ => self.gates.free(),
            });
        }
        let (left, right) = (self.word(claim, a), self.word(claim, b));
        let count = match b {
            Expression::Constant(constant) => Some(constant.value),
            _ => None,
        };
        match operator {
            BinaryOperator::Add => Value::Word(self.sum(ty, (left, 1), (right, 1), 0)),
            BinaryOperator::Subtract => Value::Word(self.sum(ty, (left, 1), (right, -1), 0)),
            BinaryOperator::Multiply => Value::Word(self.product(ty, left, right)),
            BinaryOperator::ShiftLeft if count.is_some() => {
                let factor = count.filter(|&count| count < u64::from(ty.width())).map_or(0, |count| 1 << count);
                let factor = self.constant(factor);
                Value::Word(self.product(ty, left, factor))
            }
            BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor => {
                Value::Word(self.opaque(Meaning::Bitwise(operator, ty, left, right), ty))
            }
            BinaryOperator::ShiftRight if count.is_some() => {
                // All counts of at least the width are equivalent, and the count must fit into the narrowest word.
                let count = count.unwrap_or(0).min(u64::from(ty.width()));
                let count = self.constant(i128::from(count));
                Value::Word(self.opaque(Meaning::Bitwise(operator, ty, left, count), ty))
            }
            BinaryOperator::Equal => Value::Bool(self.relate(left, right, &mut Self::equal)),
            BinaryOperator::NotEqual => Value::Bool(!self.relate(left, right, &mut Self::equal)),
            BinaryOperator::Less => Value::Bool(self.relate(left, right, &mut Self::less)),
            BinaryOperator::GreaterEqual => Value::Bool(!self.relate(left, right, &mut Self::less)),
            BinaryOperator::Greater => Value::Bool(self.relate(right, left, &mut Self::less)),
            BinaryOperator::LessEqual => Value::Bool(!self.relate(right, left, &mut Self::less)),
            BinaryOperator::Divide
            | BinaryOperator::Remainder
            | BinaryOperator::AddSaturating
            | BinaryOperator::SubtractSaturating
            | BinaryOperator::ShiftLeft
            | BinaryOperator::ShiftRight => {
                Value::Word(self.opaque(Meaning::Result(Operation::Binary(operator, ty), vec![left, right]), ty))
            }
        }
    }

    fn opaque(&mut self, meaning: Meaning, ty: Type) -> Tree {
        let number = self.numbers.unknown(meaning, range_of(ty));
        self.trees.leaf(number)
    }

    /// Computes `a * factor + b * factor + constant`, truncated to a type.
    fn sum(&mut self, ty: Type, a: (Tree, i128), b: (Tree, i128), constant: i128) -> Tree {
        let (numbers, trees) = (&mut self.numbers, &mut self.trees);
        trees.lift(a.0, b.0, &mut |left, right| {
            // Sums of 64-bit values stay within the bounds of polynomials, but a polynomial with too many terms becomes
            // an unknown.
            match numbers.combine((left, a.1), (right, b.1), constant) {
                Some(sum) => numbers.wrap(sum, ty),
                None => numbers.fresh(range_of(ty)),
            }
        })
    }

    fn product(&mut self, ty: Type, a: Tree, b: Tree) -> Tree {
        let (numbers, trees) = (&mut self.numbers, &mut self.trees);
        trees.lift(a, b, &mut |left, right| {
            let exact = numbers.multiply(left, right);
            if let Some(exact) = exact.filter(|&exact| numbers.fits(exact, ty)) {
                return exact;
            }
            // Wrapped operands are expanded first, so that (x + y) * z and x * z + y * z are identical modulo the
            // width.
            let (left, right) = (numbers.reduce(left, ty.width()), numbers.reduce(right, ty.width()));
            match numbers.multiply(left, right) {
                Some(product) => numbers.wrap(product, ty),
                None => numbers.fresh(range_of(ty)),
            }
        })
    }
}
