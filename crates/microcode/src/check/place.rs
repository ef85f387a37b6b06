//! Places: variables, their fields and elements, and what pointers point to.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span, did_you_mean, there_are};
use ir::threads::MemoryField;
use ir::{BinaryOperator, Expression, VariableId};

use super::instruction::Local;
use super::value::{Value, Weight};
use super::{Checker, Entity};
use crate::limits::MOST_VALUE_BITS;
use crate::predefined::{self, Predefined, REPLY_DATA, WORD_BYTES};
use crate::syntax::{self, ExpressionKind, Name};
use crate::types::{POINTER_BITS, Structure, Type};

/// The type of addresses in local memory in the IR.
pub(super) const ADDRESS: ir::Type = ir::Type::Bits(POINTER_BITS as u16);

/// Something with a place, and its type.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub ty: Type,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Bits of a register, counted from the least significant one; all of them if `is_whole`.
    Register { variable: VariableId, low: u32, is_whole: bool },
    /// Bits of local memory behind an address: that of byte 0, or one that is computed.
    Memory { base: Option<(Expression, Weight)>, offset: u64 },
    /// Bits of shared memory, and so many words behind them.
    Shared { step: Option<Value>, offset: u64 },
}

impl Checker<'_> {
    /// Returns the place that an expression names, or reports that it names none.
    pub(super) fn place(&mut self, expression: &syntax::Expression) -> Option<Located> {
        match &expression.kind {
            ExpressionKind::Name(text) => self.place_of_name(text, expression.span),
            ExpressionKind::Field(base, name) => {
                if let Some(symbol) = predefined_field(base, name) {
                    return self.predefined_place(&symbol, expression.span);
                }
                self.refuse_unknown_predefined(base, name)?;
                let base_place = self.place(base)?;
                self.field(base_place, base.span, name)
            }
            ExpressionKind::Arrow(pointer, name) => {
                let target = self.target(pointer, true)?;
                self.field(target, pointer.span, name)
            }
            ExpressionKind::Dereference(pointer) => self.target(pointer, false),
            ExpressionKind::Element(base, index) => self.element(base, index),
            ExpressionKind::Invalid => None,
            _ => {
                let error = Diagnostic::error(expression.span, "this is a value without a place");
                self.error(error.hint("name a variable, a field, or what a pointer points to"));
                None
            }
        }
    }

    fn place_of_name(&mut self, text: &Rc<str>, span: Span) -> Option<Located> {
        if let Some(local) = self.current.local(text) {
            if let Local::Place(place) = local.clone()? {
                return Some(place);
            }
            let error = Diagnostic::error(span, format!("`{text}` is a name for a value"));
            self.error(error.hint("`bus` names a field; a variable is declared as `register` or `memory`"));
            return None;
        }
        if let Some(Predefined::Variable { .. }) = predefined::symbol(text) {
            return self.predefined_place(text, span);
        }
        match self.names.get(text).map(|(entity, _)| entity.clone()) {
            Some(Entity::Memory { ty, address }) => {
                return Some(Located { ty, place: Place::Memory { base: None, offset: address * 8 } });
            }
            Some(Entity::Register { ty, variable }) => {
                return Some(Located { ty, place: Place::Register { variable, low: 0, is_whole: true } });
            }
            Some(Entity::Shared { ty, address, .. }) => {
                return Some(Located { ty, place: Place::Shared { step: None, offset: address * 8 } });
            }
            Some(Entity::Broken) => return None,
            _ => {}
        }
        self.named_entity(text, span)?;
        let error = Diagnostic::error(span, format!("`{text}` is not a variable"));
        self.error(error.hint("a variable is declared as `register` or `memory`"));
        None
    }

    /// Returns the place of a predefined variable, and makes the variable at its first use.
    pub(super) fn predefined_place(&mut self, name: &str, span: Span) -> Option<Located> {
        match predefined::symbol(name)? {
            Predefined::Variable { width, .. } => {
                let variable = self.predefined_variable(name);
                Some(Located { ty: Type::unsigned(width), place: Place::Register { variable, low: 0, is_whole: true } })
            }
            Predefined::ReplyAddress => {
                let variable = self.predefined_variable(REPLY_DATA);
                let low = WORD_BYTES.trailing_zeros();
                Some(Located { ty: Type::unsigned(32), place: Place::Register { variable, low, is_whole: false } })
            }
            Predefined::Constant(_) | Predefined::PacketStart => {
                self.error(Diagnostic::error(span, format!("`{name}` is a constant")));
                None
            }
        }
    }

    /// Returns the variable of the IR that a predefined one is.
    pub(super) fn predefined_variable(&mut self, name: &str) -> VariableId {
        if let Some(variable) = self.predefined.get(name) {
            return *variable;
        }
        let Some(Predefined::Variable { width, intrinsic }) = predefined::symbol(name) else {
            unreachable!("{name} is a predefined variable")
        };
        let variable = self.new_variable(name, ir::Type::Bits(width as u16));
        if let Some(intrinsic) = intrinsic {
            self.program.intrinsics.push((intrinsic.to_owned(), variable));
        }
        self.predefined.insert(Rc::from(name), variable);
        variable
    }

    /// Reports a field that `r_work` or `r_reply` does not have.
    fn refuse_unknown_predefined(&mut self, base: &syntax::Expression, name: &Name) -> Option<()> {
        let ExpressionKind::Name(text) = &base.kind else { return Some(()) };
        if !predefined::STRUCTURES.contains(&&**text) || self.names.contains_key(text) {
            return Some(());
        }
        let known =
            predefined::SYMBOLS.iter().filter_map(|(symbol, _)| symbol.strip_prefix(&**text)?.strip_prefix('.'));
        let error = Diagnostic::error(name.span, format!("`{text}` has no field `{}`", name.text));
        let hint = did_you_mean(&name.text, known.clone()).unwrap_or_else(|| there_are(&name.text, known));
        self.error(error.hint(hint));
        None
    }

    /// Returns what a pointer points to.
    fn target(&mut self, pointer: &syntax::Expression, is_arrow: bool) -> Option<Located> {
        let value = self.value(pointer)?;
        let Type::Pointer(to) = &value.ty else {
            let error = Diagnostic::error(pointer.span, format!("this is no pointer, but `{}`", value.ty.describe()));
            let hint = if is_arrow {
                "write `.` in place of `->`, or convert it: `((name_t *) value)->field`"
            } else {
                "convert it: `*(: 32 *) value`"
            };
            self.error(error.hint(hint));
            return None;
        };
        if **to == Type::Void {
            let error = Diagnostic::error(pointer.span, "what a `void *` points to has no type");
            self.error(error.hint("convert it, as in `((ipv4_t *) pointer)->ttl`"));
            return None;
        }
        Some(Located { ty: (**to).clone(), place: memory_at(&value) })
    }

    /// Returns a field of a struct.
    fn field(&mut self, base: Located, base_span: Span, name: &Name) -> Option<Located> {
        let structure = match &base.ty {
            Type::Structure(structure) => Rc::clone(structure),
            other => {
                let error = Diagnostic::error(base_span, format!("`{}` has no fields", other.describe()));
                let is_pointer = matches!(other, Type::Pointer(_));
                self.error(if is_pointer { error.hint("write `->` in place of `.`") } else { error });
                return None;
            }
        };
        let Some(field) = structure.fields.get(&name.text) else {
            self.refuse_field(&structure, name);
            return None;
        };
        let place = match base.place {
            Place::Register { variable, low, .. } => {
                let above = structure.bits - field.offset - field.ty.bits();
                Place::Register { variable, low: low + above as u32, is_whole: false }
            }
            Place::Memory { base, offset } => Place::Memory { base, offset: offset + field.offset },
            Place::Shared { step, offset } => Place::Shared { step, offset: offset + field.offset },
        };
        Some(Located { ty: field.ty.clone(), place })
    }

    fn refuse_field(&mut self, structure: &Structure, name: &Name) {
        if structure.is_incomplete {
            return;
        }
        let error = Diagnostic::error(name.span, format!("`{}` has no field `{}`", structure.name, name.text));
        let known = || structure.order.iter().map(|name| &**name);
        let hint = did_you_mean(&name.text, known()).unwrap_or_else(|| there_are(&name.text, known()));
        self.error(error.hint(hint));
    }

    /// Returns an element of an array.
    fn element(&mut self, base: &syntax::Expression, index: &syntax::Expression) -> Option<Located> {
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

    /// Returns a record of a hash table or a policer: its address is that of an element.
    fn element_of_object(&mut self, text: &Rc<str>, index: &syntax::Expression) -> Option<Option<Located>> {
        if self.current.local(text).is_some() {
            return None;
        }
        let (address, stride, count) = match self.names.get(text)?.0 {
            Entity::Hash { address, stride, .. } => (address, stride, u64::MAX),
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

/// Returns the place in local memory that a pointer points to.
fn memory_at(pointer: &Value) -> Place {
    match pointer.number() {
        Some(address) => Place::Memory { base: None, offset: address as u64 * 8 },
        None => Place::Memory { base: Some((pointer.to_ir(ADDRESS), pointer.weight)), offset: 0 },
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

/// Returns the name of a field of `r_work` or `r_reply`, if this is one.
pub(super) fn predefined_field(base: &syntax::Expression, name: &Name) -> Option<String> {
    let ExpressionKind::Name(text) = &base.kind else { return None };
    let symbol = format!("{text}.{}", name.text);
    (predefined::STRUCTURES.contains(&&**text) && predefined::symbol(&symbol).is_some()).then_some(symbol)
}
