//! Blocks and statements.

use diagnostics::{Diagnostic, Span};

use super::lexer::Kind;
use super::{MAX_DEPTH, Parsed, Parser, Reported};
use crate::{Expression, Statement, VariableId, typing};

impl Parser<'_> {
    /// Statements in braces, each on lines of its own.
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        let opening = self.cursor.span();
        if self.cursor.at_sign("{") {
            // Before the brace is taken: whoever skips the line then skips the block.
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
            let depth = self.depth;
            let statement = self.statement();
            self.depth = depth;
            let ended = statement.and_then(|statement| {
                statements.push(statement);
                self.cursor.expect_line_end()
            });
            if ended.is_err() {
                self.cursor.skip_line();
            }
        }
    }

    /// Reports that the text ends inside something; once, for the innermost.
    pub(super) fn open_at_end(&mut self, opening: Span, what: &str) -> Reported {
        if std::mem::replace(&mut self.ended, true) {
            return Reported;
        }
        let error = Diagnostic::error(self.cursor.span(), format!("the text ends inside a {what}"));
        self.cursor.report(error.related(opening, format!("the {what} begins here")).hint("add `}`"))
    }

    fn statement(&mut self) -> Parsed<Statement> {
        if self.cursor.at_word("if") {
            return self.branch();
        }
        if self.cursor.at_sign("@") {
            return self.write();
        }
        let (name, span) = self.cursor.expect_name("a statement")?;
        if !self.cursor.at_sign("=") {
            return Err(self.cursor.unexpected("`=`"));
        }
        let variable = self.variable(name, span);
        self.cursor.advance();
        // An unknown name on the left keeps nothing from finding what is wrong on the right.
        let value = self.predicated()?;
        let variable = variable?;
        if let Some(found) = value.ty {
            let expected = self.scope.program.variable(variable).ty;
            self.check(value.span, typing::assigned(&format!("`{name}`"), expected, found));
        }
        Ok(Statement::Assign { variable, value: value.expression })
    }

    fn write(&mut self) -> Parsed<Statement> {
        let place = self.place()?;
        self.cursor.expect_sign("=")?;
        let value = self.expression()?;
        if let Some(found) = value.ty {
            let declared = self.scope.program.register(place.register);
            let (target, expected) = (format!("`@{}`", declared.name), declared.ty);
            self.check(value.span, typing::assigned(&target, expected, found));
        }
        let predicate = self.predicate()?;
        let (register, index) = (place.register, place.index);
        Ok(Statement::Write { register, index, value: value.expression, predicate })
    }

    /// `if` and an operand, if they are there.
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
        // An `else if` is a block inside a block, without the braces.
        self.deeper(span)?;
        let condition = self.expression();
        if condition.is_err() && !self.cursor.skip_to_block() {
            return Err(Reported);
        }
        if let Ok(condition) = &condition
            && let Some(found) = condition.ty
        {
            self.check(condition.span, typing::condition("a condition", found));
        }
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
        Ok(Statement::If { condition: condition?.expression, then, otherwise })
    }

    /// The variable of a name that is used.
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

    /// Enters parentheses, a unary operator or a block; whoever does leaves by `depth -= 1`.
    pub(super) fn deeper(&mut self, span: Span) -> Parsed<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let error = Diagnostic::error(span, format!("nested more than {MAX_DEPTH} deep"));
        Err(self.cursor.report(error.hint("assign inner values to locals")))
    }

    /// True if the next token is a word that begins a cast.
    pub(super) fn at_type(&self) -> bool {
        matches!(self.cursor.peek(), Kind::Word("bool" | "int" | "bit"))
    }
}
