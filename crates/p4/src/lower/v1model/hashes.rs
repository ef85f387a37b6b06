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
        let (Tree::Scalar(base), Tree::Scalar(most)) = (base, most) else { return };
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
        let [low, high] = self.argument_scalars(arguments, [1, 2]);
        let of = arguments.types.first().and_then(|&of| self.scalar_type(of));
        let ty = of.unwrap_or_else(|| self.program.type_of(&high));
        let (low, high) = (self.cast(low, ty), self.cast(high, ty));
        let variable = self.temporary("$random", ty);
        self.emit(Statement::Shared(SharedStatement::Random { variable, low, high }));
        self.give(place, Tree::Scalar(Expression::Variable(variable)));
    }
}

/// A checksum or hash of a value, one scalar behind the other.
pub(super) fn checksum(algorithm: Algorithm, data: &Value, with_payload: bool, result: Type) -> Expression {
    let mut scalars = Vec::new();
    wire_scalars(data, &mut scalars);
    let data = scalars.into_iter().map(|(value, length)| ChecksumPart { value, length }).collect();
    Expression::Checksum(Box::new(Checksum { algorithm, data, with_payload, result }))
}
