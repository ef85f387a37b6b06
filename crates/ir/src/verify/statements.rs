//! Verification of the types and placement of statements.

use super::ids;
use crate::placement::Context;
use crate::{
    ArrayId, Effect, Expression, Flow, HeaderId, HeaderReference, PacketStatement, Program, SharedStatement, Statement,
    Type, VariableId, print, typing,
};

/// Reports what is wrong with the types, ids and placement of statements.
pub(crate) fn statements(program: &Program, block: &[Statement], context: Context, errors: &mut Vec<String>) {
    for statement in block {
        let quoted = || {
            let text = print::statement(program, statement).to_string();
            format!("`{}`", text.lines().next().unwrap_or_default())
        };
        Checker { program, quoted: &quoted, errors }.statement(statement, context);
        blocks(statement, context, &mut |block, context| statements(program, block, context, errors));
    }
}

/// Visits the nested blocks of a statement, each with its context.
fn blocks(statement: &Statement, context: Context, visit: &mut dyn FnMut(&[Statement], Context)) {
    match statement {
        Statement::Flow(Flow::Loop { body, step, .. }) => {
            visit(body, context.in_loop());
            visit(step, context.in_step());
        }
        Statement::Flow(Flow::Call { after, .. } | Flow::Parse { after, .. }) => visit(after, context.after_call()),
        _ => statement.blocks().into_iter().for_each(|block| visit(block, context)),
    }
}

/// The checker of one statement, or of another construct that contains expressions.
pub(super) struct Checker<'a> {
    pub program: &'a Program,
    /// Returns the text with which messages begin.
    pub quoted: &'a dyn Fn() -> String,
    pub errors: &'a mut Vec<String>,
}

