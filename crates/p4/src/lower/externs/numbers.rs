//! Functions of numbers, and the sizes of headers.

use ir::{BinaryOperator as Operator, Expression, Type};
use num_bigint::BigInt;

use crate::lower::ExternCall;
use crate::lower::arguments::wire_scalars;
use crate::lower::constants::number;
use crate::lower::tree::{Tree, Value};

/// The greatest number of bits of a value.
const MOST_BITS: u32 = u16::MAX as u32;

impl<'a> ExternCall<'_, 'a> {
    /// Writes `min(one, other)` or `max(one, other)`.
    pub(super) fn extreme(&mut self, operator: Operator) -> Value {
        let [one, other] = self.argument_scalars([0, 1]);
        let one = self.lowering.writer().held(one);
        let other = self.lowering.output.cast(other, self.lowering.output.program.type_of(&one));
        let other = self.lowering.writer().held(other);
        Tree::Scalar(Expression::select(Expression::binary(operator, one.clone(), other.clone()), one, other))
    }

    /// Writes `funnel_shift_right(result, high, low, distance)`: the lowest bits of the concatenation, shifted.
    pub(super) fn funnel_shift_right(&mut self) {
        let target = self.argument_target(0);
        let Some(by) = self.known_argument(3) else { return };
        let [high, low] = self.argument_scalars([1, 2]);
        let ty = self.lowering.output.program.type_of(&low);
        let width = ty.width();
        let by = by as u32;
        if 2 * width > MOST_BITS || by > width {
            return self.lowering.found.unsupported(self.arguments.span, format!("to shift {width} bits by {by}"));
        }
        let raw = Type::Bits(width as u16);
        let [high, low] = [high, low].map(|value| self.lowering.output.cast(value, raw));
        let both = Box::new(Expression::Concatenate(Box::new(high), Box::new(low)));
        let shifted = Expression::Slice { value: both, high: (by + width - 1) as u16, low: by as u16 };
        let shifted = self.lowering.output.cast(shifted, ty);
        self.lowering.writer().give(target, Tree::Scalar(shifted));
    }

    /// Writes `sizeInBytes(header)` or `sizeInBits(header)`, which is known when the program is compiled.
    pub(super) fn size_of_argument(&mut self, unit: u32) -> Value {
        let Some(&of) = self.arguments.types.first() else { return Tree::Nothing };
        let shape = self.lowering.shapes().default_value(of);
        let mut scalars = Vec::new();
        wire_scalars(&shape, &mut scalars);
        let bits: u32 = scalars.iter().map(|(value, _)| self.lowering.output.program.type_of(value).width()).sum();
        Tree::Scalar(number(Type::Bits(32), &BigInt::from(bits.div_ceil(unit))))
    }
}
