//! Determines for which packets each value matters.
//!
//! After if-conversion everything is computed for every packet, but the values of a branch matter only where the branch
//! is taken. Where a value does not matter it may be anything, so `t = c ? new : t` becomes `t = new` if `t` is used
//! only where `c` holds, and a read that happens only where `c` holds need not give 0 elsewhere.
//!
//! This is sound: replace every value by one that agrees with it wherever it matters. Then the result of each operation
//! agrees wherever the result matters, because its operands matter there, too (the sides of a choice only where they
//! are chosen). Registers and final fields always matter, so they agree for every packet.

use ir::{BinaryOperator, Expression, Program, Statement, Type, VariableId};

use crate::functions::Function;
use crate::predicates::Predicates;

/// The condition under which the value that is written to a register matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteDemand {
    /// The value matters only where the write happens.
    WhenPredicated,
    /// Everywhere. After hoisting, a written value equals the old one where the program writes nothing. Atoms are found
    /// for that function, so it must not change.
    Always,
}

/// The function that says for each variable where its value matters.
pub(crate) struct Demand {
    of_variable: Vec<Function>,
}

impl Demand {
    /// Analyses a program in single assignment and three-address code.
    pub(crate) fn of(program: &Program, predicates: &mut Predicates, written: WriteDemand) -> Self {
        let mut demand = Self { of_variable: vec![Function::FALSE; program.variables.len()] };
        let mut positions = vec![0; program.variables.len()];
        for (position, statement) in program.packet.iter().enumerate() {
            if let Statement::Assign { variable, .. } = statement {
                positions[variable.index()] = position + 1;
            }
        }
        let position = |operand: &Expression| match operand {
            Expression::Variable(variable) => positions[variable.index()],
            _ => 0,
        };
        for export in &program.exports {
            demand.add(predicates, &export.value, Function::TRUE);
        }
        for statement in program.packet.iter().rev() {
            match statement {
                Statement::Assign { variable, value } => {
                    let here = demand.of_variable[variable.index()];
                    demand.add_operands(program, predicates, value, here, &position);
                }
                Statement::Write { index, value, predicate, .. } => {
                    let happens = predicates.predicate(predicate.as_ref());
                    let matters = match written {
                        WriteDemand::WhenPredicated => happens,
                        WriteDemand::Always => Function::TRUE,
                    };
                    demand.add(predicates, value, matters);
                    demand.add_access(predicates, index.as_ref(), predicate.as_ref());
                }
                // These do not occur in straight-line code; all their inputs count as mattering.
                other => {
                    let expressions = other.expressions().into_iter();
                    let variables = expressions.flat_map(Expression::variables).collect::<Vec<_>>();
                    variables.into_iter().for_each(|variable| demand.of_variable[variable.index()] = Function::TRUE);
                }
            }
        }
        demand
    }

    /// Returns where the value of a variable matters.
    pub(crate) fn variable(&self, variable: VariableId) -> Function {
        self.of_variable[variable.index()]
    }

    fn add_operands(
        &mut self,
        program: &Program,
        predicates: &mut Predicates,
        value: &Expression,
        here: Function,
        position: &dyn Fn(&Expression) -> usize,
    ) {
        match value {
            Expression::Select(condition, if_true, if_false) => {
                let holds = predicates.operand(condition);
                let functions = predicates.functions();
                // Past the bound, the side counts as mattering wherever the choice does.
                let [in_true, in_false] = [
                    functions.and(here, holds).unwrap_or(here),
                    functions.choose(holds, Function::FALSE, here).unwrap_or(here),
                ];
                self.add(predicates, condition, here);
                self.add(predicates, if_true, in_true);
                self.add(predicates, if_false, in_false);
            }
            Expression::Read { index, predicate, .. } => {
                self.add_access(predicates, index.as_deref(), predicate.as_deref());
            }
            Expression::Binary(operator @ (BinaryOperator::And | BinaryOperator::Or), a, b)
                if program.type_of(a) == Type::Bool =>
            {
                // Where one operand decides the result, the other does not matter. The operand computed first is taken
                // as the guard: that a point of the program is reached is computed before what is tested there.
                let (guard, guarded) = if position(a) <= position(b) { (a, b) } else { (b, a) };
                let holds = predicates.operand(guard);
                let functions = predicates.functions();
                let undecided = match operator {
                    BinaryOperator::And => functions.and(here, holds),
                    _ => functions.choose(holds, Function::FALSE, here),
                };
                self.add(predicates, guard, here);
                self.add(predicates, guarded, undecided.unwrap_or(here));
            }
            Expression::Variable(_) => self.add(predicates, value, here),
            _ => value.children().into_iter().for_each(|operand| self.add(predicates, operand, here)),
        }
    }

    /// Adds an access of a register: its predicate matters always, and its index wherever the access happens.
    fn add_access(&mut self, predicates: &mut Predicates, index: Option<&Expression>, predicate: Option<&Expression>) {
        let happens = predicates.predicate(predicate);
        if let Some(index) = index {
            self.add(predicates, index, happens);
        }
        if let Some(predicate) = predicate {
            self.add(predicates, predicate, Function::TRUE);
        }
    }

    fn add(&mut self, predicates: &mut Predicates, operand: &Expression, matters: Function) {
        if let Expression::Variable(variable) = operand {
            let before = self.of_variable[variable.index()];
            self.of_variable[variable.index()] = predicates.either(before, matters);
        }
    }
}
