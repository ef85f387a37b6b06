//! From the checked tree to the IR: every instance by itself, every value as scalars.
//!
//! Controls, actions and functions become functions of the IR whose parameters are variables; what a call gives and
//! takes back is copied before and after it (6.8). Structs, headers, unions and stacks become variables, one for each
//! scalar in them ([`tree`]). Expressions of the IR have no side effects: what a call in an expression does comes
//! before it as statements, in the order of evaluation (8.1).

mod annotations;
mod arguments;
mod assign;
mod builtins;
mod calls;
mod constants;
mod controls;
mod convert;
mod entries;
mod expressions;
mod externs;
mod frame;
mod functions;
mod info;
mod key_names;
mod layout;
mod limits;
mod names;
mod new_types;
mod operators;
mod package;
mod package_info;
mod packets;
mod parsers;
mod places;
mod program;
mod selections;
mod stacks;
mod statements;
mod switch;
mod table_actions;
mod tables;
mod tree;
mod visibility;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use arch::Architecture;
use diagnostics::{Diagnostic, Diagnostics, Span};
use ir::{Expression, Flow, Program, Statement, VariableId};

use crate::ast;
use crate::check::Checked;
use crate::types::{Definition, Type};
use frame::{Bound, Frame};
pub use program::{Lowered, lower, lower_for};
use tree::{Place, Value};

/// Goes through a checked program and writes it down again.
pub(super) struct Lowering<'a> {
    checked: Checked<'a>,
    found: Diagnostics,
    program: Program,
    /// What the top level declares, by what it defines.
    declarations: HashMap<Definition, &'a ast::Declaration>,
    /// Where names are looked up: the last one, then the first one, which is the top level's.
    frames: Vec<Frame<'a>>,
    /// Statements being written: the innermost block is the last.
    blocks: Vec<Vec<Statement>>,
    names: names::Names,
    /// Functions of the top level that were written before, with what their type parameters stand for.
    functions: HashMap<(Definition, Vec<Type>), Rc<functions::Lowered>>,
    /// Instances that are applied in more than one place: those that were known before, and those that were found.
    known_applied_again: HashSet<String>,
    applied_again: HashSet<String>,
    /// Every action, wherever it is declared. Only looked up.
    actions: HashMap<Definition, &'a ast::Declaration>,
    /// `NoAction` of `core.p4`.
    no_action: Option<Definition>,
    /// What the program is written for.
    architecture: &'static Architecture,
    switch: switch::Switch,
    limits: limits::Limits,
}

impl<'a> Lowering<'a> {
    /// Something that is legal, and that this front end cannot do.
    fn unsupported(&mut self, span: Span, what: impl Into<String>) {
        self.found.push(Diagnostic::error(span, what).label("not supported"));
    }

    /// Something that the program gets wrong and only shows when it is put together.
    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Diagnostic::error(span, message));
    }

    fn frame(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("the top level's frame stays")
    }

    /// What a name stands for here.
    fn bound(&self, definition: Definition) -> Option<Bound<'a>> {
        let own = self.frames.last().and_then(|frame| frame.bindings.get(&definition));
        own.or_else(|| self.frames.first()?.bindings.get(&definition)).cloned()
    }

    fn bind(&mut self, name: &'a ast::Name, bound: Bound<'a>) {
        if let Some(definition) = self.checked.nodes.definition(name) {
            self.frame().bindings.insert(definition, bound);
        }
    }

    /// A type with what type parameters stand for here.
    fn resolve(&mut self, of: Type) -> Type {
        let frame = self.frames.last().expect("the top level's frame stays");
        self.checked.types.substitute(of, &frame.types)
    }

    /// The type that is written at a place.
    fn written(&mut self, node: &'a ast::Type) -> Type {
        let of = self.checked.nodes.written_type(node).unwrap_or(crate::types::Types::UNKNOWN);
        self.resolve(of)
    }

    fn emit(&mut self, statement: Statement) {
        if !self.has_room_for_statements(1) {
            return;
        }
        self.blocks.last_mut().expect("statements stand in a block").push(statement);
    }

    fn emit_all(&mut self, statements: Vec<Statement>) {
        if !self.has_room_for_statements(statements.len()) {
            return;
        }
        self.blocks.last_mut().expect("statements stand in a block").extend(statements);
    }

    /// The statements that something writes.
    fn block_of(&mut self, write: impl FnOnce(&mut Self)) -> Vec<Statement> {
        self.blocks.push(Vec::new());
        write(self);
        self.blocks.pop().expect("pushed above")
    }

    /// How many statements the innermost block has.
    fn mark(&self) -> usize {
        self.blocks.last().map_or(0, Vec::len)
    }

    /// A variable that nobody else has.
    fn variable(&mut self, name: &str, ty: ir::Type) -> VariableId {
        let name = self.names.variable(name);
        self.program.variables.push(ir::Variable { name, ty, kind: ir::VariableKind::Local });
        VariableId::from(self.program.variables.len() - 1)
    }

    /// A variable for something in between, named after where it is.
    fn temporary(&mut self, hint: &str, ty: ir::Type) -> VariableId {
        let name = format!("{}{hint}", self.frame().prefix());
        self.variable(&name, ty)
    }

    /// Keeps values that were computed before `mark`, if anything was written since: it may change what they read.
    fn keep(&mut self, mark: usize, values: &mut [&mut Value]) {
        if self.mark() == mark {
            return;
        }
        let mut kept = Vec::new();
        for value in values {
            **value = value.map(&mut |leaf| {
                if leaf.is_constant() {
                    return leaf.clone();
                }
                let variable = self.temporary("$kept", self.program.type_of(leaf));
                kept.push(Statement::Assign { variable, value: leaf.clone() });
                Expression::Variable(variable)
            });
        }
        let block = self.blocks.last_mut().expect("statements stand in a block");
        block.splice(mark..mark, kept);
    }

    /// A call of a function of the IR.
    fn emit_call(&mut self, function: ir::FunctionId, after: Vec<Statement>) {
        self.emit(Statement::Flow(Flow::Call { function, after }));
    }

    /// The value of a name that is a variable, a parameter or a constant.
    fn named_place(&self, definition: Definition) -> Option<Place> {
        match self.bound(definition) {
            Some(Bound::Place(place)) => Some(place),
            _ => None,
        }
    }
}
