//! The parser of register declarations.

use diagnostics::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::verify::MAX_REGISTER_LENGTH;
use crate::{Initial, Register, Type};

impl Parser<'_> {
    pub(super) fn register_declaration(&mut self) -> Parsed<()> {
        let (name, span) = self.cursor.expect_name("a register's name")?;
        self.cursor.expect_sign(":")?;
        let ty = self.ty()?;
        let length = self.length()?;
        let initial = if self.cursor.take_sign("=").is_some() { self.initial(ty, length)? } else { Initial::Fill(0) };
        if let Some((_, first)) = self.scope.register(name) {
            let error = Diagnostic::error(span, format!("`@{name}` is declared twice")).related(first, "first here");
            return Err(self.cursor.report(error));
        }
        self.scope.declare_register(name, span);
        self.scope.program.registers.push(Register { name: name.to_owned(), ty, length, initial });
        Ok(())
    }

    fn length(&mut self) -> Parsed<Option<u32>> {
        if self.cursor.take_sign("[").is_none() {
            return Ok(None);
        }
        let (mut length, span) = self.cursor.expect_count("the length of an array")?;
        if !(1..=MAX_REGISTER_LENGTH).contains(&length) {
            let error = Diagnostic::error(span, format!("a register array cannot have {length} values"));
            self.cursor.report(error.hint(format!("choose 1 to {MAX_REGISTER_LENGTH} values")));
            length = 1;
        }
        self.cursor.expect_sign("]")?;
        Ok(Some(length))
    }

    fn initial(&mut self, ty: Type, length: Option<u32>) -> Parsed<Initial> {
        let start = self.cursor.span();
        let (initial, end) = self.first_values(ty, length.is_some())?;
        let places = length.unwrap_or(1) as usize;
        if let Initial::List(values) = &initial
            && values.len() > places
        {
            let message = format!("{} initial values for a register of length {places}", values.len());
            self.cursor.report(Diagnostic::error(start.to(end), message));
        }
        Ok(initial)
    }

    /// Reads the first values of an array or a scalar; also returns where they end.
    pub(super) fn first_values(&mut self, ty: Type, is_array: bool) -> Parsed<(Initial, Span)> {
        let start = self.cursor.span();
        if self.cursor.take_sign("[").is_some() {
            let mut values = Vec::new();
            while !self.cursor.at_sign("]") {
                values.push(self.value_of(ty)?);
                if self.cursor.take_sign(",").is_none() {
                    break;
                }
            }
            let end = self.cursor.expect_sign("]")?;
            return Ok((Initial::List(values), end));
        }
        match (self.cursor.take_word("fill"), is_array) {
            (None, true) => Err(self.cursor.unexpected("`fill` and a number, or a list such as `[1, 2]`")),
            _ => Ok((Initial::Fill(self.value_of(ty)?), start)),
        }
    }
}
