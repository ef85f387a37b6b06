//! The parser of blocks and statements.

use diagnostics::{Diagnostic, Span};

use super::lexer::LexemeKind;
use super::{MAX_DEPTH, Parsed, Parser, Reported};
use crate::placement::Context;
use crate::{Expression, Statement, Type, VariableId, typing};

impl Parser<'_> {
    /// Reads statements in braces, each on lines of its own.
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        let opening = self.cursor.span();
        if self.cursor.at_sign("{") {
            // This check comes before the brace is consumed, so that skipping the line on an error skips the whole
            // block.
            self.deeper(opening)?;
        }
        self.cursor.expect_sign("{")?;
        let mut statements = Vec::new();
        loop {
            self.cursor.skip_line_ends();
            if self.cursor.take_sign("}").is_some() {
                self.depth -= 1;
                return Ok(statements);
            }
            if self.cursor.at_end() {
                return Err(self.open_at_end(opening, "block"));
            }
            self.line(|parser| {
                statements.push(parser.statement()?);
                Ok(())
            });
        }
    }

    /// Reads a block whose statements have other surroundings than the current ones.
    pub(super) fn block_in(&mut self, context: Context) -> Parsed<Vec<Statement>> {
        let around = std::mem::replace(&mut self.context, context);
        let block = self.block();
        self.context = around;
        block
    }

    /// Reads a line of a block; an error ends the line.
    pub(super) fn line(&mut self, read: impl FnOnce(&mut Self) -> Parsed<()>) {
        let depth = self.depth;
        let outcome = read(self);
        self.depth = depth;
        if outcome.and_then(|()| self.cursor.expect_line_end()).is_err() {
            self.cursor.skip_line();
        }
    }

    /// Reports that the text ends inside something; only once, for the innermost.
    pub(super) fn open_at_end(&mut self, opening: Span, what: &str) -> Reported {
        if std::mem::replace(&mut self.ended, true) {
            return Reported;
        }
        let error = Diagnostic::error(self.cursor.span(), format!("the text ends inside a {what}"));
        self.cursor.report(error.related(opening, format!("the {what} begins here")).hint("add `}`"))
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        if self.cursor.at_word("if") {
            return self.branch();
        }
        if self.cursor.at_sign("@") {
            return self.write();
        }
        if let LexemeKind::Word(word) = *self.cursor.peek()
            && !matches!(self.cursor.peek_second(), LexemeKind::Sign("=" | "["))
        {
            let span = self.cursor.span();
            if let Some(statement) = self.statement_of_word(word) {
                let statement = statement?;
                self.check(span, self.context.refuse(&statement));
                return Ok(statement);
            }
        }
        if self.at_index(1) && matches!(self.cursor.peek(), LexemeKind::Word(_) | LexemeKind::Quoted(_)) {
            return self.assign_element();
        }
        let (name, span) = self.cursor.expect_name("a statement")?;
        if !self.cursor.at_sign("=") {
            return Err(self.cursor.unexpected("`=`"));
        }
        let variable = self.variable(name, span);
        self.cursor.advance();
        // An unknown name on the left does not prevent errors on the right from being found.
        let value = self.predicated()?;
        let variable = variable?;
        if let Some(found) = value.ty {
            let expected = self.scope.program.variable(variable).ty;
            self.check(value.span, typing::assigned(&format!("`{name}`"), expected, found));
        }
        Ok(Statement::Assign { variable, value: value.expression })
    }

    /// Reads a statement that begins with a keyword; returns `None` for any other word.
    fn statement_of_word(&mut self, word: &str) -> Option<Parsed<Statement>> {
        let flow = self.flow(word).map(|read| read.map(Statement::Flow));
        let packet = flow.or_else(|| self.packet_statement(word).map(|read| read.map(Statement::Packet)));
        packet.or_else(|| self.shared(word).map(|read| read.map(Statement::Shared)))
    }

    fn assign_element(&mut self) -> Parsed<Statement> {
        let (array, _) = self.array()?;
        let (index, _) = self.index()?;
        self.cursor.expect_sign("=")?;
        let expected = self.element_type(array);
        let value = self.value_for("the array", expected)?;
        Ok(Statement::AssignElement { array, index, value })
    }

    /// Reads an expression that must have a given type.
    pub(super) fn value_for(&mut self, what: &str, expected: Type) -> Parsed<Expression> {
        let value = self.expression()?;
        if let Some(found) = value.ty {
            self.check(value.span, typing::assigned(what, expected, found));
        }
        Ok(value.expression)
    }

    /// Reads an expression that must be a bool.
    pub(super) fn condition(&mut self, what: &str) -> Parsed<Expression> {
        let condition = self.expression()?;
        if let Some(found) = condition.ty {
            self.check(condition.span, typing::condition(what, found));
        }
        Ok(condition.expression)
    }

    /// Reads a variable whose type `check` accepts.
    pub(super) fn target(&mut self, check: impl FnOnce(Type) -> Result<(), String>) -> Parsed<VariableId> {
        let (name, span) = self.cursor.expect_name("a variable")?;
        let variable = self.variable(name, span)?;
        let outcome = check(self.scope.program.variable(variable).ty);
        self.check(span, outcome);
        Ok(variable)
    }

    fn write(&mut self) -> Parsed<Statement> {
        let element = self.register_element()?;
        self.cursor.expect_sign("=")?;
        let value = self.expression()?;
        if let Some(found) = value.ty {
            let declared = self.scope.program.register(element.register);
            let (target, expected) = (format!("`@{}`", declared.name), declared.ty);
            self.check(value.span, typing::assigned(&target, expected, found));
        }
        let predicate = self.predicate()?;
        let (register, index) = (element.register, element.index);
        Ok(Statement::Write { register, index, value: value.expression, predicate })
    }

    /// Reads `if` and an operand, if they are present.
    pub(super) fn predicate(&mut self) -> Parsed<Option<Expression>> {
        if self.cursor.take_word("if").is_none() {
            return Ok(None);
        }
        let predicate = self.operand()?;
        if let Some(found) = predicate.ty {
            self.check(predicate.span, typing::condition("a predicate", found));
        }
        Ok(Some(predicate.expression))
    }

    fn branch(&mut self) -> Parsed<Statement> {
        let span = self.cursor.expect_word("if")?;
        // An `else if` is a block nested in a block, without the braces.
        self.deeper(span)?;
        let condition = self.condition_of_block()?;
        let depth = self.depth;
        let then = self.block()?;
        self.depth = depth;
        let otherwise = if self.cursor.take_word("else").is_none() {
            Vec::new()
        } else if self.cursor.at_word("if") {
            vec![self.branch()?]
        } else {
            self.block()?
        };
        self.depth = depth - 1;
        Ok(Statement::If { condition: condition?, then, otherwise })
    }

    /// Reads the condition before a block. If it is wrong, the block is still read.
    pub(super) fn condition_of_block(&mut self) -> Parsed<Parsed<Expression>> {
        let condition = self.condition("a condition");
        if condition.is_err() && !self.cursor.skip_to_block() {
            return Err(Reported);
        }
        Ok(condition)
    }

    /// Looks up the name of a variable.
    pub(super) fn variable(&mut self, name: &str, span: Span) -> Parsed<VariableId> {
        if let Some((id, _)) = self.scope.variable(name) {
            return Ok(id);
        }
        let mut error = Diagnostic::error(span, format!("`{name}` is not declared")).label("unknown name");
        error = match self.scope.similar_variable(name) {
            Some(similar) => error.hint(format!("did you mean `{similar}`?")),
            None if self.scope.register(name).is_some() => error.hint(format!("a register is written `@{name}`")),
            None => error.hint(format!("declare it before it is used: `local {name}: int<32>`")),
        };
        Err(self.cursor.report(error))
    }

    /// Enters parentheses, a unary operator or a block. The caller leaves it by `depth -= 1`.
    pub(super) fn deeper(&mut self, span: Span) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let error = Diagnostic::error(span, format!("nested more than {MAX_DEPTH} deep"));
        Err(self.cursor.report(error.hint("assign inner values to locals")))
    }

    /// Returns true if the next token is a type, which begins a cast.
    pub(super) fn at_type(&self) -> bool {
        matches!(self.cursor.peek(), LexemeKind::Word("bool" | "int" | "bit"))
    }
}
