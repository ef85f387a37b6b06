//! Choices between values that are already made where a predicate holds.

use std::collections::HashMap;

use ir::{Expression, Program, Statement, VariableId};

use crate::functions::Function;
use crate::predicates::Predicates;

/// The variables of a program in single assignment that hold one of two values.
#[derive(Default)]
pub(crate) struct Choices {
    of_variable: HashMap<VariableId, Expression>,
}

/// How many choices, one behind the other, are looked through at once.
const FURTHEST: usize = 64;

impl Choices {
    /// All choices of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let mut choices = Self::default();
        for statement in &program.packet {
            if let Statement::Assign { variable, value } = statement {
                choices.learn(*variable, value);
            }
        }
        choices
    }

    /// Learns the value of a variable.
    pub(crate) fn learn(&mut self, variable: VariableId, value: &Expression) {
        if matches!(value, Expression::Select(..)) {
            self.of_variable.insert(variable, value.clone());
        }
    }

    /// An operand that has the same value where `here` holds.
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

    /// The side of a choice that is taken wherever `here` holds.
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
