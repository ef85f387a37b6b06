//! Sample inputs for a codelet: corner cases, neighbours of its constants, values close to each other, and random
//! words.

use std::collections::BTreeSet;

use basis::Random;
use ir::{Expression, Type, VariableId};

use crate::claim::evaluate;
use crate::obligation::Obligation;
use crate::word::Word;

/// Sample inputs of a codelet, with the values that it computes for them.
#[derive(Clone, Debug)]
pub(crate) struct Samples {
    /// The values of all variables of the claim, one row per sample.
    rows: Vec<Vec<u64>>,
    random: Random,
    corners: Vec<i64>,
}

/// The samples as columns, one per state, operand and target, as the search uses them.
pub(crate) struct Columns {
    pub word: Word,
    pub states: Vec<Vec<i64>>,
    pub operands: Vec<Vec<i64>>,
    pub targets: Vec<Vec<i64>>,
}

/// The seed of every search, fixed so that a result is a function of the codelet only.
const SEED: u64 = 0xA70;

impl Samples {
    /// Creates about `count` samples that satisfy the assumptions; fewer, perhaps none, if these are hard to satisfy.
    pub(crate) fn new(obligation: &Obligation, count: usize) -> Self {
        let (least, greatest) = obligation.word.ends();
        let mut corners: BTreeSet<i64> = [0, 1, 2, -1, greatest, least].into();
        for constant in constants(obligation) {
            corners.extend([constant.wrapping_sub(1), constant, constant.wrapping_add(1), constant.wrapping_neg()]);
        }
        let corners = corners.into_iter().collect();
        let mut samples = Self { rows: Vec::new(), random: Random::new(SEED), corners };
        for attempt in 0..4 * count {
            if samples.rows.len() >= count {
                break;
            }
            let row = samples.draw(obligation, attempt);
            samples.keep(obligation, row);
        }
        samples.go_to_boundaries(obligation, count / 2);
        samples
    }

    /// Adds samples on both sides of the codelet's own comparisons, by moving one input by the difference of the two
    /// sides.
    fn go_to_boundaries(&mut self, obligation: &Obligation, most: usize) {
        let claim = &obligation.claim;
        let comparisons: Vec<(&Expression, &Expression)> = claim
            .definitions
            .iter()
            .filter_map(|(_, value)| match value {
                Expression::Binary(operator, a, b) if operator.is_comparison() => Some((&**a, &**b)),
                _ => None,
            })
            .filter(|(a, _)| claim.scope.type_of(a) != Type::Bool)
            .collect();
        if comparisons.is_empty() || self.rows.is_empty() {
            return;
        }
        let most = self.rows.len() + most;
        // New rows are themselves moved to further comparisons, so that points where two comparisons change are found,
        // too.
        for attempt in 0..4 * most {
            if self.rows.len() >= most {
                break;
            }
            let (a, b) = comparisons[attempt % comparisons.len()];
            let row = self.rows[self.random.below(self.rows.len() as u64) as usize].clone();
            let difference = |row: &[u64]| {
                let number = |e: &Expression| claim.scope.type_of(e).number(evaluate(&claim.scope, e, row)) as i64;
                number(a).wrapping_sub(number(b))
            };
            let by = difference(&row);
            let step = self.random.below(3) as i64 - 1;
            let variable = claim.free[self.random.below(claim.free.len() as u64) as usize];
            let ty = claim.scope.variable(variable).ty;
            let by = if self.random.chance(0.5) { by } else { by.wrapping_neg() };
            let mut moved = row;
            let number = ty.number(moved[variable.index()]) as i64;
            moved[variable.index()] = ty.value_of(number.wrapping_add(by).wrapping_add(step));
            claim.define(&mut moved);
            if difference(&moved).unsigned_abs() <= 1 && claim.assumed(&moved) {
                self.rows.push(moved);
            }
        }
    }

    fn keep(&mut self, obligation: &Obligation, mut row: Vec<u64>) {
        obligation.claim.define(&mut row);
        if obligation.claim.assumed(&row) {
            self.rows.push(row);
        }
    }

