//! The parser of expressions, which are typed while they are read.

use diagnostics::{Diagnostic, Span};

use super::lexer::LexemeKind;
use super::{Parsed, Parser};
use crate::{BinaryOperator, Expression, RegisterId, Type, UnaryOperator, typing};

/// An expression, its type unless a reported error makes that unknown, and its location.
pub(super) struct Typed {
    pub expression: Expression,
    pub ty: Option<Type>,
    pub span: Span,
}

/// A register and the index in it.
pub(super) struct RegisterElement {
    pub register: RegisterId,
    pub index: Option<Expression>,
    pub span: Span,
}

impl Parser<'_> {
    /// Reads an expression, or a read of a register with its predicate.
    pub(super) fn predicated(&mut self) -> Parsed<Typed> {
        let value = self.expression()?;
        if !self.cursor.at_word("if") {
            return Ok(value);
        }
        let Expression::Read { register, index, predicate: None } = value.expression else {
            let error = Diagnostic::error(value.span, "only the read of a register can have a predicate");
            return Err(self
                .cursor
                .report(error.hint("to choose between two values, write `condition ? this : that`")));
        };
        let predicate = self.predicate()?.map(Box::new);
        Ok(Typed { expression: Expression::Read { register, index, predicate }, ..value })
    }

    /// Reads an operand, or one operator and its operands.
    pub(super) fn expression(&mut self) -> Parsed<Typed> {
        let first = self.operand()?;
        let whole = if self.cursor.take_sign("?").is_some() {
            self.choice(first)?
        } else if self.cursor.at_sign("++") {
            let sign = self.cursor.advance();
            self.concatenation(first, sign)?
        } else if let Some(operator) = self.binary_operator() {
            let sign = self.cursor.advance();
            self.operation(first, operator, sign)?
        } else {
            return Ok(first);
        };
        if self.binary_operator().is_some() || self.cursor.at_sign("?") || self.cursor.at_sign("++") {
            let error = Diagnostic::error(self.cursor.span(), "a second operator needs parentheses");
            let hint = "operators have no precedence: write `(a + b) + c`";
            return Err(self.cursor.report(error.related(whole.span, "the first one is here").hint(hint)));
        }
        Ok(whole)
    }

    fn choice(&mut self, condition: Typed) -> Parsed<Typed> {
        if let Some(found) = condition.ty {
            self.check(condition.span, typing::condition("the condition of a choice", found));
        }
        let if_true = self.operand()?;
        self.cursor.expect_sign(":")?;
        let if_false = self.operand()?;
        let span = condition.span.to(if_false.span);
        let sides = if_true.ty.zip(if_false.ty);
        let ty = sides.and_then(|(a, b)| self.check(if_true.span.to(if_false.span), typing::sides(a, b)));
        let expression = Expression::select(condition.expression, if_true.expression, if_false.expression);
        Ok(Typed { expression, ty, span })
    }

    fn operation(&mut self, left: Typed, operator: BinaryOperator, sign: Span) -> Parsed<Typed> {
        let right = self.operand()?;
        let span = left.span.to(right.span);
        let ty = left.ty.zip(right.ty).and_then(|(a, b)| self.check(sign, typing::binary(operator, a, b)));
        // A comparison is a bool even if its operands are wrong.
        let ty = if operator.is_comparison() { Some(Type::Bool) } else { ty };
        Ok(Typed { expression: Expression::binary(operator, left.expression, right.expression), ty, span })
    }

    fn concatenation(&mut self, high: Typed, sign: Span) -> Parsed<Typed> {
        let low = self.operand()?;
        let span = high.span.to(low.span);
        let ty = high.ty.zip(low.ty).and_then(|(a, b)| self.check(sign, typing::concatenation(a, b)));
        let expression = Expression::Concatenate(Box::new(high.expression), Box::new(low.expression));
        Ok(Typed { expression, ty, span })
    }

    fn binary_operator(&self) -> Option<BinaryOperator> {
        let LexemeKind::Sign(sign) = self.cursor.peek() else { return None };
        BinaryOperator::ALL.into_iter().find(|operator| operator.symbol() == *sign)
    }

    /// Reads an operand: a word, an access, a call, a unary operator or parentheses, which slices may follow.
    pub(super) fn operand(&mut self) -> Parsed<Typed> {
        let whole = self.whole_operand()?;
        self.slices(whole)
    }

    /// Reads an operand without the slice that may follow it.
    fn whole_operand(&mut self) -> Parsed<Typed> {
        let span = self.cursor.span();
        match *self.cursor.peek() {
            LexemeKind::Sign("(") => {
                self.deeper(span)?;
                self.cursor.advance();
                let inside = self.predicated()?;
                let end = self.cursor.expect_sign(")")?;
                self.depth -= 1;
                Ok(Typed { span: span.to(end), ..inside })
            }
            LexemeKind::Sign("-") if matches!(self.cursor.peek_second(), LexemeKind::Number(_)) => self.constant(),
            LexemeKind::Sign("-") => self.unary(UnaryOperator::Negate),
            LexemeKind::Sign("~") => self.unary(UnaryOperator::Complement),
            LexemeKind::Sign("!") => self.unary(UnaryOperator::Not),
            LexemeKind::Sign("@") => {
                let element = self.register_element()?;
                let ty = Some(self.scope.program.register(element.register).ty);
                Ok(Typed { expression: Expression::read(element.register, element.index), ty, span: element.span })
            }
            LexemeKind::Word("true" | "false") | LexemeKind::Number(_) => self.constant(),
            LexemeKind::Word("undefined") => self.undefined(),
            _ if self.at_type() => self.cast(),
            LexemeKind::Word(name) if matches!(self.cursor.peek_second(), LexemeKind::Sign("(")) => self.call(name),
            LexemeKind::Word(_) | LexemeKind::Quoted(_) if self.at_index(1) => self.element(),
            _ => {
                let (name, span) = self.cursor.expect_name("a value")?;
                let id = self.variable(name, span)?;
                let ty = Some(self.scope.program.variable(id).ty);
                Ok(Typed { expression: Expression::Variable(id), ty, span })
            }
        }
    }

    /// Reads `[high:low]`, if it is present. A slice of a slice needs parentheses, so that expressions are nested no
    /// more deeply than parentheses are.
    fn slices(&mut self, value: Typed) -> Parsed<Typed> {
        if !self.cursor.at_sign("[") || self.at_index(0) {
            return Ok(value);
        }
        let opening = self.cursor.advance();
        let high = self.bit()?;
        self.cursor.expect_sign(":")?;
        let low = self.bit()?;
        let end = self.cursor.expect_sign("]")?;
        let ty = value.ty.and_then(|ty| self.check(opening.to(end), typing::slice(ty, high, low)));
        let expression = Expression::Slice { value: Box::new(value.expression), high, low };
        Ok(Typed { expression, ty, span: value.span.to(end) })
    }

    /// Reads the position of a bit.
    pub(super) fn bit(&mut self) -> Parsed<u16> {
        let (number, span) = self.cursor.expect_count("the number of a bit")?;
        u16::try_from(number).map_err(|_| {
            let error = Diagnostic::error(span, format!("bit {number} is outside of every number"));
            self.cursor.report(error.hint("choose a bit from 0 to 65534"))
        })
    }

    /// Returns true if an index, rather than a slice, begins `behind` tokens after the next one. The bounds of a slice
    /// are numbers without a type.
    pub(super) fn at_index(&self, behind: usize) -> bool {
        matches!(self.cursor.peek_behind(behind), LexemeKind::Sign("["))
            && !(matches!(self.cursor.peek_behind(behind + 1), LexemeKind::Number(_))
                && matches!(self.cursor.peek_behind(behind + 2), LexemeKind::Sign(":")))
    }

    fn unary(&mut self, operator: UnaryOperator) -> Parsed<Typed> {
        let sign = self.cursor.advance();
        self.deeper(sign)?;
        let operand = self.operand()?;
        self.depth -= 1;
        let ty = operand.ty.and_then(|ty| self.check(sign, typing::unary(operator, ty)));
        let span = sign.to(operand.span);
        Ok(Typed { expression: Expression::unary(operator, operand.expression), ty, span })
    }

    /// Reads a register with its `@` and its index, if it has one.
    pub(super) fn register_element(&mut self) -> Parsed<RegisterElement> {
        let (register, start) = self.register()?;
        let mut span = start;
        let index = if self.at_index(0) {
            let (index, end) = self.index()?;
            span = start.to(end);
            Some(index)
        } else {
            None
        };
        let declared = self.scope.program.register(register);
        let indexing = typing::indexing(declared, index.is_some());
        self.check(span, indexing);
        Ok(RegisterElement { register, index, span })
    }

    /// Reads `[`, a number and `]`; also returns the location of the latter.
    pub(super) fn index(&mut self) -> Parsed<(Expression, Span)> {
        let opening = self.cursor.expect_sign("[")?;
        self.deeper(opening)?;
        let index = self.expression()?;
        let end = self.cursor.expect_sign("]")?;
        self.depth -= 1;
        if let Some(found) = index.ty {
            self.check(index.span, typing::index(found));
        }
        Ok((index.expression, end))
    }

    /// Reads `@` and the name of a register.
    pub(super) fn register(&mut self) -> Parsed<(RegisterId, Span)> {
        let sign = self.cursor.expect_sign("@")?;
        let (name, span) = self.cursor.expect_name("a register's name")?;
        if let Some((id, _)) = self.scope.register(name) {
            return Ok((id, sign.to(span)));
        }
        let mut error =
            Diagnostic::error(sign.to(span), format!("`@{name}` is not declared")).label("unknown register");
        error = match self.scope.similar_register(name) {
            Some(similar) => error.hint(format!("did you mean `@{similar}`?")),
            // `[0]` is part of a name; the number in an index has a type.
            None if name.split('[').next().is_some_and(|name| self.scope.register(name).is_some()) => {
                error.hint("a number in an index needs a type: `[0i32]`")
            }
            None => error.hint(format!("declare it before it is used: `register {name}: int<32>[16] = fill 0`")),
        };
        Err(self.cursor.report(error))
    }
}
