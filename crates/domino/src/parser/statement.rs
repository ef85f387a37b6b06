//! Statements, the contents of functions.

use diagnostics::{Diagnostic, Span};
use ir::BinaryOperator;
use preprocessor::{Parsed, Reported};

use super::{Parser, refused};
use crate::syntax::{Expression, ExpressionKind, Statement};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses the statements of a block whose `{` has been consumed, and its `}`.
    pub(super) fn statements_until_brace(&mut self) -> Vec<Statement> {
        let open = self.before().span;
        let mut statements = Vec::new();
        while !self.is("}") && !self.at_end() && !self.report.is_full() {
            if self.statement(&mut statements).is_err() {
                self.recover();
            }
        }
        // If parsing stopped because of excessive nesting, nothing is missing at the end.
        if !self.take("}") && !self.report.is_full() && !self.is_cut_off {
            let error = Diagnostic::error(self.current().span, "a block never ends").related(open, "it begins here");
            self.report.push(error.hint("end it with `}`"));
            self.is_cut_off = true; // the enclosing blocks are not closed either
        }
        statements
    }

    fn statement(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        if self.take(";") {
            return Ok(());
        }
        if self.is("{") {
            let block = self.nested(|parser| {
                parser.advance();
                Ok(parser.statements_until_brace())
            })?;
            into.push(Statement::Block(block));
            return Ok(());
        }
        let token = self.current();
        let word = token.identifier().map_or("", |word| word);
        if let Some((message, hint)) = refused::statement(word) {
            self.report.push(Diagnostic::error(token.span, message).hint(hint));
            return self.skip_refused(word, into);
        }
        if self.is_word("struct") {
            let error = Diagnostic::error(token.span, "only the packet is a struct, and it is a parameter");
            return self.fail(error.hint("use `int` variables"));
        }
        let typed = self.refuse_type_words()?;
        match self.current().identifier().map_or("", |word| word) {
            _ if typed => self.declare(into),
            "int" => {
                self.advance();
                self.declare(into)
            }
            "if" => {
                let choice = self.nested(Self::choice)?;
                into.push(choice);
                Ok(())
            }
            "return" => {
                let mut span = self.advance().span;
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                span = value.as_ref().map_or(span, |value| span.to(value.span));
                self.expect(";", "`return`")?;
                into.push(Statement::Return { value, span });
                Ok(())
            }
            _ => {
                let statement = self.assignment()?;
                self.expect(";", "the statement")?;
                into.push(statement);
                Ok(())
            }
        }
    }

    /// Skips a statement that is not supported, and checks the statements inside it.
    fn skip_refused(&mut self, word: &str, into: &mut Vec<Statement>) -> Parsed<()> {
        if matches!(word, "goto" | "break" | "continue" | "case" | "default") {
            return Err(Reported);
        }
        self.advance();
        let mut inside = Vec::new();
        if self.is("(") {
            if self.ahead(1).identifier().is_some_and(|word| &**word == "int") {
                // Declare the variable of a `for`, so that its body can be checked.
                inside.extend(self.name_at(2).map(|name| Statement::Declare { name, value: None }));
            }
            let mut open = 0;
            while !self.at_end() {
                let token = self.advance();
                open += i32::from(token.is("(")) - i32::from(token.is(")"));
                if open == 0 {
                    break;
                }
            }
        }
        // Each `case` of a `switch` would be reported again.
        if word == "switch" {
            return Err(Reported);
        }
        self.nested(|parser| parser.statement(&mut inside))?;
        into.push(Statement::Block(inside));
        if word == "do" && self.is_word("while") {
            return Err(Reported);
        }
        Ok(())
    }

    /// `if (condition) ... else ...`
    fn choice(&mut self) -> Parsed<Statement> {
        self.advance();
        self.expect("(", "`if`")?;
        let condition = self.expression()?;
        self.expect(")", "the condition")?;
        let then = self.branch()?;
        let otherwise = if self.take_word("else") { self.branch()? } else { Vec::new() };
        Ok(Statement::If { condition, then, otherwise })
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

    /// Parses what follows `int` inside a function.
    fn declare(&mut self, into: &mut Vec<Statement>) -> Parsed<()> {
        loop {
            self.refuse_pointer()?;
            let name = self.name("the name of a variable")?;
            if self.is("[") {
                let error = Diagnostic::error(self.current().span, "an array cannot be a variable of a function");
                return self.fail(error.hint("declare it outside of functions: arrays are state"));
            }
            let value = if self.take("=") { self.expression().map(Some) } else { Ok(None) };
            // The variable is declared from here on even if its value is malformed.
            let failed = value.is_err();
            into.push(Statement::Declare { name, value: value.unwrap_or_default() });
            if failed {
                return Err(Reported);
            }
            if !self.take(",") {
                break;
            }
        }
        self.expect(";", "the declaration")?;
        Ok(())
    }

    /// Parses an assignment, `++` or `--`, or an expression statement.
    fn assignment(&mut self) -> Parsed<Statement> {
        if let Some(operator) = self.step() {
            let sign = self.advance().span;
            let target = self.unary()?;
            return Ok(one_more(target, operator, sign));
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

fn one_more(target: Expression, operator: BinaryOperator, sign: Span) -> Statement {
    let value = Expression::new(ExpressionKind::Number(1), sign);
    Statement::Assign { target, operator: Some(operator), value }
}
