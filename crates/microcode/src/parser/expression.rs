//! Expressions.

use diagnostics::Diagnostic;
use ir::BinaryOperator;
use preprocessor::{Parsed, precedence};

use super::Parser;
use crate::limits::MOST_NESTING;
use crate::syntax::{Expression, ExpressionKind, Operator, Unary};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Parses an expression where an assignment is not allowed.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let value = self.conditional()?;
        if let Some(operator) = self.assignment_operator() {
            let error = Diagnostic::error(self.current().span, "an assignment is a statement and has no value");
            let hint = match operator {
                None => "to compare, write `==`; to assign, write a statement of its own",
                Some(_) => "write it as a statement of its own",
            };
            self.report.push(error.hint(hint));
            // The right-hand side is parsed for its own errors, and `a = b = c` is reported once.
            while self.assignment_operator().is_some() {
                self.advance();
                self.conditional()?;
            }
            return Ok(Expression::invalid(value.span));
        }
        if let Some(step) = self.step() {
            return self.refuse_step(step);
        }
        Ok(value)
    }

    fn refuse_step<T>(&mut self, step: BinaryOperator) -> Parsed<T> {
        let sign = step.symbol();
        let error = Diagnostic::error(self.current().span, format!("`{sign}{sign}` is a statement and has no value"));
        self.fail(error.hint(format!("write `x {sign}= 1;` as a statement of its own")))
    }

    /// Parses a conditional expression, `condition ? if_true : if_false`, which associates to the right.
    pub(super) fn conditional(&mut self) -> Parsed<Expression> {
        let condition = self.binary(1)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let if_true = self.nested(Self::expression)?;
        self.expect(":", "the first choice of `?`")?;
        let if_false = self.nested(Self::conditional)?;
        let span = condition.span.to(if_false.span);
        let kind = ExpressionKind::Conditional(Box::new(condition), Box::new(if_true), Box::new(if_false));
        self.bounded(Expression::new(kind, span))
    }

    /// Parses binary operators with at least the precedence `least`, which associate to the left.
    fn binary(&mut self, least: u32) -> Parsed<Expression> {
        let mut left = self.unary()?;
        while let TokenKind::Punctuator(sign) = &self.current().kind {
            let Some((binding, operator)) = binary_operator(sign).filter(|(binding, _)| *binding >= least) else {
                break;
            };
            self.advance();
            let right = self.binary(binding + 1)?;
            let span = left.span.to(right.span);
            left =
                self.bounded(Expression::new(ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), span))?;
        }
        Ok(left)
    }

    /// Refuses an expression tree that is too high. A long chain of `+` is high although no rule is nested.
    fn bounded(&mut self, expression: Expression) -> Parsed<Expression> {
        if expression.height > MOST_NESTING { self.too_deep() } else { Ok(expression) }
    }

    /// Parses a unary expression.
    pub(super) fn unary(&mut self) -> Parsed<Expression> {
        let token = self.current();
        let sign = match &token.kind {
            TokenKind::Punctuator(sign) => *sign,
            TokenKind::Identifier(word) if &**word == "sizeof" => return self.size_of(),
            _ => return self.postfix(),
        };
        match sign {
            "++" => return self.refuse_step(BinaryOperator::Add),
            "--" => return self.refuse_step(BinaryOperator::Subtract),
            "(" if self.begins_type(1) => {
                self.advance();
                let ty = self.type_name()?;
                self.expect(")", "the type")?;
                let operand = self.nested(Self::unary)?;
                let span = token.span.to(operand.span);
                return self.bounded(Expression::new(ExpressionKind::Cast(ty, Box::new(operand)), span));
            }
            "-" | "~" | "!" | "+" | "*" | "&" => {}
            _ => return self.postfix(),
        }
        self.advance();
        let operand = Box::new(self.nested(Self::unary)?);
        let span = token.span.to(operand.span);
        let kind = match sign {
            "*" => ExpressionKind::Dereference(operand),
            "&" => ExpressionKind::Address(operand),
            "-" => ExpressionKind::Unary(Unary::Negate, operand),
            "~" => ExpressionKind::Unary(Unary::Complement, operand),
            "!" => ExpressionKind::Unary(Unary::Not, operand),
            _ => ExpressionKind::Unary(Unary::Plus, operand),
        };
        self.bounded(Expression::new(kind, span))
    }

    /// Parses `sizeof(type)`, `sizeof(value)` or `sizeof value`.
    fn size_of(&mut self) -> Parsed<Expression> {
        let word = self.advance().span;
        if self.is("(") && self.begins_type(1) {
            self.advance();
            let ty = self.type_name()?;
            let close = self.expect(")", "the type")?;
            return Ok(Expression::new(ExpressionKind::SizeOfType(ty), word.to(close)));
        }
        let operand = self.nested(Self::unary)?;
        let span = word.to(operand.span);
        self.bounded(Expression::new(ExpressionKind::SizeOfValue(Box::new(operand)), span))
    }

    /// Parses a primary expression and what follows it: `.field`, `->field`, `[index]`.
    fn postfix(&mut self) -> Parsed<Expression> {
        let mut value = self.primary()?;
        loop {
            let kind = match &self.current().kind {
                TokenKind::Punctuator(sign @ ("." | "->")) => {
                    self.advance();
                    let field = self.field_name()?;
                    let span = value.span.to(field.span);
                    let make = if *sign == "." { ExpressionKind::Field } else { ExpressionKind::Arrow };
                    (make(Box::new(value), field), span)
                }
                TokenKind::Punctuator("[") => {
                    self.advance();
                    let index = self.nested(Self::expression)?;
                    let span = value.span.to(self.expect("]", "the index")?);
                    (ExpressionKind::Element(Box::new(value), Box::new(index)), span)
                }
                _ => return Ok(value),
            };
            value = self.bounded(Expression::new(kind.0, kind.1))?;
        }
    }

    pub(super) fn primary(&mut self) -> Parsed<Expression> {
        let token = self.current();
        let kind = match &token.kind {
            TokenKind::Integer(number) => ExpressionKind::Number(*number),
            TokenKind::Text(_) => {
                self.report
                    .push(Diagnostic::error(token.span, "strings are not part of Microcode").hint("use a number"));
                ExpressionKind::Invalid
            }
            TokenKind::Punctuator("(") => {
                self.advance();
                let inner = self.nested(Self::expression)?;
                if self.is(",") {
                    let error = Diagnostic::error(self.current().span, "the comma operator is not part of Microcode");
                    return self.fail(error.hint("write two statements"));
                }
                let close = self.expect(")", "the expression")?;
                return Ok(Expression { span: token.span.to(close), ..inner });
            }
            TokenKind::Identifier(word) if matches!(&**word, "true" | "false") => {
                ExpressionKind::Bool(&**word == "true")
            }
            _ => {
                let name = self.name("a value")?;
                if !self.is("(") {
                    return Ok(Expression::new(ExpressionKind::Name(name.text), name.span));
                }
                self.advance();
                while !self.is(")") {
                    self.nested(Self::expression)?;
                    if !self.take(",") {
                        break;
                    }
                }
                let span = name.span.to(self.expect(")", "the arguments")?);
                return Ok(Expression::new(ExpressionKind::Call(name), span));
            }
        };
        self.advance();
        Ok(Expression::new(kind, token.span))
    }
}

/// Returns the precedence of a binary operator, as in C11 6.5.5 to 6.5.14, and the operator.
fn binary_operator(sign: &str) -> Option<(u32, Operator)> {
    let operator = match sign {
        "||" => Operator::Either,
        "&&" => Operator::Both,
        _ => Operator::Plain(BinaryOperator::ALL.into_iter().find(|operator| operator.symbol() == sign)?),
    };
    Some((precedence(sign)?, operator))
}
