//! The findings of the checker about the nodes of a program.

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
    /// The findings of the checker about every node of the program.
    pub nodes: Nodes<'a>,
}

/// The findings of the checker about every node of a program. Nodes are looked up by reference, so that two nodes that
/// are written alike, or that come from one macro and share a span, are distinct.
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
    /// All annotations, in the order in which they were checked.
    annotations: Vec<&'a ast::Annotation>,
    /// The expressions whose values are known at compile time, even if only an instance determines them.
    known: HashSet<usize>,
    program: PhantomData<&'a ast::Program>,
}

/// The type of an expression, and its value if it is known.
#[derive(Clone, Debug)]
pub struct Expressed {
    /// Its own type.
    pub of: Type,
    /// The type that it is coerced to where it stands: `int` to `bit<8>`, a list to a struct.
    pub coerced: Type,
    /// Its value in its own type, if it is known at compile time.
    pub value: Option<Rc<Value>>,
}

/// The target of a call, with its arguments.
#[derive(Clone, Debug)]
pub struct Called {
    /// The target.
    pub target: Target,
    /// The type arguments of the callee and of its receiver, including inferred ones.
    pub type_arguments: Vec<(Definition, Type)>,
    /// The index of the argument for each parameter. `None` for an omitted argument: the parameter then has its default
    /// value ([`crate::types::Parameter::default`]) or, if it belongs to an action, gets its value from the list of
    /// actions of the table or from the control plane.
    pub arguments: Vec<Option<usize>>,
}

/// The callee of a call.
#[derive(Clone, Debug)]
pub enum Target {
    /// A function of the program or of the architecture.
    Function(Rc<Callable>),
    /// An action.
    Action(Definition),
    /// A method of an extern.
    Method(Rc<Callable>),
    /// `apply` of an instance or of a type, with its parameters.
    Apply(Type, Rc<Callable>),
    /// `apply` of a table.
    Table(Definition),
    /// A constructor.
    Constructor(Type, Rc<Callable>),
    /// A built-in method of headers or stacks, by name.
    BuiltIn(Rc<str>),
}

fn key<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

impl<'a> Nodes<'a> {
    /// Returns the type of an expression, and its value if known; `None` within erroneous code.
    pub fn expression(&self, node: &'a ast::Expression) -> Option<&Expressed> {
        self.expressions.get(&key(node))
    }

    /// Returns the same as [`Nodes::expression`] for the node at an address, which must belong to the program.
    pub(crate) fn expression_at(&self, address: usize) -> Option<&Expressed> {
        self.expressions.get(&address)
    }

    /// Returns the definition that a name stands for, where it is declared and where it is used. Fields, errors, match
    /// kinds, methods, names of arguments, `accept` and `reject` are identified by their text and have no definition.
    pub fn definition(&self, node: &'a ast::Name) -> Option<Definition> {
        self.names.get(&key(node)).copied()
    }

    /// Returns the type that a type expression denotes.
    pub fn written_type(&self, node: &'a ast::Type) -> Option<Type> {
        self.written.get(&key(node)).copied()
    }

    /// Returns what a call calls. A `default_action`, or a label of a `switch`, that only names an action counts as a
    /// call of it.
    pub fn call(&self, node: &'a ast::Expression) -> Option<&Called> {
        self.calls.get(&key(node))
    }

    /// Returns the action that a table may run or that an entry runs. All parameters of the action have a place in the
    /// arguments: the list binds those with a direction, an entry gives those without.
    pub fn action_reference(&self, node: &'a ast::ActionReference) -> Option<&Called> {
        self.action_references.get(&key(node))
    }

    /// Returns how an instance is constructed. The target is a constructor.
    pub fn instantiation(&self, node: &'a ast::Instantiation) -> Option<&Called> {
        self.instantiations.get(&key(node))
    }

    /// Returns the string of `@name(...)` or `@deprecated(...)`, which may be concatenated from constants.
    pub fn annotation_text(&self, node: &'a ast::Annotation) -> Option<Rc<str>> {
        self.texts.get(&key(node)).cloned()
    }

    /// Returns the priority, written or implied (section 14.2.1.4), of an entry of a table in which several entries may
    /// match and whose entries are not `const`. The largest wins, unless the property `largest_priority_wins` of the
    /// table is `false`.
    pub fn entry_priority(&self, node: &'a ast::EntryDeclaration) -> Option<u32> {
        self.priorities.get(&key(node)).copied()
    }

    /// Makes a definition that has no name in any scope yet.
    pub(super) fn define(&mut self, types: &mut Types, name: &'a ast::Name, sort: Sort) -> Definition {
        let meaning = Meaning { name: Rc::clone(&name.text), span: name.span, sort };
        let definition = types.definitions.add(meaning);
        self.note_name(name, definition);
        definition
    }

    pub(super) fn note_annotation(&mut self, node: &'a ast::Annotation) {
        self.annotations.push(node);
    }

    /// Returns all annotations, in the order in which they were checked.
    pub(crate) fn annotations(&self) -> &[&'a ast::Annotation] {
        &self.annotations
    }

    pub(super) fn note_text(&mut self, node: &'a ast::Annotation, text: Rc<str>) {
        self.texts.insert(key(node), text);
    }

    pub(super) fn note_priority(&mut self, node: &'a ast::EntryDeclaration, priority: u32) {
        self.priorities.insert(key(node), priority);
    }

    pub(super) fn note_expression(&mut self, node: &'a ast::Expression, of: Type, value: Option<Rc<Value>>) {
        self.expressions.insert(key(node), Expressed { of, coerced: of, value });
    }

    pub(super) fn note_known(&mut self, node: &'a ast::Expression) {
        self.known.insert(key(node));
    }

    /// Returns true if the value is known at compile time, even if only an instance determines it, as with parameters
    /// of constructors.
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
