//! Gives the variables of code other numbers, when only some of a program's variables are left.

use std::collections::BTreeMap;

use ir::parser::{Set, Transition};
use ir::{Expression, PacketStatement, Statement, VariableId};

/// New numbers by old ones; every variable of the code has one.
pub(super) struct Renumber {
    numbers: BTreeMap<VariableId, VariableId>,
}

impl Renumber {
    /// The variables are numbered in this order.
    pub(super) fn in_order(variables: impl IntoIterator<Item = VariableId>) -> Self {
        let numbers = variables.into_iter().enumerate().map(|(new, old)| (old, VariableId::from(new)));
        Self { numbers: numbers.collect() }
    }

    /// The new number of a variable.
    pub(super) fn variable(&self, old: VariableId) -> VariableId {
        self.numbers[&old]
    }

    /// The new number of a variable, if it has one.
    pub(super) fn known(&self, old: VariableId) -> Option<VariableId> {
        self.numbers.get(&old).copied()
    }

    /// Changes an expression.
    pub(super) fn expression(&self, expression: &mut Expression) {
        expression.rewrite(&mut |inner| {
            if let Expression::Variable(variable) = inner {
                *variable = self.variable(*variable);
            }
        });
    }

    /// Changes statements of edges and of flat code.
    pub(super) fn block(&self, code: &mut [Statement]) {
        for statement in code {
            statement.expressions_mut().into_iter().for_each(|expression| self.expression(expression));
            match statement {
                Statement::Assign { variable, .. } => *variable = self.variable(*variable),
                Statement::If { then, otherwise, .. } => {
                    self.block(then);
                    self.block(otherwise);
                }
                Statement::Packet(PacketStatement::Lookahead { variables }) => {
                    variables.iter_mut().for_each(|variable| *variable = self.variable(*variable));
                }
                _ => {}
            }
        }
    }

    /// Changes a transition.
    pub(super) fn transition(&self, transition: &mut Transition) {
        let Transition::Select { keys, cases } = transition else { return };
        keys.iter_mut().for_each(|key| self.expression(key));
        for set in cases.iter_mut().flat_map(|case| &mut case.sets) {
            match set {
                Set::Value(value) => self.expression(value),
                Set::Mask(first, second) | Set::Range(first, second) => {
                    self.expression(first);
                    self.expression(second);
                }
                Set::ValueSet(_) | Set::Any => {}
            }
        }
    }
}
