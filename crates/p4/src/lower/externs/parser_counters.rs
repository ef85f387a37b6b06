//! The counter of a parser: a number that travels with the packet.

use ir::{BinaryOperator as Operator, Expression, Statement, Type, VariableId};
use num_bigint::BigInt;

use super::no_implementation;
use crate::lower::constants::number;
use crate::lower::frame::Made;
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects};

/// The type of the counter, a signed number of eight bits.
const COUNTER: Type = Type::Int(8);
const BYTE: Type = Type::Bits(8);

impl Objects<'_, '_> {
    pub(super) fn make_parser_counter(&mut self, name: &str) -> Made {
        Made::ParserCounter(self.output.variable(&format!("{name}.$counter"), COUNTER))
    }
}

impl<'a> ExternCall<'_, 'a> {
    pub(super) fn parser_counter_method(&mut self, counter: VariableId) -> Value {
        let own = Expression::Variable(counter);
        match &*self.arguments.callable.name {
            "set" => self.set_counter(counter),
            "is_zero" => return Tree::Scalar(Expression::binary(Operator::Equal, own, Expression::number(COUNTER, 0))),
            "is_negative" => {
                return Tree::Scalar(Expression::binary(Operator::Less, own, Expression::number(COUNTER, 0)));
            }
            name @ ("increment" | "decrement") => {
                let operator = if name == "increment" { Operator::Add } else { Operator::Subtract };
                let [by] = self.argument_scalars([0]);
                let by = self.lowering.output.cast(self.lowering.output.cast(by, BYTE), COUNTER);
                let value = Expression::binary(operator, own, by);
                self.lowering.writer().emit(Statement::Assign { variable: counter, value });
            }
            other => {
                no_implementation(&mut self.lowering.found, self.arguments.span, &format!("ParserCounter.{other}"))
            }
        }
        Tree::Nothing
    }

    /// Writes `set(value)`, or `set(field, max, rotate, mask, add)`: the field is rotated to the right within eight bits,
    /// masked to its `mask + 1` lowest bits, and added to. What exceeds `max` stays at `max`.
    fn set_counter(&mut self, counter: VariableId) {
        let [value] = self.argument_scalars([0]);
        let value = self.lowering.output.cast(value, BYTE);
        if self.arguments.callable.parameters.len() == 1 {
            let value = self.lowering.output.cast(value, COUNTER);
            return self.lowering.writer().emit(Statement::Assign { variable: counter, value });
        }
        let [most, rotate, mask, add] = [1, 2, 3, 4].map(|place| self.known_argument(place).unwrap_or(0));
        let value = self.lowering.writer().held(value);
        let by = rotate % 8;
        let shifted = |operator, by: u64| Expression::binary(operator, value.clone(), byte(by));
        let rotated = match by {
            0 => value.clone(),
            by => Expression::binary(
                Operator::Or,
                shifted(Operator::ShiftRight, by),
                shifted(Operator::ShiftLeft, 8 - by),
            ),
        };
        let masked = Expression::binary(Operator::And, rotated, byte((1 << (mask + 1).min(8)) - 1));
        let sum = Expression::binary(Operator::Add, masked, byte(add & 0xFF));
        let sum = self.lowering.writer().held(sum);
        let exceeds = Expression::binary(Operator::Greater, sum.clone(), byte(most & 0xFF));
        let value = Expression::select(exceeds, byte(most & 0xFF), sum);
        let value = self.lowering.output.cast(value, COUNTER);
        self.lowering.writer().emit(Statement::Assign { variable: counter, value });
    }
}

fn byte(value: u64) -> Expression {
    number(BYTE, &BigInt::from(value))
}
