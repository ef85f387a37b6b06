//! Parsers and their states (section 13).

use diagnostics::Diagnostic;

use super::typed::DeclarationContext;
use super::{Parsed, Reader};
use crate::ast::{
    Annotation, Declaration, DeclarationKind, Parser, SelectCase, Signature, StateDeclaration, Transition,
    TransitionKind, ValueSet,
};
use crate::token::Keyword;

impl Reader<'_> {
    /// `parser name(parameters);` or `parser name(parameters)(parameters) { ... }`
    pub(super) fn parser(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        let name = self.name("the name of the parser")?;
        self.declare_type(&name);
        self.scoped(|reader| {
            let signature = reader.signature_after(name, &[])?;
            if reader.take(";").is_some() {
                return Ok(DeclarationKind::ParserType(signature));
            }
            let constructor_parameters = if reader.is("(") { reader.parameters()? } else { Vec::new() };
            reader.parser_body(signature, constructor_parameters)
        })
    }

    fn parser_body(
        &mut self,
        signature: Signature,
        constructor_parameters: Vec<crate::ast::Parameter>,
    ) -> Parsed<DeclarationKind> {
        let (mut locals, mut states, mut failed) = (Vec::new(), Vec::new(), false);
        let span = self.braced("the states of a parser", |reader| {
            let annotations = reader.annotations()?;
            let start = reader.current().span;
            let read = if reader.is_word(Keyword::State) && reader.is_name_at(1) {
                reader.state(annotations).map(|state| states.push(state))
            } else {
                if !states.is_empty() {
                    let error = Diagnostic::error(start, "a declaration cannot stand between or behind states");
                    reader.report(error.hint("a parser declares first and has its states then"));
                }
                reader.parser_local(annotations).map(|local| locals.push(local))
            };
            failed |= read.is_err();
            read
        })?;
        if states.is_empty() && !failed {
            let error = Diagnostic::error(span, format!("the parser `{}` has no states", signature.name.text));
            self.report(error.hint("it begins in `state start { ... }`"));
        }
        Ok(DeclarationKind::Parser(Parser { signature, constructor_parameters, locals, states }))
    }

    fn parser_local(&mut self, annotations: Vec<Annotation>) -> Parsed<Declaration> {
        let start = self.current().span;
        let kind = if self.is_word(Keyword::Const) {
            self.constant()?
        } else if self.is_word(Keyword::ValueSet) {
            self.value_set()?
        } else if self.is_type_at(0) || self.is_name_at(0) || self.is(".") {
            return self.typed_declaration(annotations, DeclarationContext::Inside);
        } else {
            return self.unexpected("a state or a declaration of the parser");
        };
        Ok(self.declared(annotations, kind, start))
    }

    /// `value_set<type>(size) name;`
    fn value_set(&mut self) -> Parsed<DeclarationKind> {
        self.advance();
        self.expect("<", "`value_set`")?;
        let member_type = self.type_reference()?;
        self.expect(">", "the type of the values")?;
        self.expect("(", "the type of the values")?;
        let size = self.bracketed(Self::expression)?;
        self.expect(")", "the size")?;
        let name = self.name("the name of the value set")?;
        self.declare_value(&name);
        self.expect(";", "the value set")?;
        Ok(DeclarationKind::ValueSet(ValueSet { member_type, size, name }))
    }

    fn state(&mut self, annotations: Vec<Annotation>) -> Parsed<StateDeclaration> {
        let start = self.advance().span;
        let name = self.name("the name of the state")?;
        self.declare_value(&name);
        let (mut statements, mut transition) = (Vec::new(), None);
        self.in_state = true;
        let read = self.scoped(|reader| {
            reader.braced("the statements of a state", |reader| {
                if transition.is_some() {
                    let error = Diagnostic::error(reader.current().span, "nothing can follow a transition");
                    return reader.fail(error.hint("the transition comes last in a state"));
                }
                if reader.is_word(Keyword::Transition) {
                    transition = Some(reader.transition()?);
                } else {
                    statements.push(reader.statement_or_declaration()?);
                }
                Ok(())
            })
        });
        self.in_state = false;
        read?;
        Ok(StateDeclaration { annotations, name, statements, transition, span: self.since(start) })
    }

    fn transition(&mut self) -> Parsed<Transition> {
        let start = self.advance().span;
        let kind = if self.take_word(Keyword::Select).is_some() {
            self.select()?
        } else {
            let next = self.name("the name of a state or `select`")?;
            self.expect(";", "the transition")?;
            TransitionKind::Direct(next)
        };
        Ok(Transition { kind, span: self.since(start) })
    }

    /// `(values) { cases }`
    fn select(&mut self) -> Parsed<TransitionKind> {
        self.expect("(", "`select`")?;
        let values = self.bracketed(|reader| reader.separated(")", false, Self::expression))?;
        self.expect(")", "the values")?;
        let mut cases = Vec::new();
        self.braced("the cases of a `select`", |reader| {
            cases.push(reader.select_case()?);
            Ok(())
        })?;
        Ok(TransitionKind::Select { values, cases })
    }

    fn select_case(&mut self) -> Parsed<SelectCase> {
        let keyset = self.keyset()?;
        self.expect(":", "the set of values")?;
        let next = self.name("the name of a state")?;
        self.expect(";", "the name of the state")?;
        let span = keyset.span.to(self.before().span);
        Ok(SelectCase { keyset, next, span })
    }
}
