//! Labels, instructions and subroutines.

use diagnostics::Diagnostic;
use preprocessor::Parsed;

use super::Parser;
use crate::syntax::{Code, Function, Instruction, Item, Name, Unit};

impl Parser<'_> {
    pub(super) fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        while !self.at_end() && !self.report.is_full() {
            if self.take(";") {
                continue;
            }
            if self.is("}") {
                let error = Diagnostic::error(self.current().span, "this `}` has no matching `{`");
                self.report.push(error);
                self.advance();
                continue;
            }
            if self.is_word("end") {
                let error = Diagnostic::error(self.current().span, "this `end` has no `begin`");
                self.report.push(error.hint("an instruction is `begin … end`"));
                self.advance();
                continue;
            }
            if self.item(&mut unit).is_err() {
                self.recover();
                // The brace at which recovery stops was opened in the declaration, because no block is open here.
                self.take("}");
            }
        }
        unit
    }

    fn item(&mut self, unit: &mut Unit) -> Parsed<()> {
        if let Some(code) = self.code()? {
            unit.items.push(Item::Code(code));
            return Ok(());
        }
        if self.is_word("void") {
            let function = self.function(&mut unit.broken)?;
            unit.items.push(Item::Function(function));
            return Ok(());
        }
        self.declaration(unit)
    }

    /// Parses a label or an instruction, if one begins here.
    fn code(&mut self) -> Parsed<Option<Code>> {
        if self.is_word("begin") {
            return Ok(Some(Code::Instruction(self.instruction())));
        }
        if self.current().identifier().is_some() && self.ahead(1).is(":") && !self.begins_declaration() {
            let label = self.name("the name of a label")?;
            self.advance();
            return Ok(Some(Code::Label(label)));
        }
        Ok(None)
    }

    /// Parses `begin … end`.
    fn instruction(&mut self) -> Instruction {
        let begin = self.advance().span;
        let mut statements = Vec::new();
        let errors = self.report.errors.iter().count();
        while !self.is_word("end") && !self.at_end() && !self.report.is_full() {
            if self.is("}") {
                let error = Diagnostic::error(self.current().span, "this `}` has no matching `{`");
                self.report.push(error.hint("an instruction ends with `end`"));
                self.advance();
                continue;
            }
            if self.statement(&mut statements).is_err() {
                self.recover();
                if self.is_word("begin") {
                    break;
                }
            }
        }
        if !self.take_word("end") && !self.report.is_full() && !self.is_cut_off && !self.is_word("begin") {
            let error = Diagnostic::error(self.current().span, "an instruction never ends");
            self.report.push(error.related(begin, "it begins here").hint("end it with `end`"));
            self.is_cut_off = true; // an enclosing subroutine is not closed either
        }
        let is_incomplete = self.report.errors.iter().count() > errors;
        Instruction { statements, span: begin, is_incomplete }
    }

    /// Parses `void name() { … }`.
    fn function(&mut self, broken: &mut Vec<Name>) -> Parsed<Function> {
        self.advance();
        let name = self.name("the name of a subroutine")?;
        let result = self.rest_of_function(name.clone());
        result.inspect_err(|_| broken.push(name))
    }

    fn rest_of_function(&mut self, name: Name) -> Parsed<Function> {
        self.expect("(", "the name of a subroutine")?;
        self.take_word("void");
        if !self.is(")") {
            let error = Diagnostic::error(self.current().span, "a subroutine has no parameters");
            self.report.push(error.hint("pass values in variables: `register : 32 value;`"));
            while !self.is(")") && !self.is("{") && !self.at_end() {
                self.advance();
            }
        }
        self.expect(")", "the name of a subroutine")?;
        let open = self.expect("{", "the head of a subroutine")?;
        let mut code = Vec::new();
        while !self.is("}") && !self.at_end() && !self.report.is_full() {
            match self.code()? {
                Some(part) => code.push(part),
                None => {
                    let found = self.current().describe();
                    let error =
                        Diagnostic::error(self.current().span, format!("expected an instruction, found {found}"));
                    self.report.push(error.hint("a subroutine has labels and instructions; declare variables outside"));
                    self.recover();
                    if self.is_word("end") {
                        self.advance();
                    }
                }
            }
        }
        if !self.take("}") && !self.report.is_full() && !self.is_cut_off {
            let error =
                Diagnostic::error(self.current().span, "a subroutine never ends").related(open, "it begins here");
            self.report.push(error.hint("end it with `}`"));
        }
        Ok(Function { name, code })
    }
}
