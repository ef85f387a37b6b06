//! Math units: functions that a table of 16 numbers approximates.
//!
//! The operand is a number from 1 to less than 2 times a power of two (from a half to less than 2, and an even power, if the
//! exponent is halved). Eight times that number, without its fraction, is the entry of the table. The exponent is doubled, kept
//! or halved, negated on demand, and increased by the scale; the entry is shifted to the left by the result. So the public
//! compiler makes its tables (p4lang/p4c, `backends/tofino/bf-p4c/mau/stateful_alu.cpp`, `MathUnit.execute`).

use std::rc::Rc;

use ir::{Expression, Type};
use num_bigint::BigInt;

use super::no_implementation;
use crate::lower::arguments::Constructed;
use crate::lower::constants::number;
use crate::lower::frame::{Argument, Made};
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects};

/// A function that a math unit computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::lower) struct MathTable {
    inverts: bool,
    /// 1 doubles the exponent, 0 keeps it, and -1 halves it.
    shift: i32,
    scale: i32,
    /// The entries for the four bits 0 to 15.
    data: [u64; 16],
}

impl MathTable {
    /// Returns the value of the function.
    fn value(&self, operand: u64, width: u32) -> u64 {
        // Of 0, which has no exponent, the first entry is taken as it is.
        let mut exponent = 63_i32.saturating_sub(operand.leading_zeros() as i32).max(0);
        if self.shift < 0 && exponent % 2 != 0 {
            exponent += 1;
        }
        let entry = self.data[((u128::from(operand) << 3) >> exponent) as usize & 0xF];
        let exponent = match self.shift {
            ..0 => exponent / 2,
            0 => exponent,
            1.. => exponent * 2,
        };
        let exponent = if self.inverts { -exponent } else { exponent } + self.scale;
        let shifted = match exponent {
            0.. if exponent < 64 => u128::from(entry) << exponent,
            0.. => u128::from(entry != 0) << 127,
            _ => u128::from(entry) >> (-exponent).min(127),
        };
        // What exceeds the width saturates.
        shifted.min(u128::from(u64::MAX >> (64 - width.min(64)))) as u64
    }
}

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_math_unit(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let known = |this: &mut Self, place| this.constructed_number(constructed, place).unwrap_or(0);
        let table = match constructed.given {
            [_, _, _, Some(Argument::Value(Tree::Struct(entries)))] => {
                let inverts = known(self, 0) != 0;
                // `shift` has 2 and `scale` 6 bits with a sign.
                let signed = |value: u64, bits: u32| (value << (64 - bits)) as i64 >> (64 - bits);
                let (shift, scale) = (signed(known(self, 1), 2) as i32, signed(known(self, 2), 6) as i32);
                let mut data = [0; 16];
                for (place, (_, entry)) in entries.iter().enumerate().take(16) {
                    let known =
                        entry.scalar().and_then(|own| self.output.known_bits(own)).and_then(|bits| bits.to_u64());
                    // The entry of 15 is written first.
                    data[15 - place] = known.unwrap_or(0);
                }
                MathTable { inverts, shift, scale, data }
            }
            given => {
                let operation = known(self, 0);
                let name = self.declarations.member_named(self.shapes.types, "MathOp_t", operation);
                let divisor = if given.len() > 2 { known(self, 2).max(1) } else { 1 };
                approximated(name.as_deref().unwrap_or("MUL"), known(self, 1), divisor)
            }
        };
        Made::MathUnit(Rc::new(table))
    }
}

/// Returns the table that computes `factor / divisor` times an operation.
fn approximated(operation: &str, factor: u64, divisor: u64) -> MathTable {
    let factor = factor as f64 / divisor as f64;
    let (inverts, shift) = match operation {
        "SQR" => (false, 1),
        "SQRT" => (false, -1),
        "DIV" => (true, 0),
        "RSQR" => (true, 1),
        "RSQRT" => (true, -1),
        _ => (false, 0),
    };
    let function = |x: f64| match operation {
        "SQR" => x * x,
        "SQRT" => x.sqrt(),
        "DIV" => 1.0 / x,
        "RSQR" => 1.0 / (x * x),
        "RSQRT" => 1.0 / x.sqrt(),
        _ => x,
    };
    // The numbers whose function the entries are, of which the first or the last is the greatest.
    let least = if shift < 0 { 4 } else { 8 };
    let of = |entry: u32| factor * function(f64::from(entry) / 8.0);
    let greatest = if inverts { of(least) } else { of(15) };
    let (mut scale, mut unit) = (0, 1.0);
    while greatest / unit >= 256.0 && scale < 31 {
        (scale, unit) = (scale + 1, unit * 2.0);
    }
    while greatest / unit < 128.0 && scale > -32 && greatest > 0.0 {
        (scale, unit) = (scale - 1, unit / 2.0);
    }
    let mut data = [0; 16];
    for entry in least..16 {
        data[entry as usize] = (of(entry) / unit).round_ties_even().clamp(0.0, 255.0) as u64;
    }
    MathTable { inverts, shift, scale, data }
}

impl<'a> ExternCall<'_, 'a> {
    /// Writes `execute(x)` as a choice by the position of the first significant bit, and then by the four bits from there.
    pub(super) fn math_unit_method(&mut self, table: &MathTable) -> Value {
        if &*self.arguments.callable.name != "execute" {
            no_implementation(&mut self.lowering.found, self.arguments.span, "MathUnit");
            return Tree::Nothing;
        }
        let [operand] = self.argument_scalars([0]);
        let ty = self.lowering.output.program.type_of(&operand);
        let width = ty.width().min(64);
        let operand = self.lowering.output.cast(operand, Type::Bits(width as u16));
        let operand = self.lowering.writer().held(operand);
        Tree::Scalar(self.lowering.output.cast(chosen(table, &operand, width), ty))
    }
}

/// Returns the value of a function as a tree of comparisons between the numbers at which it changes.
fn chosen(table: &MathTable, operand: &Expression, width: u32) -> Expression {
    let raw = Type::Bits(width as u16);
    let most = u64::MAX >> (64 - width);
    // The least number of each range in which the value is the same, with the value.
    let mut steps: Vec<(u64, u64)> = Vec::new();
    let mut consider = |from: u64| {
        let value = table.value(from, width);
        if steps.last().is_none_or(|&(_, last)| last != value) {
            steps.push((from, value));
        }
    };
    let small = most.min(15);
    (0..=small).for_each(&mut consider);
    for exponent in 1..=width.saturating_sub(4) {
        (8..16u64).map(|bits| bits << exponent).filter(|&from| from <= most).for_each(&mut consider);
    }
    tree(&steps, operand, raw)
}

fn tree(steps: &[(u64, u64)], operand: &Expression, raw: Type) -> Expression {
    let constant = |value: u64| number(raw, &BigInt::from(value));
    match steps {
        [] => constant(0),
        [(_, value)] => constant(*value),
        _ => {
            let (low, high) = steps.split_at(steps.len() / 2);
            let below = Expression::binary(ir::BinaryOperator::Less, operand.clone(), constant(high[0].0));
            Expression::select(below, tree(low, operand, raw), tree(high, operand, raw))
        }
    }
}
