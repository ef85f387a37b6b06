//! Expressions: their values.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span, did_you_mean};

use super::instruction::Local;
use super::value::Value;
use super::{Checker, Entity};
use crate::predefined::{self, Predefined, WORD_BYTES};
use crate::syntax::{Expression, ExpressionKind, TypeName};
use crate::types::Type;

impl Checker<'_> {
    /// Returns the value of an expression, or `None` after an error.
    pub(super) fn value(&mut self, expression: &Expression) -> Option<Value> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Invalid => None,
            ExpressionKind::Number(number) => Some(Value::literal((*number).into())),
            ExpressionKind::Bool(value) => Some(Value::bool(*value)),
            ExpressionKind::Name(text) => self.name_value(text, span),
            ExpressionKind::Field(..)
            | ExpressionKind::Arrow(..)
            | ExpressionKind::Element(..)
            | ExpressionKind::Dereference(_) => {
                let place = self.place(expression)?;
                self.read(&place, span)
            }
            ExpressionKind::Address(operand) => {
                let place = self.place(operand)?;
                self.address_of(&place, span)
            }
            ExpressionKind::Cast(ty, operand) => self.cast(ty, operand, span),
            ExpressionKind::SizeOfType(ty) => {
                let size = self.sized_type(ty)?.bytes();
                Some(Value::literal(size.into()))
            }
            ExpressionKind::SizeOfValue(operand) => self.size_of(operand),
            ExpressionKind::Call(name) => {
                let error = Diagnostic::error(span, format!("`{}(…)` is a statement and has no value", name.text));
                self.error(error.hint("the reply to a transaction is in `r_reply` from the next instruction on"));
                None
            }
            ExpressionKind::Unary(operator, operand) => {
                let operand = self.value(operand)?;
                self.unary_value(*operator, &operand, span)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                self.operator_value(*operator, &left?, &right?, span)
            }
            ExpressionKind::Conditional(condition, if_true, if_false) => {
                let condition = self.value(condition);
                let (if_true, if_false) = (self.value(if_true), self.value(if_false));
                let (condition, if_true, if_false) = (condition?, if_true?, if_false?);
                let is_number = |value: &Value| matches!(value.ty, Type::Number { .. } | Type::Literal | Type::Bool);
                let is_pointer = |value: &Value| matches!(value.ty, Type::Pointer(_));
                let alike = is_number(&if_true) && is_number(&if_false)
                    || is_pointer(&if_true) && is_pointer(&if_false)
                    || if_true.ty == if_false.ty;
                if !alike {
                    let (left, right) = (if_true.ty.describe(), if_false.ty.describe());
                    let message = format!("the choices of `?` have different types: `{left}` and `{right}`");
                    self.error(Diagnostic::error(span, message).hint("convert one of them"));
                    return None;
                }
                self.bounded(Value::select(&condition, &if_true, &if_false), span)
            }
        }
    }

    fn name_value(&mut self, text: &Rc<str>, span: Span) -> Option<Value> {
        if let Some(local) = self.current.local(text) {
            return match local.clone()? {
                Local::Value(value) => {
                    self.charge(value.weight.size, span)?;
                    Some(value)
                }
                Local::Place(place) => self.read(&place, span),
            };
        }
        match predefined::symbol(text) {
            Some(Predefined::Constant(number)) => return Some(Value::literal(number.into())),
            Some(Predefined::PacketStart) => {
                return Some(Value::known(Type::Pointer(Rc::new(Type::Void)), predefined::PACKET_START.into()));
            }
            Some(_) => {
                let place = self.predefined_place(text, span)?;
                return self.read(&place, span);
            }
            None => {}
        }
        match self.named_entity(text, span)? {
            Entity::Value(value) => Some(value),
            Entity::Memory { .. } | Entity::Register { .. } => {
                let place = self.place_of(text, span)?;
                self.read(&place, span)
            }
            // The name of shared memory is its address in words, as in figure 6.
            Entity::Shared { address, .. } | Entity::Hash { address, .. } | Entity::Policer { address, .. } => {
                Some(Value::literal((address / WORD_BYTES).into()))
            }
            Entity::Label(instruction) => Some(Value::known(Type::Label, instruction as i128)),
            Entity::Subroutine => self.refuse_name(span, text, "a subroutine", "it is called by `name();`"),
            Entity::Filter { .. } | Entity::Timer(_) | Entity::Event(_) | Entity::Reason(_) | Entity::Digest { .. } => {
                self.refuse_name(span, text, "not a value", "only transactions name it")
            }
            Entity::Broken => None,
        }
    }

    fn place_of(&mut self, text: &Rc<str>, span: Span) -> Option<super::place::Located> {
        let name = Expression::new(ExpressionKind::Name(Rc::clone(text)), span);
        self.place(&name)
    }

    fn refuse_name<T>(&mut self, span: Span, text: &str, is: &str, hint: &str) -> Option<T> {
        self.error(Diagnostic::error(span, format!("`{text}` is {is}")).hint(hint));
        None
    }

    /// Returns what a name stands for, outside of the scopes of an instruction.
    pub(super) fn named_entity(&mut self, text: &Rc<str>, span: Span) -> Option<Entity> {
        if let Some((entity, _)) = self.names.get(text) {
            return Some(entity.clone());
        }
        if let Some(instruction) = self.current.label(text) {
            self.labels_taken.insert(instruction);
            return Some(Entity::Label(instruction));
        }
        let error = Diagnostic::error(span, format!("`{text}` is not declared"));
        let locals = self.current.names();
        let known = self.names.keys().chain(locals.iter()).map(|name| &**name);
        let symbols = predefined::SYMBOLS.iter().map(|(name, _)| *name);
        let hint = did_you_mean(text, known.chain(symbols));
        let structure = predefined::STRUCTURES.contains(&&**text).then(|| format!("name a field, as in `{text}.…`"));
        self.error(error.hint(hint.or(structure).unwrap_or_else(|| "declare it before its use".to_owned())));
        None
    }

    fn cast(&mut self, ty: &TypeName, operand: &Expression, span: Span) -> Option<Value> {
        let ty = self.sized_type(ty);
        let value = self.value(operand);
        let (ty, value) = (ty?, value?);
        let possible = match (&ty, &value.ty) {
            (Type::Label, other) | (other, Type::Label) => *other == Type::Label,
            _ => ty.is_scalar() && ty.bits() <= 64,
        };
        if !possible {
            let message = format!("`{}` cannot become `{}`", value.ty.describe(), ty.describe());
            self.error(Diagnostic::error(span, message).hint("numbers, bools and pointers can be converted"));
            return None;
        }
        self.bounded(value.converted(&ty), span)
    }

    /// Returns the size of what an expression names.
    fn size_of(&mut self, operand: &Expression) -> Option<Value> {
        // What `sizeof` looks at is not read.
        let written = self.current.pause();
        let named = match &operand.kind {
            ExpressionKind::Name(text) => self.current.local(text).cloned().flatten(),
            _ => None,
        };
        let bytes = match (&operand.kind, &named) {
            (_, Some(Local::Value(value))) => Some(u64::from(value.width().div_ceil(8))),
            (
                ExpressionKind::Name(_)
                | ExpressionKind::Field(..)
                | ExpressionKind::Arrow(..)
                | ExpressionKind::Element(..)
                | ExpressionKind::Dereference(_),
                _,
            ) => self.place(operand).map(|place| place.ty.bytes()),
            _ => self.value(operand).map(|value| u64::from(value.width().div_ceil(8))),
        };
        self.current.resume(written);
        Some(Value::literal(bytes?.into()))
    }
}
