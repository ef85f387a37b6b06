//! The claim that a mapping is correct: a self-contained formula over bit-vectors.

use std::fmt;

use ir::{BinaryOperator, Expression, Program, Type, UnaryOperator, VariableId};

/// The claim that, for all values of the free variables for which the assumptions hold, the codelet and the atom
/// compute equal values.
///
/// A claim is closed: it has its own variables, so that it can be evaluated, proved, printed, and proved again by other
/// solvers without the program that it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// A program that only declares the variables, free and defined ones.
    pub(crate) scope: Program,
    /// The universally quantified variables: old values of registers, operands, and whatever else the codelet mentions.
    pub(crate) free: Vec<VariableId>,
    /// The defined variables, each by a single operation on free variables and earlier defined ones.
    pub(crate) definitions: Vec<(VariableId, Expression)>,
    /// Boolean expressions that are assumed to hold.
    pub(crate) assumptions: Vec<Expression>,
    /// The defined variables whose operation is assumed not to overflow its type.
    pub(crate) exact: Vec<VariableId>,
    /// For each state, the value that the codelet computes and the value that the atom computes.
    pub(crate) equalities: Vec<(Expression, Expression)>,
}

/// An input for which the program and the atom compute different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The names and values of the free variables.
    pub inputs: Vec<(String, i64)>,
    /// The new values that the program and the atom compute for each register, in the order of
    /// [`crate::Mapping::updates`].
    pub outcomes: Vec<(i64, i64)>,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inputs: Vec<String> = self.inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let outcomes =
            self.outcomes.iter().map(|(program, atom)| format!("the program gives {program}, the atom {atom}"));
        write!(f, "for {}: {}", inputs.join(", "), outcomes.collect::<Vec<_>>().join("; "))
    }
}

impl Claim {
    /// Returns the operator and the operands of an operation that can be assumed not to overflow: an addition, a
    /// subtraction, a multiplication, or a negation (as a subtraction from 0).
    pub(crate) fn exact_parts(expression: &Expression) -> Option<(BinaryOperator, Expression, Expression)> {
        match expression {
            Expression::Binary(
                operator @ (BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply),
                a,
                b,
            ) => Some((*operator, (**a).clone(), (**b).clone())),
            Expression::Unary(UnaryOperator::Negate, a) => {
                Some((BinaryOperator::Subtract, Expression::number(Type::INT32, 0), (**a).clone()))
            }
            _ => None,
        }
    }

    /// Returns a row of zeros with room for the values of all variables.
    pub(crate) fn blank(&self) -> Vec<u64> {
        vec![0; self.scope.variables.len()]
    }

    /// Computes the defined variables from the free ones.
    pub(crate) fn define(&self, values: &mut [u64]) {
        for (variable, expression) in &self.definitions {
            values[variable.index()] = evaluate(&self.scope, expression, values);
        }
    }

    /// Returns whether the assumptions hold. The defined variables must have been computed.
    pub(crate) fn assumed(&self, values: &[u64]) -> bool {
        let holds = |assumption| evaluate(&self.scope, assumption, values) != 0;
        self.assumptions.iter().all(holds) && self.exact.iter().all(|&variable| self.is_exact(variable, values))
    }

    fn is_exact(&self, variable: VariableId, values: &[u64]) -> bool {
        let definition = self.definitions.iter().find(|(defined, _)| *defined == variable);
        let Some((operator, a, b)) = definition.and_then(|(_, expression)| Self::exact_parts(expression)) else {
            return true;
        };
        let ty = self.scope.variable(variable).ty;
        let number = |operand: &Expression| ty.number(evaluate(&self.scope, operand, values));
        let (a, b) = (number(&a), number(&b));
        let exact = match operator {
            BinaryOperator::Add => a.checked_add(b),
            BinaryOperator::Subtract => a.checked_sub(b),
            _ => a.checked_mul(b),
        };
        exact == Some(ty.number(values[variable.index()]))
    }

    /// Returns the counterexample that the given values of the free variables make: the assumptions hold, but a pair of
    /// values differs. `None` if they make none.
    pub(crate) fn refuted_by(&self, values: &mut [u64]) -> Option<Counterexample> {
        self.define(values);
        if !self.assumed(values) {
            return None;
        }
        let number = |e: &Expression| self.scope.type_of(e).number(evaluate(&self.scope, e, values)) as i64;
        let outcomes: Vec<_> = self.equalities.iter().map(|(codelet, atom)| (number(codelet), number(atom))).collect();
        if outcomes.iter().all(|(codelet, atom)| codelet == atom) {
            return None;
        }
        let show = |&id: &VariableId| {
            let variable = self.scope.variable(id);
            (variable.name.clone(), variable.ty.number(values[id.index()]) as i64)
        };
        Some(Counterexample { inputs: self.free.iter().map(show).collect(), outcomes })
    }
}

/// Evaluates an expression of a claim, which reads no registers, because the obligation replaced reads by variables.
pub(crate) fn evaluate(scope: &Program, expression: &Expression, mut values: &[u64]) -> u64 {
    ir::evaluate::evaluate(scope, expression, &mut values).value
}
