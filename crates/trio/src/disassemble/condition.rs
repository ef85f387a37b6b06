//! Combinations of conditions as expressions.

use ir::{BinaryOperator, Expression, Type};

use super::value::constant;
use super::{Damage, Reader, damage, not};
use crate::word::Combination;

impl Reader<'_> {
    /// Returns a combination of conditions as an expression that evaluates all of them.
    pub(super) fn combination(&self, combination: &Combination) -> Result<Expression, Damage> {
        let inputs = combination.inputs().iter().map(|&place| {
            let place = usize::from(place);
            match self.word.conditions.get(place) {
                Some(alu) if alu.operation.is_comparison() => self.alu(place),
                _ => damage("a combination of conditions takes something that is none"),
            }
        });
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let rows = 1_u32 << inputs.len();
        let table = u32::from(combination.table());
        let all = if rows == 16 { 0xffff } else { (1 << rows) - 1 };
        let row = |row: u32| inputs.iter().enumerate().map(move |(place, input)| literal(input, row >> place & 1 == 1));
        let is_single = |table: u32| table.count_ones() == 1;
        if inputs.is_empty() {
            return Ok(constant(Type::Bool, table.into()));
        }
        // One row is a conjunction, all rows but one a disjunction.
        if is_single(table) {
            return Ok(joined(BinaryOperator::And, row(table.trailing_zeros())));
        }
        if is_single(all & !table) {
            let missing = (all & !table).trailing_zeros();
            return Ok(joined(BinaryOperator::Or, row(!missing)));
        }
        let parts = (0..rows).filter(|at| table >> at & 1 == 1).map(|at| joined(BinaryOperator::And, row(at)));
        let mut parts = parts.peekable();
        if parts.peek().is_some() {
            return Ok(joined(BinaryOperator::Or, parts));
        }
        // Nothing holds, but all are evaluated.
        let nothing = joined(BinaryOperator::And, row(0));
        Ok(Expression::Binary(BinaryOperator::And, Box::new(nothing), Box::new(constant(Type::Bool, 0))))
    }
}

fn literal(condition: &Expression, holds: bool) -> Expression {
    let condition = condition.clone();
    if holds {
        return condition;
    }
    match condition {
        Expression::Binary(BinaryOperator::Equal, left, right) => {
            Expression::Binary(BinaryOperator::NotEqual, left, right)
        }
        Expression::Binary(BinaryOperator::NotEqual, left, right) => {
            Expression::Binary(BinaryOperator::Equal, left, right)
        }
        condition => not(condition),
    }
}

fn joined(operator: BinaryOperator, parts: impl Iterator<Item = Expression>) -> Expression {
    let joined = parts.reduce(|left, right| Expression::Binary(operator, Box::new(left), Box::new(right)));
    joined.expect("there is at least one part")
}
