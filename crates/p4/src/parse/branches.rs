//! Conditional statements and loops (sections 12.6 and 12.7; `for`: later drafts).

use diagnostics::{Diagnostic, Span};

use super::{Parsed, Reader};
use crate::ast::{
    Annotation, Declaration, DeclarationKind, LoopVariable, Statement, StatementKind, SwitchCase, SwitchLabel,
};
use crate::token::Keyword;

impl Reader<'_> {
    /// `if (condition) statement else statement`
    pub(super) fn choice(&mut self) -> Parsed<Statement> {
        let start = self.advance().span;
        self.expect("(", "`if`")?;
        let condition = self.condition()?;
        self.expect(")", "the condition")?;
        let then = Box::new(self.statement()?);
        let otherwise = match self.take_word(Keyword::Else) {
            Some(_) => Some(Box::new(self.statement()?)),
            None => None,
        };
        Ok(self.stated(StatementKind::If { condition, then, otherwise }, start))
    }

    /// `switch (value) { cases }`
    pub(super) fn switch(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect("(", "`switch`")?;
        let value = self.bracketed(Self::expression)?;
        self.expect(")", "the value")?;
        let mut cases = Vec::new();
        self.braced("the cases of a `switch`", |reader| {
            cases.push(reader.switch_case()?);
            Ok(())
        })?;
        Ok(StatementKind::Switch { value, cases })
    }

    fn switch_case(&mut self) -> Parsed<SwitchCase> {
        let start = self.current().span;
        let label = if let Some(span) = self.take_word(Keyword::Default) {
            SwitchLabel::Default(span)
        } else {
            if self.is("{") {
                let error = Diagnostic::error(start, "expected a case and `:`, found `{`");
                self.report(error.hint("a case in braces is written in parentheses: `({ ... }):`"));
            }
            SwitchLabel::Value(self.expression()?)
        };
        self.expect(":", "the case")?;
        let block = if self.is("{") || self.is("@") { Some(self.body()?) } else { None };
        Ok(SwitchCase { label, block, span: self.since(start) })
    }

    /// `for (...) statement`, at its `for`.
    pub(super) fn loop_after(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Statement> {
        self.advance();
        self.expect("(", "`for`")?;
        let inner = self.current().span;
        let noted = self.annotations()?;
        let mut first = Vec::new();
        if self.begins_typed() || (self.is_type_at(0) && self.ahead(1).is("<")) {
            let variable_type = self.type_reference()?;
            if self.ahead(1).is_keyword(Keyword::In) {
                let name = self.name("the name of the variable")?;
                self.declare_value(&name);
                let variable = LoopVariable { annotations: noted, variable_type, name };
                return self.loop_over(annotations, variable, start);
            }
            let variable = self.variable(variable_type)?;
            let declaration: Declaration = self.declared(noted, DeclarationKind::Variable(variable), inner);
            first.push(self.stated(StatementKind::Declare(Box::new(declaration)), inner));
            if self.take(",").is_some() {
                first.extend(self.separated(";", false, Self::first_step)?);
            }
        } else {
            self.refuse_annotations(&noted);
            first = self.separated(";", false, Self::first_step)?;
        }
        self.expect(";", "what a loop does first")?;
        let condition = self.condition()?;
        self.expect(";", "the condition of the loop")?;
        let step = self.separated(")", false, Self::step)?;
        self.expect(")", "what a loop does after each turn")?;
        let body = Box::new(self.statement()?);
        Ok(self.stated(StatementKind::For { annotations, first, condition, step, body }, start))
    }

    /// Reads what follows the variable of `for (type name in collection) statement`.
    fn loop_over(&mut self, annotations: Vec<Annotation>, variable: LoopVariable, start: Span) -> Parsed<Statement> {
        self.advance();
        let value = self.bracketed(Self::expression)?;
        let collection = Box::new(self.keyset_element_after(value)?);
        self.expect(")", "what is gone through")?;
        let body = Box::new(self.statement()?);
        Ok(self.stated(StatementKind::ForIn { annotations, variable, collection, body }, start))
    }

    /// A declaration, an assignment or a call.
    fn first_step(&mut self) -> Parsed<Statement> {
        let start = self.current().span;
        let annotations = self.annotations()?;
        if !self.begins_typed() {
            self.refuse_annotations(&annotations);
            return self.step();
        }
        let variable_type = self.type_reference()?;
        let variable = self.variable(variable_type)?;
        let declaration = self.declared(annotations, DeclarationKind::Variable(variable), start);
        Ok(self.stated(StatementKind::Declare(Box::new(declaration)), start))
    }

    fn step(&mut self) -> Parsed<Statement> {
        let start = self.current().span;
        let kind = self.assignment_or_call()?;
        Ok(self.stated(kind, start))
    }
}