impl Checker<'_> {
    pub fn check<T>(&mut self, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|error| self.errors.push(format!("{}: {error}", (self.quoted)()))).ok()
    }

    pub fn condition(&mut self, what: &str, condition: &Expression) {
        if let Some(found) = self.expression(condition) {
            self.check(typing::condition(what, found));
        }
    }

    pub fn number(&mut self, what: &str, number: &Expression) {
        if let Some(found) = self.expression(number) {
            self.check(typing::number(what, found));
        }
    }

    pub fn index(&mut self, index: &Expression) {
        if let Some(found) = self.expression(index) {
            self.check(typing::index(found));
        }
    }

    /// Returns the type of the elements of an array.
    pub fn element(&mut self, array: ArrayId) -> Option<Type> {
        let array = self.check(ids::array(self.program, array))?;
        // An array without elements is reported separately.
        self.check(ids::variable(self.program, *array.elements.first()?))
    }

    /// Checks a value against the type of its target.
    fn value(&mut self, what: &str, expected: Option<Type>, value: &Expression) {
        let found = self.expression(value);
        if let Some((expected, found)) = expected.zip(found) {
            self.check(typing::assigned(what, expected, found));
        }
    }

    /// Checks a variable against the type of what is stored in it.
    fn target(&mut self, what: &str, variable: VariableId, expected: Type) {
        if let Some(found) = self.check(ids::variable(self.program, variable)) {
            self.check(typing::takes(what, expected, found));
        }
    }

    fn statement(&mut self, statement: &Statement, context: Context) {
        self.check(context.refuse(statement));
        match statement {
            Statement::Assign { variable, value } => {
                let expected = self.check(ids::variable(self.program, *variable));
                self.value("the variable", expected, value);
            }
            Statement::AssignElement { array, index, value } => {
                let expected = self.element(*array);
                self.index(index);
                self.value("the array", expected, value);
            }
            Statement::Write { register, index, value, predicate } => {
                let expected = self.access(*register, index.as_ref(), predicate.as_ref());
                self.value("the register", expected, value);
            }
            Statement::If { condition, .. } => self.condition("a condition", condition),
            Statement::Flow(flow) => self.flow(flow),
            Statement::Packet(step) => self.packet(step),
            Statement::Shared(step) => self.shared(step),
        }
    }

    fn flow(&mut self, flow: &Flow) {
        match flow {
            Flow::Loop { condition, .. } => self.condition("a condition", condition),
            Flow::Break | Flow::Continue | Flow::Return | Flow::Exit => (),
            Flow::Call { function, .. } => drop(self.check(ids::function(self.program, *function))),
            Flow::Parse { parser, .. } => drop(self.check(ids::parser(self.program, *parser))),
            Flow::Apply { table, hit, action, entry } => {
                self.check(ids::table(self.program, *table));
                if let Some(hit) = hit {
                    self.target(typing::HIT, *hit, Type::Bool);
                }
                if let Some(action) = action {
                    self.target(typing::ACTION, *action, Type::Bits(32));
                }
                if let Some(entry) = entry {
                    self.target(typing::ENTRY, *entry, Type::Bits(32));
                }
            }
        }
    }

    /// Returns the header of a place, or another one of the same type.
    fn header(&mut self, place: &HeaderReference) -> Option<HeaderId> {
        let id = match place {
            HeaderReference::Fixed(id) => *id,
            HeaderReference::Element(stack, index) => {
                self.index(index);
                // A stack without elements is reported separately.
                *self.check(ids::stack(self.program, *stack))?.elements.first()?
            }
        };
        self.check(ids::header(self.program, id)).map(|_| id)
    }

    fn packet(&mut self, step: &PacketStatement) {
        match step {
            PacketStatement::Extract { header, length } => {
                if let Some(header) = self.header(header) {
                    self.check(typing::extraction(self.program, header, length.is_some()));
                }
                if let Some(length) = length {
                    self.number("a length", length);
                }
            }
            PacketStatement::Lookahead { variables } => variables.iter().for_each(|&variable| {
                self.check(ids::variable(self.program, variable));
            }),
            PacketStatement::Advance { bits } => self.number("the number of bits to skip", bits),
            PacketStatement::Verify { condition, error } => {
                self.condition("the condition of `verify`", condition);
                if let Some(found) = self.expression(error) {
                    self.check(typing::error(found));
                }
            }
            PacketStatement::SetValid { header, .. } | PacketStatement::Emit { header } => drop(self.header(header)),
        }
    }

    fn shared(&mut self, step: &SharedStatement) {
        match step {
            SharedStatement::Count { counter, index, adjust } => {
                self.check(ids::counter(self.program, *counter));
                self.index(index);
                if let Some(found) = adjust.as_ref().and_then(|adjust| self.expression(adjust)) {
                    self.check(typing::adjustment(found));
                }
            }
            SharedStatement::Measure { meter, index, before, adjust, color } => {
                self.check(ids::meter(self.program, *meter));
                self.index(index);
                if let Some(before) = before {
                    self.number(typing::ARRIVING, before);
                }
                if let Some(found) = adjust.as_ref().and_then(|adjust| self.expression(adjust)) {
                    self.check(typing::adjustment(found));
                }
                if let Some(found) = self.check(ids::variable(self.program, *color)) {
                    self.check(typing::number(typing::COLOR, found));
                }
            }
            SharedStatement::Filter { filter, index, value, result } => {
                self.check(ids::filter(self.program, *filter));
                self.index(index);
                self.number(typing::TAKEN, value);
                if let Some(found) = self.check(ids::variable(self.program, *result)) {
                    self.check(typing::number(typing::FILTERED, found));
                }
            }
            SharedStatement::Wred { wred, index, value, drops } => {
                self.check(ids::wred(self.program, *wred));
                self.index(index);
                self.number(typing::TAKEN, value);
                self.target(typing::DROPS, *drops, Type::Bool);
            }
            SharedStatement::Random { variable, low, high } => {
                let expected = self.check(ids::variable(self.program, *variable));
                if let Some(expected) = expected {
                    self.check(typing::random(expected));
                }
                self.value("the lower bound", expected, low);
                self.value("the upper bound", expected, high);
            }
            SharedStatement::Effect(effect) => self.effect(effect),
            SharedStatement::Log { values, .. } => values.iter().for_each(|value| {
                self.expression(value);
            }),
            SharedStatement::Assert { condition, .. } => self.condition("the condition of `assert`", condition),
        }
    }

    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Clone { session, keep, .. } => {
                self.number("a session", session);
                self.check(typing::keep(self.program, *keep));
            }
            Effect::Mirror { session, data } => {
                self.number("a session", session);
                data.iter().for_each(|value| _ = self.expression(value));
            }
            Effect::Resubmit { keep, data } => {
                self.check(typing::keep(self.program, *keep));
                data.iter().for_each(|value| _ = self.expression(value));
            }
            Effect::Recirculate { keep } => _ = self.check(typing::keep(self.program, *keep)),
            Effect::Truncate { length } => self.number("a length", length),
            Effect::Digest { digest, values } => {
                let digest = self.check(ids::digest(self.program, *digest));
                if let Some(digest) = digest {
                    self.check(typing::digest(digest, values.len()));
                }
                for (place, value) in values.iter().enumerate() {
                    let expected = digest.and_then(|digest| digest.fields.get(place)).map(|(_, ty)| *ty);
                    self.value("the field", expected, value);
                }
            }
        }
    }
}
