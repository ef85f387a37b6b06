//! Structs and unions of bit fields.

use std::rc::Rc;

use diagnostics::Diagnostic;
use preprocessor::Parsed;

use super::Parser;
use crate::syntax::{Field, Structure, TypeName, TypeNameKind};

impl Parser<'_> {
    /// Parses `struct name`, `struct name { … }` or `struct { … }`, and the same with `union`.
    pub(super) fn structure_type(&mut self) -> Parsed<TypeName> {
        let word = self.advance();
        let is_union = word.identifier().is_some_and(|word| &**word == "union");
        let name = if self.is("{") { None } else { Some(self.name("the name of a struct")?) };
        if !self.is("{") {
            let name = name.expect("a name, for no brace follows");
            let span = word.span.to(name.span);
            if !self.type_names.contains(&name.text) {
                let kind = if is_union { "union" } else { "struct" };
                let error = Diagnostic::error(name.span, format!("there is no {kind} `{}`", name.text));
                return self.fail(error.hint("declare it before its use"));
            }
            return Ok(TypeName { kind: TypeNameKind::Named(name), span });
        }
        let open = self.advance().span;
        let (mut fields, mut is_incomplete) = (Vec::new(), false);
        while !self.is("}") && !self.at_end() && !matches!(self.word(), "begin" | "end") {
            if self.nested(|parser| parser.fields(&mut fields)).is_err() {
                is_incomplete = true;
                self.recover();
            }
        }
        if let Some(name) = &name {
            self.type_names.insert(Rc::clone(&name.text));
        }
        if !self.is("}") {
            let error = Diagnostic::error(self.current().span, "a struct never ends").related(open, "it begins here");
            return self.fail(error.hint("end it with `};`"));
        }
        let span = word.span.to(self.advance().span);
        let structure = Structure { is_union, name, fields, span, is_incomplete };
        Ok(TypeName { kind: TypeNameKind::Defined(Rc::new(structure)), span })
    }

    /// Parses one declaration of fields.
    fn fields(&mut self, into: &mut Vec<Field>) -> Parsed<()> {
        let begin = self.current().span;
        if self.is(":") {
            // `: width`, which takes its room only.
            self.advance();
            let width = self.conditional()?;
            let ty = number(false, width);
            into.push(Field { name: None, span: begin.to(ty.span), ty });
        } else if self.is_bit_field() {
            let signed = self.is_word("int");
            if matches!(self.word(), "int" | "unsigned") {
                self.advance();
            }
            loop {
                self.bit_field(signed, into)?;
                if !self.take(",") {
                    break;
                }
            }
        } else {
            let ty = self.type_name()?;
            if self.is(";") && matches!(ty.kind, TypeNameKind::Defined(_)) {
                into.push(Field { name: None, span: ty.span, ty });
            } else {
                loop {
                    let name = self.field_name()?;
                    let ty = self.dimensions(ty.clone())?;
                    into.push(Field { span: name.span, name: Some(name), ty });
                    if !self.take(",") {
                        break;
                    }
                }
            }
        }
        self.expect(";", "the field")?;
        Ok(())
    }

    /// Returns whether `name : width` begins here: with a name that no other name and no `*` follow.
    fn is_bit_field(&self) -> bool {
        let token = self.current();
        match token.identifier().map(|word| &**word) {
            Some("int" | "unsigned") => true,
            Some(_) => self.ahead(1).is(":") || self.ahead(1).is("["),
            None => false,
        }
    }

    /// Parses `name : width` or `name[length] : width`.
    fn bit_field(&mut self, signed: bool, into: &mut Vec<Field>) -> Parsed<()> {
        let name = self.field_name()?;
        // The width stands behind the lengths, but is the type of an element: the lengths are put around it.
        let begin = self.place();
        if self.is("[") {
            self.skip_brackets();
        }
        self.expect(":", "the name of a field")?;
        let width = self.conditional()?;
        let end = self.place();
        self.go_to(begin);
        let ty = self.dimensions(number(signed, width));
        self.go_to(end);
        let ty = ty?;
        into.push(Field { span: name.span.to(ty.span), name: Some(name), ty });
        Ok(())
    }

    /// Skips the lengths of an array, which are read once the type of an element is known.
    fn skip_brackets(&mut self) {
        let mut open = 0;
        while !self.at_end() && !self.is(";") && !self.is("{") && !self.is("}") {
            open += i32::from(self.is("[")) - i32::from(self.is("]"));
            let closed = open == 0 && !self.ahead(1).is("[");
            self.advance();
            if closed {
                return;
            }
        }
    }
}

fn number(signed: bool, width: crate::syntax::Expression) -> TypeName {
    let span = width.span;
    TypeName { kind: TypeNameKind::Number { signed, width: Some(Rc::new(width)) }, span }
}
