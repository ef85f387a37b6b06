//! `hash` and `random`: numbers between two.

use ir::{BinaryOperator as Operator, Checksum, ChecksumPart, Expression, SharedStatement, Statement, Type};
use num_bigint::BigInt;
use runtime::checksum::Algorithm;

use crate::lower::Lowering;
use crate::lower::arguments::{Arguments, wire_scalars};
use crate::lower::constants::number;
use crate::lower::tree::{Tree, Value};

/// BMv2 computes all hashes in so many bits.
const HASH_WIDTH: u16 = 64;

impl<'a> Lowering<'a> {
    /// `hash(result, algorithm, base, data, max)`: base + hash(data) mod max, computed in the widest of all types; with
    /// `max` 0, just base.
    pub(super) fn hash_call(&mut self, arguments: &Arguments<'a>) {
        let place = self.argument_place(arguments, 0);
        let Some(algorithm) = self.algorithm_argument(arguments, 1) else { return };
        let [base, data, most] = self.argument_values(arguments, [2, 3, 4]);
        let (base, most) = (self.scalar_given(arguments, 2, base), self.scalar_given(arguments, 4, most));
        let (Some(base), Some(most)) = (base, most) else { return };
        if place.as_ref().is_some_and(|own| own.place.scalar().is_none()) {
            return self.no_number(arguments, 0);
        }
        let result = place.as_ref().and_then(|own| own.place.scalar()).map(|leaf| self.leaf_type(leaf).width());
        let widths = [self.program.type_of(&base).width(), self.program.type_of(&most).width(), result.unwrap_or(0)];
        let width = widths.into_iter().fold(u32::from(HASH_WIDTH), u32::max) as u16;
        let ty = Type::Bits(width);
        let base = self.cast(base, ty);
        let most = self.cast(most, ty);
        let hash = checksum(algorithm, &data, false, Type::Bits(HASH_WIDTH));
        let hash = self.cast(hash, ty);
        let zero = number(ty, &BigInt::ZERO);
        let rest = Expression::binary(Operator::Remainder, hash, most.clone());
        let sum = if base == zero { rest } else { Expression::binary(Operator::Add, base.clone(), rest) };
        let value = match &most {
            most if *most == zero => base,
            Expression::Constant(_) | Expression::Wide(..) => sum,
            _ => Expression::select(Expression::binary(Operator::Equal, most, zero), base, sum),
        };
        self.give(place, Tree::Scalar(value));
    }

    /// `random(result, low, high)`.
    pub(super) fn random_call(&mut self, arguments: &Arguments<'a>) {
        let place = self.argument_place(arguments, 0);
        let [low, high] = self.argument_numbers(arguments, [1, 2]);
        let (Some(low), Some(high)) = (low, high) else { return };
        let of = arguments.types.first().and_then(|&of| self.scalar_type(of));
        let ty = of.unwrap_or_else(|| self.program.type_of(&high));
        let (low, high) = (self.cast(low, ty), self.cast(high, ty));
        let raw = Type::Bits(ty.width() as u16);
        // With the sign turned round, numbers with a sign are ordered as those without one.
        let sign = ty.is_signed().then(|| number(raw, &(BigInt::from(1) << (ty.width() - 1))));
        let turned = |value| match &sign {
            Some(sign) => Expression::binary(Operator::Xor, value, sign.clone()),
            None => value,
        };
        let (low, high) = (turned(self.cast(low, raw)), turned(self.cast(high, raw)));
        let variable = self.temporary("$random", raw);
        self.emit(Statement::Shared(SharedStatement::Random { variable, low, high }));
        let drawn = self.cast(turned(Expression::Variable(variable)), ty);
        self.give(place, Tree::Scalar(drawn));
    }
}

/// A checksum or hash of a value, one scalar behind the other.
pub(super) fn checksum(algorithm: Algorithm, data: &Value, with_payload: bool, result: Type) -> Expression {
    let mut scalars = Vec::new();
    wire_scalars(data, &mut scalars);
    let data = scalars.into_iter().map(|(value, length)| ChecksumPart { value, length }).collect();
    Expression::Checksum(Box::new(Checksum { algorithm, data, with_payload, result }))
}
