//! Hash functions, polynomials and sources of random numbers that are objects.

use std::rc::Rc;

use ir::{BinaryOperator as Operator, Expression, SharedStatement, Statement, Type};
use num_bigint::BigInt;
use runtime::checksum::{Algorithm, CyclicCode, CyclicParameters};

use super::hashes::checksum;
use super::no_implementation;
use crate::ast::ExpressionKind;
use crate::lower::arguments::Constructed;
use crate::lower::constants::number;
use crate::lower::frame::{Argument, Made};
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Objects};

/// The enumeration that names the algorithms of `Hash`.
const ALGORITHMS: &str = "HashAlgorithm_t";

/// The annotation of a hash function whose result stays when two fields change places.
const SYMMETRIC: &str = "symmetric";

/// The function that stands for `RANDOM`. The chip's compiler draws a matrix at random once (p4lang/p4c,
/// `backends/tofino/bf-utils/dynamic_hash`), so that equal fields have equal hashes; which ones is open.
const SCATTERED: CyclicParameters = CyclicParameters {
    width: 64,
    polynomial: 0xAD93_D235_94C9_35A9,
    initial: u64::MAX,
    final_xor: 0,
    reflected_input: false,
    reflected_output: false,
};

/// A hash function.
#[derive(Clone, Debug)]
pub(in crate::lower) struct HashFunction {
    pub(in crate::lower) algorithm: Algorithm,
    /// The pairs of fields that may change places, as the program writes them.
    symmetric: Vec<[String; 2]>,
    /// The number of bits after which the hash is repeated where more are asked for; without it, zeros stand in front.
    repeated_after: Option<u32>,
}

impl<'a> Objects<'_, 'a> {
    pub(super) fn make_hash(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let Some(place) = self.constructed_number(constructed, 0) else { return Made::Nothing };
        let Some(name) = self.declarations.member_named(self.shapes.types, ALGORITHMS, place) else {
            return Made::Nothing;
        };
        let polynomial = match constructed.given.get(1) {
            Some(Some(Argument::Instance(instance))) => match instance.made {
                Made::Polynomial { code, is_extended } => Some((code, is_extended)),
                _ => None,
            },
            _ => None,
        };
        let cyclic = |parameters| Algorithm::Cyclic(CyclicCode::new(parameters));
        let algorithm = match (&*name, polynomial) {
            ("CUSTOM", Some((code, _))) => cyclic(code),
            ("CUSTOM", None) => {
                self.shapes
                    .found
                    .error(constructed.span, "a CUSTOM hash needs a polynomial: `Hash(algorithm, polynomial)`");
                return Made::Nothing;
            }
            ("IDENTITY", _) => Algorithm::Identity,
            ("RANDOM", _) => cyclic(SCATTERED),
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
        let symmetric = constructed.annotations.iter().filter(|own| &*own.name.text == SYMMETRIC);
        let symmetric = symmetric.filter_map(|own| match own.texts().as_slice() {
            [one, other] => Some([one.to_string(), other.to_string()]),
            _ => {
                let message = format!("`@{SYMMETRIC}` takes the names of two fields: `@{SYMMETRIC}(\"a\", \"b\")`");
                self.shapes.found.error(own.span, message);
                None
            }
        });
        let symmetric = symmetric.collect();
        let repeated_after = match (&*name, polynomial) {
            ("CUSTOM", Some((code, true))) => Some(code.width),
            _ => None,
        };
        Made::Hash(Rc::new(HashFunction { algorithm, symmetric, repeated_after }))
    }

    /// Makes `CRCPolynomial(coefficients, reversed, msb, extended, initial value, final exclusive or)`. `msb` changes
    /// nothing, as in the public compiler, which keeps it without looking at it (p4lang/p4c,
    /// `backends/tofino/bf-utils/dynamic_hash`).
    pub(super) fn make_polynomial(&mut self, constructed: &Constructed<'_, 'a>) -> Made {
        let of = constructed.types.first().and_then(|&of| self.shapes.scalar_type(of));
        let width = of.map_or(32, Type::width);
        if !(8..=64).contains(&width) {
            let message = format!("a polynomial of {width} bits; it has 8 to 64");
            self.shapes.found.unsupported(constructed.span, message);
            return Made::Nothing;
        }
        let mut value = |place| self.constructed_number(constructed, place).unwrap_or(0);
        let (polynomial, reversed, is_extended) = (value(0), value(1) != 0, value(3) != 0);
        let (initial, final_xor) = (value(4), value(5));
        let code = CyclicParameters {
            width,
            polynomial,
            initial,
            final_xor,
            reflected_input: reversed,
            reflected_output: reversed,
        };
        Made::Polynomial { code, is_extended }
    }
}

