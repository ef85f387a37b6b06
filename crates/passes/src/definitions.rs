//! The definitions of variables, and descriptions of operands in terms of them for messages.

use ir::{Expression, Program, Statement, VariableId};

/// The expressions that a program in single assignment assigns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    of_variable: Vec<Option<Expression>>,
}

/// The maximum nesting depth of a description before it falls back to variable names.
const DEEPEST: usize = 4;
/// The maximum number of operations in a description before it falls back to variable names.
const LONGEST: usize = 12;

impl Definitions {
    /// Collects all assignments of a program.
    pub(crate) fn of(program: &Program) -> Self {
        let mut definitions = Self { of_variable: vec![None; program.variables.len()] };
        for statement in &program.packet {
            if let Statement::Assign { variable, value } = statement {
                definitions.of_variable[variable.index()] = Some(value.clone());
            }
        }
        definitions
    }

    /// Returns the expression assigned to a variable; `None` for a field, which arrives with the packet.
    pub(crate) fn variable(&self, variable: VariableId) -> Option<&Expression> {
        self.of_variable.get(variable.index())?.as_ref()
    }

    /// Prints an operand for a message: the expression that it stands for, expanded up to a readable size. Predicates
    /// of reads are left out.
    pub(crate) fn describe(&self, program: &Program, operand: &Expression) -> String {
        let mut left = LONGEST;
        let expanded = self.expanded(operand, DEEPEST, &mut left);
        ir::print::expression(program, &expanded).to_string()
    }

    fn expanded(&self, operand: &Expression, depth: usize, left: &mut usize) -> Expression {
        let Expression::Variable(variable) = operand else { return operand.clone() };
        let Some(value) = self.variable(*variable).filter(|_| depth > 0 && *left > 0) else { return operand.clone() };
        *left -= 1;
        let mut value = value.clone();
        if let Expression::Read { predicate, .. } = &mut value {
            *predicate = None;
        }
        for child in value.children_mut() {
            *child = self.expanded(child, depth - 1, left);
        }
        value
    }
}
