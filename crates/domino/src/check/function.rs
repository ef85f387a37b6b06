//! The statements of a function.

use std::collections::BTreeMap;
use std::rc::Rc;

use diagnostics::{Diagnostic, Span};

use super::Checker;
use crate::resolved::{self, AssignmentTarget, Local, Returns, returns, returns_of_choice};
use crate::syntax::{Expression, ExpressionKind, Function, Name, Statement};

/// A function that is being checked, and what is known about it.
pub(super) struct Body {
    pub function: resolved::Function,
    /// The calls in the function, in order.
    pub calls: Vec<CallSite>,
    /// Whether the function itself assigns state.
    pub changes_state: bool,
    returns_value: bool,
    scopes: Vec<BTreeMap<Rc<str>, Binding>>,
}

/// A call in a function.
pub(super) struct CallSite {
    pub callee: usize,
    pub span: Span,
    /// Whether the call is a statement, or the whole value that a statement uses, so that the time at which it changes
    /// state is well defined.
    pub alone: bool,
}

/// The meaning of a name in a function.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Packet,
    Local(usize),
}

impl Body {
    pub fn lookup(&self, name: &str) -> Option<Binding> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    /// Returns the name of the packet parameter, if the function has one.
    pub fn packet(&self) -> Option<&str> {
        let mut all = self.scopes.iter().flatten();
        all.find_map(|(name, binding)| matches!(binding, Binding::Packet).then_some(&**name))
    }

    /// Returns the names of the function that are in scope.
    pub fn visible(&self) -> impl Iterator<Item = &str> {
        self.scopes.iter().flat_map(|scope| scope.keys().map(|name| &**name))
    }
}

