//! Casts (section 8.11.1).

use std::rc::Rc;

use diagnostics::Span;
use num_bigint::BigInt;

use super::{Expressions, Typed, Writable, constants};
use crate::ast;
use crate::types::{Types, Value};

impl<'a> Expressions<'_, 'a> {
    pub(super) fn cast(&mut self, span: Span, to: &'a ast::Type, node: &'a ast::Expression) -> Typed {
        let typed = self.value(node);
        let target = self.written(to);
        if self.conversions.converts(self.types, typed.of, target) {
            self.typing().coerce_by_cast(node, target);
            let converted = self.conversions.converted(self.types, typed, target);
            return Typed { writable: Writable::No("a value"), ..converted };
        }
        if !self.conversions.casts(self.types, typed.of, target) {
            let (from, shown) = (self.types.show(typed.of), self.types.show(target));
            self.found.hinted(
                span,
                format!("a value of type `{from}` cannot be cast to `{shown}`"),
                "a cast changes the width or the sign, not both at once",
            );
            return Typed { of: target, ..Typed::unknown() };
        }
        let value = match typed.value.as_deref() {
            Some(Value::Integer(number)) if target == Types::BOOL => {
                if typed.of == Types::INTEGER && *number != BigInt::ZERO && *number != BigInt::from(1) {
                    self.found.error(span, format!("only 0 and 1 can be cast to `bool`, this is {number}"));
                }
                Some(Rc::new(Value::Bool(*number != BigInt::ZERO)))
            }
            Some(Value::Bool(flag)) if target != Types::BOOL => {
                Some(Rc::new(Value::Integer(BigInt::from(u8::from(*flag)))))
            }
            Some(Value::Integer(number)) => {
                Some(Rc::new(Value::Integer(constants::fit(self.types, number.clone(), target))))
            }
            _ => typed.value.clone(),
        };
        Typed { of: target, value, known: typed.known, writable: Writable::No("a value") }
    }
}
