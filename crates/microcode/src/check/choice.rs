//! `if` and `switch`: ways through an instruction that exclude each other.

use std::collections::BTreeMap;

use diagnostics::{Diagnostic, Span};
use ir::BinaryOperator;

use super::Checker;
use super::instruction::Draft;
use super::statement::{Around, Path};
use super::value::Value;
use crate::syntax::{Expression, Group, Statement};
use crate::types::Type;

impl Checker<'_> {
    /// `if (condition) … else …`. Returns the condition under which it leaves the instruction.
    pub(super) fn choice(
        &mut self,
        condition: &Expression,
        then: &[Statement],
        otherwise: &[Statement],
        path: &Path,
        around: Around,
        draft: &mut Draft,
    ) -> Value {
        let holds = self.condition(condition);
        let is_known = holds.is_some();
        // After an error, the branches are still checked, under a condition that could be either.
        let holds = holds.unwrap_or(Value::bool(true));
        let not = holds.unary(ir::UnaryOperator::Not);
        let before = self.current.written.clone();
        let then_path = Path { moves: Value::and(&path.moves, &holds), branch: Value::and(&path.branch, &holds) };
        let left_then = self.block(then, &then_path, around, draft);
        let known = before.len();
        let after_then = std::mem::replace(&mut self.current.written, before);
        let branch = if left_then.number() == Some(1) { path.branch.clone() } else { Value::and(&path.branch, &not) };
        let else_path = Path { moves: Value::and(&path.moves, &not), branch };
        let left_else = self.block(otherwise, &else_path, around, draft);
        self.current.written.extend(after_then.into_iter().skip(known));
        if !is_known {
            return Value::bool(false);
        }
        let left = Value::or(&Value::and(&holds, &left_then), &Value::and(&not, &left_else));
        if left_then.number() == Some(1) && left_else.number() == Some(1) { Value::bool(true) } else { left }
    }

    /// Returns a condition: a bool, or whether a number or pointer is not 0.
    fn condition(&mut self, expression: &Expression) -> Option<Value> {
        let value = self.value(expression)?;
        if value.ty == Type::Label {
            self.error(Diagnostic::error(expression.span, "a label is not a condition").hint("compare it by `==`"));
            return None;
        }
        self.bounded(value.condition(), expression.span)
    }

    /// `switch (value) { case … }`. Returns the condition under which it leaves the instruction.
    pub(super) fn switch(
        &mut self,
        value: &Expression,
        groups: &[Group],
        span: Span,
        path: &Path,
        around: Around,
        draft: &mut Draft,
    ) -> Value {
        let selector = self.value(value);
        let mut seen: BTreeMap<i128, Span> = BTreeMap::new();
        let mut default = None;
        let mut conditions = Vec::new();
        for (place, group) in groups.iter().enumerate() {
            let mut holds = Value::bool(false);
            for case in &group.labels {
                match &case.value {
                    None if default.is_some() => {
                        self.error(Diagnostic::error(case.span, "there are two `default`s"));
                    }
                    None => default = Some(place),
                    Some(expected) => {
                        let Some(equal) = self.case(selector.as_ref(), expected, &mut seen) else { continue };
                        holds = Value::or(&holds, &equal);
                    }
                }
            }
            conditions.push(holds);
        }
        let before = self.current.written.clone();
        let mut after = before.clone();
        let any = conditions.iter().fold(Value::bool(false), |any, holds| Value::or(&any, holds));
        if self.bounded(any.clone(), span).is_none() {
            return Value::bool(false);
        }
        let mut left = Value::bool(false);
        let mut all_leave = true;
        // The default comes last: it is reached if no case holds.
        let order = (0..groups.len()).filter(|&group| Some(group) != default).chain(default);
        for group in order {
            let mut holds = conditions[group].clone();
            if Some(group) == default {
                // Labels of cases beside `default` change nothing.
                let others = conditions.iter().enumerate().filter(|(other, _)| *other != group);
                let others = others.fold(Value::bool(false), |any, (_, holds)| Value::or(&any, holds));
                holds = others.unary(ir::UnaryOperator::Not);
            }
            let is_rest = Some(group) == default && all_leave;
            let branch = if is_rest { path.branch.clone() } else { Value::and(&path.branch, &holds) };
            let inner = Path { moves: Value::and(&path.moves, &holds), branch };
            let body = &groups[group].body;
            let ends = matches!(body.last(), Some(Statement::Break(_)));
            let body = if ends { &body[..body.len() - 1] } else { &body[..] };
            self.current.written.clone_from(&before);
            let leaves = self.block(body, &inner, around, draft);
            after.extend(self.current.written.drain(before.len()..));
            if !ends && leaves.number() != Some(1) && group + 1 < groups.len() {
                let error = Diagnostic::error(groups[group].span, "this `case` goes on into the next one");
                self.error(error.hint("end it with `break;` or `goto`; several labels can precede one statement"));
            }
            all_leave &= leaves.number() == Some(1);
            left = Value::or(&left, &Value::and(&holds, &leaves));
        }
        self.current.written = after;
        if selector.is_none() {
            return Value::bool(false);
        }
        if all_leave && default.is_some() { Value::bool(true) } else { left }
    }

    /// Returns whether the value of a `switch` is that of a `case`.
    fn case(
        &mut self,
        selector: Option<&Value>,
        expected: &Expression,
        seen: &mut BTreeMap<i128, Span>,
    ) -> Option<Value> {
        let value = self.value(expected)?;
        let Some(number) = value.number() else {
            let error = Diagnostic::error(expected.span, "a `case` is not a constant").label("known only at run time");
            self.error(error);
            return None;
        };
        if let Some(first) = seen.insert(number, expected.span) {
            let error = Diagnostic::error(expected.span, format!("there are two cases {number}"));
            self.error(error.related(first, "the first one"));
            return None;
        }
        let selector = selector?;
        self.warn_of_lost_bits(&selector.ty.clone(), &value, expected.span);
        self.binary_value(BinaryOperator::Equal, selector, &value, expected.span)
    }
}
