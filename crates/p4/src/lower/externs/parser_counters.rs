//! The counter of a parser: a number that travels with the packet, on some chips with a stack below it.

use std::rc::Rc;

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

/// The number of values that the stack of a counter holds below the counter itself, on chips that have one.
const DEPTH: usize = 3;

/// The counter of a parser.
#[derive(Clone, Debug)]
pub(in crate::lower) struct ParserCounter {
    counter: VariableId,
    /// The values that were pushed down, the latest first; none if the counter has no stack.
    stack: Rc<[Pushed]>,
}

#[derive(Clone, Copy, Debug)]
struct Pushed {
    value: VariableId,
    /// Whether what is added to the counter is added to this value, too.
    moves_with_counter: VariableId,
}

impl Objects<'_, '_> {
    pub(super) fn make_parser_counter(&mut self, name: &str, has_stack: bool) -> Made {
        let depth = if has_stack { DEPTH } else { 0 };
        let stack = (0..depth).map(|place| Pushed {
            value: self.output.variable(&format!("{name}.$pushed{place}"), COUNTER),
            moves_with_counter: self.output.variable(&format!("{name}.$moves{place}"), Type::Bool),
        });
        let stack = stack.collect();
        Made::ParserCounter(ParserCounter {
            counter: self.output.variable(&format!("{name}.$counter"), COUNTER),
            stack,
        })
    }
}

impl<'a> ExternCall<'_, 'a> {
    pub(super) fn parser_counter_method(&mut self, own: &ParserCounter) -> Value {
        let value = Expression::Variable(own.counter);
        let zero = Expression::number(COUNTER, 0);
        match &*self.arguments.callable.name {
            "set" => {
                let value = self.counter_value(5);
                self.assign_number(own.counter, value);
            }
            "push" => self.push_counter(own),
            "pop" => pop_counter(own).into_iter().for_each(|(to, from)| self.assign_number(to, from)),
            "is_zero" => return Tree::Scalar(Expression::binary(Operator::Equal, value, zero)),
            "is_negative" => return Tree::Scalar(Expression::binary(Operator::Less, value, zero)),
            name @ ("increment" | "decrement") => {
                let operator = if name == "increment" { Operator::Add } else { Operator::Subtract };
                let [by] = self.argument_scalars([0]);
                let by = self.lowering.output.cast(self.lowering.output.cast(by, BYTE), COUNTER);
                let by = self.lowering.writer().held(by);
                let moved = |value: VariableId| Expression::binary(operator, Expression::Variable(value), by.clone());
                self.assign_number(own.counter, moved(own.counter));
                for pushed in own.stack.iter() {
                    let moves = Expression::Variable(pushed.moves_with_counter);
                    let value = Expression::select(moves, moved(pushed.value), Expression::Variable(pushed.value));
                    self.assign_number(pushed.value, value);
                }
            }
            other => {
                no_implementation(&mut self.lowering.found, self.arguments.span, &format!("ParserCounter.{other}"))
            }
        }
        Tree::Nothing
    }

    /// Writes `push(value)` or `push(field, max, rotate, mask, add)`, with or without a flag at the end: the counter gets
    /// the value, and what it had before waits below it.
    fn push_counter(&mut self, own: &ParserCounter) {
        let is_long = self.arguments.callable.parameters.len() > 2;
        let value = self.counter_value(if is_long { 5 } else { usize::MAX });
        let value = self.lowering.writer().held(value);
        let flag = if is_long { 5 } else { 1 };
        let moves = self.arguments.node(flag).is_some() && self.known_argument(flag) == Some(1);
        let stack: Vec<Pushed> = own.stack.to_vec();
        for pair in stack.windows(2).rev() {
            self.assign_number(pair[1].value, Expression::Variable(pair[0].value));
            self.assign_number(pair[1].moves_with_counter, Expression::Variable(pair[0].moves_with_counter));
        }
        if let Some(first) = stack.first() {
            self.assign_number(first.value, Expression::Variable(own.counter));
            self.assign_number(first.moves_with_counter, Expression::bool(moves));
        }
        self.assign_number(own.counter, value);
    }

    fn assign_number(&mut self, variable: VariableId, value: Expression) {
        self.lowering.writer().emit(Statement::Assign { variable, value });
    }

    /// Returns the value of `(value)`, or of `(field, max, rotate, mask, add)`: the field is rotated to the right within
    /// eight bits, masked to its `mask + 1` lowest bits, and added to. What exceeds `max` stays at `max`. The latter form has
    /// `long` parameters at least.
    fn counter_value(&mut self, long: usize) -> Expression {
        let [value] = self.argument_scalars([0]);
        let value = self.lowering.output.cast(value, BYTE);
        if self.arguments.callable.parameters.len() < long {
            return self.lowering.output.cast(value, COUNTER);
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
        self.lowering.output.cast(value, COUNTER)
    }
}

/// Returns what each variable of a counter gets when the last value that was pushed down comes back.
fn pop_counter(own: &ParserCounter) -> Vec<(VariableId, Expression)> {
    let mut moves = Vec::new();
    let mut to = own.counter;
    for pushed in own.stack.iter() {
        moves.push((to, Expression::Variable(pushed.value)));
        to = pushed.value;
    }
    let flags: Vec<VariableId> = own.stack.iter().map(|pushed| pushed.moves_with_counter).collect();
    moves.extend(flags.windows(2).map(|pair| (pair[0], Expression::Variable(pair[1]))));
    moves.extend(flags.last().map(|&last| (last, Expression::bool(false))));
    moves
}

fn byte(value: u64) -> Expression {
    number(BYTE, &BigInt::from(value))
}
