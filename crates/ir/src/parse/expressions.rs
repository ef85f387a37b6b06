//! Expressions, typed while they are read.

use diagnostics::{Diagnostic, Span};
use runtime::hash::HashFunction;

use super::lexer::Kind;
use super::{Parsed, Parser};
use crate::{BinaryOperator, Constant, Expression, RegisterId, Type, UnaryOperator, typing};

/// An expression, its type if that is not spoilt by a reported error, and its place.
pub(super) struct Typed {
    pub expression: Expression,
    pub ty: Option<Type>,
    pub span: Span,
}

/// A register and where in it.
pub(super) struct Place {
    pub register: RegisterId,
    pub index: Option<Expression>,
    pub span: Span,
}

impl Parser<'_> {
    /// An expression, or a read with its predicate.
    pub(super) fn predicated(&mut self) -> Parsed<Typed> {
        let value = self.expression()?;
        if !self.cursor.at_word("if") {
            return Ok(value);
        }
        let Expression::Read { register, index, predicate: None } = value.expression else {
            let error = Diagnostic::error(value.span, "only the read of a register has a predicate");
            return Err(self.cursor.report(error.hint("a choice between two values is `condition ? this : that`")));
        };
        let predicate = self.predicate()?.map(Box::new);
        Ok(Typed { expression: Expression::Read { register, index, predicate }, ..value })
    }

    /// An operand, or one operator between operands.
    pub(super) fn expression(&mut self) -> Parsed<Typed> {
        let first = self.operand()?;
        let whole = if self.cursor.take_sign("?").is_some() {
            self.choice(first)?
        } else if let Some(operator) = self.binary_operator() {
            let sign = self.cursor.advance();
            self.operation(first, operator, sign)?
        } else {
            return Ok(first);
        };
        if self.binary_operator().is_some() || self.cursor.at_sign("?") {
            let error = Diagnostic::error(self.cursor.span(), "a second operator without parentheses");
            let hint = "there are no precedences: write `(a + b) + c`";
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
        // A comparison is a bool even of what cannot be compared.
        let ty = if operator.is_comparison() { Some(Type::Bool) } else { ty };
        Ok(Typed { expression: Expression::binary(operator, left.expression, right.expression), ty, span })
    }

    fn binary_operator(&self) -> Option<BinaryOperator> {
        let Kind::Sign(sign) = self.cursor.peek() else { return None };
        BinaryOperator::ALL.into_iter().find(|operator| operator.symbol() == *sign)
    }

    /// What may stand beside an operator: a word, an access, a call, a unary operator or parentheses.
    pub(super) fn operand(&mut self) -> Parsed<Typed> {
        let span = self.cursor.span();
        match *self.cursor.peek() {
            Kind::Sign("(") => {
                self.deeper(span)?;
                self.cursor.advance();
                let inside = self.predicated()?;
                let end = self.cursor.expect_sign(")")?;
                self.depth -= 1;
                Ok(Typed { span: span.to(end), ..inside })
            }
            Kind::Sign("-") if matches!(self.cursor.peek_second(), Kind::Number(_)) => self.constant(),
            Kind::Sign("-") => self.unary(UnaryOperator::Negate),
            Kind::Sign("~") => self.unary(UnaryOperator::Complement),
            Kind::Sign("!") => self.unary(UnaryOperator::Not),
            Kind::Sign("@") => {
                let place = self.place()?;
                let ty = Some(self.scope.program.register(place.register).ty);
                Ok(Typed { expression: Expression::read(place.register, place.index), ty, span: place.span })
            }
            Kind::Word("true" | "false") | Kind::Number(_) => self.constant(),
            _ if self.at_type() => self.cast(),
            Kind::Word(name) if matches!(self.cursor.peek_second(), Kind::Sign("(")) => self.hash(name),
            _ => {
                let (name, span) = self.cursor.expect_name("a value")?;
                let id = self.variable(name, span)?;
                let ty = Some(self.scope.program.variable(id).ty);
                Ok(Typed { expression: Expression::Variable(id), ty, span })
            }
        }
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

    fn cast(&mut self) -> Parsed<Typed> {
        let start = self.cursor.span();
        let ty = self.ty()?;
        let (operands, end) = self.arguments()?;
        let mut operands = operands.into_iter();
        match (operands.next(), operands.next()) {
            (Some(operand), None) => {
                let expression = Expression::Cast(ty, Box::new(operand.expression));
                Ok(Typed { expression, ty: Some(ty), span: start.to(end) })
            }
            _ => Err(self.cursor.report(Diagnostic::error(start.to(end), "a cast takes one value"))),
        }
    }

    fn hash(&mut self, name: &str) -> Parsed<Typed> {
        let start = self.cursor.advance();
        let Some(function) = HashFunction::from_name(name) else {
            let names = HashFunction::ALL.map(HashFunction::name);
            let hint = format!("the functions are {}", names.join(", "));
            return Err(self
                .cursor
                .report(Diagnostic::error(start, format!("no function is called `{name}`")).hint(hint)));
        };
        let (arguments, end) = self.arguments()?;
        self.check(start.to(end), typing::arity(function, arguments.len()));
        let arguments = arguments.into_iter().map(|argument| argument.expression).collect();
        Ok(Typed { expression: Expression::Hash(function, arguments), ty: Some(Type::INT32), span: start.to(end) })
    }

    /// Values in parentheses, and the place of the closing one.
    fn arguments(&mut self) -> Parsed<(Vec<Typed>, Span)> {
        let opening = self.cursor.expect_sign("(")?;
        self.deeper(opening)?;
        let mut arguments = Vec::new();
        while !self.cursor.at_sign(")") {
            arguments.push(self.expression()?);
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        let end = self.cursor.expect_sign(")")?;
        self.depth -= 1;
        Ok((arguments, end))
    }

    /// A register with its `@` and its index, if it has one.
    pub(super) fn place(&mut self) -> Parsed<Place> {
        let (register, start) = self.register()?;
        let mut span = start;
        let index = if self.cursor.at_sign("[") {
            let opening = self.cursor.advance();
            self.deeper(opening)?;
            let index = self.expression()?;
            span = start.to(self.cursor.expect_sign("]")?);
            self.depth -= 1;
            if let Some(found) = index.ty {
                self.check(index.span, typing::index(found));
            }
            Some(index.expression)
        } else {
            None
        };
        let declared = self.scope.program.register(register);
        let indexing = typing::indexing(declared, index.is_some());
        self.check(span, indexing);
        Ok(Place { register, index, span })
    }

    /// `@` and a register's name.
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
            None => error.hint(format!("declare it before it is used: `register {name}: int<32>[16] = fill 0`")),
        };
        Err(self.cursor.report(error))
    }

    /// `true`, `false`, or a number with its type behind it: `5i32`, `-5i32`, `0x1fu8`.
    fn constant(&mut self) -> Parsed<Typed> {
        let start = self.cursor.span();
        if let Some(value) = self.boolean() {
            let span = start;
            return Ok(Typed { expression: Expression::bool(value), ty: Some(Type::Bool), span });
        }
        let negative = self.cursor.take_sign("-").is_some();
        let Kind::Number(text) = *self.cursor.peek() else { return Err(self.cursor.unexpected("a number")) };
        let span = start.to(self.cursor.advance());
        let digits = if text.starts_with("0x") { 2 } else { 0 };
        let suffix = text[digits..].find(['i', 'u']).map(|place| digits + place);
        let Some((digits, suffix)) = suffix.map(|place| text.split_at(place)) else {
            let error = Diagnostic::error(span, "a constant carries its type");
            return Err(self.cursor.report(error.hint(format!("`{text}i32` for int<32>, `{text}u8` for bit<8>"))));
        };
        let ty = match suffix[1..].parse() {
            Ok(width @ 1..=64) if suffix.starts_with('i') => Type::Int(width),
            Ok(width @ 1..=64) => Type::Bits(width),
            _ => {
                let error = Diagnostic::error(span, format!("`{suffix}` is no type of a constant"));
                return Err(self.cursor.report(error.hint("`i` or `u` and a width of 1 to 64 bits")));
            }
        };
        let value = self.number(ty, negative, digits, span)?;
        Ok(Typed { expression: Expression::Constant(Constant { ty, value }), ty: Some(ty), span })
    }

    /// A value whose type is known: `true`, `false`, or a number without suffix.
    pub(super) fn value_of(&mut self, ty: Type) -> Parsed<u64> {
        let start = self.cursor.span();
        if ty == Type::Bool {
            return match self.boolean() {
                Some(value) => Ok(u64::from(value)),
                None => Err(self.cursor.unexpected("`true` or `false`")),
            };
        }
        let negative = self.cursor.take_sign("-").is_some();
        let Kind::Number(digits) = *self.cursor.peek() else { return Err(self.cursor.unexpected("a number")) };
        let span = start.to(self.cursor.advance());
        self.number(ty, negative, digits, span)
    }

    fn boolean(&mut self) -> Option<bool> {
        let yes = self.cursor.take_word("true").is_some();
        (yes || self.cursor.take_word("false").is_some()).then_some(yes)
    }

    /// The raw bits of a number that must be one of its type.
    fn number(&mut self, ty: Type, negative: bool, digits: &str, span: Span) -> Parsed<u64> {
        let read = match digits.strip_prefix("0x") {
            Some(hexadecimal) => i128::from_str_radix(hexadecimal, 16),
            None => digits.parse(),
        };
        let Ok(magnitude) = read else {
            return Err(self.cursor.report(Diagnostic::error(span, format!("`{digits}` is not a number"))));
        };
        let number = if negative { -magnitude } else { magnitude };
        let value = ty.value_of(number as i64);
        if ty.number(value) == number {
            return Ok(value);
        }
        let least = if ty.is_signed() { -(1i128 << (ty.width() - 1)) } else { 0 };
        let most = least + (1i128 << ty.width()) - 1;
        let error = Diagnostic::error(span, format!("{number} is not a number of type {ty}"));
        Err(self.cursor.report(error.hint(format!("{least} to {most}"))))
    }
}
