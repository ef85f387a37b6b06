//! Hash functions, polynomials and sources of random numbers that are objects.

use std::rc::Rc;

use ir::{BinaryOperator as Operator, Expression, SharedStatement, Statement, Type};
use num_bigint::BigInt;
use runtime::checksum::{Algorithm, CyclicCode, CyclicParameters};

use super::hashes::checksum;
use super::no_implementation;
use crate::lower::arguments::Constructed;
use crate::lower::constants::number;
use crate::lower::frame::{Argument, Made};
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects};

/// The enumeration that names the algorithms of `Hash`.
const ALGORITHMS: &str = "HashAlgorithm_t";

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_hash(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let Some(place) = self.constructed_number(constructed, 0) else { return Made::Nothing };
        let Some(name) = self.declarations.member_named(self.shapes.types, ALGORITHMS, place) else {
            return Made::Nothing;
        };
        let polynomial = match constructed.given.get(1) {
            Some(Some(Argument::Instance(instance))) => match instance.made {
                Made::Polynomial(parameters) => Some(parameters),
                _ => None,
            },
            _ => None,
        };
        let cyclic = |parameters| Algorithm::Cyclic(CyclicCode::new(parameters));
        let algorithm = match (&*name, polynomial) {
            ("CUSTOM", Some(parameters)) => cyclic(parameters),
            ("CUSTOM", None) => {
                self.shapes
                    .found
                    .error(constructed.span, "a CUSTOM hash needs a polynomial: `Hash(algorithm, polynomial)`");
                return Made::Nothing;
            }
            ("IDENTITY", _) => Algorithm::Identity,
            ("RANDOM", _) => Algorithm::Random,
            ("XOR8", _) => Algorithm::Xor8,
            ("XOR16", _) => Algorithm::Xor16,
            ("XOR32", _) => Algorithm::Xor32,
            ("CRC8", _) => cyclic(CyclicParameters::CRC8),
            ("CRC16", _) => Algorithm::Crc16,
            ("CRC32", _) => Algorithm::Crc32,
            ("CRC64", _) => cyclic(CyclicParameters::CRC64),
            (other, _) => {
                self.shapes.found.unsupported(constructed.span, format!("the hash algorithm `{other}`"));
                return Made::Nothing;
            }
        };
        Made::Hash(Rc::new(algorithm))
    }

    /// Makes `CRCPolynomial(coefficients, reversed, msb, extended, initial value, final exclusive or)`.
    pub(super) fn make_polynomial(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let of = constructed.types.first().and_then(|&of| self.shapes.scalar_type(of));
        let width = of.map_or(32, Type::width);
        if !(8..=64).contains(&width) {
            let message = format!("a polynomial of {width} bits; it has 8 to 64");
            self.shapes.found.unsupported(constructed.span, message);
            return Made::Nothing;
        }
        let mut value = |place| self.constructed_number(constructed, place).unwrap_or(0);
        let (polynomial, reversed, initial, final_xor) = (value(0), value(1) != 0, value(4), value(5));
        Made::Polynomial(CyclicParameters {
            width,
            polynomial,
            initial,
            final_xor,
            reflected_input: reversed,
            reflected_output: reversed,
        })
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Writes `get(data)`, or `get(data, base, max)`, of a hash object.
    pub(super) fn hash_object_method(&mut self, algorithm: &Algorithm) -> Value {
        let Some(result) = self.scalar_result() else { return Tree::Nothing };
        let data = self.argument_value(0);
        let hash = checksum(algorithm.clone(), &data, false, Type::Bits(64));
        let hash = self.lowering.output.cast(hash, result);
        let [base, most] = [1, 2].map(|place| self.arguments.node(place).map(|node| self.lowering.scalar(node)));
        let (Some(base), Some(most)) = (base, most) else { return Tree::Scalar(hash) };
        let [base, most] = [base, most].map(|value| self.lowering.output.cast(value, result));
        let rest = Expression::binary(Operator::Remainder, hash, most);
        Tree::Scalar(Expression::binary(Operator::Add, base, rest))
    }

    /// Writes `get()` of a source of random numbers.
    pub(super) fn random_object_method(&mut self) -> Value {
        let Some(result) = self.scalar_result() else { return Tree::Nothing };
        let raw = Type::Bits(result.width() as u16);
        let variable = self.lowering.writer().temporary("$random", raw);
        let (low, high) = (number(raw, &BigInt::ZERO), number(raw, &BigInt::from(-1)));
        self.lowering.writer().emit(Statement::Shared(SharedStatement::Random { variable, low, high }));
        Tree::Scalar(self.lowering.output.cast(Expression::Variable(variable), result))
    }

    /// Returns the type of the result of the call, which is that of the receiver's type argument.
    pub(super) fn scalar_result(&mut self) -> Option<Type> {
        let of = self.arguments.result;
        let ty = self.lowering.shapes().scalar_type(of);
        if ty.is_none() {
            let name = self.arguments.callable.name.to_string();
            no_implementation(&mut self.lowering.found, self.arguments.span, &name);
        }
        ty
    }
}
