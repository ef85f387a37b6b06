//! Primary expressions, the operands of operators.

use diagnostics::{Diagnostic, Span};

use super::{Parsed, Reader};
use crate::ast::{Expression, ExpressionKind, Path, Slice, SliceKind, Type, TypeKind};
use crate::token::{Keyword, TokenKind};

impl Reader<'_> {
    /// Reads a primary expression with the members, indices and calls behind it.
    pub(super) fn postfix(&mut self) -> Parsed<Expression> {
        if self.is("(") {
            return self.parenthesised();
        }
        let first = self.primary()?;
        self.suffixes(first, false)
    }

    /// Reads the members, indices and calls behind an expression. At the start of a statement, `<` begins type
    /// arguments, because no comparison can stand there, and a call ends the expression, because its result cannot be
    /// used.
    pub(super) fn suffixes(&mut self, mut value: Expression, begins_statement: bool) -> Parsed<Expression> {
        loop {
            if begins_statement && matches!(value.kind, ExpressionKind::Call { .. }) {
                return Ok(value);
            }
            let start = value.span;
            let TokenKind::Punctuator(sign) = self.current().kind else { return Ok(value) };
            value = match sign {
                "." => {
                    if let Some(refused) = self.refuse_fraction(&value) {
                        return refused;
                    }
                    self.advance();
                    let member = self.name("the name of a member")?;
                    let span = start.to(member.span);
                    self.made(ExpressionKind::Member(Box::new(value), member), span)?
                }
                "[" => self.index(value)?,
                "(" => self.call(value, Vec::new())?,
                "<" if begins_statement || (is_callable(&value) && self.is_type_argument_at(1)) => {
                    let types = self.type_arguments()?;
                    if !self.is("(") {
                        return self.unexpected("`(` after the type arguments");
                    }
                    self.call(value, types)?
                }
                _ => return Ok(value),
            };
        }
    }

    /// Returns true if type arguments, and not an expression, begin `count` tokens ahead. A type with a member or a
    /// call behind it is part of an expression.
    fn is_type_argument_at(&self, count: usize) -> bool {
        let token = self.ahead(count);
        if token.is(">") || token.is_keyword(Keyword::Void) || token.is_keyword(Keyword::Underscore) {
            return true;
        }
        if !self.is_type_at(count) {
            return false;
        }
        let behind = self.ahead(count + 1 + usize::from(token.is(".")));
        !self.is_named_type_at(count) || !(behind.is(".") || behind.is("("))
    }

    /// Reads `(arguments)` behind a callee.
    pub(super) fn call(&mut self, callee: Expression, type_arguments: Vec<Type>) -> Parsed<Expression> {
        let arguments = self.arguments()?;
        let span = self.since(callee.span);
        self.made(ExpressionKind::Call { callee: Box::new(callee), type_arguments, arguments }, span)
    }

    /// Reads `[index]`, `[high:low]` or `[low +: width]` behind an expression.
    fn index(&mut self, value: Expression) -> Parsed<Expression> {
        self.advance();
        let first = self.bracketed(|reader| reader.nested(Self::expression))?;
        let kind = if self.take(":").is_some() {
            Some(SliceKind::Bounds)
        } else if self.is("+") {
            self.advance();
            self.expect(":", "`+`")?;
            Some(SliceKind::Width)
        } else {
            None
        };
        let Some(kind) = kind else {
            self.expect("]", "the index")?;
            let span = self.since(value.span);
            return self.made(ExpressionKind::Index(Box::new(value), Box::new(first)), span);
        };
        let second = self.bracketed(|reader| reader.nested(Self::expression))?;
        self.expect("]", "the bounds")?;
        let span = self.since(value.span);
        self.made(ExpressionKind::Slice(Box::new(Slice { value, kind, first, second })), span)
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let token = self.current();
        let start = token.span;
        let kind = match &token.kind {
            TokenKind::Integer(number) => ExpressionKind::Integer(number.clone()),
            TokenKind::Text(text) => ExpressionKind::String(text.clone()),
            TokenKind::Keyword(Keyword::True) => ExpressionKind::Bool(true),
            TokenKind::Keyword(Keyword::False) => ExpressionKind::Bool(false),
            TokenKind::Keyword(Keyword::This) => ExpressionKind::This,
            TokenKind::Keyword(Keyword::Error) if self.ahead(1).is(".") => ExpressionKind::Error,
            TokenKind::Punctuator("...") => ExpressionKind::Default,
            TokenKind::Punctuator("{#}") => ExpressionKind::Invalid,
            TokenKind::Punctuator("{") => return self.bracketed(Self::list_or_record),
            TokenKind::Punctuator(".") if self.is_name_at(1) => return self.named_value(),
            _ if self.is_name_at(0) && !(token.is_keyword(Keyword::List) && self.ahead(1).is("<")) => {
                return self.named_value();
            }
            TokenKind::Keyword(Keyword::Underscore) => {
                let error = Diagnostic::error(start, "expected a value, found `_`");
                return self.fail(error.hint("`_` stands only for a whole argument or a whole set of values"));
            }
            _ if self.is_type_at(0) => {
                let error = Diagnostic::error(start, format!("expected a value, found {}", token.kind.describe()));
                return self.fail(error.hint("a cast is written `(type) value`"));
            }
            _ => return self.unexpected("a value"),
        };
        self.advance();
        Ok(Expression::new(kind, start))
    }

    /// Reads a name, or a type with type arguments before a call or a member.
    fn named_value(&mut self) -> Parsed<Expression> {
        let is_type = self.is_type_at(0);
        let path = self.path("a value")?;
        let span = path.span;
        if is_type && !self.is("<") && !self.is(".") && !self.is("(") {
            let error = Diagnostic::error(span, format!("`{}` is a type, not a value", path.name.text));
            return self.fail(error.hint("a cast is written `(type) value`, an instance `type(arguments)`"));
        }
        if !is_type || !self.is("<") {
            return Ok(Expression::new(ExpressionKind::Name(path), span));
        }
        let types = self.type_arguments()?;
        self.after_type(path, types)
    }

    /// Reads what follows a type with type arguments in an expression.
    pub(super) fn after_type(&mut self, path: Path, types: Vec<Type>) -> Parsed<Expression> {
        let span = self.since(path.span);
        if self.is("(") {
            let callee = Expression::new(ExpressionKind::Name(path.clone()), path.span);
            return self.call(callee, types);
        }
        if !self.is(".") {
            return self.unexpected("`(` or `.` after the type");
        }
        let own = Type::new(TypeKind::Specialized(path, types), span);
        self.made(ExpressionKind::Type(Box::new(own)), span)
    }

    /// Reads `(value)` with what stands behind it, or `(type) value`.
    fn parenthesised(&mut self) -> Parsed<Expression> {
        let open = self.advance().span;
        let inner = if self.is_cast_at(0) {
            let to = self.bracketed(Self::type_reference)?;
            if self.take(")").is_some() {
                return self.cast(open, to);
            }
            let first = match to.kind {
                TypeKind::Specialized(path, types) => self.after_type(path, types)?,
                _ => return self.expect(")", "the type of the cast").and(Err(super::Reported)),
            };
            self.bracketed(|reader| {
                let first = reader.suffixes(first, false)?;
                reader.operators_after(first)
            })?
        } else {
            self.bracketed(|reader| reader.nested(Self::expression))?
        };
        let close = self.expect(")", "the value")?;
        if let ExpressionKind::Name(path) = &inner.kind
            && !self.current().first_of_line
            && matches!(self.current().kind, TokenKind::Identifier(_) | TokenKind::Integer(_))
        {
            // `(name) value` can only be meant as a cast.
            let error = Diagnostic::error(path.span, format!("`{}` is not a type", path.name.text));
            return self.fail(error.hint("before a value, parentheses enclose the type of a cast"));
        }
        self.suffixes(inner.at(open.to(close)), false)
    }

    fn cast(&mut self, open: Span, to: Type) -> Parsed<Expression> {
        let value = self.operand()?;
        let span = open.to(value.span);
        self.made(ExpressionKind::Cast(Box::new(to), Box::new(value)), span)
    }

    /// Returns true if a type stands behind the `(` that is `count` tokens ahead. A type with a member or a call behind
    /// it is part of an expression.
    pub(super) fn is_cast_at(&self, count: usize) -> bool {
        if !self.is_type_at(count) {
            return false;
        }
        let behind = self.ahead(count + 1 + usize::from(self.ahead(count).is(".")));
        !self.is_named_type_at(count) || behind.is(")") || behind.is("[") || behind.is("<")
    }

    /// `{ values }` or `{ name = value, ... }`
    fn list_or_record(&mut self) -> Parsed<Expression> {
        let open = self.advance().span;
        if !(self.is_name_at(0) && self.ahead(1).is("=")) {
            let values = self.separated("}", true, |reader| reader.nested(Self::expression))?;
            self.expect("}", "the values")?;
            let span = self.since(open);
            return self.made(ExpressionKind::List(values), span);
        }
        let mut fields = Vec::new();
        let mut rest = None;
        while rest.is_none() && !self.is("}") {
            if self.is("...") {
                rest = Some(self.advance().span);
            } else {
                fields.push(self.nested(Self::named_expression)?);
            }
            if self.take(",").is_none() {
                break;
            }
        }
        self.expect("}", "the fields")?;
        let span = self.since(open);
        self.made(ExpressionKind::Record { fields, rest }, span)
    }
}

/// Returns true for tokens that can follow type arguments.
fn is_callable(value: &Expression) -> bool {
    matches!(value.kind, ExpressionKind::Name(_) | ExpressionKind::Member(..))
}
