//! Expressions with operators.

use diagnostics::Span;

use super::{MOST_NESTING, Parsed, Reader};
use crate::ast::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use crate::token::TokenKind;

impl Reader<'_> {
    /// Reads an expression.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let first = self.unary()?;
        self.operators_after(first)
    }

    /// Reads the rest of an expression whose first operand was read.
    pub(super) fn operators_after(&mut self, first: Expression) -> Parsed<Expression> {
        let condition = self.binary_after(first, 1)?;
        if self.take("?").is_none() {
            return Ok(condition);
        }
        // `? :` is right-associative, as in C.
        let if_true = self.bracketed(|reader| reader.nested(Self::expression))?;
        self.expect(":", "the first choice of `?`")?;
        let if_false = self.nested(Self::expression)?;
        let span = condition.span.to(if_false.span);
        self.made(ExpressionKind::Conditional(Box::new(condition), Box::new(if_true), Box::new(if_false)), span)
    }

    /// Reads operators of at least this precedence; those of equal precedence are left-associative.
    fn binary_after(&mut self, mut left: Expression, least: u32) -> Parsed<Expression> {
        while let Some((operator, tokens)) = self.binary_operator().filter(|(found, _)| found.binding() >= least) {
            for _ in 0..tokens {
                self.advance();
            }
            let first = self.unary()?;
            let right = self.binary_after(first, operator.binding() + 1)?;
            let span = left.span.to(right.span);
            left = self.made(ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    /// Returns the operator that comes next, and its number of tokens.
    pub(super) fn binary_operator(&self) -> Option<(BinaryOperator, usize)> {
        let TokenKind::Punctuator(sign) = self.current().kind else { return None };
        let next = self.ahead(1);
        match sign {
            ">" if self.no_greater => None,
            ">" if next.is(">") && next.touches_previous => Some((BinaryOperator::ShiftRight, 2)),
            // `>>=`
            ">" if next.is(">=") && next.touches_previous => None,
            // `+:`
            "+" if next.is(":") && next.touches_previous => None,
            _ => BinaryOperator::ALL.iter().find(|known| known.symbol() == sign).map(|&known| (known, 1)),
        }
    }

    /// Reads a unary operator with its operand, a cast, or a primary expression.
    fn unary(&mut self) -> Parsed<Expression> {
        let token = self.current();
        let TokenKind::Punctuator(sign) = token.kind else { return self.postfix() };
        let operator = match sign {
            "!" => UnaryOperator::Not,
            "~" => UnaryOperator::Complement,
            "-" => UnaryOperator::Negate,
            "+" => UnaryOperator::Plus,
            _ => return self.postfix(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        let span = token.span.to(operand.span);
        self.made(ExpressionKind::Unary(operator, Box::new(operand)), span)
    }

    /// Reads the operand of a cast, which has the precedence of a unary operator.
    pub(super) fn operand(&mut self) -> Parsed<Expression> {
        self.nested(Self::unary)
    }

    /// Makes an expression, unless its height is too great: a long chain of `+` is high, although the rules do not
    /// nest.
    pub(super) fn made(&mut self, kind: ExpressionKind, span: Span) -> Parsed<Expression> {
        let made = Expression::new(kind, span);
        if made.height() > MOST_NESTING { self.too_deep(span) } else { Ok(made) }
    }
}
