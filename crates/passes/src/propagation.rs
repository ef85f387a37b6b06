//! Propagates constants and copies, applies the laws of arithmetic, and removes choices whose outcome is known.
//!
//! If-conversion and hoisting leave many choices of which only one side can matter: `c ? (c ? a : b) : d`, or `c ? new
//! : old` where the result is used only where `c` holds; likewise for sums of such choices, as when a counter counts in
//! several branches. Atoms are small, so that a single choice may decide whether an update fits one.

use ir::{BinaryOperator, Expression, Program, Statement, Type, VariableId};

use crate::algebra::{self, OperandFacts};
use crate::choices::Choices;
use crate::demand::{Demand, WriteDemand};
use crate::fresh_names::FreshNames;
use crate::functions::Function;
use crate::predicates::Predicates;

/// Simplifies a program in single assignment and three-address code in a single walk.
pub(crate) fn run(program: &mut Program, written: WriteDemand) {
    let mut predicates = Predicates::of(program);
    let demand = Demand::of(program, &mut predicates, written);
    let packet = std::mem::take(&mut program.packet);
    let mut names = FreshNames::of(program);
    let mut walk = Walk {
        substitutes: (0..program.variables.len()).map(|number| Expression::Variable(number.into())).collect(),
        choices: Choices::default(),
        definitions: vec![None; program.variables.len()],
        predicates,
        demand,
    };
    let mut kept = Vec::with_capacity(packet.len());
    for mut statement in packet {
        if let Statement::Assign { variable, value } = &mut statement {
            if walk.assign(program, *variable, value) {
                kept.extend(walk.merge(program, &mut names, *variable, value));
                kept.push(statement);
            }
        } else {
            statement.expressions_mut().into_iter().for_each(|expression| walk.substitute(expression));
            if let Statement::Write { predicate, .. } = &mut statement {
                match predicate {
                    Some(Expression::Constant(never)) if never.value == 0 => continue,
                    Some(Expression::Constant(_)) => *predicate = None,
                    _ => {}
                }
            }
            kept.push(statement);
        }
    }
    for export in &mut program.exports {
        walk.substitute(&mut export.value);
    }
    program.packet = kept;
}

struct Walk {
    /// The operand that replaces each variable.
    substitutes: Vec<Expression>,
    /// The choices as they were before simplification.
    choices: Choices,
    /// The simplified values of the variables that are kept.
    definitions: Vec<Option<Expression>>,
    predicates: Predicates,
    demand: Demand,
}

impl Walk {
    /// Simplifies the value of a variable. Returns false if the value is an operand, which replaces the variable from
    /// now on.
    fn assign(&mut self, program: &Program, variable: VariableId, value: &mut Expression) -> bool {
        self.choices.learn(variable, value);
        self.narrow(program, variable, value);
        self.substitute(value);
        if let Expression::Read { register, predicate, .. } = value {
            match predicate.as_deref() {
                Some(Expression::Constant(never)) if never.value == 0 => {
                    let ty = program.register(*register).ty;
                    *value = Expression::number(ty, 0);
                }
                Some(Expression::Constant(_)) => *predicate = None,
                _ => {}
            }
        }
        let known = OperandFacts { program, definitions: &self.definitions };
        *value = algebra::simplify(&known, value.clone());
        if value.is_operand() {
            self.substitutes[variable.index()] = value.clone();
            return false;
        }
        self.definitions[variable.index()] = Some(value.clone());
        true
    }

    /// Merges `c ? a : (d ? a : b)` into one choice, `(c | d) ? a : b`, so that what several branches do alike is done
    /// once. Returns the statement that computes `c | d`.
    fn merge(
        &mut self,
        program: &mut Program,
        names: &mut FreshNames,
        variable: VariableId,
        value: &mut Expression,
    ) -> Option<Statement> {
        let Expression::Select(condition, if_true, if_false) = value else { return None };
        let Expression::Variable(chosen) = **if_false else { return None };
        let Some(Expression::Select(other, same, rest)) = self.definitions.get(chosen.index())?.clone() else {
            return None;
        };
        if same != *if_true || is_domino(program.type_of(if_true)) {
            return None;
        }
        let either = Expression::binary(BinaryOperator::Or, (**condition).clone(), *other);
        let holds = names.local(program, "either", Type::Bool);
        self.predicates.learn(program, holds, &either);
        self.substitutes.push(Expression::Variable(holds));
        self.definitions.push(Some(either.clone()));
        *value = Expression::select(Expression::Variable(holds), *same, *rest);
        self.choices.learn(variable, value);
        self.definitions[variable.index()] = Some(value.clone());
        Some(Statement::Assign { variable: holds, value: either })
    }

    /// Removes choices whose outcome is known wherever the value matters.
    fn narrow(&mut self, program: &Program, variable: VariableId, value: &mut Expression) {
        let here = self.demand.variable(variable);
        if let Some(side) = self.choices.side(&mut self.predicates, here, value) {
            *value = self.choices.operand_where(&mut self.predicates, here, side);
        }
        if !matches!(value, Expression::Select(..) | Expression::Read { .. }) {
            for operand in value.children_mut().into_iter().filter(|operand| !is_domino(program.type_of(operand))) {
                *operand = self.choices.operand_where(&mut self.predicates, here, operand.clone());
            }
        }
        if let Expression::Select(condition, if_true, if_false) = value {
            let holds = self.predicates.operand(condition);
            let functions = self.predicates.functions();
            let in_true = functions.and(here, holds);
            let in_false = functions.choose(holds, Function::FALSE, here);
            for (side, where_chosen) in [(if_true, in_true), (if_false, in_false)] {
                if let Some(where_chosen) = where_chosen {
                    **side = self.choices.operand_where(&mut self.predicates, where_chosen, (**side).clone());
                }
            }
        }
    }

    fn substitute(&self, expression: &mut Expression) {
        expression.rewrite(&mut |inner| {
            if let Expression::Variable(variable) = inner {
                *inner = self.substitutes[variable.index()].clone();
            }
        });
    }
}

/// Returns true for the types of Domino. Some simplifications are not applied to them, because Domino's own compiler
/// does not make them either, and the results must match the pipelines published for its programs.
fn is_domino(ty: Type) -> bool {
    ty == Type::INT32 || ty == Type::Bool
}
