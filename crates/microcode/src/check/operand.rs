//! The operands of transactions.

use diagnostics::{Diagnostic, Span};
use ir::threads::{Data, HeadBytes, LINE_BYTES};
use ir::{BinaryOperator, Expression, Type as IrType};

use super::place::{ADDRESS, Place};
use super::value::Value;
use super::{Checker, Entity};
use crate::predefined::{LOCAL_MEMORY_BYTES, WORD_BYTES};
use crate::syntax::{self, ExpressionKind};
use crate::types::Type;

/// The type in which addresses of shared memory are computed: bytes of [`crate::predefined::WORD_BYTES`] times 32 bits of
/// words.
const SHARED_ADDRESS: IrType = IrType::Bits(35);

impl Checker<'_> {
    /// Returns an address of shared memory, which is written in words of 8 bytes, in bytes.
    pub(super) fn shared_address(&mut self, argument: &syntax::Expression) -> Option<Expression> {
        let value = self.value(argument)?;
        let (Type::Number { signed: false, .. } | Type::Literal) = value.ty else {
            let message = format!("an address of shared memory is a number, not `{}`", value.ty.describe());
            let error = Diagnostic::error(argument.span, message);
            let is_pointer = matches!(value.ty, Type::Pointer(_));
            let hint =
                "a pointer is an address of local memory; the name of an `sram` or `dram` variable is an address";
            self.error(if is_pointer { error.hint(hint) } else { error });
            return None;
        };
        if let Some(number) = value.number() {
            let Some(address) = u64::try_from(number).ok().filter(|&number| number < 1 << 32) else {
                let error = Diagnostic::error(argument.span, format!("{number} is not an address of shared memory"));
                self.error(error.hint("an address counts words of 8 bytes and has 32 bits"));
                return None;
            };
            return Some(Expression::number(SHARED_ADDRESS, (address * WORD_BYTES) as i64));
        }
        let words = value.converted(&Type::unsigned(32)).to_ir(SHARED_ADDRESS);
        let words = if value.ty.bits() <= 32 { value.to_ir(SHARED_ADDRESS) } else { words };
        let count = Expression::number(IrType::Bits(8), WORD_BYTES.trailing_zeros().into());
        Some(Expression::binary(BinaryOperator::ShiftLeft, words, count))
    }

    /// Returns a number, as wide as it is, or in so many bits if it is a constant.
    pub(super) fn operand(&mut self, argument: &syntax::Expression, width: u16) -> Option<Expression> {
        let value = self.number_value(argument)?;
        Some(match value.number() {
            Some(_) => {
                self.warn_of_lost_bits(&Type::unsigned(width.into()), &value, argument.span);
                value.to_ir(IrType::Bits(width))
            }
            None => value.to_ir(value.ty.in_ir()),
        })
    }

    /// Returns a number of which a constant is within limits, both of which are included.
    pub(super) fn limited(
        &mut self,
        argument: &syntax::Expression,
        what: &str,
        least: u64,
        most: u64,
    ) -> Option<Expression> {
        let value = self.number_value(argument)?;
        if value.number().is_some() {
            let number = self.count(argument, what, least, most)?;
            return Some(Expression::number(IrType::Bits(64), number as i64));
        }
        Some(value.to_ir(value.ty.in_ir()))
    }

    /// Returns a number in so many bits.
    pub(super) fn sized_operand(&mut self, argument: &syntax::Expression, width: u16) -> Option<Expression> {
        let value = self.number_value(argument)?;
        self.warn_of_lost_bits(&Type::unsigned(width.into()), &value, argument.span);
        Some(value.to_ir(IrType::Bits(width)))
    }

    /// Returns a value that is a number. A condition is 1 or 0, as in C.
    fn number_value(&mut self, argument: &syntax::Expression) -> Option<Value> {
        let value = self.value(argument)?;
        match value.ty {
            Type::Number { .. } | Type::Literal => Some(value),
            Type::Bool => Some(value.converted(&Type::unsigned(1))),
            _ => {
                let message = format!("expected a number, found `{}`", value.ty.describe());
                self.error(Diagnostic::error(argument.span, message));
                None
            }
        }
    }

    /// Returns a pointer to local memory. The name of a struct stands for its address.
    pub(super) fn pointer(&mut self, argument: &syntax::Expression) -> Option<Value> {
        let value = match self.structure_place(argument) {
            Some(Place::Memory { .. }) => {
                let place = self.place(argument)?;
                self.address_of(&place, argument.span)?
            }
            _ => self.value(argument)?,
        };
        if !matches!(value.ty, Type::Pointer(_)) {
            let message = format!("expected a pointer to local memory, found `{}`", value.ty.describe());
            self.error(
                Diagnostic::error(argument.span, message).hint("write `&variable`, or `packet_start + distance`"),
            );
            return None;
        }
        Some(value)
    }

    /// Returns the place of a variable that is a struct, if the argument names one.
    fn structure_place(&self, argument: &syntax::Expression) -> Option<Place> {
        let ExpressionKind::Name(text) = &argument.kind else { return None };
        match self.names.get(text)?.0 {
            Entity::Memory { ty: Type::Structure(_), address } if self.current.local(text).is_none() => {
                Some(Place::Memory { base: None, offset: address * 8 })
            }
            _ => None,
        }
    }

    /// Returns a number of bytes that is known: a multiple of `step` up to 64.
    pub(super) fn bytes(&mut self, argument: &syntax::Expression, step: u64) -> Option<u32> {
        let bytes = self.count(argument, "a number of bytes", 1, LINE_BYTES)?;
        if !bytes.is_multiple_of(step) {
            let error = Diagnostic::error(argument.span, format!("{bytes} bytes are not a multiple of {step}"));
            self.error(error.hint(format!("transactions of this kind carry {step} to 64 bytes in steps of {step}")));
            return None;
        }
        Some(bytes as u32)
    }

    /// Returns bytes of local memory.
    pub(super) fn memory(
        &mut self,
        pointer: &syntax::Expression,
        bytes: &syntax::Expression,
        step: u64,
    ) -> Option<(Expression, u32)> {
        let value = self.pointer(pointer);
        let bytes = self.bytes(bytes, step);
        let (value, bytes) = (value?, bytes?);
        self.check_end(&value, bytes.into(), pointer.span)?;
        Some((value.to_ir(ADDRESS), bytes))
    }

    /// Reports bytes that are surely behind the end of local memory.
    pub(super) fn check_end(&mut self, pointer: &Value, bytes: u64, span: Span) -> Option<()> {
        let end = u64::try_from(pointer.number().unwrap_or(0)).unwrap_or(0) + bytes;
        if end > LOCAL_MEMORY_BYTES.into() {
            let message = format!("this ends behind the {LOCAL_MEMORY_BYTES} bytes of local memory");
            self.error(Diagnostic::error(span, message));
            return None;
        }
        Some(())
    }

    /// Returns the head of a packet that leaves.
    pub(super) fn head(&mut self, pointer: &syntax::Expression, bytes: &syntax::Expression) -> Option<HeadBytes> {
        let address = self.pointer(pointer);
        let bytes = self.operand(bytes, 16);
        Some(HeadBytes { address: address?.to_ir(ADDRESS), bytes: bytes? })
    }

    /// Returns the key of a table: what a pointer points to, or the values of the key's fields.
    pub(super) fn key(&mut self, arguments: &[syntax::Expression], ty: &Type, span: Span) -> Option<Data> {
        if let [argument] = arguments
            && let Some(address) = self.key_pointer(argument)
        {
            let pointer = address?;
            self.check_end(&pointer, ty.bytes(), argument.span)?;
            return Some(Data::Memory { address: pointer.to_ir(ADDRESS), bytes: ty.bytes() as u32 });
        }
        let values = self.field_values(arguments, ty, span)?;
        // Bits without a name are 0.
        let Type::Structure(structure) = ty else { return Some(Data::Values(values)) };
        let mut data = Vec::new();
        let mut end = 0;
        for (name, value) in structure.order.iter().zip(values) {
            let field = &structure.fields[name];
            fill(&mut data, field.offset - end);
            data.push(value);
            end = field.offset + field.ty.bits();
        }
        fill(&mut data, structure.bits - end);
        Some(Data::Values(data))
    }

    /// Returns the pointer that an argument is, if it is one; the inner value is `None` after an error.
    pub(super) fn key_pointer(&mut self, argument: &syntax::Expression) -> Option<Option<Value>> {
        if self.structure_place(argument).is_some() {
            return Some(self.pointer(argument));
        }
        let is_address = matches!(argument.kind, ExpressionKind::Address(_));
        let was_paused = self.current.pause();
        let errors = self.report.errors.iter().count();
        let value = self.value(argument);
        self.current.resume(was_paused);
        match value {
            Some(value) if matches!(value.ty, Type::Pointer(_)) => Some(Some(value)),
            None if is_address || self.report.errors.iter().count() > errors => Some(None),
            _ => None,
        }
    }

    /// Returns values for the fields of a struct, or for a number, in the types of the fields.
    pub(super) fn field_values(
        &mut self,
        arguments: &[syntax::Expression],
        ty: &Type,
        span: Span,
    ) -> Option<Vec<Expression>> {
        let types: Vec<Type> = match ty {
            Type::Structure(structure) if structure.is_union => vec![Type::unsigned(structure.bits as u32)],
            Type::Structure(structure) => {
                structure.order.iter().map(|name| structure.fields[name].ty.clone()).collect()
            }
            _ => vec![ty.clone()],
        };
        if types.len() != arguments.len() || types.iter().any(|ty| !ty.is_scalar() || ty.bits() > 64) {
            let count = types.len();
            let message = format!("`{}` takes {count} values, not {}", ty.describe(), arguments.len());
            self.error(
                Diagnostic::error(span, message).hint("write a value for each field, or a pointer to all of them"),
            );
            return None;
        }
        let mut values = Vec::new();
        for (argument, ty) in arguments.iter().zip(&types) {
            let value = self.value(argument);
            let value = value.and_then(|value| self.assigned(&value, ty, argument.span));
            values.push(value.map(|value| value.to_ir(ty.in_ir())));
        }
        values.into_iter().collect()
    }
}

/// Adds so many zero bits.
fn fill(data: &mut Vec<Expression>, bits: u64) {
    let mut left = bits;
    while left > 0 {
        let width = left.min(64);
        data.push(Expression::number(IrType::Bits(width as u16), 0));
        left -= width;
    }
}
