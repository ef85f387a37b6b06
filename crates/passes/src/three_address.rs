//! Splits nested expressions, so that each statement is a single operation on constants and variables.
//!
//! A stateless atom of a pipeline computes one operation. Moreover, the later passes record what they know (equality,
//! predicates, dependencies) by the names of intermediate values.

use ir::{Expression, LookupResult, Program, Statement};

use crate::fresh_names::FreshNames;

/// Splits each statement of a straight-line program into single operations. Statements inside `If`s are left unchanged.
pub fn run(program: &mut Program) {
    let packet = std::mem::take(&mut program.packet);
    let mut names = FreshNames::of(program);
    let mut statements = Vec::with_capacity(packet.len());
    let mut split = Split { program, names: &mut names, statements: &mut statements };
    for mut statement in packet {
        match &mut statement {
            Statement::Assign { value, .. } => split.one_operation(value),
            Statement::If { .. } => {}
            other => other.expressions_mut().into_iter().for_each(|e| split.operand(e)),
        }
        split.statements.push(statement);
    }
    program.packet = statements;
}

struct Split<'p> {
    program: &'p mut Program,
    names: &'p mut FreshNames,
    statements: &'p mut Vec<Statement>,
}

impl Split<'_> {
    /// Reduces an expression to its outermost operation, on operands.
    fn one_operation(&mut self, expression: &mut Expression) {
        for child in expression.children_mut() {
            self.operand(child);
        }
    }

    /// Reduces an expression to a constant or a variable.
    fn operand(&mut self, expression: &mut Expression) {
        if expression.is_operand() {
            return;
        }
        self.one_operation(expression);
        let ty = self.program.type_of(expression);
        let hint = self.hint(expression);
        let variable = self.names.local(self.program, &hint, ty);
        let value = std::mem::replace(expression, Expression::Variable(variable));
        self.statements.push(Statement::Assign { variable, value });
    }

    /// Returns a descriptive name for the value of an expression, where there is one.
    fn hint(&self, expression: &Expression) -> String {
        match expression {
            Expression::Read { register, .. } => self.program.register(*register).name.clone(),
            Expression::Hash(..) => "hash".to_owned(),
            Expression::Checksum(_) => "checksum".to_owned(),
            Expression::Lookup(lookup) => {
                let table = &self.program.tables[lookup.table.index()];
                let action = |number: u32| &self.program.functions[table.actions[number as usize].function.index()];
                match lookup.result {
                    LookupResult::Hit => format!("{}.hit", table.name),
                    LookupResult::Runs(number) => format!("{}.runs.{}", table.name, action(number).name),
                    LookupResult::Data { action: number, parameter, .. } => {
                        let parameter = action(number).parameters[parameter as usize];
                        format!("{}.{}", table.name, self.program.variable(parameter).name)
                    }
                }
            }
            _ => "t".to_owned(),
        }
    }
}

/// Returns the outermost operation of an expression, and appends statements that compute its operands by single
/// operations.
pub(crate) fn one_operation(
    program: &mut Program,
    names: &mut FreshNames,
    statements: &mut Vec<Statement>,
    mut expression: Expression,
) -> Expression {
    let mut split = Split { program, names, statements };
    split.one_operation(&mut expression);
    expression
}
