//! What is claimed of a mapping: a formula over bit-vectors that stands on its own.

use std::fmt;

use ir::{BinaryOperator, Expression, Program, Type, UnaryOperator, VariableId};

/// For all values of the free variables under which the assumptions hold, each pair is equal.
///
/// It is closed: its variables are its own, so that it can be evaluated, proved, printed and proved again by
/// others without the program that it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Variables only, free and defined ones.
    pub(super) scope: Program,
    /// Quantified over: old values of registers, operands, and whatever else the codelet mentions.
    pub(super) free: Vec<VariableId>,
    /// One operation each, in an order in which every one uses only earlier ones and free variables.
    pub(super) definitions: Vec<(VariableId, Expression)>,
    /// Bools that hold.
    pub(super) assumptions: Vec<Expression>,
    /// Defined variables whose operation does not overflow their type.
    pub(super) exact: Vec<VariableId>,
    /// What the codelet computes, and what the atom does.
    pub(super) equalities: Vec<(Expression, Expression)>,
}

/// Values for which two things differ that were hoped to be equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The free variables with their values.
    pub inputs: Vec<(String, i64)>,
    /// For each register in the order of [`super::Mapping::updates`], what the program and what the atom makes of it.
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
    /// The width-extended form of an operation that must not overflow, if it is one.
    ///
    /// The left and right operands as numbers, and how they combine.
    pub(super) fn exact_parts(expression: &Expression) -> Option<(BinaryOperator, Expression, Expression)> {
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

    /// Room for the values of all variables.
    pub(super) fn blank(&self) -> Vec<u64> {
        vec![0; self.scope.variables.len()]
    }

    /// Computes the defined variables from the free ones.
    pub(super) fn define(&self, values: &mut [u64]) {
        for (variable, expression) in &self.definitions {
            values[variable.index()] = evaluate(&self.scope, expression, values);
        }
    }

    /// Whether the assumptions hold; the defined variables have their values.
    pub(super) fn assumed(&self, values: &[u64]) -> bool {
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

    /// Values under which the assumptions hold and a pair differs, or `None` if these are no such values.
    pub(super) fn refuted_by(&self, values: &mut [u64]) -> Option<Counterexample> {
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

/// The value of an expression of a claim. It reads no register: the obligation replaced reads by variables.
pub(super) fn evaluate(scope: &Program, expression: &Expression, mut values: &[u64]) -> u64 {
    ir::evaluate::evaluate(scope, expression, &mut values).value
}
