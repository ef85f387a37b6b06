//! Statements: what an instruction writes, asks for, and where it goes on.

use diagnostics::{Diagnostic, Span};
use ir::threads::{InstructionId, Next};

use super::instruction::{Draft, Local};
use super::place::{Located, Place};
use super::value::Value;
use super::{Checker, Entity};
use crate::syntax::{Class, Expression, ExpressionKind, Initializer, Name, Statement, Variable};
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
