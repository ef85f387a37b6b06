//! Expressions.

use diagnostics::{Diagnostic, Span};
use ir::BinaryOperator;
use preprocessor::{Parsed, Reported, precedence};

use super::Parser;
use crate::limits::MOST_NESTING;
use crate::syntax::{Expression, ExpressionKind, Name, Operator, Unary};
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
        self.fail(error.hint(format!("write `x {sign}= 1;` before or after this statement")))
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
        let TokenKind::Punctuator(sign) = &token.kind else { return self.primary() };
        let operator = match *sign {
            "-" => Some(Unary::Negate),
            "~" => Some(Unary::Complement),
            "!" => Some(Unary::Not),
            "+" => None,
            "++" => return self.refuse_step(BinaryOperator::Add),
            "--" => return self.refuse_step(BinaryOperator::Subtract),
            "&" | "*" => {
                let error = Diagnostic::error(token.span, "pointers are not part of Domino");
                return self.fail(error.hint("refer to the packet and to state by name"));
            }
            _ => return self.primary(),
        };
        self.advance();
        if operator == Some(Unary::Negate)
            && let TokenKind::Integer(number) = &self.current().kind
        {
            // A minus sign is part of the number after it, so that the smallest number, whose absolute value does not
            // fit, can be written as usual.
            let span = token.span.to(self.advance().span);
            if number.decimal && number.bits > 1 << 31 {
                self.warn_of_wrapping(span, number.bits.wrapping_neg());
            }
            return Ok(Expression::new(ExpressionKind::Number(-i64::from(number.bits)), span));
        }
        let operand = self.nested(Self::unary)?;
        let span = token.span.to(operand.span);
        let Some(operator) = operator else { return Ok(Expression { span, ..operand }) };
        self.bounded(Expression::new(ExpressionKind::Unary(operator, Box::new(operand)), span))
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let token = self.current();
        match &token.kind {
            TokenKind::Integer(number) => {
                self.advance();
                if number.decimal && number.bits > i32::MAX as u32 {
                    self.warn_of_wrapping(token.span, number.bits);
                }
                Ok(Expression::new(ExpressionKind::Number(i64::from(number.bits)), token.span))
            }
            TokenKind::Text(_) => {
                self.advance();
                self.report.push(Diagnostic::error(token.span, "strings are not part of Domino").hint("use a number"));
                Ok(Expression::invalid(token.span))
            }
            TokenKind::Punctuator("(") => {
                self.advance();
                if self.is_word("int") && self.ahead(1).is(")") {
                    // A cast to `int`, the only type.
                    self.advance();
                    self.advance();
                    return self.nested(Self::unary);
                }
                let inner = self.nested(Self::expression)?;
                if self.is(",") {
                    let error = Diagnostic::error(self.current().span, "the comma operator is not part of Domino");
                    return self.fail(error.hint("write two statements"));
                }
                let close = self.expect(")", "the expression")?;
                Ok(Expression { span: token.span.to(close), ..inner })
            }
            TokenKind::Identifier(word) if &**word == "sizeof" => {
                let error = Diagnostic::error(token.span, "`sizeof` is not part of Domino");
                self.fail(error.hint("every value takes 4 bytes; name the length of an array with `#define`"))
            }
            _ => {
                let name = self.name("a value")?;
                self.after_name(name)
            }
        }
    }

    fn warn_of_wrapping(&mut self, span: Span, bits: u32) {
        let warning = Diagnostic::warning(span, "this number does not fit in a signed 32-bit integer");
        self.report.push(warning.label(format!("taken as {}", bits as i32)).hint("write bit patterns in hexadecimal"));
    }

    /// Parses what may follow a name: `name`, `name.field`, `name[index]`, `name(arguments)`.
    fn after_name(&mut self, name: Name) -> Parsed<Expression> {
        let expression = if self.take(".") {
            let field = self.name("the name of a field")?;
            let span = name.span.to(field.span);
            Expression::new(ExpressionKind::Field(name, field), span)
        } else if self.take("[") {
            let index = self.nested(Self::expression)?;
            let close = self.expect("]", "the index")?;
            let span = name.span.to(close);
            self.bounded(Expression::new(ExpressionKind::Element(name, Box::new(index)), span))?
        } else if self.take("(") {
            let mut arguments = Vec::new();
            while !self.is(")") {
                arguments.push(self.nested(Self::expression)?);
                if !self.take(",") {
                    break;
                }
            }
            let close = self.expect(")", "the arguments")?;
            let span = name.span.to(close);
            self.bounded(Expression::new(ExpressionKind::Call(name, arguments), span))?
        } else {
            let span = name.span;
            Expression::new(ExpressionKind::Name(name.text), span)
        };
        let message = match &self.current().kind {
            TokenKind::Punctuator("->") => "pointers are not part of Domino",
            TokenKind::Punctuator("[") => "only an array of the program can be indexed, and only once",
            TokenKind::Punctuator(".") => "only the packet has fields",
            TokenKind::Punctuator("(") => "only a function can be called",
            _ => return Ok(expression),
        };
        let hint = match message.starts_with("pointers") {
            true => "the packet is not a pointer: write `.` instead of `->`",
            false => "packet fields are `p.field`, state is `name` or `name[index]`",
        };
        let error = Diagnostic::error(self.current().span, message);
        self.report.push(error.hint(hint));
        Err(Reported)
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
