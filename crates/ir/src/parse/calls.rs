//! The parser of operands with operands of their own: casts, hashes, checksums, look-ups, elements of arrays, and fields
//! of local memory.

use diagnostics::{Diagnostic, Span};
use runtime::checksum::Algorithm;
use runtime::hash::HashFunction;

use super::expressions::Typed;
use super::lexer::LexemeKind;
use super::scope::Named;
use super::{Parsed, Parser};
use crate::{ArrayId, Checksum, ChecksumPart, Expression, Lookup, LookupResult, TableId, Type, typing};

impl Parser<'_> {
    pub(super) fn cast(&mut self) -> Parsed<Typed> {
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

    /// Reads a hash, a checksum or a look-up.
    pub(super) fn call(&mut self, name: &str) -> Parsed<Typed> {
        let start = self.cursor.advance();
        if let "checksum" | "checksum_with_payload" = name {
            return self.checksum(start, name == "checksum_with_payload");
        }
        if name == "lookup" {
            return self.lookup(start);
        }
        if name == "memory" {
            let (field, end) = self.field()?;
            let ty = Some(Type::Bits(field.width));
            return Ok(Typed { expression: Expression::Memory(Box::new(field)), ty, span: start.to(end) });
        }
        let Some(function) = HashFunction::from_name(name) else {
            let names = HashFunction::ALL.map(HashFunction::name);
            let hint =
                format!("the functions are {}, checksum, checksum_with_payload, lookup, memory", names.join(", "));
            return Err(self
                .cursor
                .report(Diagnostic::error(start, format!("there is no function `{name}`")).hint(hint)));
        };
        let (arguments, end) = self.arguments()?;
        self.check(start.to(end), typing::arity(function, arguments.len()));
        let arguments = arguments.into_iter().map(|argument| argument.expression).collect();
        Ok(Typed { expression: Expression::Hash(function, arguments), ty: Some(Type::INT32), span: start.to(end) })
    }

    /// Reads arguments in parentheses; also returns the location of the closing one.
    pub(super) fn arguments(&mut self) -> Parsed<(Vec<Typed>, Span)> {
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

    /// Reads `(algorithm, type, value, value: length, ...)`.
    fn checksum(&mut self, start: Span, with_payload: bool) -> Parsed<Typed> {
        let opening = self.cursor.expect_sign("(")?;
        self.deeper(opening)?;
        let algorithm = self.algorithm()?;
        self.cursor.expect_sign(",")?;
        let type_start = self.cursor.span();
        let result = self.ty()?;
        self.check(type_start, typing::checksum(result));
        let mut data = Vec::new();
        while self.cursor.take_sign(",").is_some() {
            let value = self.expression()?.expression;
            let length = if self.cursor.take_sign(":").is_some() { Some(self.number_value("a length")?) } else { None };
            data.push(ChecksumPart { value, length });
        }
        let end = self.cursor.expect_sign(")")?;
        self.depth -= 1;
        let checksum = Checksum { algorithm, data, with_payload, result };
        Ok(Typed { expression: Expression::Checksum(Box::new(checksum)), ty: Some(result), span: start.to(end) })
    }

    /// Reads `(table, hit, word, ...)`, where `hit` may also be `runs action` or `data action parameter low type`.
    fn lookup(&mut self, start: Span) -> Parsed<Typed> {
        let opening = self.cursor.expect_sign("(")?;
        self.deeper(opening)?;
        let (table, _) = self.named(Named::Table)?;
        self.cursor.expect_sign(",")?;
        let result = self.lookup_result()?;
        let mut keys = Vec::new();
        while self.cursor.take_sign(",").is_some() {
            keys.push(self.expression()?.expression);
        }
        let span = start.to(self.cursor.expect_sign(")")?);
        self.depth -= 1;
        let lookup = Lookup { table: TableId::from(table), keys, result };
        // Tables may be declared after the look-ups that use them.
        self.scope.lookups.push((lookup.clone(), span));
        Ok(Typed { expression: Expression::Lookup(Box::new(lookup)), ty: Some(result.ty()), span })
    }

    fn lookup_result(&mut self) -> Parsed<LookupResult> {
        if self.cursor.take_word("hit").is_some() {
            return Ok(LookupResult::Hit);
        }
        if self.cursor.take_word("runs").is_some() {
            return Ok(LookupResult::Runs(self.cursor.expect_count("the index of an action")?.0));
        }
        if self.cursor.take_word("data").is_none() {
            return Err(self.cursor.unexpected("`hit`, `runs` or `data`"));
        }
        let action = self.cursor.expect_count("the index of an action")?.0;
        let parameter = self.cursor.expect_count("the index of a parameter")?.0;
        let (low, span) = self.cursor.expect_count("the position of a bit")?;
        let low =
            u16::try_from(low).map_err(|_| self.cursor.report(Diagnostic::error(span, "no value is that wide")))?;
        Ok(LookupResult::Data { action, parameter, low, ty: self.ty()? })
    }

    /// Reads the name of an algorithm.
    pub(super) fn algorithm(&mut self) -> Parsed<Algorithm> {
        let LexemeKind::Word(name) = *self.cursor.peek() else { return Err(self.cursor.unexpected("an algorithm")) };
        let span = self.cursor.advance();
        Algorithm::from_name(name).ok_or_else(|| {
            let error = Diagnostic::error(span, format!("there is no algorithm `{name}`"));
            self.cursor.report(error.hint(format!("the algorithms are {}", Algorithm::NAMES.join(", "))))
        })
    }

    /// Reads an expression that must be a number.
    pub(super) fn number_value(&mut self, what: &str) -> Parsed<Expression> {
        let value = self.expression()?;
        if let Some(found) = value.ty {
            self.check(value.span, typing::number(what, found));
        }
        Ok(value.expression)
    }

    /// Reads `undefined<type>`.
    pub(super) fn undefined(&mut self) -> Parsed<Typed> {
        let start = self.cursor.advance();
        self.cursor.expect_sign("<")?;
        let ty = self.ty()?;
        let span = start.to(self.cursor.expect_closing_angle()?);
        Ok(Typed { expression: Expression::Undefined(ty), ty: Some(ty), span })
    }

    /// Reads the name of an array and an index.
    pub(super) fn element(&mut self) -> Parsed<Typed> {
        let (array, start) = self.array()?;
        let (index, end) = self.index()?;
        let ty = Some(self.element_type(array));
        Ok(Typed { expression: Expression::Element { array, index: Box::new(index) }, ty, span: start.to(end) })
    }

    /// Reads the name of an array.
    pub(super) fn array(&mut self) -> Parsed<(ArrayId, Span)> {
        let (name, span) = self.cursor.expect_name("an array's name")?;
        if let Some((number, _)) = self.scope.find(Named::Array, name) {
            return Ok((ArrayId::from(number), span));
        }
        let mut error = Diagnostic::error(span, format!("the array `{name}` is not declared")).label("unknown name");
        error = match self.scope.similar(Named::Array, name) {
            Some(similar) => error.hint(format!("did you mean `{similar}`?")),
            None if self.scope.register(name).is_some() => error.hint(format!("a register is written `@{name}`")),
            None => error.hint("declare it before it is used: `array name: variable, variable`"),
        };
        Err(self.cursor.report(error))
    }

    /// Returns the type of the elements of an array, which has at least one.
    pub(super) fn element_type(&self, array: ArrayId) -> Type {
        let program = &self.scope.program;
        program.variable(program.arrays[array.index()].elements[0]).ty
    }
}