impl<'a> ExternCall<'_, 'a> {
    /// Writes `get(data)`, or `get(data, base, max)`, of a hash object.
    pub(super) fn hash_object_method(&mut self, function: &HashFunction) -> Value {
        let Some(result) = self.scalar_result() else { return Tree::Nothing };
        let mut data = self.argument_value(0);
        function.symmetric.iter().for_each(|pair| self.order_pair(pair, &mut data));
        let hash = checksum(function.algorithm.clone(), &data, false, Type::Bits(64));
        let hash = self.lowering.output.cast(hash, result);
        let hash = match function.repeated_after {
            Some(width) if width < result.width() => self.repeated(hash, width, result),
            _ => hash,
        };
        let [base, most] = [1, 2].map(|place| self.arguments.node(place).map(|node| self.lowering.scalar(node)));
        let (Some(base), Some(most)) = (base, most) else { return Tree::Scalar(hash) };
        let [base, most] = [base, most].map(|value| self.lowering.output.cast(value, result));
        let rest = Expression::binary(Operator::Remainder, hash, most);
        Tree::Scalar(Expression::binary(Operator::Add, base, rest))
    }

    /// Repeats a hash in front of itself until a type is full.
    fn repeated(&mut self, hash: Expression, width: u32, ty: Type) -> Expression {
        let hash = self.lowering.writer().held(hash);
        let places = (1..).map(|round| round * width).take_while(|place| *place < ty.width());
        let distance = Type::Bits(16);
        let copies = places.map(|place| {
            let by = number(distance, &BigInt::from(place));
            Expression::binary(Operator::ShiftLeft, hash.clone(), by)
        });
        let copies: Vec<Expression> = copies.collect();
        copies.into_iter().fold(hash, |whole, copy| Expression::binary(Operator::Or, whole, copy))
    }

    /// Puts the lesser of two fields of a list first, so that their places do not matter.
    fn order_pair(&mut self, pair: &[String; 2], data: &mut Value) {
        let Some(ExpressionKind::List(nodes)) = self.arguments.node(0).map(|node| &node.kind) else { return };
        let Tree::Struct(parts) = data else { return };
        let (types, declared) = (&self.lowering.types, &self.lowering.declarations);
        let names: Vec<String> =
            nodes.iter().map(|node| declared.key_name(types, &self.lowering.nodes, node)).collect();
        let [Some(one), Some(other)] = pair.each_ref().map(|name| names.iter().position(|own| own == name)) else {
            let message =
                format!("`@{SYMMETRIC}` names `{}` and `{}`, which are not both hashed here", pair[0], pair[1]);
            return self.lowering.found.error(self.arguments.span, message);
        };
        let [Tree::Scalar(first), Tree::Scalar(second)] = [&parts[one].1, &parts[other].1] else { return };
        let [first, second] = [first.clone(), second.clone()];
        let type_of = |value| self.lowering.output.program.type_of(value);
        if type_of(&first) != type_of(&second) {
            let message = format!("`{}` and `{}` are symmetric, but have different types", pair[0], pair[1]);
            return self.lowering.found.error(self.arguments.span, message);
        }
        let is_ordered = Expression::binary(Operator::LessEqual, first.clone(), second.clone());
        parts[one].1 = Tree::Scalar(Expression::select(is_ordered.clone(), first.clone(), second.clone()));
        parts[other].1 = Tree::Scalar(Expression::select(is_ordered, second, first));
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
