//! Where names are looked up while an instance is written.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::tree::{Place, Value};
use super::{controls, functions};
use crate::ast;
use crate::types::{Bindings, Definition, Type};

/// What names stand for within an instance or a function.
#[derive(Default)]
pub(super) struct Frame<'a> {
    /// Values, instances, actions, tables.
    pub bindings: HashMap<Definition, Bound<'a>>,
    /// What type parameters stand for.
    pub types: Bindings,
    /// The name of the instance, such as `MyIngress.limiter`; empty at the top level.
    pub path: String,
    /// Where `return` puts a value.
    pub result: Option<Place>,
}

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Bound<'a> {
    /// A variable or a parameter.
    Place(Place),
    /// A value that does not change: a constructor parameter, a constant.
    Value(Value),
    /// An instance.
    Instance(Rc<Instance<'a>>),
    /// An action of the instance.
    Action(Rc<functions::Lowered>),
    /// A table of the instance.
    Table(ir::TableId),
    /// A value set of the instance.
    ValueSet(ir::ValueSetId),
}

/// An instance of a control, a parser or an extern.
pub(super) struct Instance<'a> {
    /// Its type, with what its type parameters stand for.
    pub of: Type,
    /// Its name for the control plane, such as `MyIngress.limiter`.
    pub name: String,
    /// What it was made with, by parameter of its constructor.
    pub arguments: Vec<Option<Argument<'a>>>,
    /// Implementations of abstract methods.
    pub body: Option<&'a [ast::Declaration]>,
    /// What it is in the IR.
    pub made: Made,
    /// Of a control or parser, what it became where it was first applied.
    pub written: RefCell<Option<Rc<controls::Written>>>,
}

/// What an instance is made with.
#[derive(Clone)]
pub(super) enum Argument<'a> {
    /// A value.
    Value(Value),
    /// Another instance.
    Instance(Rc<Instance<'a>>),
}

/// What an instance is in the IR.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// A control or a parser, which is written where it is applied; a package; an extern without state.
    Nothing,
    /// An array of registers, one for each scalar of its values.
    Registers(super::tree::Tree<ir::RegisterId>),
    /// Counters.
    Counter(ir::CounterId),
    /// Meters.
    Meter(ir::MeterId),
    /// An action profile or selector.
    Profile(ir::ProfileId),
}

impl Frame<'_> {
    /// What the names of variables begin with.
    pub(super) fn prefix(&self) -> String {
        if self.path.is_empty() { String::new() } else { format!("{}.", self.path) }
    }
}
