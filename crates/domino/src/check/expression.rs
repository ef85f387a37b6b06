//! Expressions: resolution of the names in them.

use diagnostics::{Diagnostic, Span, did_you_mean};
use runtime::hash::HashFunction;

use super::function::{Binding, Body, CallSite};
use super::{Checker, Entity};
use crate::resolved::{Call, Value};
use crate::syntax::{Expression, ExpressionKind, Name};

/// The placeholder for an expression with an error that has been reported.
const UNKNOWN: Value = Value::Constant(0);

impl Checker<'_> {
    /// Resolves an expression whose value is read. `alone` tells whether its statement uses nothing else, so that a
    /// call in its place may change state.
    pub(super) fn value(&mut self, body: &mut Body, expression: &Expression, alone: bool) -> Value {
        let mut inner = |checker: &mut Self, expression: &Expression| checker.value(body, expression, false);
        match &expression.kind {
            ExpressionKind::Invalid => UNKNOWN,
            ExpressionKind::Number(value) => Value::Constant(*value as i32),
            ExpressionKind::Unary(operator, operand) => Value::Unary(*operator, Box::new(inner(self, operand))),
            ExpressionKind::Binary(operator, left, right) => {
                Value::Binary(*operator, Box::new(inner(self, left)), Box::new(inner(self, right)))
            }
            ExpressionKind::Conditional(condition, if_true, if_false) => Value::Conditional(
                Box::new(inner(self, condition)),
                Box::new(inner(self, if_true)),
                Box::new(inner(self, if_false)),
            ),
            ExpressionKind::Call(name, arguments) => self.call_value(body, name, arguments, expression.span, alone),
            ExpressionKind::Name(_) | ExpressionKind::Field(..) | ExpressionKind::Element(..) => {
                let value = self.variable(body, expression);
                if let Some(Value::Local(local)) = value {
                    body.function.locals[local].is_read = true;
                }
                value.unwrap_or(UNKNOWN)
            }
        }
    }

    /// Resolves the target of an assignment; returns `None` after an error.
    pub(super) fn value_of_target(&mut self, body: &mut Body, target: &Expression) -> Option<Value> {
        match &target.kind {
            ExpressionKind::Invalid => None,
            ExpressionKind::Name(_) | ExpressionKind::Field(..) | ExpressionKind::Element(..) => {
                self.variable(body, target)
            }
            _ => Some(self.value(body, target, false)),
        }
    }

    /// Resolves a field, a local or state.
    fn variable(&mut self, body: &mut Body, expression: &Expression) -> Option<Value> {
        match &expression.kind {
            ExpressionKind::Name(text) => {
                let name = Name { text: text.clone(), span: expression.span };
                match body.lookup(text) {
                    Some(Binding::Local(local)) => return Some(Value::Local(local)),
                    Some(Binding::Packet) => {
                        let error = Diagnostic::error(name.span, "a packet is not a value");
                        self.report.push(error.hint(format!("name one of its fields, as in `{text}.field`")));
                        return None;
                    }
                    None => {}
                }
                let register = self.register(body, &name)?;
                if self.registers[register].length.is_some() {
                    let error = Diagnostic::error(name.span, format!("`{text}` is an array"));
                    self.report.push(error.hint(format!("name one of its elements, as in `{text}[index]`")));
                    return None;
                }
                Some(Value::Register(register, None))
            }
            ExpressionKind::Field(packet, field) => self.field(body, packet, field),
            ExpressionKind::Element(array, index) => {
                let index = self.value(body, index, false);
                if body.lookup(&array.text).is_some() {
                    let error = Diagnostic::error(array.span, format!("`{}` is not an array", array.text));
                    self.report.push(error.hint("only arrays of state, declared outside of functions, can be indexed"));
                    return None;
                }
                let register = self.register(body, array)?;
                if self.registers[register].length.is_none() {
                    let error = Diagnostic::error(array.span, format!("`{}` is not an array", array.text));
                    let error = error.related(self.register_places[register].0, "declared here");
                    self.report.push(error.hint("omit the index, or declare it with a length"));
                    return None;
                }
                Some(Value::Register(register, Some(Box::new(index))))
            }
            _ => None,
        }
    }

    fn field(&mut self, body: &Body, packet: &Name, field: &Name) -> Option<Value> {
        match body.lookup(&packet.text) {
            Some(Binding::Packet) => {}
            None if !self.names.contains_key(&packet.text) => {
                let error = Diagnostic::error(packet.span, format!("there is no packet `{}` here", packet.text));
                self.report.push(error.hint(match body.packet() {
                    Some(packet) => format!("the packet is called `{packet}`"),
                    None => "a function cannot access the packet; pass it the fields that it needs".to_owned(),
                }));
                return None;
            }
            Some(Binding::Local(_)) | None => {
                let error = Diagnostic::error(packet.span, format!("`{}` has no fields", packet.text));
                self.report.push(error.hint("only the packet has fields"));
                return None;
            }
        }
        if let Some((id, _)) = self.fields.get(&field.text) {
            return Some(Value::Field(*id));
        }
        if self.fields_are_incomplete {
            return None;
        }
        let error = Diagnostic::error(field.span, format!("the packet has no field `{}`", field.text));
        let similar = did_you_mean(&field.text, self.fields.keys().map(|name| &**name));
        let hint = similar.unwrap_or_else(|| format!("declare `int {};` in `struct Packet`", field.text));
        self.report.push(error.hint(hint));
        None
    }

    /// Resolves the name of state.
    fn register(&mut self, body: &Body, name: &Name) -> Option<usize> {
        let error = match self.names.get(&name.text) {
            Some((Entity::Register(register), _)) => {
                self.register_places[*register].1 = true;
                return Some(*register);
            }
            Some((Entity::Function(_), span)) => {
                let error = Diagnostic::error(name.span, format!("`{}` is a function", name.text));
                error.related(*span, "declared here").hint(format!("call it: `{}(...)`", name.text))
            }
            Some((Entity::Broken, _)) => return None,
            None if HashFunction::from_name(&name.text).is_some() => {
                let error = Diagnostic::error(name.span, format!("`{}` is a hash function", name.text));
                error.hint(format!("call it: `{}(...)`", name.text))
            }
            None => {
                let error = Diagnostic::error(name.span, format!("`{}` is not declared", name.text));
                let globals = self.names.keys().map(|name| &**name);
                let hint = did_you_mean(&name.text, body.visible().chain(globals));
                let hint = hint.or_else(|| {
                    let is_field = self.fields.contains_key(&name.text);
                    is_field.then(|| "write fields of the packet with its name, as in `p.field`".to_owned())
                });
                hint.into_iter().fold(error, Diagnostic::hint)
            }
        };
        self.report.push(error);
        None
    }

    fn call_value(&mut self, body: &mut Body, name: &Name, given: &[Expression], span: Span, alone: bool) -> Value {
        if let Some(function) = HashFunction::from_name(&name.text) {
            let arguments = given.iter().map(|argument| self.value(body, argument, false)).collect();
            let counted = self.count_arguments(name, function.arity(), given.len(), span, None);
            return if counted { Value::Hash(function, arguments) } else { UNKNOWN };
        }
        let Some(call) = self.call(body, name, given, span, alone) else { return UNKNOWN };
        if !self.signatures[call.function].returns_value {
            let error = Diagnostic::error(span, format!("`{}` does not return a value", name.text));
            let error = error.related(self.signatures[call.function].name.span, "it is `void`");
            self.report.push(error.hint("make it `int`, or call it as a statement"));
            return UNKNOWN;
        }
        Value::Call(call)
    }

    /// Returns whether the program defines a function of this name.
    pub(super) fn is_function(&self, name: &Name) -> bool {
        matches!(self.names.get(&name.text), Some((Entity::Function(_), _)))
    }

    /// Resolves a call of a function that the program defines; returns `None` after an error.
    pub(super) fn call(
        &mut self,
        body: &mut Body,
        name: &Name,
        given: &[Expression],
        span: Span,
        alone: bool,
    ) -> Option<Call> {
        let arguments = given.iter().map(|argument| self.value(body, argument, false)).collect();
        let callee = match self.names.get(&name.text) {
            Some((Entity::Function(callee), _)) => *callee,
            Some((Entity::Broken, _)) => return None,
            Some((Entity::Register(_), declared)) => {
                let error = Diagnostic::error(name.span, format!("`{}` is not a function", name.text));
                self.report.push(error.related(*declared, "declared here"));
                return None;
            }
            None => {
                let error = Diagnostic::error(name.span, format!("there is no function `{}`", name.text));
                let hashes = HashFunction::ALL.map(HashFunction::name);
                let own = self.signatures.iter().map(|signature| &*signature.name.text);
                let hint = did_you_mean(&name.text, own.chain(hashes));
                self.report.push(error.hint(hint.unwrap_or_else(|| {
                    format!("write it with a body, or use one of the hash functions {}", hashes.join(", "))
                })));
                return None;
            }
        };
        let signature = &self.signatures[callee];
        let declared = signature.name.span;
        if signature.is_packet_function {
            let error = Diagnostic::error(span, format!("`{}` is the packet function and cannot be called", name.text));
            self.report.push(error.related(declared, "it takes the packet"));
            return None;
        }
        if !self.count_arguments(name, signature.parameters, given.len(), span, Some(declared)) {
            return None;
        }
        body.calls.push(CallSite { callee, span, alone });
        Some(Call { function: callee, arguments, span })
    }

    fn count_arguments(&mut self, name: &Name, wanted: usize, given: usize, span: Span, place: Option<Span>) -> bool {
        if wanted == given {
            return true;
        }
        let plural = if wanted == 1 { "" } else { "s" };
        let message = format!("`{}` takes {wanted} argument{plural}, not {given}", name.text);
        let error = Diagnostic::error(span, message);
        self.report.push(place.into_iter().fold(error, |error, place| error.related(place, "declared here")));
        false
    }
}
