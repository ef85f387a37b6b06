//! Choices between two values (`c ? a : b`) whose outcome is known where a predicate holds.

use std::collections::HashMap;

use ir::{Expression, Program, Statement, VariableId};

use crate::functions::Function;
use crate::predicates::Predicates;

/// The variables of a program in single assignment that are assigned a choice.
#[derive(Default)]
pub(crate) struct Choices {
    of_variable: HashMap<VariableId, Expression>,
}

/// The maximum length of a chain of choices that is followed at once.
const FURTHEST: usize = 64;

impl Choices {
    /// Collects all choices of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let mut choices = Self::default();
        for statement in &program.packet {
            if let Statement::Assign { variable, value } = statement {
                choices.learn(*variable, value);
            }
        }
        choices
    }

    /// Records the value of a variable if it is a choice.
    pub(crate) fn learn(&mut self, variable: VariableId, value: &Expression) {
        if matches!(value, Expression::Select(..)) {
            self.of_variable.insert(variable, value.clone());
        }
    }

    /// Follows the choices behind an operand whose outcome is known where `here` holds, and returns an operand that has
    /// the same value there.
    pub(crate) fn operand_where(
        &self,
        predicates: &mut Predicates,
        here: Function,
        mut operand: Expression,
    ) -> Expression {
        for _ in 0..FURTHEST {
            let Expression::Variable(variable) = &operand else { break };
            let Some(value) = self.of_variable.get(variable) else { break };
            let Some(side) = self.side(predicates, here, value) else { break };
            operand = side;
        }
        operand
    }

    /// Returns the side of a choice that is taken wherever `here` holds; `None` if that is not known, or if `value` is
    /// not a choice.
    pub(crate) fn side(&self, predicates: &mut Predicates, here: Function, value: &Expression) -> Option<Expression> {
        let Expression::Select(condition, if_true, if_false) = value else { return None };
        let holds = predicates.operand(condition);
        if predicates.implies(here, holds) {
            Some((**if_true).clone())
        } else if predicates.exclude(here, holds) {
            Some((**if_false).clone())
        } else {
            None
        }
    }
}
