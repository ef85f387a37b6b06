//! `hash` and `random`.

use ir::{BinaryOperator as Operator, Checksum, ChecksumPart, Expression, SharedStatement, Statement, Type};
use num_bigint::BigInt;
use runtime::checksum::Algorithm;

use crate::lower::ExternCall;
use crate::lower::arguments::wire_scalars;
use crate::lower::constants::number;
use crate::lower::tree::{Tree, Value};

/// The width in which BMv2 computes all hashes.
const HASH_WIDTH: u16 = 64;

impl<'a> ExternCall<'_, 'a> {
    /// Writes `hash(result, algorithm, base, data, max)`, which is base + hash(data) mod max, computed in the widest of
    /// all types; with `max` 0, it is base.
    pub(super) fn hash_call(&mut self) {
        let target = self.argument_target(0);
        let Some(algorithm) = self.algorithm_argument(1) else { return };
        let [base, data, most] = self.argument_values([2, 3, 4]);
        let (base, most) = (self.scalar_given(2, base), self.scalar_given(4, most));
        let (Some(base), Some(most)) = (base, most) else { return };
        if target.as_ref().is_some_and(|own| own.l_value.scalar().is_none()) {
            return self.no_number(0);
        }
        let result = target
            .as_ref()
            .and_then(|own| own.l_value.scalar())
            .map(|leaf| self.lowering.output.leaf_type(leaf).width());
        let widths = [
            self.lowering.output.program.type_of(&base).width(),
            self.lowering.output.program.type_of(&most).width(),
            result.unwrap_or(0),
        ];
        let width = widths.into_iter().fold(u32::from(HASH_WIDTH), u32::max) as u16;
        let ty = Type::Bits(width);
        let base = self.lowering.output.cast(base, ty);
        let most = self.lowering.output.cast(most, ty);
        let hash = checksum(algorithm, &data, false, Type::Bits(HASH_WIDTH));
        let hash = self.lowering.output.cast(hash, ty);
        let zero = number(ty, &BigInt::ZERO);
        let rest = Expression::binary(Operator::Remainder, hash, most.clone());
        let sum = if base == zero { rest } else { Expression::binary(Operator::Add, base.clone(), rest) };
        let value = match &most {
            most if *most == zero => base,
            Expression::Constant(_) | Expression::Wide(..) => sum,
            _ => Expression::select(Expression::binary(Operator::Equal, most, zero), base, sum),
        };
        self.lowering.writer().give(target, Tree::Scalar(value));
    }

    /// Writes `random(result, low, high)`.
    pub(super) fn random_call(&mut self) {
        let target = self.argument_target(0);
        let [low, high] = self.argument_numbers([1, 2]);
        let (Some(low), Some(high)) = (low, high) else { return };
        let of = self.arguments.types.first().and_then(|&of| self.lowering.shapes().scalar_type(of));
        let ty = of.unwrap_or_else(|| self.lowering.output.program.type_of(&high));
        let (low, high) = (self.lowering.output.cast(low, ty), self.lowering.output.cast(high, ty));
        let raw = Type::Bits(ty.width() as u16);
        // With the sign bit flipped, signed numbers are ordered like unsigned ones.
        let sign = ty.is_signed().then(|| number(raw, &(BigInt::from(1) << (ty.width() - 1))));
        let turned = |value| match &sign {
            Some(sign) => Expression::binary(Operator::Xor, value, sign.clone()),
            None => value,
        };
        let (low, high) = (turned(self.lowering.output.cast(low, raw)), turned(self.lowering.output.cast(high, raw)));
        let variable = self.lowering.writer().temporary("$random", raw);
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Random { variable, low, high }));
        let drawn = self.lowering.output.cast(turned(Expression::Variable(variable)), ty);
        self.lowering.writer().give(target, Tree::Scalar(drawn));
    }
}

/// Returns a checksum or hash over the scalars of a value, in order.
pub(super) fn checksum(algorithm: Algorithm, data: &Value, with_payload: bool, result: Type) -> Expression {
    let mut scalars = Vec::new();
    wire_scalars(data, &mut scalars);
    let data = scalars.into_iter().map(|(value, length)| ChecksumPart { value, length }).collect();
    Expression::Checksum(Box::new(Checksum { algorithm, data, with_payload, result }))
}
