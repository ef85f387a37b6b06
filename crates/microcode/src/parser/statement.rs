//! Statements, the contents of instructions.

use diagnostics::Diagnostic;
use ir::BinaryOperator;
use preprocessor::{Parsed, Reported};

use super::{Parser, words};
use crate::syntax::{Case, Expression, ExpressionKind, Group, Mode, Statement};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses the statements of a block whose `{` has been consumed, and its `}`.
    fn statements_until_brace(&mut self) -> Vec<Statement> {
        let open = self.before().span;
        let mut statements = Vec::new();
        while !self.is("}") && !self.at_end() && !self.report.is_full() && !matches!(self.word(), "end" | "begin") {
            if self.statement(&mut statements).is_err() {
                self.recover();
            }
        }
        // If parsing stopped because of excessive nesting, nothing is missing at the end.
        if !self.take("}") && !self.report.is_full() && !self.is_cut_off {
            let error = Diagnostic::error(self.current().span, "a block never ends").related(open, "it begins here");
            self.report.push(error.hint("end it with `}`"));
        }
        statements
    }

    pub(super) fn statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        if self.take(";") {
            return Ok(());
        }
        if self.is("{") {
            let open = self.current().span;
            let block = self.nested(|parser| {
                parser.advance();
                Ok(parser.statements_until_brace())
            })?;
            into.push(Statement::Block(block, open));
            return Ok(());
        }
        let token = self.current();
        if let Some((message, hint)) = words::refused_statement(self.word()) {
            self.report.push(Diagnostic::error(token.span, message).hint(hint));
            self.advance();
            if self.is("(") {
                self.skip_parentheses();
            }
            return Err(Reported);
        }
        if self.begins_variable() {
            return self.local_variables(into);
        }
        if token.identifier().is_some() && self.ahead(1).is(":") && !self.begins_type(0) {
            let error = Diagnostic::error(token.span, "a label is inside an instruction");
            self.report.push(error.hint("a label stands in front of `begin`: end the instruction before it"));
            self.advance();
            self.advance();
            return Ok(());
        }
        if self.begins_type(0) {
            let error = Diagnostic::error(token.span, "a variable is declared inside an instruction");
            let hint = "declare it before the instruction; inside, `const : name = value;` names a value";
            return self.fail(error.hint(hint));
        }
        let statement = match self.word() {
            "if" => return self.nested(Self::choice).map(|choice| into.push(choice)),
            "switch" => return self.nested(Self::switch).map(|switch| into.push(switch)),
            "goto" => {
                self.advance();
                let target = self.expression()?;
                let span = token.span.to(target.span);
                Statement::Goto { target, span }
            }
            "break" => Statement::Break(self.advance().span),
            "exit" => Statement::Exit(self.advance().span),
            "return" => {
                self.advance();
                if !self.is(";") {
                    let error = Diagnostic::error(self.current().span, "a subroutine returns no value");
                    self.report.push(error.hint("leave the result in a variable"));
                    return Err(Reported);
                }
                Statement::Return(token.span)
            }
            _ => self.assignment_or_call()?,
        };
        self.expect(";", "the statement")?;
        into.push(statement);
        Ok(())
    }

    /// Skips what stands in parentheses.
    fn skip_parentheses(&mut self) {
        let mut open = 0;
        while !self.at_end() && !matches!(self.word(), "end" | "begin") {
            open += i32::from(self.is("(")) - i32::from(self.is(")"));
            self.advance();
            if open == 0 {
                return;
            }
        }
    }

    /// `if (condition) … else …`
    fn choice(&mut self) -> Parsed<Statement> {
        let span = self.advance().span;
        self.expect("(", "`if`")?;
        let condition = self.expression()?;
        self.expect(")", "the condition")?;
        let then = self.branch()?;
        let otherwise = if self.take_word("else") { self.branch()? } else { Vec::new() };
        Ok(Statement::If { condition, then, otherwise, span })
    }

    /// Parses a branch of an `if`; the caller counts the nesting depth.
    fn branch(&mut self) -> Parsed<Vec<Statement>> {
        if self.take("{") {
            return Ok(self.statements_until_brace());
        }
        let mut statements = Vec::new();
        self.statement(&mut statements)?;
        Ok(statements)
    }

    /// `switch (value) { case 1: … default: … }`
    fn switch(&mut self) -> Parsed<Statement> {
        let begin = self.advance().span;
        self.expect("(", "`switch`")?;
        let value = self.expression()?;
        let close = self.expect(")", "the value")?;
        let open = self.expect("{", "the value")?;
        let mut groups: Vec<Group> = Vec::new();
        while !self.is("}") && !self.at_end() && !matches!(self.word(), "end" | "begin") {
            let mut labels = Vec::new();
            while matches!(self.word(), "case" | "default") {
                let word = self.advance();
                let value = match &word.kind {
                    TokenKind::Identifier(word) if &**word == "case" => Some(self.conditional()?),
                    _ => None,
                };
                let span = word.span;
                self.expect(":", if value.is_some() { "the value" } else { "`default`" })?;
                labels.push(Case { value, span });
            }
            let Some(first) = labels.first() else {
                let error = Diagnostic::error(self.current().span, "this statement is before the first `case`");
                return self.fail(error.hint("begin with `case value:` or `default:`"));
            };
            let span = first.span;
            let mut body = Vec::new();
            while !self.is("}") && !self.at_end() && !matches!(self.word(), "case" | "default" | "end" | "begin") {
                if self.statement(&mut body).is_err() {
                    self.recover();
                }
            }
            groups.push(Group { labels, body, span });
        }
        if !self.take("}") {
            let error = Diagnostic::error(self.current().span, "a `switch` never ends").related(open, "it begins here");
            return self.fail(error.hint("end it with `}`"));
        }
        Ok(Statement::Switch { value, groups, span: begin.to(close) })
    }

    /// Parses an assignment, `++` or `--`, a transaction or call, or an expression.
    fn assignment_or_call(&mut self) -> Parsed<Statement> {
        if let Some(operator) = self.step() {
            let sign = self.advance().span;
            let target = self.unary()?;
            return Ok(one_more(target, operator, sign));
        }
        let begin = self.current().span;
        let mode = match self.word() {
            "sync" => Some((Mode::Synchronous, self.advance().span)),
            "async" => Some((Mode::Asynchronous, self.advance().span)),
            _ => None,
        };
        if mode.is_some() || self.current().identifier().is_some() && self.ahead(1).is("(") && !self.is_word("sizeof") {
            let name = self.name("the name of a transaction")?;
            self.expect("(", "the name of a transaction")?;
            let mut arguments = Vec::new();
            while !self.is(")") {
                arguments.push(self.nested(Self::expression)?);
                if !self.take(",") {
                    break;
                }
            }
            let close = self.expect(")", "the arguments")?;
            return Ok(Statement::Call { name, arguments, mode, span: begin.to(close) });
        }
        let target = self.conditional()?;
        if let Some(operator) = self.step() {
            let sign = self.advance().span;
            return Ok(one_more(target, operator, sign));
        }
        let Some(operator) = self.assignment_operator() else {
            return Ok(Statement::Evaluate(target));
        };
        self.advance();
        if self.current().identifier().is_some() && self.ahead(1).is("(") && !self.is_word("sizeof") {
            let error = Diagnostic::error(self.current().span, "a transaction is a statement and has no value");
            return self.fail(error.hint("its reply is in `r_reply` from the next instruction on"));
        }
        let value = self.expression()?;
        Ok(Statement::Assign { target, operator, value })
    }

    /// Returns the operation of a `++` or `--`.
    pub(super) fn step(&self) -> Option<BinaryOperator> {
        let adds = self.is("++").then_some(BinaryOperator::Add);
        adds.or_else(|| self.is("--").then_some(BinaryOperator::Subtract))
    }

    /// Returns the operation of an assignment operator: `Some(None)` for `=`, or that of a compound assignment.
    pub(super) fn assignment_operator(&self) -> Option<Option<BinaryOperator>> {
        let TokenKind::Punctuator(sign) = &self.current().kind else { return None };
        let operator = match *sign {
            "=" => return Some(None),
            "<=" | ">=" | "==" | "!=" => return None,
            _ => sign.strip_suffix('=')?,
        };
        BinaryOperator::ALL.into_iter().find(|known| known.symbol() == operator).map(Some)
    }
}

fn one_more(target: Expression, operator: BinaryOperator, sign: diagnostics::Span) -> Statement {
    let value = Expression::new(ExpressionKind::Number(1), sign);
    Statement::Assign { target, operator: Some(operator), value }
}
