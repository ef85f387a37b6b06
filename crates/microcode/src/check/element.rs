//! Elements of arrays, and records and policers by their places.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use ir::{BinaryOperator, Expression};

use super::place::{ADDRESS, Located, Place};
use super::value::Value;
use super::{Checker, Entity};
use crate::predefined::WORD_BYTES;
use crate::syntax::{self, ExpressionKind};
use crate::types::Type;

impl Checker<'_> {
    /// Returns an element of an array.
    pub(super) fn element(&mut self, base: &syntax::Expression, index: &syntax::Expression) -> Option<Located> {
        if let ExpressionKind::Name(text) = &base.kind
            && let Some(shared) = self.element_of_object(text, index)
        {
            return shared;
        }
        let located = self.place(base);
        let index_value = self.value(index);
        let (located, index_value) = (located?, index_value?);
        let Type::Array(element, length) = &located.ty else {
            let error = Diagnostic::error(base.span, format!("`{}` is not an array", located.ty.describe()));
            let is_pointer = matches!(located.ty, Type::Pointer(_));
            let hint = "pointer arithmetic counts bytes: write `(pointer + index * sizeof(name_t))->field`";
            self.error(if is_pointer { error.hint(hint) } else { error });
            return None;
        };
        let index_value = self.index(index_value, *length, index.span)?;
        let (ty, bits) = ((**element).clone(), element.bits());
        let place = match (located.place, index_value.number()) {
            (Place::Register { variable, low, .. }, Some(number)) => {
                let above = (*length - 1 - number as u64) * bits;
                Place::Register { variable, low: low + above as u32, is_whole: false }
            }
            (Place::Register { .. }, None) => {
                let error = Diagnostic::error(index.span, "an index of an array in a register is a constant");
                self.error(error.hint("declare the array as `memory`"));
                return None;
            }
            (Place::Memory { base, offset }, Some(number)) => {
                Place::Memory { base, offset: offset + number as u64 * bits }
            }
            (Place::Memory { base, offset }, None) => {
                if !bits.is_multiple_of(8) {
                    let error =
                        Diagnostic::error(index.span, format!("elements of {bits} bits are not at whole bytes"));
                    self.error(error.hint("use a constant index, or elements of whole bytes"));
                    return None;
                }
                let scaled = scaled(&index_value, bits / 8, ADDRESS);
                let weight = index_value.weight.grown().grown();
                let base = match base {
                    None => (scaled, weight),
                    Some((base, own)) => (Expression::binary(BinaryOperator::Add, base, scaled), own.with(weight)),
                };
                Place::Memory { base: Some(base), offset }
            }
            (Place::Shared { step, offset }, _) => {
                let stride = self.stride_of(base, bits);
                self.shared_element(step, offset, &index_value, stride, index.span)?
            }
        };
        Some(Located { ty, place })
    }

    /// Returns the distance of the elements of an array in shared memory, in bits.
    fn stride_of(&self, array: &syntax::Expression, packed: u64) -> u64 {
        let ExpressionKind::Name(text) = &array.kind else { return packed };
        match self.names.get(text) {
            Some((Entity::Shared { stride, .. }, _)) => stride * 8,
            _ => packed,
        }
    }

    fn shared_element(
        &mut self,
        step: Option<Value>,
        offset: u64,
        index: &Value,
        stride: u64,
        span: Span,
    ) -> Option<Place> {
        if let Some(number) = index.number() {
            return Some(Place::Shared { step, offset: offset + number as u64 * stride });
        }
        if !stride.is_multiple_of(WORD_BYTES * 8) {
            let error = Diagnostic::error(span, "these elements do not begin at words of 8 bytes");
            self.error(error.hint("use a constant index, or elements of whole words"));
            return None;
        }
        let ty = Type::unsigned(32);
        let here = scaled(index, stride / (WORD_BYTES * 8), ty.in_ir());
        let mut here = Value::computed(ty, here, index.weight.grown());
        if let Some(before) = step {
            here = self.binary_value(BinaryOperator::Add, &before, &here, span)?;
        }
        Some(Place::Shared { step: Some(here), offset })
    }

    /// Returns the number of records of a hash table.
    fn capacity(&self, records: usize) -> u64 {
        let threads = self.program.threads.as_ref();
        threads.map_or(0, |threads| threads.capacity(&threads.records[records]))
    }

    /// Returns a record of a hash table or a policer: its address is that of an element.
    fn element_of_object(&mut self, text: &Rc<str>, index: &syntax::Expression) -> Option<Option<Located>> {
        if self.current.local(text).is_some() {
            return None;
        }
        let (address, stride, count) = match self.names.get(text)?.0 {
            Entity::Hash { records, address, stride, .. } => (address, stride, self.capacity(records)),
            Entity::Policer { address, count } => (address, ir::threads::POLICER_BYTES, count),
            _ => return None,
        };
        let index_value = self.value(index);
        let place = index_value.and_then(|value| {
            let value = self.index(value, count, index.span)?;
            self.shared_element(None, address * 8, &value, stride * 8, index.span)
        });
        Some(place.map(|place| Located { ty: Type::Void, place }))
    }

    /// Checks an index.
    fn index(&mut self, index: Value, length: u64, span: Span) -> Option<Value> {
        if !matches!(index.ty, Type::Number { .. } | Type::Literal | Type::Bool) {
            let error = Diagnostic::error(span, format!("an index is a number, not `{}`", index.ty.describe()));
            self.error(error);
            return None;
        }
        if let Some(number) = index.number()
            && !u64::try_from(number).is_ok_and(|number| number < length)
        {
            let error = Diagnostic::error(span, format!("the index {number} is outside of the array"));
            self.error(error.hint(format!("it is a number from 0 to {}", length - 1)));
            return None;
        }
        Some(index)
    }
}

/// Returns a number times a constant.
fn scaled(index: &Value, factor: u64, ty: ir::Type) -> Expression {
    let index = index.to_ir(ty);
    if factor.is_power_of_two() {
        let count = factor.trailing_zeros();
        return match count {
            0 => index,
            _ => Expression::binary(
                BinaryOperator::ShiftLeft,
                index,
                Expression::number(ir::Type::Bits(8), count.into()),
            ),
        };
    }
    Expression::binary(BinaryOperator::Multiply, index, Expression::number(ty, factor as i64))
}
