//! Compile-time known values.

use std::rc::Rc;

use ir::Expression;
use num_bigint::BigInt;
use runtime::Bits;

use super::layout::ORDINAL;
use super::tree::{Tree, Value};
use super::{Lowering, Storage};
use crate::ast;
use crate::check::Nodes;
use crate::types::{self, Type, Types};

/// Makes a constant of a type from a number, which wraps.
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
    /// Returns the value of an expression as an index, if it is known from the source text or from the arguments of the
    /// instance.
    pub(super) fn known_index(&mut self, node: &'a ast::Expression) -> Option<usize> {
        if let Some(value) = known(&self.nodes, node) {
            return usize::try_from(value.integer()?).ok();
        }
        if !self.nodes.is_known(node) {
            return None;
        }
        let value = self.block_value(|lowering| lowering.value(node));
        self.output.known_bits(value.scalar()?).and_then(|bits| usize::try_from(bits.to_u64()?).ok())
    }
}

impl Storage<'_> {
    /// Makes a value of a type from a known value.
    pub(super) fn constant(&mut self, value: &types::Value, of: Type) -> Value {
        let of = self.shapes.original(of);
        match value {
            types::Value::Integer(integer) => {
                // A number without a width, such as the count of a shift, gets as many bits as it needs.
                let ty = self.shapes.scalar_type(of).unwrap_or_else(|| {
                    let needed = u16::try_from(integer.bits()).unwrap_or(u16::MAX);
                    ir::Type::Bits(needed.max(32))
                });
                Tree::Scalar(number(ty, integer))
            }
            types::Value::Default => self.shapes.default_value(of),
            types::Value::Bool(flag) => Tree::Scalar(Expression::bool(*flag)),
            types::Value::String(text) => Tree::Text(Rc::clone(text)),
            types::Value::Error(name) => {
                let place = self.output.program.errors.iter().position(|error| **error == **name).unwrap_or(0);
                Tree::Scalar(Expression::number(ORDINAL, place as i64))
            }
            types::Value::Member(_, place) => Tree::Scalar(Expression::number(ORDINAL, i64::from(*place))),
            // Known values share their parts; the values made here do not.
            types::Value::Parts(_) | types::Value::Fields(_) if !self.shapes.is_small(of) => Tree::Nothing,
            types::Value::Parts(parts) => {
                let types = self.shapes.part_types(of);
                let parts = parts.iter().enumerate().map(|(place, part)| {
                    let (name, of) =
                        types.get(place).cloned().unwrap_or_else(|| (place.to_string().into(), Types::UNKNOWN));
                    (name, self.constant(part, of))
                });
                let parts = Tree::Struct(parts.collect());
                self.convert(parts, of)
            }
            types::Value::Fields(fields) => {
                let types = self.shapes.part_types(of);
                let fields = fields.iter().map(|(name, part)| {
                    let of = types.iter().find(|(own, _)| own == name).map_or(Types::UNKNOWN, |(_, of)| *of);
                    (Rc::clone(name), self.constant(part, of))
                });
                let fields = Tree::Struct(fields.collect());
                self.convert(fields, of)
            }
        }
    }
}

/// Returns the value of an expression, if it is known.
pub(super) fn known<'a>(nodes: &Nodes<'a>, node: &'a ast::Expression) -> Option<Rc<types::Value>> {
    nodes.expression(node)?.value.clone()
}