impl Checker<'_> {
    pub(super) fn function(&mut self, function: &Function) -> Body {
        let mut body = Body {
            function: resolved::Function { name: function.name.text.clone(), ..Default::default() },
            calls: Vec::new(),
            changes_state: false,
            returns_value: function.returns_value,
            scopes: vec![BTreeMap::new()],
        };
        for parameter in &function.parameters {
            let is_packet = parameter.structure.is_some();
            self.bind(&mut body, &parameter.name, true, is_packet);
        }
        let statements = function.body.as_deref().unwrap_or_default();
        let mut resolved = Vec::new();
        self.statements(&mut body, statements, &mut resolved);
        if function.returns_value && returns(&resolved) != Returns::Always {
            let message = format!("`{}` can end without a `return`", function.name.text);
            self.report.push(Diagnostic::warning(function.name.span, message).hint("it then returns 0"));
        }
        for local in body.function.locals.iter().filter(|local| !local.is_read && !local.is_parameter) {
            let message = format!("the value of `{}` is never used", local.name);
            self.report.push(Diagnostic::warning(local.span, message));
        }
        body.function.body = resolved;
        body
    }

    /// Declares a parameter or variable in the innermost scope.
    fn bind(&mut self, body: &mut Body, name: &Name, is_parameter: bool, is_packet: bool) -> usize {
        let id = body.function.locals.len();
        let binding = if is_packet { Binding::Packet } else { Binding::Local(id) };
        let taken = body.scopes.last_mut().and_then(|scope| scope.insert(name.text.clone(), binding));
        if let Some(taken) = taken {
            let error = Diagnostic::error(name.span, format!("`{}` is declared twice", name.text));
            self.report.push(match taken {
                Binding::Local(first) => error.related(body.function.locals[first].span, "declared first"),
                Binding::Packet => error.hint("this is the name of the packet"),
            });
        }
        if !is_packet {
            let (name, span) = (name.text.clone(), name.span);
            body.function.locals.push(Local { name, span, is_parameter, is_read: false, is_assigned: false });
        }
        id
    }

    fn statements(&mut self, body: &mut Body, from: &[Statement], into: &mut Vec<resolved::Statement>) {
        let mut ended = false;
        for statement in from {
            if !ended && into.last().is_some_and(|last| last.returns() == Returns::Always) {
                ended = true;
                if let Some(span) = place(statement) {
                    self.report.push(Diagnostic::warning(span, "this is never reached"));
                }
            }
            self.statement(body, statement, into);
        }
    }

    fn block(&mut self, body: &mut Body, from: &[Statement], into: &mut Vec<resolved::Statement>) {
        body.scopes.push(BTreeMap::new());
        self.statements(body, from, into);
        body.scopes.pop();
    }

    fn statement(&mut self, body: &mut Body, statement: &Statement, into: &mut Vec<resolved::Statement>) {
        match statement {
            Statement::Declare { name, value } => {
                // The value is resolved first: in `int x = x;`, the inner `x` of C has no value yet, so the outer one
                // is meant.
                let value = value.as_ref().map(|value| self.value(body, value, true));
                let local = self.bind(body, name, false, false);
                if let Some(value) = value {
                    into.push(resolved::Statement::Assign {
                        target: AssignmentTarget::Local(local),
                        operator: None,
                        value,
                    });
                }
            }
            Statement::Assign { target, operator, value } => {
                let value = self.value(body, value, operator.is_none());
                if let Some(target) = self.assignment_target(body, target) {
                    into.push(resolved::Statement::Assign { target, operator: *operator, value });
                }
            }
            Statement::Evaluate(expression) => self.evaluate(body, expression, into),
            Statement::If { condition, then, otherwise } => {
                let condition = self.value(body, condition, false);
                let (mut if_true, mut if_false) = (Vec::new(), Vec::new());
                self.block(body, then, &mut if_true);
                self.block(body, otherwise, &mut if_false);
                let returns = returns_of_choice(&if_true, &if_false);
                into.push(resolved::Statement::If { condition, then: if_true, otherwise: if_false, returns });
            }
            Statement::Block(inner) => self.block(body, inner, into),
            Statement::Return { value, span } => {
                let value = value.as_ref().map(|value| (self.value(body, value, true), value.span));
                if value.is_none() && body.returns_value {
                    let error = Diagnostic::error(*span, "this function must return a value");
                    self.report.push(error.hint("write `return value;`"));
                } else if let Some((_, span)) = value.as_ref().filter(|_| !body.returns_value) {
                    let error = Diagnostic::error(*span, "a `void` function cannot return a value");
                    self.report.push(error.hint("write `return;`"));
                }
                into.push(resolved::Statement::Return(value.map(|(value, _)| value)));
            }
        }
    }

    /// Checks an expression statement: a call, or an expression without effect.
    fn evaluate(&mut self, body: &mut Body, expression: &Expression, into: &mut Vec<resolved::Statement>) {
        if let ExpressionKind::Call(name, arguments) = &expression.kind
            && self.is_function(name)
        {
            let call = self.call(body, name, arguments, expression.span, true);
            into.extend(call.map(resolved::Statement::Call));
            return;
        }
        self.value(body, expression, true);
        if matches!(expression.kind, ExpressionKind::Invalid) {
            return;
        }
        let is_equality = matches!(
            &expression.kind,
            ExpressionKind::Binary(crate::syntax::Operator::Plain(ir::BinaryOperator::Equal), ..)
        );
        let warning = Diagnostic::warning(expression.span, "this statement has no effect");
        self.report.push(if is_equality { warning.hint("to assign, write `=`") } else { warning });
    }

    /// Resolves the target of an assignment.
    fn assignment_target(&mut self, body: &mut Body, target: &Expression) -> Option<AssignmentTarget> {
        Some(match self.value_of_target(body, target)? {
            resolved::Value::Field(field) => AssignmentTarget::Field(field),
            resolved::Value::Local(local) => {
                body.function.locals[local].is_assigned = true;
                AssignmentTarget::Local(local)
            }
            resolved::Value::Register(register, index) => {
                body.changes_state = true;
                AssignmentTarget::Register(register, index.map(|index| *index))
            }
            _ => {
                let error = Diagnostic::error(target.span, "this cannot be assigned to");
                self.report.push(error.hint("only fields of the packet, state and variables can"));
                return None;
            }
        })
    }
}

/// Returns the location of a statement, if there is one worth pointing at.
fn place(statement: &Statement) -> Option<Span> {
    match statement {
        Statement::Declare { name, .. } => Some(name.span),
        Statement::Assign { target, .. } => Some(target.span),
        Statement::Evaluate(expression) => Some(expression.span),
        Statement::If { condition, .. } => Some(condition.span),
        Statement::Block(inner) => inner.iter().find_map(place),
        Statement::Return { span, .. } => Some(*span),
    }
}
