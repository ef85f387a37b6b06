//! The parser of numbers and constants.

use diagnostics::{Diagnostic, Span};
use runtime::Bits;

use super::expressions::Typed;
use super::lexer::LexemeKind;
use super::{Parsed, Parser};
use crate::{Constant, Expression, Type};

impl Parser<'_> {
    /// Reads `true`, `false`, or a number with its type as a suffix: `5i32`, `-5i32`, `0x1fu8`.
    pub(super) fn constant(&mut self) -> Parsed<Typed> {
        let start = self.cursor.span();
        if let Some(value) = self.boolean() {
            let span = start;
            return Ok(Typed { expression: Expression::bool(value), ty: Some(Type::Bool), span });
        }
        let negative = self.cursor.take_sign("-").is_some();
        let LexemeKind::Number(text) = *self.cursor.peek() else { return Err(self.cursor.unexpected("a number")) };
        let span = start.to(self.cursor.advance());
        let digits = if text.starts_with("0x") { 2 } else { 0 };
        let suffix = text[digits..].find(['i', 'u']).map(|place| digits + place);
        let Some((digits, suffix)) = suffix.map(|place| text.split_at(place)) else {
            let error = Diagnostic::error(span, "a constant needs a type as a suffix");
            return Err(self
                .cursor
                .report(error.hint(format!("write `{text}i32` for int<32>, `{text}u8` for bit<8>"))));
        };
        let ty = match suffix[1..].parse() {
            Ok(width @ 1u16..) if suffix.starts_with('i') => Type::Int(width),
            Ok(width @ 1..) => Type::Bits(width),
            _ => {
                let error = Diagnostic::error(span, format!("`{suffix}` is not the type of a constant"));
                return Err(self.cursor.report(error.hint("write `i` or `u` and a width of 1 to 65535 bits")));
            }
        };
        if ty.width() > 64 {
            let value = self.wide_number(ty, negative, digits, span)?;
            return Ok(Typed { expression: Expression::Wide(ty, value), ty: Some(ty), span });
        }
        let value = self.number(ty, negative, digits, span)?;
        Ok(Typed { expression: Expression::Constant(Constant { ty, value }), ty: Some(ty), span })
    }

    /// Converts the digits of a number of a type of more than 64 bits, in which it must fit.
    fn wide_number(&mut self, ty: Type, negative: bool, digits: &str, span: Span) -> Parsed<Bits> {
        let width = ty.width();
        let error = match Bits::parse(digits, width) {
            // The least number is its own negation.
            Ok(value) if negative && ty.is_signed() && !value.negate(width).is_negative(width) && !value.is_zero() => {
                format!("the number is below the range of {ty}")
            }
            Ok(value) if negative && (ty.is_signed() || value.is_zero()) => return Ok(value.negate(width)),
            Ok(_) if negative => format!("a negative number is out of range for {ty}"),
            Ok(value) if ty.is_signed() && value.is_negative(width) => {
                format!("the number is above the range of {ty}")
            }
            Ok(value) => return Ok(value),
            Err(error) => error.to_string(),
        };
        Err(self.cursor.report(Diagnostic::error(span, error)))
    }

    /// Reads raw bits, a number without suffix whose width is known from the context.
    pub(super) fn raw(&mut self, width: u32) -> Parsed<Bits> {
        let LexemeKind::Number(digits) = *self.cursor.peek() else { return Err(self.cursor.unexpected("a number")) };
        let span = self.cursor.advance();
        Bits::parse(digits, width).map_err(|error| self.cursor.report(Diagnostic::error(span, error.to_string())))
    }

    /// Reads a value whose type is known: `true`, `false`, or a number without suffix.
    pub(super) fn value_of(&mut self, ty: Type) -> Parsed<u64> {
        let start = self.cursor.span();
        if ty == Type::Bool {
            return match self.boolean() {
                Some(value) => Ok(u64::from(value)),
                None => Err(self.cursor.unexpected("`true` or `false`")),
            };
        }
        let negative = self.cursor.take_sign("-").is_some();
        let LexemeKind::Number(digits) = *self.cursor.peek() else { return Err(self.cursor.unexpected("a number")) };
        let span = start.to(self.cursor.advance());
        if ty.width() > 64 {
            // The initial values of a register are given by their lowest 64 bits.
            return self.number(Type::Bits(64), negative, digits, span);
        }
        self.number(ty, negative, digits, span)
    }

    fn boolean(&mut self) -> Option<bool> {
        let yes = self.cursor.take_word("true").is_some();
        (yes || self.cursor.take_word("false").is_some()).then_some(yes)
    }

    /// Converts the digits of a number to the raw bits of its type, in which it must fit.
    fn number(&mut self, ty: Type, negative: bool, digits: &str, span: Span) -> Parsed<u64> {
        let read = match digits.strip_prefix("0x") {
            Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        let Ok(magnitude) = read else {
            return Err(self.cursor.report(Diagnostic::error(span, format!("`{digits}` is not a number"))));
        };
        let number = if negative { -magnitude } else { magnitude };
        let value = ty.value_of(number as i64);
        if ty.number(value) == number {
            return Ok(value);
        }
        let least = if ty.is_signed() { -(1i128 << (ty.width() - 1)) } else { 0 };
        let most = least + (1i128 << ty.width()) - 1;
        let error = Diagnostic::error(span, format!("{number} is out of range for {ty}"));
        Err(self.cursor.report(error.hint(format!("the range is {least} to {most}"))))
    }
}
