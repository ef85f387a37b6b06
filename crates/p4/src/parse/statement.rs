//! Statements (section 12): blocks, assignments, calls.

use diagnostics::{Diagnostic, Span};

use super::typed::DeclarationContext;
use super::{Parsed, Reader};
use crate::ast::{
    Annotation, AssignmentOperator, BinaryOperator, Block, Declaration, Expression, ExpressionKind, Statement,
    StatementKind, Type, TypeKind,
};
use crate::token::{Keyword, TokenKind};

impl Reader<'_> {
    /// Reads `{ statements }` in a scope of its own.
    pub(super) fn block(&mut self, annotations: Vec<Annotation>) -> Parsed<Block> {
        let mut statements = Vec::new();
        let span = self.scoped(|reader| {
            reader.nested(|reader| {
                reader.braced("the statements of a block", |reader| {
                    statements.push(reader.statement_or_declaration()?);
                    Ok(())
                })
            })
        })?;
        Ok(Block { annotations, statements, span })
    }

    /// Reads a body, which is a block with annotations.
    pub(super) fn body(&mut self) -> Parsed<Block> {
        let annotations = self.annotations()?;
        self.block(annotations)
    }

    /// Reads a statement or a declaration in a block.
    pub(super) fn statement_or_declaration(&mut self) -> Parsed<Statement> {
        let start = self.current().span;
        let annotations = self.annotations()?;
        if self.is_word(Keyword::Const) {
            let inner = self.current().span;
            let kind = self.constant()?;
            let declaration = self.declared(annotations, kind, inner);
            return Ok(self.stated(StatementKind::Declare(Box::new(declaration)), start));
        }
        if self.begins_typed() {
            let declaration = self.typed_declaration(annotations, DeclarationContext::Inside)?;
            return Ok(self.stated(StatementKind::Declare(Box::new(declaration)), start));
        }
        self.statement_after(annotations, start)
    }

    /// Reads the body of an `if` or a loop.
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let start = self.current().span;
        let annotations = self.annotations()?;
        if self.is_word(Keyword::Const) || self.begins_typed() {
            let error = Diagnostic::error(self.current().span, "a declaration cannot stand alone here");
            return self.fail(error.hint("put it into a block: `{ ... }`"));
        }
        self.statement_after(annotations, start)
    }

    fn statement_after(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Statement> {
        let token = self.current();
        if self.is("{") {
            let block = self.block(annotations)?;
            return Ok(self.stated(StatementKind::Block(block), start));
        }
        if self.is_word(Keyword::For) {
            self.refuse_in_state("for");
            return self.scoped(|reader| reader.nested(|reader| reader.loop_after(annotations, start)));
        }
        if self.is_word(Keyword::If) {
            self.refuse_annotations(&annotations);
            return self.nested(Self::choice);
        }
        let TokenKind::Keyword(keyword) = &token.kind else {
            return self.simple_statement(annotations, start);
        };
        let kind = match keyword {
            Keyword::Switch => {
                self.refuse_in_state("switch");
                self.nested(Self::switch)?
            }
            Keyword::Return => self.return_statement()?,
            Keyword::Exit => self.word_alone(StatementKind::Exit)?,
            Keyword::Break => self.word_alone(StatementKind::Break)?,
            Keyword::Continue => self.word_alone(StatementKind::Continue)?,
            Keyword::Else => {
                let error = Diagnostic::error(token.span, "`else` without an `if`");
                return self.fail(error.hint("only one statement or block stands between `if (...)` and `else`"));
            }
            Keyword::Transition => {
                let error = Diagnostic::error(token.span, "`transition` cannot stand here");
                return self.fail(error.hint("it comes last in a state of a parser"));
            }
            Keyword::Table | Keyword::Action => {
                let error = Diagnostic::error(token.span, format!("`{}` cannot stand in a block", keyword.text()));
                return self.fail(error.hint("declare it in the control, before `apply`"));
            }
            _ => return self.simple_statement(annotations, start),
        };
        self.refuse_annotations(&annotations);
        Ok(self.stated(kind, start))
    }

    pub(super) fn stated(&self, kind: StatementKind, start: Span) -> Statement {
        Statement { kind, span: self.since(start) }
    }

    pub(super) fn refuse_annotations(&mut self, annotations: &[Annotation]) {
        if let Some(annotation) = annotations.first() {
            let error = Diagnostic::error(annotation.span, "an annotation cannot stand before this statement");
            self.report(error.hint("it can stand before a block, a loop or a declaration"));
        }
    }

    /// Reports a statement that a state of a parser cannot contain. It is read all the same, to report its own errors.
    fn refuse_in_state(&mut self, what: &str) {
        if self.in_state {
            let error = Diagnostic::error(self.current().span, format!("`{what}` cannot stand in a state of a parser"));
            self.report(error.hint("a parser decides with `if` or with `transition select`"));
        }
    }

    fn word_alone(&mut self, kind: StatementKind) -> Parsed<StatementKind> {
        let TokenKind::Keyword(keyword) = self.current().kind else { return self.unexpected("a statement") };
        self.refuse_in_state(keyword.text());
        self.advance();
        self.expect(";", &format!("`{}`", keyword.text()))?;
        Ok(kind)
    }

    fn return_statement(&mut self) -> Parsed<StatementKind> {
        self.refuse_in_state("return");
        self.advance();
        let value = if self.is(";") { None } else { Some(self.expression()?) };
        self.expect(";", "`return`")?;
        Ok(StatementKind::Return(value))
    }

    /// Reads an empty statement, an instance, or an assignment or a call with its `;`.
    fn simple_statement(&mut self, annotations: Vec<Annotation>, start: Span) -> Parsed<Statement> {
        if self.take(";").is_some() {
            self.refuse_annotations(&annotations);
            return Ok(self.stated(StatementKind::Empty, start));
        }
        if let Some(read) = self.foreign_statement() {
            return read;
        }
        let inner = self.current().span;
        let target = self.target()?;
        if self.is_name_at(0) && !self.current().first_of_line {
            return self.declaration_after(target, annotations, inner, start);
        }
        self.refuse_annotations(&annotations);
        let kind = self.assignment_or_call_after(target)?;
        self.expect(";", "the statement")?;
        Ok(self.stated(kind, start))
    }

    /// Reads the target of an assignment, or a call.
    fn target(&mut self) -> Parsed<Expression> {
        if self.is("(") && !self.is_cast_at(1) {
            let open = self.advance().span;
            let inner = self.bracketed(|reader| reader.nested(Self::target))?;
            let close = self.expect(")", "what is assigned to")?;
            return self.suffixes(inner.at(open.to(close)), true);
        }
        if self.is_type_at(0) && self.is_named_type_at(0) && self.ahead(1 + usize::from(self.is("."))).is("<") {
            // `type<types> name;` declares and `type<types>.apply(...)` calls.
            let own = self.type_reference()?;
            if self.is_name_at(0) {
                let span = own.span;
                return self.made(ExpressionKind::Type(Box::new(own)), span);
            }
            let TypeKind::Specialized(path, types) = own.kind else { return self.unexpected("the name of a variable") };
            let first = self.after_type(path, types)?;
            return self.suffixes(first, true);
        }
        if let Some(span) = self.take_word(Keyword::This) {
            return self.suffixes(Expression::new(ExpressionKind::This, span), true);
        }
        let path = self.path("a statement")?;
        let span = path.span;
        self.suffixes(Expression::new(ExpressionKind::Name(path), span), true)
    }

    /// Reads the rest of an instance or a variable whose type was read as an expression.
    fn declaration_after(
        &mut self,
        target: Expression,
        annotations: Vec<Annotation>,
        inner: Span,
        start: Span,
    ) -> Parsed<Statement> {
        let (callee, types, arguments) = match target.kind {
            ExpressionKind::Type(own) => {
                let variable = self.variable(*own)?;
                self.expect(";", "the variable")?;
                let kind = crate::ast::DeclarationKind::Variable(variable);
                let declaration = self.declared(annotations, kind, inner);
                return Ok(self.stated(StatementKind::Declare(Box::new(declaration)), start));
            }
            ExpressionKind::Call { callee, type_arguments, arguments } => (callee, type_arguments, arguments),
            _ => return self.unexpected("`=` or `;`"),
        };
        let ExpressionKind::Name(path) = callee.kind else { return self.unexpected("`;` after the call") };
        if !self.scopes.find(&path.name.text, path.absolute).is_some_and(|sort| sort == super::scopes::Sort::Type) {
            let error = Diagnostic::error(path.span, format!("`{}` is not a type", path.name.text));
            self.report(error.hint("a name behind a call makes it an instance of a type; or `;` is missing"));
        }
        let (span, end) = (path.span, target.span);
        let kind = if types.is_empty() { TypeKind::Named(path) } else { TypeKind::Specialized(path, types) };
        let own = Type::new(kind, if span.source == end.source { span } else { end });
        let name = self.name("the name of the instance")?;
        let kind = self.instance_named(own, arguments, name)?;
        let declaration: Declaration = self.declared(annotations, kind, inner);
        Ok(self.stated(StatementKind::Declare(Box::new(declaration)), start))
    }

    /// Reads an assignment or a call without its `;`.
    pub(super) fn assignment_or_call(&mut self) -> Parsed<StatementKind> {
        let target = self.target()?;
        self.assignment_or_call_after(target)
    }

    fn assignment_or_call_after(&mut self, target: Expression) -> Parsed<StatementKind> {
        if let Some((operator, tokens)) = self.assignment_operator() {
            for _ in 0..tokens {
                self.advance();
            }
            let value = self.expression()?;
            return Ok(StatementKind::Assign { target, operator, value });
        }
        if matches!(target.kind, ExpressionKind::Call { .. }) {
            return Ok(StatementKind::Call(target));
        }
        if let Some(refused) = self.refuse_counting() {
            refused?;
        }
        if let Some((operator, _)) = self.binary_operator() {
            let sign = operator.symbol();
            let error = Diagnostic::error(self.current().span, format!("`{sign}` cannot stand here"));
            return self.fail(error.hint("a statement is an assignment or a call; a value alone does nothing"));
        }
        self.unexpected("`=` or a call")
    }

    /// Returns the operator of an assignment, and its number of tokens.
    fn assignment_operator(&self) -> Option<(AssignmentOperator, usize)> {
        let TokenKind::Punctuator(sign) = self.current().kind else { return None };
        if sign == "=" {
            return Some((AssignmentOperator::Plain, 1));
        }
        let next = self.ahead(1);
        if sign == ">" && next.is(">=") && next.touches_previous {
            return Some((AssignmentOperator::With(BinaryOperator::ShiftRight), 2));
        }
        let symbol = sign.strip_suffix('=')?;
        let operator = BinaryOperator::ALL.iter().find(|known| known.assigns() && known.symbol() == symbol)?;
        Some((AssignmentOperator::With(*operator), 1))
    }
}
