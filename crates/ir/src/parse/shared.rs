//! The parser of statements about state that packets share, and about communication with what lies outside the program.

use super::scope::Named;
use super::{Parsed, Parser};
use crate::{
    CloneKind, CounterId, DigestId, Effect, Expression, FilterId, MeterId, SharedStatement, Type, WredId, typing,
};

impl Parser<'_> {
    /// Reads a statement that begins with one of this file's keywords; returns `None` for any other word.
    pub(super) fn shared(&mut self, word: &str) -> Option<Parsed<SharedStatement>> {
        let read: fn(&mut Self) -> Parsed<SharedStatement> = match word {
            "count" => Self::count,
            "measure" => Self::measure,
            "filter" => Self::filter_value,
            "wred" => Self::detect,
            "random" => Self::random,
            "log" => Self::log,
            "assert" => Self::assertion,
            "clone" => |parser: &mut Self| parser.clone_effect().map(SharedStatement::Effect),
            "resubmit" => |parser: &mut Self| {
                parser.cursor.advance();
                Ok(SharedStatement::Effect(Effect::Resubmit { keep: parser.keep()?, data: parser.in_front()? }))
            },
            "recirculate" => |parser: &mut Self| {
                parser.cursor.advance();
                Ok(SharedStatement::Effect(Effect::Recirculate { keep: parser.keep()? }))
            },
            "mirror" => |parser: &mut Self| {
                parser.cursor.advance();
                let session = parser.number_value("a session")?;
                Ok(SharedStatement::Effect(Effect::Mirror { session, data: parser.in_front()? }))
            },
            "truncate" => |parser: &mut Self| {
                parser.cursor.advance();
                Ok(SharedStatement::Effect(Effect::Truncate { length: parser.number_value("a length")? }))
            },
            "digest" => |parser: &mut Self| parser.digest_effect().map(SharedStatement::Effect),
            _ => return None,
        };
        Some(read(self))
    }

    fn count(&mut self) -> Parsed<SharedStatement> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Counter)?;
        let (index, _) = self.index()?;
        let adjust = if self.cursor.take_word("adjust").is_some() { Some(self.adjustment()?) } else { None };
        Ok(SharedStatement::Count { counter: CounterId::from(number), index, adjust })
    }

    fn measure(&mut self) -> Parsed<SharedStatement> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Meter)?;
        let (index, _) = self.index()?;
        let before = match self.cursor.take_word("before") {
            Some(_) => Some(self.number_value(typing::ARRIVING)?),
            None => None,
        };
        let adjust = if self.cursor.take_word("adjust").is_some() { Some(self.adjustment()?) } else { None };
        self.cursor.expect_sign("->")?;
        let color = self.target(|ty| typing::number(typing::COLOR, ty))?;
        Ok(SharedStatement::Measure { meter: MeterId::from(number), index, before, adjust, color })
    }

    fn adjustment(&mut self) -> Parsed<Expression> {
        let adjust = self.expression()?;
        if let Some(found) = adjust.ty {
            self.check(adjust.span, typing::adjustment(found));
        }
        Ok(adjust.expression)
    }

    fn filter_value(&mut self) -> Parsed<SharedStatement> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Filter)?;
        let [index, value] = self.index_and_value()?;
        let result = self.target(|ty| typing::number(typing::FILTERED, ty))?;
        Ok(SharedStatement::Filter { filter: FilterId::from(number), index, value, result })
    }

    fn detect(&mut self) -> Parsed<SharedStatement> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Wred)?;
        let [index, value] = self.index_and_value()?;
        let drops = self.target(|ty| typing::takes(typing::DROPS, Type::Bool, ty))?;
        Ok(SharedStatement::Wred { wred: WredId::from(number), index, value, drops })
    }

    /// Reads an index, a value and the arrow before the result.
    fn index_and_value(&mut self) -> Parsed<[Expression; 2]> {
        let (index, _) = self.index()?;
        self.cursor.expect_sign(",")?;
        let value = self.number_value(typing::TAKEN)?;
        self.cursor.expect_sign("->")?;
        Ok([index, value])
    }

    fn random(&mut self) -> Parsed<SharedStatement> {
        self.cursor.advance();
        let variable = self.target(typing::random)?;
        let ty = self.scope.program.variable(variable).ty;
        self.cursor.expect_sign(",")?;
        let low = self.value_for("the lower bound", ty)?;
        self.cursor.expect_sign(",")?;
        let high = self.value_for("the upper bound", ty)?;
        Ok(SharedStatement::Random { variable, low, high })
    }

    fn log(&mut self) -> Parsed<SharedStatement> {
        self.cursor.advance();
        let text = self.cursor.expect_text("a text in quotes")?;
        let mut values = Vec::new();
        while self.cursor.take_sign(",").is_some() {
            values.push(self.expression()?.expression);
        }
        Ok(SharedStatement::Log { text, values })
    }

    fn assertion(&mut self) -> Parsed<SharedStatement> {
        self.cursor.advance();
        let condition = self.condition("the condition of `assert`")?;
        self.cursor.expect_sign(",")?;
        Ok(SharedStatement::Assert { condition, text: self.cursor.expect_text("a text in quotes")? })
    }

    fn clone_effect(&mut self) -> Parsed<Effect> {
        self.cursor.advance();
        let kind = if self.cursor.take_word("ingress_to_egress").is_some() {
            CloneKind::IngressToEgress
        } else if self.cursor.take_word("egress_to_egress").is_some() {
            CloneKind::EgressToEgress
        } else {
            return Err(self.cursor.unexpected("`ingress_to_egress` or `egress_to_egress`"));
        };
        self.cursor.expect_sign(",")?;
        let session = self.number_value("a session")?;
        Ok(Effect::Clone { kind, session, keep: self.keep()? })
    }

    fn digest_effect(&mut self) -> Parsed<Effect> {
        self.cursor.advance();
        let (number, _) = self.named(Named::Digest)?;
        let opening = self.cursor.expect_sign("(")?;
        let mut values = Vec::new();
        while !self.cursor.at_sign(")") {
            let value = self.expression()?;
            let expected = self.scope.program.digests[number].fields.get(values.len()).map(|(_, ty)| *ty);
            if let Some((expected, found)) = expected.zip(value.ty) {
                self.check(value.span, typing::assigned("the field", expected, found));
            }
            values.push(value.expression);
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        let end = self.cursor.expect_sign(")")?;
        let outcome = typing::digest(&self.scope.program.digests[number], values.len());
        self.check(opening.to(end), outcome);
        Ok(Effect::Digest { digest: DigestId::from(number), values })
    }

    /// Reads `with` and a list of values in parentheses, if they are present.
    fn in_front(&mut self) -> Parsed<Vec<Expression>> {
        let mut data = Vec::new();
        if self.cursor.take_word("with").is_none() {
            return Ok(data);
        }
        self.cursor.expect_sign("(")?;
        while !self.cursor.at_sign(")") {
            data.push(self.expression()?.expression);
            if self.cursor.take_sign(",").is_none() {
                break;
            }
        }
        self.cursor.expect_sign(")")?;
        Ok(data)
    }

    /// Reads `keep` and the index of a field list, if they are present.
    fn keep(&mut self) -> Parsed<Option<usize>> {
        if self.cursor.take_word("keep").is_none() {
            return Ok(None);
        }
        let (place, span) = self.cursor.expect_count("the index of a field list")?;
        let keep = Some(place as usize);
        let outcome = typing::keep(&self.scope.program, keep);
        self.check(span, outcome);
        Ok(keep)
    }
}
