//! Transactions, and what they carry.

use std::convert::Infallible;

use ir::threads::Transaction;
use ir::{BinaryOperator, Expression, Type, UnaryOperator};

use super::Mapper;
use super::operand::{Core, placed};
use super::value::Bits;
use crate::word::{Carried, CarriedValue, Field, Input};

impl Mapper<'_> {
    /// Maps a transaction. The bytes of local memory that it carries are not read by the instruction: an address goes along.
    pub(super) fn request(&mut self, transaction: &Transaction) -> Transaction<Carried> {
        let carried = transaction.replaced(|operand| Ok::<_, Infallible>(self.carried(operand)));
        carried.unwrap_or_else(|never| match never {})
    }

    /// Maps what a transaction carries, or a jump: a constant, which is a part of it, an operand, conditions, or one operation of
    /// a condition ALU for each 32 bits.
    pub(super) fn carried(&mut self, value: &Expression) -> Carried {
        let bits = self.width(value);
        let (core, field) = placed(self.program, value);
        let (value, upper) = match core {
            Core::Constant(value) => (CarriedValue::Constant(field.of(value)), None),
            Core::Register(_) => (CarriedValue::Input(self.operand(core, field)), None),
            Core::Memory(memory) => {
                let first = memory.offset % 8 + u32::from(memory.width) - u32::from(field.offset + field.width);
                // A field that begins within a byte may lie in two accesses.
                match first % 8 + u32::from(field.width) > 64 {
                    false => (CarriedValue::Input(self.operand(core, field)), None),
                    true => self.halves(value),
                }
            }
            Core::Computed(computed) if self.program.type_of(computed) == Type::Bool => {
                let condition = self.combination(computed);
                match field == Field::whole(1) {
                    // It is 0 or 1, in however many bits.
                    true => (CarriedValue::Condition(condition), None),
                    false => {
                        self.refuse_depth();
                        (CarriedValue::Constant(0), None)
                    }
                }
            }
            Core::Computed(computed) => match is_logic(computed) && self.width(computed) > 32 {
                true => self.halves(value),
                false => (CarriedValue::Input(self.computed(computed, field)), None),
            },
        };
        Carried { bits: bits as u8, value, upper }
    }

    /// Maps the lower and the upper 32 bits on their own.
    fn halves(&mut self, value: &Expression) -> (CarriedValue, Option<Input>) {
        let mut none = None;
        let lower = self.input(Bits::of(value, 0, 32), &mut none);
        let width = self.width(value);
        let upper = (width > 32).then(|| {
            let upper = self.input(Bits::of(value, 32, width - 32), &mut none);
            Input { field: upper.field.shifted(32, 64), ..upper }
        });
        (CarriedValue::Input(lower), upper)
    }
}

/// Returns whether an operation works on each bit alone.
fn is_logic(value: &Expression) -> bool {
    matches!(
        value,
        Expression::Binary(BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor, ..)
            | Expression::Unary(UnaryOperator::Complement, _)
    )
}
