//! Writing of statements.

use ir::{Block, Effect, Expression, Flow, PacketStatement, SharedStatement, Statement, VariableId};

use super::l_values::Destination;
use super::tree::{HeaderName, Value};
use super::{Limits, Output};
use crate::findings::Findings;

/// Appends statements to the innermost block.
pub(super) struct Writer<'c> {
    pub output: &'c mut Output,
    pub blocks: &'c mut Vec<Vec<Statement>>,
    pub limits: &'c mut Limits,
    pub found: &'c mut Findings,
    /// The name of the instance that is written; empty at the top level.
    pub path: &'c str,
}

impl Writer<'_> {
    /// Returns the statements that `write` writes.
    pub(super) fn block_of(&mut self, write: impl FnOnce(&mut Self)) -> Vec<Statement> {
        self.blocks.push(Vec::new());
        write(self);
        self.blocks.pop().expect("pushed above")
    }

    /// Assigns a result to a target, if there is one.
    pub(super) fn give(&mut self, target: Option<Destination>, value: Value) {
        if let Some(target) = target {
            self.assign(&target, value);
        }
    }

    pub(super) fn set_valid(&mut self, header: &HeaderName, valid: bool) {
        if let Some(header) = header.reference() {
            self.emit(Statement::Packet(PacketStatement::SetValid { header, valid }));
        }
    }

    pub(super) fn emit_block(&mut self, block: Block, after: Vec<Statement>) {
        match block {
            Block::Function(function) => self.emit_call(function, after),
            Block::Parser(parser) => self.emit(Statement::Flow(Flow::Parse { parser, after })),
        }
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.emit(Statement::Shared(SharedStatement::Effect(effect)));
    }

    /// Keeps a value that is used several times in a variable, unless it is a single operand.
    pub(in crate::lower) fn held(&mut self, value: Expression) -> Expression {
        if value.is_operand() {
            return value;
        }
        let variable = self.temporary("$index", self.output.program.type_of(&value));
        self.emit(Statement::Assign { variable, value });
        Expression::Variable(variable)
    }

    pub(super) fn emit(&mut self, statement: Statement) {
        if !self.limits.has_room_for_statements(self.found, 1) {
            return;
        }
        self.blocks.last_mut().expect("statements stand in a block").push(statement);
    }

    pub(super) fn emit_all(&mut self, statements: Vec<Statement>) {
        if !self.limits.has_room_for_statements(self.found, statements.len()) {
            return;
        }
        self.blocks.last_mut().expect("statements stand in a block").extend(statements);
    }

    /// Returns the number of statements in the innermost block.
    pub(super) fn mark(&self) -> usize {
        self.blocks.last().map_or(0, Vec::len)
    }

    /// Makes a temporary variable, named after the instance that is written.
    pub(super) fn temporary(&mut self, hint: &str, ty: ir::Type) -> VariableId {
        let dot = if self.path.is_empty() { "" } else { "." };
        let name = format!("{}{dot}{hint}", self.path);
        self.output.variable(&name, ty)
    }

    /// Keeps values that were computed before `mark` in variables, if statements were written since, which may change
    /// what they read.
    pub(super) fn keep(&mut self, mark: usize, values: &mut [&mut Value]) {
        if self.mark() == mark {
            return;
        }
        let mut kept = Vec::new();
        for value in values {
            **value = value.map(&mut |leaf| {
                if leaf.is_constant() {
                    return leaf.clone();
                }
                let variable = self.temporary("$kept", self.output.program.type_of(leaf));
                kept.push(Statement::Assign { variable, value: leaf.clone() });
                Expression::Variable(variable)
            });
        }
        let block = self.blocks.last_mut().expect("statements stand in a block");
        block.splice(mark..mark, kept);
    }

    /// Writes a call of a function of the IR.
    pub(super) fn emit_call(&mut self, function: ir::FunctionId, after: Vec<Statement>) {
        self.emit(Statement::Flow(Flow::Call { function, after }));
    }

    pub(super) fn packet(&mut self, statement: PacketStatement) {
        self.emit(Statement::Packet(statement));
    }
}
