//! Places: variables, their fields and elements, and what pointers point to.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span, did_you_mean, there_are};
use ir::{Expression, VariableId};

use super::instruction::Local;
use super::value::{Value, Weight};
use super::{Checker, Entity};
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
}

/// Returns the place in local memory that a pointer points to.
fn memory_at(pointer: &Value) -> Place {
    match pointer.number() {
        Some(address) => Place::Memory { base: None, offset: address as u64 * 8 },
        None => Place::Memory { base: Some((pointer.to_ir(ADDRESS), pointer.weight)), offset: 0 },
    }
}

/// Returns the name of a field of `r_work` or `r_reply`, if this is one.
pub(super) fn predefined_field(base: &syntax::Expression, name: &Name) -> Option<String> {
    let ExpressionKind::Name(text) = &base.kind else { return None };
    let symbol = format!("{text}.{}", name.text);
    (predefined::STRUCTURES.contains(&&**text) && predefined::symbol(&symbol).is_some()).then_some(symbol)
}
