//! The facts known of variables at a point of a program.
//!
//! Known values decide the iterations of loops and the indices into stacks, since a pipeline has neither at run time.
//! It is also known which variables hold the number of the action that a table ran, so that `action_run` needs no
//! numbers, and which tables may have been applied on the path to the point.

use std::collections::{BTreeMap, BTreeSet};

use ir::evaluate::evaluate;
use ir::{BinaryOperator, Constant, Expression, Program, TableId, VariableId};

/// A fact about a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fact {
    /// The value of the variable.
    Constant(Constant),
    /// The variable holds the number of the action that an application of a table ran; carries the index of the
    /// application.
    Action(usize),
}

/// The facts known at a point of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Knowledge {
    facts: BTreeMap<VariableId, Fact>,
    applied: BTreeSet<TableId>,
}

impl Knowledge {
    /// Creates knowledge of constants only.
    pub(super) fn of(constants: &BTreeMap<VariableId, Constant>) -> Self {
        let facts = constants.iter().map(|(&variable, &constant)| (variable, Fact::Constant(constant))).collect();
        Self { facts, applied: BTreeSet::new() }
    }

    /// Returns the variables whose values are known.
    pub(super) fn constants(&self) -> BTreeMap<VariableId, Constant> {
        let constants = self.facts.iter().filter_map(|(&variable, &fact)| match fact {
            Fact::Constant(constant) => Some((variable, constant)),
            Fact::Action(_) => None,
        });
        constants.collect()
    }

    /// Returns the application of a table whose action's number a variable holds.
    pub(super) fn action(&self, variable: VariableId) -> Option<usize> {
        match self.facts.get(&variable) {
            Some(Fact::Action(application)) => Some(*application),
            _ => None,
        }
    }

    /// Records that a variable is assigned a value.
    pub(super) fn assign(&mut self, program: &Program, variable: VariableId, value: &Expression) {
        match self.value(program, value) {
            Some(constant) => self.learn(variable, Fact::Constant(constant)),
            None => self.forget(variable),
        }
    }

    /// Replaces what is known of a variable by a fact.
    pub(super) fn learn(&mut self, variable: VariableId, fact: Fact) {
        self.facts.insert(variable, fact);
    }

    /// Forgets what is known of a variable.
    pub(super) fn forget(&mut self, variable: VariableId) {
        self.facts.remove(&variable);
    }

    /// Records that a table is applied. Returns true if it may have been applied before.
    pub(super) fn apply(&mut self, table: TableId) -> bool {
        !self.applied.insert(table)
    }

    /// Reduces this to what is known where two paths meet.
    pub(super) fn join(&mut self, other: &Self) {
        self.facts.retain(|variable, fact| other.facts.get(variable) == Some(fact));
        self.applied.extend(&other.applied);
    }

    /// Returns the value of an expression, if it is known and has at most 64 bits.
    pub(super) fn value(&self, program: &Program, expression: &Expression) -> Option<Constant> {
        match expression {
            Expression::Constant(constant) => return Some(*constant),
            Expression::Variable(variable) => {
                return match self.facts.get(variable) {
                    Some(Fact::Constant(constant)) => Some(*constant),
                    _ => None,
                };
            }
            Expression::Select(condition, if_true, if_false) => {
                let taken = self.value(program, condition)?.value != 0;
                return self.value(program, if taken { if_true } else { if_false });
            }
            Expression::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or), left, right) => {
                // A single side may decide the result of `&` and `|`.
                let absorbing = u64::from(*operator == BinaryOperator::Or);
                let is_bool = |constant: &Constant| constant.ty == ir::Type::Bool && constant.value == absorbing;
                let sides = [self.value(program, left), self.value(program, right)];
                if let Some(constant) = sides.into_iter().flatten().find(is_bool) {
                    return Some(constant);
                }
            }
            Expression::Read { .. }
            | Expression::Wide(..)
            | Expression::Element { .. }
            | Expression::Undefined(_)
            | Expression::Checksum(_)
            | Expression::Lookup(_)
            | Expression::Memory(_) => return None,
            _ => {}
        }
        if program.type_of(expression).width() > 64 {
            return None;
        }
        let mut known = expression.clone();
        for child in known.children_mut() {
            *child = Expression::Constant(self.value(program, child)?);
        }
        let nothing: &[u64] = &[];
        Some(evaluate(program, &known, &mut { nothing }))
    }
}
