//! What the checker found out, for whoever goes through the tree next.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::rc::Rc;

use crate::ast;
use crate::types::{Callable, Definition, Type, Types, Value};

/// What every node of a program means. Nodes are asked for by reference: two that are written alike, or that come of
/// one macro and share a place, are told apart.
#[derive(Clone, Debug, Default)]
pub struct Checked<'a> {
    /// Every type and everything that has a name.
    pub types: Types,
    // Keyed by the address of a node, which does not move while the program is borrowed; only looked up, never gone
    // through.
    expressions: HashMap<usize, Expressed>,
    names: HashMap<usize, Definition>,
    written: HashMap<usize, Type>,
    calls: HashMap<usize, Called>,
    program: PhantomData<&'a ast::Program>,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct Expressed {
    /// Its own type.
    pub of: Type,
    /// The type that it becomes where it stands: `int` becomes `bit<8>`, a list a struct.
    pub becomes: Type,
    /// Its value as its own type has it, if it is known before the program runs.
    pub value: Option<Rc<Value>>,
}

/// What is called.
#[derive(Clone, Debug)]
pub struct Called {
    /// The called.
    pub target: Target,
    /// What the type parameters of the called and of its receiver stand for.
    pub type_arguments: Vec<(Definition, Type)>,
    /// For each parameter the argument that it gets; `None` if it is left out.
    pub arguments: Vec<Option<usize>>,
}

/// What can be called.
#[derive(Clone, Debug)]
pub enum Target {
    /// A function of the program or of the architecture.
    Function(Rc<Callable>),
    /// An action.
    Action(Definition),
    /// A method of an extern.
    Method(Rc<Callable>),
    /// `apply` of an instance, or of the type of one, with its parameters.
    Apply(Type, Rc<Callable>),
    /// `apply` of a table.
    Table(Definition),
    /// The making of an instance.
    Constructor(Type, Rc<Callable>),
    /// What headers and stacks can do without a declaration, by name.
    BuiltIn(Rc<str>),
}

fn key<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

impl<'a> Checked<'a> {
    /// What is known of a value; `None` where its surroundings are wrong.
    pub fn expression(&self, node: &'a ast::Expression) -> Option<&Expressed> {
        self.expressions.get(&key(node))
    }

    /// What a name stands for, where it is declared and where it is used.
    pub fn definition(&self, node: &'a ast::Name) -> Option<Definition> {
        self.names.get(&key(node)).copied()
    }

    /// The type that is written.
    pub fn written_type(&self, node: &'a ast::Type) -> Option<Type> {
        self.written.get(&key(node)).copied()
    }

    /// What a call calls.
    pub fn call(&self, node: &'a ast::Expression) -> Option<&Called> {
        self.calls.get(&key(node))
    }

    pub(super) fn note_expression(&mut self, node: &'a ast::Expression, of: Type, value: Option<Rc<Value>>) {
        self.expressions.insert(key(node), Expressed { of, becomes: of, value });
    }

    pub(super) fn note_conversion(&mut self, node: &'a ast::Expression, to: Type) {
        if let Some(expressed) = self.expressions.get_mut(&key(node)) {
            expressed.becomes = to;
        }
    }

    pub(super) fn note_name(&mut self, node: &'a ast::Name, definition: Definition) {
        self.names.insert(key(node), definition);
    }

    pub(super) fn note_type(&mut self, node: &'a ast::Type, of: Type) {
        self.written.insert(key(node), of);
    }

    pub(super) fn note_call(&mut self, node: &'a ast::Expression, called: Called) {
        self.calls.insert(key(node), called);
    }
}
