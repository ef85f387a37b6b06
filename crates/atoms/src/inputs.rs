//! The values of a packet that could feed an atom: the codelet's inputs, and the values that these are computed from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ir::{BinaryOperator, Expression, Type, VariableId};

use crate::codelet::{Codelet, constant, reads};

/// The maximum number of candidates for operands.
const MOST_OPERANDS: usize = 12;
/// The maximum number of definitions that may be absorbed.
const MOST_DEFINITIONS: usize = 48;

/// The inputs of a codelet.
pub(crate) struct Inputs {
    /// The variables that could be operands: first the codelet's own inputs, in order of appearance, then the variables
    /// that their definitions use.
    pub candidates: Vec<VariableId>,
    /// The number of candidates that are the codelet's own inputs.
    pub direct: usize,
    /// The definitions, of inputs and of the access predicate, that an atom may absorb.
    pub definitions: BTreeMap<VariableId, Expression>,
}

impl Inputs {
    /// Returns no inputs.
    pub(crate) fn none() -> Self {
        Self { candidates: Vec::new(), direct: 0, definitions: BTreeMap::new() }
    }

    /// Finds the inputs that the new values of a codelet's registers depend on.
    pub(crate) fn new(codelet: &Codelet<'_>, definitions: &dyn Fn(VariableId) -> Option<Expression>) -> Self {
        let own_read = |id: VariableId| {
            codelet.states.iter().any(|state| state.read.as_ref().is_some_and(|(variable, _)| *variable == id))
        };
        let mut inputs = Self::none();
        let mut seen = BTreeSet::new();
        let mut waiting = VecDeque::new();
        for state in &codelet.states {
            let write = state.write.iter().flat_map(|(value, predicate)| std::iter::once(value).chain(predicate));
            let read = state.read.iter().filter_map(|(_, predicate)| predicate.as_ref());
            waiting.extend(write.chain(read).flat_map(Expression::variables));
        }
        // The codelet itself is searched first, so that its own inputs come before those of their definitions.
        let mut outside = VecDeque::new();
        while let Some(variable) = waiting.pop_front() {
            if !seen.insert(variable) || own_read(variable) {
                continue;
            }
            match codelet.assigned.get(&variable) {
                Some(value) => waiting.extend(value.variables()),
                None => outside.push_back(variable),
            }
        }
        let is_access = |id: VariableId| codelet.access == Some(Expression::Variable(id));
        let mut found = outside.len();
        let mut visited: BTreeSet<VariableId> = outside.iter().copied().collect();
        let mut from_access = BTreeSet::new();
        while let Some(variable) = outside.pop_front() {
            let ty = codelet.program.variable(variable).ty;
            let usable = ty == codelet.ty() || ty == Type::Bool;
            if usable && !is_access(variable) && inputs.candidates.len() < MOST_OPERANDS {
                inputs.candidates.push(variable);
            }
            if found > 0 {
                found -= 1;
                if found == 0 {
                    inputs.direct = inputs.candidates.len();
                }
            }
            for next in inputs.absorb(variable, definitions) {
                if visited.insert(next) {
                    outside.push_back(next);
                }
            }
        }
        // The definition of the access predicate may be used, too, but its parts are not candidates for operands.
        from_access.extend(codelet.access.iter().flat_map(Expression::variables));
        while let Some(variable) = from_access.pop_first() {
            if !inputs.definitions.contains_key(&variable) {
                from_access.extend(inputs.absorb(variable, definitions));
            }
        }
        inputs
    }

    /// Keeps a variable's definition if it can be absorbed, and returns the variables in it.
    fn absorb(
        &mut self,
        variable: VariableId,
        definitions: &dyn Fn(VariableId) -> Option<Expression>,
    ) -> Vec<VariableId> {
        if self.definitions.len() >= MOST_DEFINITIONS || self.definitions.contains_key(&variable) {
            return Vec::new();
        }
        let Some(value) = definitions(variable).filter(absorbable) else { return Vec::new() };
        let inside = value.variables();
        self.definitions.insert(variable, value);
        inside
    }
}

/// Returns true if an atom could compute an expression, or at least the prover knows its meaning: no reads, hashes,
/// look-ups, divisions, saturating sums, or products of variables.
fn absorbable(value: &Expression) -> bool {
    let mut fine = !reads(value);
    let mut size = 0;
    value.walk(&mut |inner| {
        size += 1;
        fine &= match inner {
            Expression::Hash(..) | Expression::Checksum(_) | Expression::Lookup(_) => false,
            Expression::Binary(BinaryOperator::Divide | BinaryOperator::Remainder, ..) => false,
            Expression::Binary(BinaryOperator::AddSaturating | BinaryOperator::SubtractSaturating, ..) => false,
            Expression::Binary(BinaryOperator::Multiply, a, b) => constant(a) || constant(b),
            Expression::Binary(BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, _, b) => constant(b),
            _ => true,
        };
    });
    fine && size <= 32
}