    /// Adds a counterexample and its neighbours.
    pub(crate) fn refine(&mut self, obligation: &Obligation, row: &[u64]) {
        self.keep(obligation, row.to_vec());
        for &variable in &obligation.claim.free {
            let ty = obligation.claim.scope.variable(variable).ty;
            for step in [1, -1] {
                let mut near = row.to_vec();
                near[variable.index()] = ty.value_of((ty.number(near[variable.index()]) as i64).wrapping_add(step));
                self.keep(obligation, near);
            }
        }
    }

    fn corner(&mut self) -> i64 {
        self.corners[self.random.below(self.corners.len() as u64) as usize]
    }

    fn draw(&mut self, obligation: &Obligation, attempt: usize) -> Vec<u64> {
        let claim = &obligation.claim;
        let mut row = claim.blank();
        let mut earlier: Vec<i64> = Vec::new();
        for &variable in &claim.free {
            let ty = claim.scope.variable(variable).ty;
            let number = match (attempt % 4, ty) {
                // A Boolean that is assumed to hold is true.
                (_, Type::Bool) if claim.assumptions.contains(&Expression::Variable(variable)) => 1,
                (_, Type::Bool) => self.random.below(2) as i64,
                _ if obligation.bools.contains(&variable) && self.random.chance(0.5) => 0,
                (0, _) => self.corner(),
                (1, _) => self.random.below(200) as i64 - 50,
                (2, _) => obligation.word.number(self.random.bits()),
                // Values close to another value, or to the sum or difference of two, are where comparisons change.
                _ if earlier.is_empty() => self.random.bits() as i64 >> (32 + self.random.below(28)),
                _ => self.near(&earlier),
            };
            earlier.push(number);
            row[variable.index()] = ty.value_of(number);
        }
        row
    }

    fn near(&mut self, earlier: &[i64]) -> i64 {
        let mut pick = || earlier[self.random.below(earlier.len() as u64) as usize];
        let (first, second) = (pick(), pick());
        let start = match self.random.below(4) {
            0 => first.wrapping_add(second),
            1 => first.wrapping_sub(second),
            2 => first.wrapping_neg(),
            _ => first,
        };
        let step = self.random.below(3) as i64 - 1;
        let offset = if self.random.chance(0.5) { 0 } else { self.corner() };
        start.wrapping_add(offset).wrapping_add(step)
    }

    /// Returns true unless two samples that agree on states and operands are found to have different targets.
    ///
    /// This is tested by changing all other inputs. A difference that the test misses costs time later, but never leads
    /// to a wrong result.
    pub(crate) fn determined(&mut self, obligation: &Obligation) -> bool {
        let claim = &obligation.claim;
        let fixed = |id: &VariableId| obligation.states.contains(id) || obligation.operands.contains(id);
        if claim.free.iter().all(fixed) {
            return true;
        }
        for number in 0..self.rows.len() {
            for attempt in 0..4 {
                let mut other = self.draw(obligation, attempt);
                for &id in claim.free.iter().filter(|id| fixed(id)) {
                    other[id.index()] = self.rows[number][id.index()];
                }
                claim.define(&mut other);
                let differs = |target| {
                    evaluate(&claim.scope, target, &other) != evaluate(&claim.scope, target, &self.rows[number])
                };
                if claim.assumed(&other) && obligation.targets.iter().any(differs) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the samples as columns.
    pub(crate) fn columns(&self, obligation: &Obligation) -> Columns {
        let word = obligation.word;
        let variables = |ids: &[VariableId]| {
            ids.iter().map(|id| self.rows.iter().map(|row| word.number(row[id.index()])).collect()).collect()
        };
        let value = |target: &Expression, row: &Vec<u64>| word.number(evaluate(&obligation.claim.scope, target, row));
        Columns {
            word,
            states: variables(&obligation.states),
            operands: variables(&obligation.operands),
            targets: obligation
                .targets
                .iter()
                .map(|target| self.rows.iter().map(|row| value(target, row)).collect())
                .collect(),
        }
    }
}

/// Returns the constants in a codelet that its registers could hold.
pub(crate) fn constants(obligation: &Obligation) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    let all = obligation.claim.definitions.iter().map(|(_, value)| value).chain(&obligation.targets);
    for value in all {
        value.walk(&mut |inner| {
            if let Expression::Constant(constant) = inner
                && constant.ty != Type::Bool
            {
                found.extend(obligation.word.constant(*constant));
            }
        });
    }
    found
}
