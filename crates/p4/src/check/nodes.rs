//! What the checker found out about the nodes of a program.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::rc::Rc;

use crate::ast;
use crate::types::{Callable, Definition, Meaning, Sort, Type, Types, Value};

/// A program that was checked.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// Every type of the program and everything that has a name.
    pub types: Types,
    /// What every node of the program means.
    pub nodes: Nodes<'a>,
}

/// What every node of a program means. Nodes are looked up by reference: two that are written alike, or that come from
/// one macro and share a place, are told apart.
#[derive(Clone, Debug, Default)]
pub struct Nodes<'a> {
    // Keyed by the address of a node, which does not move while the program is borrowed; only looked up, never iterated
    // over.
    expressions: HashMap<usize, Expressed>,
    names: HashMap<usize, Definition>,
    written: HashMap<usize, Type>,
    calls: HashMap<usize, Called>,
    action_references: HashMap<usize, Called>,
    instantiations: HashMap<usize, Called>,
    texts: HashMap<usize, Rc<str>>,
    priorities: HashMap<usize, u32>,
    /// Values that are known before the program runs, if not here.
    known: HashSet<usize>,
    program: PhantomData<&'a ast::Program>,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct Expressed {
    /// Its own type.
    pub of: Type,
    /// The type that it becomes where it stands: `int` becomes `bit<8>`, a list a struct.
    pub coerced: Type,
    /// Its value as its own type has it, if it is known before the program runs.
    pub value: Option<Rc<Value>>,
}

/// What is called.
#[derive(Clone, Debug)]
pub struct Called {
    /// The called.
    pub target: Target,
    /// What the type parameters of the called and of its receiver stand for, those among it that nobody wrote.
    pub type_arguments: Vec<(Definition, Type)>,
    /// For each parameter the argument that it gets; `None` if it is left out: then it has its default
    /// ([`crate::types::Parameter::default`]), or, of an action, comes from the list of actions of the table or from
    /// the control plane.
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

impl<'a> Nodes<'a> {
    /// What is known of a value; `None` where its surroundings are wrong.
    pub fn expression(&self, node: &'a ast::Expression) -> Option<&Expressed> {
        self.expressions.get(&key(node))
    }

    /// The same for the value at an address, which lies in the program.
    pub(crate) fn expression_at(&self, address: usize) -> Option<&Expressed> {
        self.expressions.get(&address)
    }

    /// What a name stands for, where it is declared and where it is used. Fields, errors, match kinds, methods and
    /// the names of arguments are told by their text, and have none; so do `accept` and `reject`.
    pub fn definition(&self, node: &'a ast::Name) -> Option<Definition> {
        self.names.get(&key(node)).copied()
    }

    /// The type that is written.
    pub fn written_type(&self, node: &'a ast::Type) -> Option<Type> {
        self.written.get(&key(node)).copied()
    }

    /// What a call calls. A `default_action` and a label of a `switch` that only name an action call it too.
    pub fn call(&self, node: &'a ast::Expression) -> Option<&Called> {
        self.calls.get(&key(node))
    }

    /// What a table may run, or an entry runs. The target is an action, and all its parameters have a place: those
    /// with a direction that the list binds, those without that an entry gives.
    pub fn action_reference(&self, node: &'a ast::ActionReference) -> Option<&Called> {
        self.action_references.get(&key(node))
    }

    /// How an instance is made. The target is a constructor.
    pub fn instantiation(&self, node: &'a ast::Instantiation) -> Option<&Called> {
        self.instantiations.get(&key(node))
    }

    /// The string of `@name(...)` or `@deprecated(...)`, which may be joined of constants.
    pub fn annotation_text(&self, node: &'a ast::Annotation) -> Option<Rc<str>> {
        self.texts.get(&key(node)).cloned()
    }

    /// The priority of an entry of a table where several may match and whose entries are not `const`, also where it is
    /// not written but follows (section 14.2.1.4). The largest wins, unless the property `largest_priority_wins` of
    /// the table is `false`.
    pub fn entry_priority(&self, node: &'a ast::Entry) -> Option<u32> {
        self.priorities.get(&key(node)).copied()
    }

    /// Makes a definition that has no name in any scope yet.
    pub(super) fn define(&mut self, types: &mut Types, name: &'a ast::Name, sort: Sort) -> Definition {
        let meaning = Meaning { name: Rc::clone(&name.text), span: name.span, sort };
        let definition = types.definitions.add(meaning);
        self.note_name(name, definition);
        definition
    }

    pub(super) fn note_text(&mut self, node: &'a ast::Annotation, text: Rc<str>) {
        self.texts.insert(key(node), text);
    }

    pub(super) fn note_priority(&mut self, node: &'a ast::Entry, priority: u32) {
        self.priorities.insert(key(node), priority);
    }

    pub(super) fn note_expression(&mut self, node: &'a ast::Expression, of: Type, value: Option<Rc<Value>>) {
        self.expressions.insert(key(node), Expressed { of, coerced: of, value });
    }

    pub(super) fn note_known(&mut self, node: &'a ast::Expression) {
        self.known.insert(key(node));
    }

    /// True for a value that is known before the program runs, even if only the instance knows it, as with what a
    /// constructor is given.
    pub fn is_known(&self, node: &'a ast::Expression) -> bool {
        self.known.contains(&key(node))
    }

    pub(super) fn note_conversion(&mut self, node: &'a ast::Expression, to: Type) {
        if let Some(expressed) = self.expressions.get_mut(&key(node)) {
            expressed.coerced = to;
        }
    }

    pub(super) fn note_name(&mut self, node: &'a ast::Name, definition: Definition) {
        self.names.insert(key(node), definition);
    }

    pub(super) fn note_type(&mut self, node: &'a ast::Type, of: Type) {
        self.written.insert(key(node), of);
    }

    pub(super) fn note_action_reference(&mut self, node: &'a ast::ActionReference, called: Called) {
        self.action_references.insert(key(node), called);
    }

    pub(super) fn note_instantiation(&mut self, node: &'a ast::Instantiation, called: Called) {
        self.instantiations.insert(key(node), called);
    }

    pub(super) fn note_call(&mut self, node: &'a ast::Expression, called: Called) {
        self.calls.insert(key(node), called);
    }
}
