//! Controls and actions (sections 14 and 14.1).

use diagnostics::Diagnostic;

use super::typed::DeclarationContext;
use super::{Parsed, Reader};
use crate::ast::{Action, Annotation, Control, Declaration, DeclarationKind, Parameter, Signature};
use crate::token::Keyword;

impl Reader<'_> {
    /// `control name(parameters);` or `control name(parameters)(parameters) { ... }`
    pub(super) fn control(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let name = self.name("the name of the control")?;
        self.declare_type(&name);
        self.scoped(|reader| {
            let signature = reader.signature_after(name, &[])?;
            if reader.take(";").is_some() {
                return Ok(DeclarationKind::ControlType(signature));
            }
            let constructor_parameters = if reader.is("(") { reader.parameters()? } else { Vec::new() };
            reader.control_body(signature, constructor_parameters)
        })
    }

    fn control_body(
        &mut self,
        signature: Signature,
        constructor_parameters: Vec<Parameter>,
    ) -> Parsed<DeclarationKind> {
        let (mut locals, mut body, mut failed) = (Vec::new(), None, false);
        let span = self.braced("the declarations of a control", |reader| {
            if body.is_some() && !reader.misplaced {
                let error = Diagnostic::error(reader.current().span, "nothing can follow `apply { ... }` in a control");
                return reader.fail(error.hint("declarations come before it"));
            }
            let is_body = reader.is_word(Keyword::Apply);
            let read = if is_body {
                reader.advance();
                reader.body().map(|block| body = Some(block))
            } else {
                reader.control_local().map(|local| locals.push(local))
            };
            failed |= read.is_err();
            read
        })?;
        match body {
            Some(body) => Ok(DeclarationKind::Control(Control { signature, constructor_parameters, locals, body })),
            None if failed => Err(super::Reported),
            None => {
                let error = Diagnostic::error(span, format!("the control `{}` has no `apply`", signature.name.text));
                self.fail(error.hint("what it does stands in `apply { ... }` at its end"))
            }
        }
    }

    fn control_local(&mut self) -> Parsed<Declaration> {
        let annotations: Vec<Annotation> = self.annotations()?;
        let start = self.current().span;
        let kind = if self.is_word(Keyword::Const) {
            self.constant()?
        } else if self.is_word(Keyword::Action) {
            self.action()?
        } else if self.is_word(Keyword::Table) {
            self.table()?
        } else if self.is_type_at(0) || self.is_name_at(0) || self.is(".") {
            return self.typed_declaration(annotations, DeclarationContext::Inside);
        } else {
            return self.unexpected("a declaration of the control or `apply`");
        };
        Ok(self.declared(annotations, kind, start))
    }

    /// `action name(parameters) { ... }`
    pub(super) fn action(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let name = self.name("the name of the action")?;
        self.declare_value(&name);
        self.scoped(|reader| {
            let parameters = reader.parameters()?;
            let body = reader.body()?;
            Ok(DeclarationKind::Action(Action { name, parameters, body }))
        })
    }
}
