//! Renumbers the variables of code when only some of a program's variables remain.

use std::collections::BTreeMap;

use ir::parser::{Set, Transition};
use ir::{Expression, PacketStatement, Statement, VariableId};

/// The new numbers of variables by their old ones. Every variable of the code must have one.
pub(super) struct Renumber {
    numbers: BTreeMap<VariableId, VariableId>,
}

impl Renumber {
    /// Numbers the variables in the given order.
    pub(super) fn in_order(variables: impl IntoIterator<Item = VariableId>) -> Self {
        let numbers = variables.into_iter().enumerate().map(|(new, old)| (old, VariableId::from(new)));
        Self { numbers: numbers.collect() }
    }

    /// Returns the new number of a variable, which must have one.
    pub(super) fn variable(&self, old: VariableId) -> VariableId {
        self.numbers[&old]
    }

    /// Returns the new number of a variable, if it has one.
    pub(super) fn known(&self, old: VariableId) -> Option<VariableId> {
        self.numbers.get(&old).copied()
    }

    /// Renumbers the variables of an expression.
    pub(super) fn expression(&self, expression: &mut Expression) {
        expression.rewrite(&mut |inner| {
            if let Expression::Variable(variable) = inner {
                *variable = self.variable(*variable);
            }
        });
    }

    /// Renumbers the variables of statements of the edges or of flat code.
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

    /// Renumbers the variables of a transition.
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
