//! Statements: what an instruction writes, asks for, and where it goes on.

use std::collections::BTreeMap;

use diagnostics::{Diagnostic, Span};
use ir::BinaryOperator;
use ir::threads::{InstructionId, Move, Next};

use super::instruction::{Draft, Local, WriteProblem};
use super::place::{Located, Place};
use super::value::Value;
use super::{Checker, Entity};
use crate::syntax::{Class, Expression, ExpressionKind, Group, Initializer, Name, Statement, Variable};
use crate::types::Type;

/// The conditions under which statements are reached.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// The condition under which what they write is written.
    pub moves: Value,
    /// The condition that leads here if no statement before it left the instruction.
    pub branch: Value,
}

/// What lies around the statements of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    /// Whether nothing follows the block in its instruction.
    pub is_last: bool,
    /// Where the instruction goes on if no statement leaves it; `None` is the end of a subroutine.
    pub next: Option<InstructionId>,
    pub is_subroutine: bool,
}

impl Path {
    pub const fn all() -> Self {
        Self { moves: Value::bool(true), branch: Value::bool(true) }
    }
}

impl Checker<'_> {
    /// Checks the statements of a block. Returns the condition under which they leave the instruction, given that the block
    /// is reached.
    pub(super) fn block(&mut self, block: &[Statement], path: &Path, around: Around, draft: &mut Draft) -> Value {
        self.current.open_scope();
        let left = self.statements(block, path, around, draft);
        self.current.close_scope();
        left
    }

    pub(super) fn statements(&mut self, block: &[Statement], path: &Path, around: Around, draft: &mut Draft) -> Value {
        let mut path = path.clone();
        let mut left = Value::bool(false);
        let mut place = 0;
        while place < block.len() {
            let statement = &block[place];
            if left.number() == Some(1) {
                let error = Diagnostic::error(span_of(statement), "this is never reached");
                self.error(error.hint("the instruction was left before it"));
                break;
            }
            let around = Around { is_last: around.is_last && place + 1 == block.len(), ..around };
            let leaves = match statement {
                Statement::Call { name, arguments, mode, span } if self.is_subroutine(name) => {
                    if let Some(error) = self.wrong_call(arguments, mode.is_some(), *span) {
                        self.error(error);
                    }
                    let follows = block.get(place + 1);
                    place += usize::from(matches!(follows, Some(Statement::Goto { .. } | Statement::Return(_))));
                    self.call(name, follows, &path, around, draft);
                    Value::bool(true)
                }
                _ => self.statement(statement, &path, around, draft),
            };
            path.moves = Value::and(&path.moves, &leaves.unary(ir::UnaryOperator::Not));
            left = Value::or(&left, &leaves);
            if let Some(value) = self.bounded(path.moves.clone(), span_of(statement)) {
                path.moves = value;
            } else {
                break;
            }
            place += 1;
        }
        left
    }

    fn statement(&mut self, statement: &Statement, path: &Path, around: Around, draft: &mut Draft) -> Value {
        if self.charge(path.branch.weight.size, span_of(statement)).is_none() {
            return Value::bool(true);
        }
        match statement {
            Statement::Declare(variable) => self.local(variable),
            Statement::Assign { target, operator, value } => {
                let _ = self.assign(target, *operator, value, path, draft);
            }
            Statement::Evaluate(expression) => self.refuse_without_effect(expression),
            Statement::Call { name, arguments, mode, span } => {
                let _ = self.transaction(name, arguments, *mode, *span, path, draft);
            }
            Statement::Block(block, _) => return self.block(block, path, around, draft),
            Statement::If { condition, then, otherwise, .. } => {
                return self.choice(condition, then, otherwise, path, around, draft);
            }
            Statement::Switch { value, groups, span } => {
                return self.switch(value, groups, *span, path, around, draft);
            }
            Statement::Goto { target, .. } => {
                if let Some(next) = self.goto(target) {
                    draft.leave(&path.branch, next);
                }
                return Value::bool(true);
            }
            Statement::Return(span) => {
                if !around.is_subroutine {
                    let error = Diagnostic::error(*span, "`return` outside of a subroutine");
                    self.error(error.hint("`exit;` ends the thread"));
                }
                draft.leave(&path.branch, Next::Return);
                return Value::bool(true);
            }
            Statement::Exit(_) => {
                draft.leave(&path.branch, Next::End);
                return Value::bool(true);
            }
            Statement::Break(span) => {
                let error = Diagnostic::error(*span, "a `break` stands at the end of a `case`");
                self.error(error.hint("write `if … else …` around what it would skip"));
            }
        }
        Value::bool(false)
    }

    fn refuse_without_effect(&mut self, expression: &Expression) {
        if self.value(expression).is_some() {
            let error = Diagnostic::error(expression.span, "this statement has no effect");
            self.error(error.hint("assign the value, or remove it"));
        }
    }

    /// `const`, `virtual` or `bus`: a name for a value within the instruction.
    fn local(&mut self, variable: &Variable) {
        let value = match variable.class {
            Class::Virtual => self.named(variable).map(Local::Value),
            Class::Bus => self.on_bus(variable).map(Local::Place),
            _ => {
                let error = Diagnostic::error(variable.span, "a variable is declared inside an instruction");
                let hint = "declare it before the instruction; inside, `const : name = value;` names a value";
                self.error(error.hint(hint));
                None
            }
        };
        if !self.current.name(&variable.name.text, value) {
            let error = Diagnostic::error(variable.name.span, format!("`{}` is named twice here", variable.name.text));
            self.error(error.hint("choose another name"));
        }
    }

    /// Returns the value of a name for a value, in the type of the declaration.
    pub(super) fn named(&mut self, variable: &Variable) -> Option<Value> {
        let ty = self.type_of(&variable.ty);
        let Some(initial) = &variable.initial else {
            let message = format!("`{}` has no value", variable.name.text);
            self.error(Diagnostic::error(variable.name.span, message).hint("write `const : name = value;`"));
            return None;
        };
        let Initializer::Single(expression) = initial else {
            let error = Diagnostic::error(variable.name.span, "a name for a value stands for one value only");
            self.error(error.hint("declare a variable as `memory`"));
            return None;
        };
        let value = self.value(expression);
        let (ty, value) = (ty?, value?);
        // A number without a width has the type of the value.
        if ty == Type::Literal && matches!(value.ty, Type::Number { .. } | Type::Literal | Type::Bool) {
            return Some(value);
        }
        let value = self.assigned(&value, &ty, expression.span)?;
        self.bounded(value, expression.span)
    }

    /// `bus`: names the input of an ALU, a field of a register or of local memory as it is, perhaps as a struct.
    fn on_bus(&mut self, variable: &Variable) -> Option<Located> {
        let ty = self.type_of(&variable.ty);
        let Some(Initializer::Single(expression)) = &variable.initial else {
            let message = format!("`{}` carries nothing", variable.name.text);
            self.error(Diagnostic::error(variable.name.span, message).hint("write `bus : 8 name = field;`"));
            return None;
        };
        if !matches!(
            expression.kind,
            ExpressionKind::Name(_)
                | ExpressionKind::Field(..)
                | ExpressionKind::Arrow(..)
                | ExpressionKind::Element(..)
                | ExpressionKind::Dereference(_)
                | ExpressionKind::Invalid
        ) {
            let error = Diagnostic::error(expression.span, "a bus carries a field as it is");
            self.error(error.hint("`const : name = …;` names a value that is computed"));
            return None;
        }
        let (place, ty) = (self.place(expression)?, ty?);
        if ty == Type::Literal {
            return Some(place);
        }
        let (given, wanted) = (place.ty.bits(), ty.bits());
        if given != wanted || matches!(place.place, Place::Shared { .. }) {
            let message = format!("a bus of {wanted} bits carries a field of {given}");
            let error = Diagnostic::error(variable.name.span, message);
            self.error(error.hint("a bus carries a field of a register or of local memory as it is"));
            return None;
        }
        // Parts of a register are addressed by their bits, whatever the type of the register is.
        let place = match place.place {
            Place::Register { variable, low, is_whole } => {
                Place::Register { variable, low, is_whole: is_whole && ty == place.ty }
            }
            other => other,
        };
        Some(Located { ty, place })
    }

    /// `target = value`, or `target operator= value`.
    fn assign(
        &mut self,
        target: &Expression,
        operator: Option<BinaryOperator>,
        value: &Expression,
        path: &Path,
        draft: &mut Draft,
    ) -> Option<()> {
        let place = self.place(target);
        let right = self.value(value);
        let (place, mut right) = (place?, right?);
        if let Place::Shared { .. } = place.place {
            let error = Diagnostic::error(target.span, "shared memory is written by transactions only");
            self.error(error.hint("write `MemWrite(&variable, value);`"));
            return None;
        }
        if let Some(operator) = operator {
            let old = self.read(&place, target.span)?;
            right = self.binary_value(operator, &old, &right, target.span.to(value.span))?;
        }
        if !place.ty.is_scalar() {
            let error = Diagnostic::error(target.span, format!("`{}` is assigned as a whole", place.ty.describe()));
            self.error(error.hint("assign its fields; an instruction moves values of at most 64 bits"));
            return None;
        }
        if place.ty.bits() > 64 {
            let error = Diagnostic::error(target.span, format!("a field of {} bits is not a value", place.ty.bits()));
            self.error(error.hint("name parts of the field, in a struct or a union"));
            return None;
        }
        let right = self.assigned(&right, &place.ty, value.span)?;
        let width = place.ty.in_ir().width();
        let to = match &place.place {
            Place::Register { variable, is_whole: true, .. } => ir::threads::Place::Variable(*variable),
            Place::Register { variable, low, .. } => {
                let low = *low as u16;
                ir::threads::Place::Bits { variable: *variable, high: low + width as u16 - 1, low }
            }
            Place::Memory { base, offset } => {
                let field = self.memory_field(base.as_ref(), *offset, width, target.span)?;
                ir::threads::Place::Memory(field)
            }
            Place::Shared { .. } => return None,
        };
        if !self.note_write(&place.place, width, target.span) {
            return None;
        }
        self.charge(path.moves.weight.size, target.span)?;
        let is_variable = matches!(to, ir::threads::Place::Variable(_));
        let ty = if is_variable { place.ty.in_ir() } else { ir::Type::Bits(width as u16) };
        let condition = match path.moves.number() {
            Some(0) => return Some(()),
            Some(_) => None,
            None => Some(path.moves.to_ir(ir::Type::Bool)),
        };
        let step = Move { place: to, value: right.to_ir(ty), condition };
        let weight = right.weight.with(path.moves.weight);
        let error = match draft.write(step, weight, self.current.written.last()) {
            Ok(()) => return Some(()),
            Err(WriteProblem::Overlap) => {
                Diagnostic::error(target.span, "two ways through the instruction write overlapping fields")
                    .hint("write the same field on both ways, or begin another instruction")
            }
            Err(WriteProblem::TooLarge) => {
                Diagnostic::error(target.span, "this is too much for one instruction").hint("begin another instruction")
            }
        };
        self.error(error);
        None
    }

    fn choice(
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
        let after_then = std::mem::replace(&mut self.current.written, before);
        let branch = if left_then.number() == Some(1) { path.branch.clone() } else { Value::and(&path.branch, &not) };
        let else_path = Path { moves: Value::and(&path.moves, &not), branch };
        let left_else = self.block(otherwise, &else_path, around, draft);
        // What was written before both branches is in both lists, which does no harm.
        self.current.written.extend(after_then);
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

    fn switch(
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
        let mut after = Vec::new();
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
            after.append(&mut self.current.written);
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

    /// Returns where `goto` leads.
    fn goto(&mut self, target: &Expression) -> Option<Next> {
        if let ExpressionKind::Name(text) = &target.kind
            && self.current.local(text).is_none()
        {
            if let Some(label) = self.current.label(text) {
                return Some(Next::Goto(InstructionId::from(label)));
            }
            if !self.names.contains_key(text) && crate::predefined::symbol(text).is_none() {
                self.refuse_label(text, target.span);
                return None;
            }
        }
        let value = self.value(target)?;
        if value.ty != Type::Label {
            let message = format!("`goto` leads to a label, not to `{}`", value.ty.describe());
            self.error(Diagnostic::error(target.span, message).hint("declare the variable as `register label name;`"));
            return None;
        }
        Some(Next::Jump(value.to_ir(Type::Label.in_ir())))
    }

    fn is_subroutine(&self, name: &Name) -> bool {
        matches!(self.names.get(&name.text), Some((Entity::Subroutine, _)))
    }

    fn wrong_call(&self, arguments: &[Expression], has_mode: bool, span: Span) -> Option<Diagnostic> {
        if has_mode {
            return Some(Diagnostic::error(span, "a call is neither `sync` nor `async`").hint("transactions are"));
        }
        let first = arguments.first()?;
        let error = Diagnostic::error(first.span, "a subroutine has no parameters");
        Some(error.hint("pass values in variables: `register : 32 value;`"))
    }

    /// A call, and where the thread goes on when the subroutine returns.
    fn call(&mut self, name: &Name, follows: Option<&Statement>, path: &Path, around: Around, draft: &mut Draft) {
        let Some(to) = self.subroutine_start(&name.text) else { return };
        self.note_call(&name.text, name.span);
        let then = match follows {
            Some(Statement::Goto { target, .. }) => match self.goto(target) {
                Some(Next::Goto(then)) => Some(then),
                Some(_) => {
                    let error = Diagnostic::error(target.span, "a call goes on at a label that is known");
                    self.error(error.hint("`goto` the variable from an instruction of its own"));
                    return;
                }
                None => return,
            },
            Some(Statement::Return(_)) => None,
            None if around.is_last => around.next,
            None | Some(_) => {
                let error = Diagnostic::error(name.span, "statements follow a call in the same instruction");
                let hint = "write `goto` after the call: it says where the thread goes on when the subroutine returns";
                self.error(error.hint(hint));
                return;
            }
        };
        // Whoever returns at once after a call can leave that to the subroutine.
        let next = then.map_or(Next::Goto(to), |then| Next::Call { to, then });
        draft.leave(&path.branch, next);
    }
}

/// Returns the location of a statement.
fn span_of(statement: &Statement) -> Span {
    match statement {
        Statement::Declare(variable) => variable.span,
        Statement::Assign { target, value, .. } => target.span.to(value.span),
        Statement::Evaluate(expression) => expression.span,
        Statement::Call { span, .. }
        | Statement::If { span, .. }
        | Statement::Switch { span, .. }
        | Statement::Block(_, span)
        | Statement::Goto { span, .. }
        | Statement::Break(span)
        | Statement::Return(span)
        | Statement::Exit(span) => *span,
    }
}
