//! Values: operators.

use diagnostics::Span;

use super::{MOST_NESTING, Parsed, Reader};
use crate::ast::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};
use crate::token::TokenKind;

impl Reader<'_> {
    /// A value.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let first = self.unary()?;
        self.operators_after(first)
    }

    /// The value that begins with one that was read.
    pub(super) fn operators_after(&mut self, first: Expression) -> Parsed<Expression> {
        let condition = self.binary_after(first, 1)?;
        if self.take("?").is_none() {
            return Ok(condition);
        }
        // It binds to the right, as in C: the second choice may be a condition again.
        let if_true = self.bracketed(|reader| reader.nested(Self::expression))?;
        self.expect(":", "the first choice of `?`")?;
        let if_false = self.nested(Self::expression)?;
        let span = condition.span.to(if_false.span);
        self.made(ExpressionKind::Conditional(Box::new(condition), Box::new(if_true), Box::new(if_false)), span)
    }

    /// Operators that bind at least so tightly; equal ones from left to right.
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

    /// The operator that comes now, and of how many tokens it is.
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

    /// An operator before a value, a cast, or a value without one.
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

    /// What a cast applies to, which is as tight as an operator before a value.
    pub(super) fn operand(&mut self) -> Parsed<Expression> {
        self.nested(Self::unary)
    }

    /// A value, unless its height is too great: a long row of `+` is high, though no rule lies inside another.
    pub(super) fn made(&mut self, kind: ExpressionKind, span: Span) -> Parsed<Expression> {
        let made = Expression::new(kind, span);
        if made.height() > MOST_NESTING { self.too_deep(span) } else { Ok(made) }
    }
}
