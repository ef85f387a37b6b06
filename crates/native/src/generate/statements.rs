//! Statements that change variables, registers and state shared by packets.

use cranelift_codegen::ir::Value;
use cranelift_codegen::ir::condcodes::IntCC;
use ir::{CloneKind, Effect, Expression, SharedStatement, Statement, Type};

use super::code::Code;
use super::operand::{Operand, status};
use crate::helpers::Helper;
use crate::layout::words_of;
use crate::program_data::Field;

impl Code<'_> {
    /// Emits statements in order. Returns false if control never reaches their end.
    pub(super) fn statements(&mut self, statements: &[Statement]) -> bool {
        statements.iter().all(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> bool {
        self.scratch_used = 0;
        match statement {
            Statement::Assign { variable, value } => {
                let value = self.value(value);
                self.put(self.variable(*variable), value);
            }
            Statement::Write { register, index, value, predicate } => {
                let write = |code: &mut Self| {
                    let value = code.value(value);
                    let place = code.register(*register, index.as_ref());
                    code.put(place, value);
                };
                match predicate {
                    None => write(self),
                    Some(predicate) => {
                        let holds = self.condition(predicate);
                        self.only_if(holds, write);
                    }
                }
            }
            Statement::If { condition, then, otherwise } => return self.choice(condition, then, otherwise),
            Statement::AssignElement { array, index, value } => {
                let elements = &self.program.arrays[array.index()].elements;
                let value = self.value(value);
                let index = self.number(index);
                let is_inside = self.compare_constant(IntCC::UnsignedLessThan, index, elements.len() as u64);
                self.only_if(is_inside, |code| {
                    let place = code.element_place(elements, index);
                    code.put(place, value);
                });
            }
            Statement::Flow(flow) => return self.flow(flow),
            Statement::Packet(step) => return self.packet_statement(step),
            Statement::Shared(step) => self.shared_statement(step),
        }
        true
    }

    /// Emits code that runs only if a condition holds.
    pub(super) fn only_if(&mut self, condition: cranelift_codegen::ir::Value, then: impl FnOnce(&mut Self)) {
        let (inner, next) = (self.builder.create_block(), self.builder.create_block());
        self.branch(condition, inner, next);
        self.builder.switch_to_block(inner);
        then(self);
        self.go(next);
        self.builder.switch_to_block(next);
    }

    fn choice(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement]) -> bool {
        let condition = self.condition(condition);
        let (if_true, if_false) = (self.builder.create_block(), self.builder.create_block());
        let next = self.builder.create_block();
        self.branch(condition, if_true, if_false);
        let mut goes_on = false;
        for (block, statements) in [(if_true, then), (if_false, otherwise)] {
            self.builder.switch_to_block(block);
            if self.statements(statements) {
                self.go(next);
                goes_on = true;
            }
        }
        if goes_on {
            self.builder.switch_to_block(next);
        }
        goes_on
    }

    /// Returns a signed number of bytes that are added to the length of a packet.
    fn adjustment(&mut self, adjust: Option<&Expression>) -> Value {
        match adjust {
            // The cast extends the sign.
            Some(adjust) => self.word(&Expression::Cast(Type::Int(64), Box::new(adjust.clone()))),
            None => self.constant(0),
        }
    }

    fn shared_statement(&mut self, statement: &SharedStatement) {
        match statement {
            SharedStatement::Count { counter, index, adjust } => {
                let (helper, number) = match self.program.table_of_counter(*counter) {
                    None => (Helper::Count, counter.0),
                    Some(table) => (Helper::CountEntry, table.0),
                };
                let (number, index) = (self.constant(number.into()), self.number(index));
                let adjust = self.adjustment(adjust.as_ref());
                self.call(helper, &[number, index, adjust]);
            }
            SharedStatement::Measure { meter, index, before, adjust, color } => {
                let (helper, number) = match self.program.table_of_meter(*meter) {
                    None => (Helper::Measure, meter.0),
                    Some(table) => (Helper::MeasureEntry, table.0),
                };
                let (number, index) = (self.constant(number.into()), self.number(index));
                let green = runtime::Color::Green.number();
                let before = before.as_ref().map(|before| self.number(before));
                let before = before.unwrap_or_else(|| self.constant(green));
                let adjust = self.adjustment(adjust.as_ref());
                let marked = self.ask(helper, &[number, index, before, adjust]);
                self.set_number(*color, marked);
            }
            SharedStatement::Filter { filter, index, value, result } => {
                let number = self.constant(filter.0.into());
                let (index, value) = (self.number(index), self.number(value));
                let output = self.ask(Helper::Filter, &[number, index, value]);
                self.set_number(*result, output);
            }
            SharedStatement::Wred { wred, index, value, drops } => {
                let number = self.constant(wred.0.into());
                let (index, value) = (self.number(index), self.number(value));
                let dropped = self.ask(Helper::Detect, &[number, index, value]);
                self.set_number(*drops, dropped);
            }
            SharedStatement::Random { variable, low, high } => {
                let (low, high) = (self.value(low), self.value(high));
                let place = self.variable(*variable);
                let width = self.program.variable(*variable).ty.width();
                let bits = self.constant(width.into());
                match (low, high) {
                    (Operand::Word(low), Operand::Word(high)) => {
                        let drawn = self.ask(Helper::Random, &[low, high, bits]);
                        self.store(place, 0, drawn);
                    }
                    _ => {
                        let out = self.room(place.words);
                        let (low, high) = (self.in_memory(low), self.in_memory(high));
                        let (to, low, high) = (self.address(out), self.address(low), self.address(high));
                        self.call(Helper::RandomWide, &[to, low, high, bits]);
                        self.copy(place, out);
                    }
                }
            }
            SharedStatement::Effect(effect) => self.effect(effect),
            SharedStatement::Log { text, values } => {
                // Nobody reads the message, but evaluating a value may draw a random number. Values without a
                // placeholder in the text are never evaluated.
                for value in values.iter().take(text.matches("{}").count()) {
                    self.value(value);
                }
            }
            SharedStatement::Assert { condition, .. } => {
                let holds = self.condition(condition);
                let fails = self.compare_constant(IntCC::Equal, holds, 0);
                self.stop_if(fails, status::ASSERTION_FAILED);
            }
        }
    }

    fn effect(&mut self, effect: &Effect) {
        let place = |keep: &Option<usize>| keep.map_or(u64::MAX, |keep| keep as u64);
        match effect {
            Effect::Clone { kind, session, keep } => {
                let of_egress = self.constant((*kind == CloneKind::EgressToEgress).into());
                let (session, keep) = (self.word(session), self.constant(place(keep)));
                self.call(Helper::Clone, &[of_egress, session, keep]);
            }
            Effect::Mirror { session, data } => {
                let session = self.word(session);
                let [list, values] = self.in_front(data);
                self.call(Helper::Mirror, &[session, list, values]);
            }
            Effect::Resubmit { keep, data } => {
                let keep = self.constant(place(keep));
                let [list, values] = self.in_front(data);
                self.call(Helper::Resubmit, &[keep, list, values]);
            }
            Effect::Recirculate { keep } => {
                let keep = self.constant(place(keep));
                self.call(Helper::Recirculate, &[keep]);
            }
            Effect::Truncate { length } => {
                let length = self.word(length);
                self.call(Helper::Truncate, &[length]);
            }
            Effect::Digest { digest, values } => {
                let values: Vec<Operand> = values.iter().map(|value| self.value(value)).collect();
                let place = self.lay_out(&values);
                let (digest, address) = (self.constant(digest.0.into()), self.address(place));
                self.call(Helper::Digest, &[digest, address]);
            }
        }
    }

    /// Stores the data that lie in front of a packet one after the other. Returns the number of the list of fields that
    /// describes them, and their address.
    fn in_front(&mut self, data: &[Expression]) -> [Value; 2] {
        let values: Vec<Operand> = data.iter().map(|value| self.value(value)).collect();
        let place = self.lay_out(&values);
        let mut start = 0;
        let fields = data.iter().map(|value| {
            let width = self.program.type_of(value).width();
            start += words_of(width);
            Field { start: start - words_of(width), width }
        });
        let fields = fields.collect();
        let list = self.shared.field_list(fields);
        [self.constant(list), self.address(place)]
    }

    /// Stores values one after the other in scratch memory.
    pub(super) fn lay_out(&mut self, values: &[Operand]) -> super::operand::MemoryWords {
        let words = |value: &Operand| match value {
            Operand::Word(_) => 1,
            Operand::Wide(place) => place.words,
        };
        let all = self.room(values.iter().map(words).sum());
        let mut start = 0;
        for value in values {
            let words = words(value);
            self.put(super::operand::MemoryWords { offset: all.at(start), words, ..all }, *value);
            start += words;
        }
        all
    }
}
