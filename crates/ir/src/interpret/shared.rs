//! Statements about state that packets share, about communication with what lies outside the program, and requests to
//! the machine.

use basis::Random;
use runtime::{Bits, Color};

use super::run::{Run, StatementResult, Stop};
use super::{Emitted, Ending, Request};
use crate::{Effect, Expression, SharedStatement, Type, evaluate};

impl Run<'_, '_> {
    pub(super) fn shared(&mut self, statement: &SharedStatement) -> StatementResult {
        match statement {
            SharedStatement::Count { counter, index, adjust } => {
                // An index of more than 64 bits is out of range, as is the greatest one of 64 bits.
                let index = self.number(index).unwrap_or(u64::MAX);
                let adjust = adjust.as_ref().map_or(0, |adjust| self.signed(adjust));
                let (packets, length) = (self.around.packets, self.around.length.saturating_add_signed(adjust));
                match self.program.table_of_counter(*counter) {
                    None => self.around.state.counters[counter.index()].count(index, packets, length),
                    Some(table) => {
                        let state = &mut self.around.state.tables[table.index()];
                        if let Some(entry) = state.entry_at(index) {
                            state.count(entry, packets, length);
                        }
                    }
                }
                self.around.observer.counted(*counter, Some(index));
            }
            SharedStatement::Measure { meter, index, before, adjust, color } => {
                let index = self.number(index).unwrap_or(u64::MAX);
                let arriving = before.as_ref().map_or(Some(0), |before| self.number(before)).unwrap_or(u64::MAX);
                let arriving = Color::from_number(arriving);
                let adjust = adjust.as_ref().map_or(0, |adjust| self.signed(adjust));
                let amount = self.program.meters[meter.index()].unit.adjusted(self.around.length, adjust);
                let now = self.around.now;
                let marked = match self.program.table_of_meter(*meter) {
                    None => self.around.state.meters[meter.index()].mark_colored(index, now, amount, arriving),
                    Some(table) => {
                        let state = &mut self.around.state.tables[table.index()];
                        let entry = state.entry_at(index);
                        entry.map_or(arriving, |entry| state.mark_colored(entry, now, amount, arriving))
                    }
                };
                self.around.observer.measured(*meter, Some(index), marked);
                self.set_number(*color, marked.number());
            }
            SharedStatement::Filter { filter, index, value, result } => {
                let index = self.number(index).unwrap_or(u64::MAX);
                let value = self.number(value).unwrap_or(u64::MAX);
                let output = self.around.state.filters[filter.index()].filter(index, self.around.now, value);
                self.around.observer.filtered(*filter, index, value, output);
                self.set_number(*result, output);
            }
            SharedStatement::Wred { wred, index, value, drops } => {
                let index = self.number(index).unwrap_or(u64::MAX);
                let value = self.number(value).unwrap_or(u64::MAX);
                let wreds = &mut self.around.state.wreds[wred.index()];
                let dropped = wreds.drops(index, self.around.now, value, self.around.random);
                self.around.observer.detected(*wred, index, value, dropped);
                self.set_number(*drops, dropped.into());
            }
            SharedStatement::Random { variable, low, high } => {
                let (low, high) = (self.value(low), self.value(high));
                let width = self.program.variable(*variable).ty.width();
                let drawn = if high < low {
                    self.around.undefined.value(width)
                } else {
                    between(self.around.random, &low, &high, width)
                };
                self.set(*variable, drawn);
            }
            SharedStatement::Effect(effect) => {
                let request = self.request(effect);
                self.around.observer.asked(&request);
                self.requests.push(request);
            }
            SharedStatement::Log { text, values } => {
                let text = self.message(text, values);
                self.around.observer.logged(&text);
            }
            SharedStatement::Assert { condition, text } => {
                if !self.is_true(condition) {
                    self.around.observer.logged(text);
                    return Err(Stop::End(Ending::AssertionFailed));
                }
            }
        }
        Ok(())
    }

    fn request(&mut self, effect: &Effect) -> Request {
        match effect {
            Effect::Clone { kind, session, keep } => {
                Request::Clone { kind: *kind, session: self.value(session).low() as u32, keep: *keep }
            }
            Effect::Mirror { session, data } => {
                Request::Mirror { session: self.value(session).low() as u32, data: self.data(data) }
            }
            Effect::Resubmit { keep, data } => Request::Resubmit { keep: *keep, data: self.data(data) },
            Effect::Recirculate { keep } => Request::Recirculate { keep: *keep },
            Effect::Truncate { length } => Request::Truncate { length: self.value(length).low() as u32 },
            Effect::Digest { digest, values } => {
                Request::Digest { digest: *digest, values: values.iter().map(|value| self.value(value)).collect() }
            }
        }
    }

    /// Returns the bits of values in order, filled up to whole bytes with zeros.
    fn data(&mut self, values: &[Expression]) -> Vec<u8> {
        let mut data = Emitted::default();
        for value in values {
            let (ty, value) = evaluate::value(self.program, value, self);
            data.push(&value, ty.width());
        }
        data.bytes
    }

    /// Evaluates a signed number of at most 64 bits.
    fn signed(&mut self, number: &Expression) -> i64 {
        let (ty, value) = evaluate::value(self.program, number, self);
        value.resize(ty.width(), ty.is_signed(), 64).low().cast_signed()
    }

    /// Replaces each `{}` of a text by a value, in order, as a number or a truth value.
    fn message(&mut self, text: &str, values: &[Expression]) -> String {
        let mut values = values.iter();
        let mut pieces = text.split("{}");
        let mut message = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            match values.next() {
                Some(value) => {
                    let (ty, value) = evaluate::value(self.program, value, self);
                    message.push_str(&shown(ty, &value));
                }
                None => message.push_str("{}"),
            }
            message.push_str(piece);
        }
        message
    }
}

/// Draws a number uniformly from `low` to `high`, both included, as [`SharedStatement::Random`] does. The bounds are in
/// order and have `width` bits. All executors must draw alike.
pub fn between(random: &mut Random, low: &Bits, high: &Bits, width: u32) -> Bits {
    let span = high.subtract(low, width);
    let drawn = match span.to_u64() {
        Some(u64::MAX) => Bits::from_u64(random.bits(), width),
        Some(span) => Bits::from_u64(random.below(span + 1), width),
        None => {
            // Draws as many bits as the span has until the number is within the span, as more than half of them are.
            let length = span.length();
            loop {
                let limbs: Vec<u64> = (0..length.div_ceil(64)).map(|_| random.bits()).collect();
                let drawn = Bits::from_limbs(&limbs, length).resize(length, false, width);
                if drawn <= span {
                    break drawn;
                }
            }
        }
    };
    low.add(&drawn, width)
}

/// Formats a value for messages.
fn shown(ty: Type, value: &Bits) -> String {
    match ty {
        Type::Bool => (!value.is_zero()).to_string(),
        Type::Int(width) if value.is_negative(width.into()) => format!("-{}", value.negate(width.into())),
        _ => value.to_string(),
    }
}
