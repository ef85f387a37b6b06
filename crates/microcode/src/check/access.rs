//! Reading what is at a place, and the address of a place.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use ir::threads::MemoryField;
use ir::{BinaryOperator, Expression};

use super::Checker;
use super::place::{ADDRESS, Located, Place};
use super::value::{Value, Weight};
use crate::limits::MOST_VALUE_BITS;
use crate::predefined::WORD_BYTES;
use crate::types::Type;

impl Checker<'_> {
    /// Returns the value at a place, and notes that it is read.
    pub(super) fn read(&mut self, located: &Located, span: Span) -> Option<Value> {
        if !located.ty.is_scalar() {
            return self.refuse_as_value(located, span);
        }
        if located.ty.bits() > MOST_VALUE_BITS.into() {
            let error = Diagnostic::error(span, format!("a field of {} bits is not a value", located.ty.bits()));
            self.error(error.hint("a value has at most 64 bits; name parts of the field, in a struct or a union"));
            return None;
        }
        let in_ir = located.ty.in_ir();
        let (expression, weight) = match &located.place {
            Place::Register { variable, is_whole: true, .. } => (Expression::Variable(*variable), Weight::ONE),
            Place::Register { variable, low, .. } => {
                let (value, low) = (Box::new(Expression::Variable(*variable)), *low as u16);
                (Expression::Slice { value, high: low + in_ir.width() as u16 - 1, low }, Weight::ONE)
            }
            Place::Memory { base, offset } => {
                let field = self.memory_field(base.as_ref(), *offset, in_ir.width(), span)?;
                (Expression::Memory(Box::new(field)), base.as_ref().map_or(Weight::ONE, |(_, weight)| weight.grown()))
            }
            Place::Shared { .. } => {
                let error = Diagnostic::error(span, "shared memory is read by transactions only");
                self.error(error.hint("write `MemRead(&variable);`: the value is in `r_reply.data` afterwards"));
                return None;
            }
        };
        self.note_read(&located.place, in_ir.width(), span);
        // Slices and fields of memory are unsigned.
        let plain = self.type_in_ir(&expression);
        let expression = if plain == in_ir { expression } else { Expression::Cast(in_ir, Box::new(expression)) };
        Some(Value::computed(located.ty.clone(), expression, weight))
    }

    fn type_in_ir(&self, expression: &Expression) -> ir::Type {
        self.program.type_of(expression)
    }

    fn refuse_as_value(&mut self, located: &Located, span: Span) -> Option<Value> {
        if let (Type::Array(element, _), Place::Memory { .. }) = (&located.ty, &located.place) {
            // An array becomes a pointer to its first element (C11 6.3.2.1).
            let element = Located { ty: (**element).clone(), place: located.place.clone() };
            return self.address_of(&element, span);
        }
        let error = Diagnostic::error(span, format!("`{}` is not a value", located.ty.describe()));
        self.error(error.hint("name one of its fields; an instruction moves values of at most 64 bits"));
        None
    }

    /// Returns a field of local memory in the IR.
    pub(super) fn memory_field(
        &mut self,
        base: Option<&(Expression, Weight)>,
        offset: u64,
        width: u32,
        span: Span,
    ) -> Option<MemoryField> {
        let end = (offset + u64::from(width)).div_ceil(8);
        if end > crate::predefined::LOCAL_MEMORY_BYTES.into() {
            let message = format!("this is behind the {} bytes of local memory", crate::predefined::LOCAL_MEMORY_BYTES);
            self.error(Diagnostic::error(span, message));
            return None;
        }
        let (address, offset) = match base {
            None => (Expression::number(ADDRESS, (offset / 8) as i64), offset % 8),
            Some((base, _)) => (base.clone(), offset),
        };
        Some(MemoryField { address, offset: offset as u32, width: width as u16 })
    }

    /// Returns a pointer to a place in local memory, or the address in words of one in shared memory.
    pub(super) fn address_of(&mut self, located: &Located, span: Span) -> Option<Value> {
        let (what, unit, offset) = match &located.place {
            Place::Register { .. } => {
                let error = Diagnostic::error(span, "a register has no address");
                self.error(error.hint("declare the variable as `memory`"));
                return None;
            }
            Place::Memory { offset, .. } => ("byte", 8, *offset),
            Place::Shared { offset, .. } => ("word of 8 bytes", WORD_BYTES * 8, *offset),
        };
        if !offset.is_multiple_of(unit) {
            let error = Diagnostic::error(span, format!("this does not begin at a {what}"));
            self.error(error.hint("only what begins there has an address"));
            return None;
        }
        let distance = Value::literal((offset / unit).into());
        match &located.place {
            Place::Shared { step: None, .. } => Some(distance),
            Place::Shared { step: Some(step), .. } => self.binary_value(BinaryOperator::Add, &distance, step, span),
            Place::Memory { base: None, .. } => {
                Some(Value::known(Type::Pointer(Rc::new(located.ty.clone())), distance.number().unwrap_or(0)))
            }
            Place::Memory { base: Some((base, weight)), .. } => {
                let pointer = Value::computed(Type::Pointer(Rc::new(located.ty.clone())), base.clone(), *weight);
                if offset == 0 {
                    Some(pointer)
                } else {
                    self.binary_value(BinaryOperator::Add, &pointer, &distance, span)
                }
            }
            Place::Register { .. } => None,
        }
    }
}
