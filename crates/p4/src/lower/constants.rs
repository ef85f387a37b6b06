//! Values that are known before the program runs.

use std::rc::Rc;

use ir::Expression;
use num_bigint::BigInt;
use runtime::Bits;

use super::Lowering;
use super::layout::ORDINAL;
use super::tree::{HeaderName, HeaderTree, StackTree, Tree, Value};
use crate::ast;
use crate::types::{self, Kind, Type, Types};

/// A number in a type, which wraps.
pub(super) fn number(ty: ir::Type, number: &BigInt) -> Expression {
    let width = ty.width();
    let modulus = BigInt::from(1) << width;
    let wrapped = ((number % &modulus) + &modulus) % &modulus;
    let limbs: Vec<u64> = wrapped.iter_u64_digits().collect();
    if width <= 64 {
        return Expression::Constant(ir::Constant { ty, value: limbs.first().copied().unwrap_or(0) });
    }
    Expression::Wide(ty, Bits::from_limbs(&limbs, width))
}

impl<'a> Lowering<'a> {
    /// The value of an expression, if it is known.
    pub(super) fn known(&self, node: &'a ast::Expression) -> Option<Rc<types::Value>> {
        self.checked.nodes.expression(node)?.value.clone()
    }

    /// The value of an expression as a place in a list, if it is known: from the text, or since the instance was made.
    pub(super) fn known_place(&mut self, node: &'a ast::Expression) -> Option<usize> {
        if let Some(value) = self.known(node) {
            return usize::try_from(value.integer()?).ok();
        }
        if !self.checked.nodes.is_known(node) {
            return None;
        }
        let value = self.block_value(|lowering| lowering.value(node));
        self.known_bits(value.scalar()?).and_then(|bits| usize::try_from(bits.to_u64()?).ok())
    }

    /// A known value of a type.
    pub(super) fn constant(&mut self, value: &types::Value, of: Type) -> Value {
        let of = self.original(of);
        match value {
            types::Value::Integer(integer) => {
                // A number without a width, such as the count of a shift, gets as many bits as it needs.
                let ty = self.scalar_type(of).unwrap_or_else(|| {
                    let needed = u16::try_from(integer.bits()).unwrap_or(u16::MAX);
                    ir::Type::Bits(needed.max(32))
                });
                Tree::Scalar(number(ty, integer))
            }
            types::Value::Default => self.default_value(of),
            types::Value::Bool(flag) => Tree::Scalar(Expression::bool(*flag)),
            types::Value::String(text) => Tree::Text(Rc::clone(text)),
            types::Value::Error(name) => {
                let place = self.program.errors.iter().position(|error| **error == **name).unwrap_or(0);
                Tree::Scalar(Expression::number(ORDINAL, place as i64))
            }
            types::Value::Member(_, place) => Tree::Scalar(Expression::number(ORDINAL, i64::from(*place))),
            // What shares its parts takes no room before it is written down.
            types::Value::Parts(_) | types::Value::Fields(_) if !self.is_small(of) => Tree::Nothing,
            types::Value::Parts(parts) => {
                let types = self.part_types(of);
                let parts = parts.iter().enumerate().map(|(place, part)| {
                    let (name, of) =
                        types.get(place).cloned().unwrap_or_else(|| (place.to_string().into(), Types::UNKNOWN));
                    (name, self.constant(part, of))
                });
                let parts = Tree::Struct(parts.collect());
                self.convert(parts, of)
            }
            types::Value::Fields(fields) => {
                let types = self.part_types(of);
                let fields = fields.iter().map(|(name, part)| {
                    let of = types.iter().find(|(own, _)| own == name).map_or(Types::UNKNOWN, |(_, of)| *of);
                    (Rc::clone(name), self.constant(part, of))
                });
                let fields = Tree::Struct(fields.collect());
                self.convert(fields, of)
            }
        }
    }

    /// The names and types of the parts of a type.
    pub(super) fn part_types(&mut self, of: Type) -> Vec<(Rc<str>, Type)> {
        let numbered = |types: Vec<Type>| -> Vec<(Rc<str>, Type)> {
            types.into_iter().enumerate().map(|(place, of)| (Rc::from(place.to_string()), of)).collect()
        };
        match self.checked.types.kind(of).clone() {
            Kind::Tuple(types) => numbered(types),
            Kind::Record(fields, _) => fields,
            Kind::Stack(element, Some(size)) => numbered(vec![element; size as usize]),
            Kind::Named(..) => self.fields(of),
            _ => Vec::new(),
        }
    }

    /// The value that a type has where none is given (7.3): zeros, and headers that are invalid.
    pub(super) fn default_value(&mut self, of: Type) -> Value {
        let of = self.original(of);
        if let Some(ty) = self.scalar_type(of) {
            return Tree::Scalar(number(ty, &BigInt::ZERO));
        }
        if !self.is_small(of) {
            return Tree::Nothing;
        }
        let length = || Expression::number(super::layout::LENGTH, 0);
        match self.checked.types.kind(of).clone() {
            Kind::Varbit(width) => {
                let ty = ir::Type::Bits(u16::try_from(width).unwrap_or(u16::MAX));
                Tree::Varbit { value: number(ty, &BigInt::ZERO), length: length() }
            }
            Kind::Stack(element, Some(size)) => {
                let element = self.default_value(element);
                let elements = vec![element; size as usize];
                Tree::Stack(Box::new(StackTree { next: length(), elements, arrays: None }))
            }
            Kind::Tuple(_) | Kind::Record(..) | Kind::Named(..) => {
                let parts = self.part_types(of);
                let parts: Vec<_> = parts.into_iter().map(|(name, part)| (name, self.default_value(part))).collect();
                match self.checked.types.container_kind(of) {
                    Some(ast::ContainerKind::Header) => {
                        let valid = Expression::bool(false);
                        Tree::Header(Box::new(HeaderTree { name: HeaderName::Value, valid, fields: parts }))
                    }
                    Some(ast::ContainerKind::HeaderUnion) => Tree::Union(parts),
                    _ => Tree::Struct(parts),
                }
            }
            _ => Tree::Nothing,
        }
    }
}
