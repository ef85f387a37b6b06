//! Types: `bool`, `label`, `: width`, `int : width`, structs, unions, and pointers to them.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span, did_you_mean};
use preprocessor::{Parsed, Reported};

use super::{Parser, words};
use crate::syntax::{Expression, Name, TypeName, TypeNameKind};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Returns whether a type begins at the token that is `count` ahead.
    pub(super) fn begins_type(&self, count: usize) -> bool {
        let token = self.ahead(count);
        match token.identifier() {
            None => token.is(":"),
            Some(word) => {
                matches!(&**word, "bool" | "label" | "int" | "unsigned" | "struct" | "union" | "void")
                    || self.type_names.contains(word)
                    || words::refused_type(word).is_some()
            }
        }
    }

    /// Parses a type, with its `*`s.
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        let mut ty = self.plain_type()?;
        while self.is("*") {
            let span = ty.span.to(self.advance().span);
            ty = TypeName { kind: TypeNameKind::Pointer(Rc::new(ty)), span };
        }
        Ok(ty)
    }

    fn plain_type(&mut self) -> Parsed<TypeName> {
        let first = self.current();
        if let Some((message, hint)) = words::refused_type(self.word()) {
            self.report.push(Diagnostic::error(first.span, message).hint(hint));
            return Err(Reported);
        }
        let kind = match self.word() {
            "void" => TypeNameKind::Void,
            "bool" => TypeNameKind::Bool,
            "label" => TypeNameKind::Label,
            signed @ ("int" | "unsigned") => {
                self.advance();
                if !self.is(":") {
                    let error = Diagnostic::error(self.gap(), format!("`{signed}` has no width"));
                    return self.fail(error.hint(format!("write the width in bits, as in `{signed} : 32`")));
                }
                return self.number_type(signed == "int", first.span);
            }
            "struct" | "union" => return self.structure_type(),
            _ if self.is(":") => return self.number_type(false, first.span),
            _ => {
                let Some(text) = first.identifier() else {
                    let error = Diagnostic::error(first.span, format!("expected a type, found {}", first.describe()));
                    return self.fail(error.hint("an integer of 32 bits is `: 32`, a struct is named"));
                };
                if !self.type_names.contains(text) {
                    let known = self.type_names.iter().map(|name| &**name).chain(["bool", "label"]);
                    let hint = did_you_mean(text, known);
                    let error = Diagnostic::error(first.span, format!("there is no type `{text}`"));
                    return self.fail(error.hint(hint.unwrap_or_else(|| {
                        "declare it before its use: `struct name { field : 8; };`; an integer is `: width`".to_owned()
                    })));
                }
                TypeNameKind::Named(Name { text: Rc::clone(text), span: first.span })
            }
        };
        self.advance();
        Ok(TypeName { kind, span: first.span })
    }

    /// Parses `: width`, or `:` alone before a name.
    fn number_type(&mut self, signed: bool, begin: Span) -> Parsed<TypeName> {
        let colon = self.advance().span;
        let width = match &self.current().kind {
            TokenKind::Integer(_) => Some(self.primary()?),
            TokenKind::Punctuator("(") => Some(self.primary()?),
            // `: WIDTH name` has a width by name, `: name` has none.
            TokenKind::Identifier(word) if !words::is_reserved(word) && self.is_declared_at(1) => Some(self.primary()?),
            _ => None,
        };
        let span = width.as_ref().map_or(begin.to(colon), |width: &Expression| begin.to(width.span));
        Ok(TypeName { kind: TypeNameKind::Number { signed, width: width.map(Rc::new) }, span })
    }

    /// Returns whether the token that is `count` ahead is what a declaration declares, a name or a `*`, or ends a type
    /// in parentheses.
    fn is_declared_at(&self, count: usize) -> bool {
        let token = self.ahead(count);
        token.is("*") || token.is(")") || token.identifier().is_some_and(|word| !words::is_keyword(word))
    }

    /// Parses a declared name and the lengths of arrays after it.
    pub(super) fn declared(&mut self, ty: &TypeName, what: &str) -> Parsed<(Name, TypeName)> {
        let name = self.name(what)?;
        let ty = self.dimensions(ty.clone())?;
        Ok((name, ty))
    }

    /// Parses the lengths of an array, `[2][3]`: 2 times 3 values.
    pub(super) fn dimensions(&mut self, element: TypeName) -> Parsed<TypeName> {
        let mut lengths = Vec::new();
        while self.take("[") {
            let length = self.nested(Self::expression)?;
            let close = self.expect("]", "the length of the array")?;
            lengths.push((length, close));
        }
        let array = |ty: TypeName, (length, close): (Expression, Span)| {
            let span = ty.span.to(close);
            TypeName { kind: TypeNameKind::Array(Rc::new(ty), Rc::new(length)), span }
        };
        Ok(lengths.into_iter().rev().fold(element, array))
    }
}
