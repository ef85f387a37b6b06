//! Numbers that must be known at compile time.

use num_bigint::BigInt;

use super::constants::MOST_WIDTH;
use super::{Expressions, Typed, Typing};
use crate::ast;
use crate::types::{TypeForm, Types, Value};

impl<'a> Expressions<'_, 'a> {
    /// Checks a number that must be known at compile time; `None` if it is not known yet or an error was reported.
    pub(super) fn known_number(&mut self, expression: &'a ast::Expression, what: &str) -> Option<BigInt> {
        let typed = self.value(expression);
        self.typing().known_number_of(expression, &typed, what)
    }

    /// Checks a size or a width, which must be at least `least` and known where it is written ("local compile-time
    /// known", section 18.1).
    pub(super) fn size(&mut self, expression: &'a ast::Expression, least: u32, what: &str) -> Option<u32> {
        let typed = self.value(expression);
        let number = self.typing().known_number_of(expression, &typed, what);
        let is_number = self.types.is_numeric(self.types.underlying(typed.of)) && typed.of != Types::UNKNOWN;
        if number.is_none() && typed.known && is_number {
            self.found.hinted(
                expression.span,
                format!("{what} must be known where it is written"),
                "what an instance is made with is known later; a literal or a `const` is known",
            );
        }
        let number = number?;
        match u32::try_from(&number) {
            Ok(size) if size >= least && size <= MOST_WIDTH.max(1 << 24) => Some(size),
            Ok(size) if size >= least => {
                self.found.error(expression.span, format!("{what} is too large: {number}"));
                None
            }
            _ => {
                self.found.error(expression.span, format!("{what} must be at least {least}, this is {number}"));
                None
            }
        }
    }

    /// Checks the width of a type.
    pub(super) fn width(&mut self, expression: &'a ast::Expression, least: u32, what: &str) -> Option<u32> {
        let width = self.size(expression, least, what)?;
        if width > MOST_WIDTH {
            self.found.error(expression.span, format!("{what} is at most {MOST_WIDTH} bits, this is {width}"));
            return None;
        }
        Some(width)
    }
}

impl<'a> Typing<'_, 'a> {
    pub(super) fn known_number_of(
        &mut self,
        expression: &'a ast::Expression,
        typed: &Typed,
        what: &str,
    ) -> Option<BigInt> {
        let under = self.types.underlying(typed.of);
        let is_number = matches!(
            self.types.kind(under),
            TypeForm::Integer | TypeForm::Bit(_) | TypeForm::Int(_) | TypeForm::Unknown
        ) || self.types.is_parameter(under);
        if !is_number {
            let message = format!("{what} must be a number, this is of type {}", self.types.describe(typed.of));
            self.found.error(expression.span, message);
            return None;
        }
        if !typed.known {
            self.found.hinted(
                expression.span,
                format!("{what} must be known when the program is compiled"),
                "a literal or a `const` is known",
            );
            return None;
        }
        typed.value.as_deref().and_then(Value::integer).cloned()
    }
}
