//! The parser of headers, stacks and arrays.

use diagnostics::Span;

use super::lexer::LexemeKind;
use super::scope::Named;
use super::{Parsed, Parser};
use crate::verify::Item;
use crate::{Array, ArrayId, Header, HeaderField, HeaderId, Stack, StackId, VariableId, VariableKind};

impl Parser<'_> {
    /// Reads a header: the variable for its validity and then its fields, each on a line of its own. A line with a type
    /// declares a local.
    pub(super) fn header(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a header")?;
        let opening = self.cursor.span();
        if !self.cursor.at_sign("{") {
            return Err(self.cursor.unexpected("`{`"));
        }
        let mut lines = Vec::new();
        self.braces(opening, "header", |parser| {
            lines.push(parser.header_line()?);
            Ok(())
        })?;
        let mut lines = lines.into_iter();
        let Some(HeaderField { variable: valid, length: None }) = lines.next() else {
            let error = diagnostics::Diagnostic::error(span, format!("the header `{name}` has no validity"));
            return Err(self.cursor.report(error.hint("its first line is a bool: `header.$valid: bool`")));
        };
        let number = self.declare(Named::Header, &name, span)?;
        self.scope.program.headers.push(Header { name: name.into_owned(), valid, fields: lines.collect() });
        self.remember(Item::Header(HeaderId::from(number)), span, findings);
        Ok(())
    }

    fn header_line(&mut self) -> Parsed<HeaderField> {
        let variable = self.header_variable()?;
        let length = if self.cursor.take_word("length").is_some() { Some(self.header_variable()?) } else { None };
        Ok(HeaderField { variable, length })
    }

    fn header_variable(&mut self) -> Parsed<VariableId> {
        let (name, span) = self.cursor.expect_name("a variable's name")?;
        if self.cursor.take_sign(":").is_some() {
            return self.declared_variable(name, span, VariableKind::Local);
        }
        self.variable(name, span)
    }

    /// Reads lines in braces.
    pub(super) fn braces(
        &mut self,
        opening: Span,
        what: &str,
        mut line: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        self.cursor.expect_sign("{")?;
        loop {
            self.cursor.skip_line_ends();
            if self.cursor.take_sign("}").is_some() {
                return Ok(());
            }
            if self.cursor.at_end() {
                return Err(self.open_at_end(opening, what));
            }
            self.line(&mut line);
        }
    }

    /// Reads names of variables separated by commas: at least one.
    pub(super) fn variables(&mut self) -> Parsed<Vec<VariableId>> {
        let mut variables = Vec::new();
        loop {
            let (name, span) = self.cursor.expect_name("a variable's name")?;
            variables.push(self.variable(name, span)?);
            if self.cursor.take_sign(",").is_none() {
                return Ok(variables);
            }
        }
    }

    /// Reads `name: variable, ...`.
    pub(super) fn array_declaration(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_name("an array's name")?;
        self.cursor.expect_sign(":")?;
        let elements = self.variables()?;
        let number = self.declare(Named::Array, name, span)?;
        self.scope.program.arrays.push(Array { name: name.to_owned(), elements });
        self.remember(Item::Array(ArrayId::from(number)), span, findings);
        Ok(())
    }

    /// Reads `name: header, ... next variable`.
    pub(super) fn stack(&mut self) -> Parsed<()> {
        let findings = self.cursor.count_findings();
        let (name, span) = self.cursor.expect_title("the name of a stack")?;
        self.cursor.expect_sign(":")?;
        let mut elements = Vec::new();
        loop {
            elements.push(HeaderId::from(self.named(Named::Header)?.0));
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        self.cursor.expect_word("next")?;
        let next = self.target(|_| Ok(()))?;
        let number = self.declare(Named::Stack, &name, span)?;
        self.scope.program.stacks.push(Stack { name: name.into_owned(), elements, next });
        self.remember(Item::Stack(StackId::from(number)), span, findings);
        Ok(())
    }

    /// Returns true at the end of a line, which a closing brace may follow.
    pub(super) fn at_end_of_line(&self) -> bool {
        self.cursor.at_line_end() || matches!(self.cursor.peek(), LexemeKind::Sign("}"))
    }
}
