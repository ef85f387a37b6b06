//! Numbers in the range of their types, and numbers that must be known.

use num_bigint::{BigInt, Sign};

use super::{Checker, Typed};
use crate::ast;
use crate::types::{Kind, Type, Types, Value};

/// Numbers with more bits are not kept: `1 << 1000000000` would take memory without end.
pub(super) const MOST_BITS: u64 = 1 << 16;
/// Wider types than any packet.
pub(super) const MOST_WIDTH: u32 = 1 << 16;

impl<'a> Checker<'a> {
    /// A number as a type holds it: the low bits, and of `int<N>` the highest as the sign.
    pub(super) fn fit(&self, number: BigInt, of: Type) -> BigInt {
        match *self.checked.types.kind(self.unwrapped(of)) {
            Kind::Bit(width) => low_bits(number, width),
            Kind::Int(width) if width > 0 => {
                let low = low_bits(number, width);
                if low.bit(u64::from(width) - 1) { low - (BigInt::from(1) << width) } else { low }
            }
            _ => number,
        }
    }

    /// A number that has to be known before the program runs; `None` if it is not known yet or was reported.
    pub(super) fn known_number(&mut self, expression: &'a ast::Expression, what: &str) -> Option<BigInt> {
        let typed = self.value(expression);
        self.known_number_of(expression, &typed, what)
    }

    pub(super) fn known_number_of(
        &mut self,
        expression: &'a ast::Expression,
        typed: &Typed,
        what: &str,
    ) -> Option<BigInt> {
        let under = self.checked.types.underlying(typed.of);
        let is_number =
            matches!(self.checked.types.kind(under), Kind::Integer | Kind::Bit(_) | Kind::Int(_) | Kind::Unknown)
                || self.checked.types.is_parameter(under);
        if !is_number {
            let message = format!("{what} must be a number, this is of type {}", self.checked.types.describe(typed.of));
            self.error(expression.span, message);
            return None;
        }
        if !typed.known {
            self.hinted(
                expression.span,
                format!("{what} must be known when the program is compiled"),
                "a literal or a `const` is known",
            );
            return None;
        }
        typed.value.as_deref().and_then(Value::integer).cloned()
    }

    /// A size or a width: a number of at least `least`. It is known where it is written ("local compile-time known",
    /// section 18.1).
    pub(super) fn size(&mut self, expression: &'a ast::Expression, least: u32, what: &str) -> Option<u32> {
        let typed = self.value(expression);
        let number = self.known_number_of(expression, &typed, what);
        let is_number = self.is_numeric(self.checked.types.underlying(typed.of)) && !self.is_unknown(typed.of);
        if number.is_none() && typed.known && is_number {
            self.hinted(
                expression.span,
                format!("{what} must be known where it is written"),
                "what an instance is made with is known later; a literal or a `const` is known",
            );
        }
        let number = number?;
        match u32::try_from(&number) {
            Ok(size) if size >= least && size <= MOST_WIDTH.max(1 << 24) => Some(size),
            Ok(size) if size >= least => {
                self.error(expression.span, format!("{what} is too large: {number}"));
                None
            }
            _ => {
                self.error(expression.span, format!("{what} must be at least {least}, this is {number}"));
                None
            }
        }
    }

    /// The width of a type.
    pub(super) fn width(&mut self, expression: &'a ast::Expression, least: u32, what: &str) -> Option<u32> {
        let width = self.size(expression, least, what)?;
        if width > MOST_WIDTH {
            self.error(expression.span, format!("{what} is at most {MOST_WIDTH} bits, this is {width}"));
            return None;
        }
        Some(width)
    }

    pub(super) fn number(&mut self, number: BigInt, of: Type) -> Typed {
        if number.bits() > MOST_BITS {
            return Typed { known: true, ..Typed::new(of) };
        }
        let fitting = self.fit(number, of);
        Typed::known(of, Value::Integer(fitting))
    }

    /// Bits of `bit<N>` or `int<N>`.
    pub(super) fn bits_of(&self, of: Type) -> Option<u32> {
        match *self.checked.types.kind(self.checked.types.underlying(of)) {
            Kind::Bit(width) | Kind::Int(width) => Some(width),
            _ => None,
        }
    }

    /// True for `int`, `bit<N>` and `int<N>`, and for what is unknown.
    pub(super) fn is_numeric(&self, of: Type) -> bool {
        matches!(
            self.checked.types.kind(of),
            Kind::Integer | Kind::Bit(_) | Kind::Int(_) | Kind::Unknown | Kind::Default
        )
    }

    /// True for what stands for an error that was reported.
    pub(super) fn is_unknown(&self, of: Type) -> bool {
        of == Types::UNKNOWN
    }
}

fn low_bits(number: BigInt, width: u32) -> BigInt {
    let fits = number.sign() != Sign::Minus && number.bits() <= u64::from(width);
    if fits { number } else { number & ((BigInt::from(1) << width) - 1) }
}
