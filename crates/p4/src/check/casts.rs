//! Casts (section 8.11.1).

use std::rc::Rc;

use diagnostics::Span;
use num_bigint::BigInt;

use super::{Checker, Typed, Writable};
use crate::ast;
use crate::types::{Kind, Sort, Type, Types, Value};

impl<'a> Checker<'a> {
    pub(super) fn cast(&mut self, span: Span, to: &'a ast::Type, node: &'a ast::Expression) -> Typed {
        let typed = self.value(node);
        let target = self.written(to);
        if self.converts(typed.of, target) {
            let around = std::mem::replace(&mut self.is_cast, true);
            self.coerce(node, target);
            self.is_cast = around;
            let converted = self.converted(typed, target);
            return Typed { writable: Writable::No("a value"), ..converted };
        }
        if !self.casts(typed.of, target) {
            let (from, shown) = (self.show(typed.of), self.show(target));
            self.hinted(
                span,
                format!("a value of type `{from}` cannot be cast to `{shown}`"),
                "a cast changes the width or the sign, not both at once",
            );
            return Typed { of: target, ..Typed::unknown() };
        }
        let value = match typed.value.as_deref() {
            Some(Value::Integer(number)) if target == Types::BOOL => {
                if typed.of == Types::INTEGER && *number != BigInt::ZERO && *number != BigInt::from(1) {
                    self.error(span, format!("only 0 and 1 can be cast to `bool`, this is {number}"));
                }
                Some(Rc::new(Value::Bool(*number != BigInt::ZERO)))
            }
            Some(Value::Bool(flag)) if target != Types::BOOL => {
                Some(Rc::new(Value::Integer(BigInt::from(u8::from(*flag)))))
            }
            Some(Value::Integer(number)) => Some(Rc::new(Value::Integer(self.fit(number.clone(), target)))),
            _ => typed.value.clone(),
        };
        Typed { of: target, value, known: typed.known, writable: Writable::No("a value") }
    }

    /// True if a cast makes the one of the other.
    pub(super) fn casts(&mut self, from: Type, to: Type) -> bool {
        if self.converts(from, to) {
            return true;
        }
        // A new type is made of the values of its own original only (section 7.6).
        if let Some((_, _, Sort::NewType(original))) = self.checked.types.named(to) {
            let original = *original;
            let inner = self.unwrapped(from);
            return self.converts(from, original) || self.converts(inner, original) || {
                let is_new = matches!(self.checked.types.named(original), Some((_, _, Sort::NewType(_))));
                is_new && self.casts(from, original)
            };
        }
        let from = self.unwrapped(from);
        let to = self.unwrapped(to);
        match (self.checked.types.kind(from), self.checked.types.kind(to)) {
            (Kind::Bit(_), Kind::Bit(_))
            | (Kind::Int(_), Kind::Int(_))
            | (Kind::Bit(1), Kind::Bool)
            | (Kind::Bool, Kind::Bit(1))
            | (Kind::Integer, Kind::Bool | Kind::Integer | Kind::Bit(_) | Kind::Int(_))
            | (Kind::Bit(_) | Kind::Int(_), Kind::Integer) => true,
            (Kind::Bit(one), Kind::Int(other)) | (Kind::Int(one), Kind::Bit(other)) => one == other,
            _ => self.converts(from, to),
        }
    }

    /// The type that a type with a name is made of: of `type`, and of an enumeration with an underlying type.
    pub(super) fn unwrapped(&self, mut of: Type) -> Type {
        loop {
            of = match self.checked.types.named(of) {
                Some((_, _, Sort::NewType(original))) => *original,
                _ => {
                    let under = self.checked.types.underlying(of);
                    if under == of {
                        return of;
                    }
                    under
                }
            };
        }
    }
}
