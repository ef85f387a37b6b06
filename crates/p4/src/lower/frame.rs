//! Frames, in which names are looked up while an instance is written.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use runtime::checksum::CyclicParameters;

use super::tree::{LValue, Value};
use super::{controls, functions};
use crate::ast;
use crate::types::{Bindings, Definition, Type};

/// The meaning of names within one instance or function.
#[derive(Default)]
pub(super) struct Frame<'a> {
    /// The meaning of the names of values, instances, actions and tables.
    pub bindings: HashMap<Definition, Bound<'a>>,
    /// The types that type parameters stand for.
    pub types: Bindings,
    /// The name of the instance, such as `MyIngress.limiter`; empty at the top level.
    pub path: String,
    /// The l-value to which `return` assigns its value.
    pub result: Option<LValue>,
}

/// The meaning of a name while an instance is written.
#[derive(Clone)]
pub(super) enum Bound<'a> {
    /// A variable or a parameter.
    LValue(LValue),
    /// A value that does not change: a parameter of a constructor, or a constant.
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
    /// Its type, with type arguments.
    pub of: Type,
    /// Its name for the control plane, such as `MyIngress.limiter`.
    pub name: String,
    /// The arguments of its constructor, by parameter.
    pub arguments: Vec<Option<Argument<'a>>>,
    /// The annotations of its declaration.
    pub annotations: &'a [ast::Annotation],
    /// Its implementations of abstract methods.
    pub body: Option<&'a [ast::Declaration]>,
    /// The parts in the IR.
    pub made: Made,
    /// Its abstract methods that were written, by name. Only looked up.
    pub methods: RefCell<HashMap<String, Rc<functions::Lowered>>>,
    /// The block that a control or parser became where it was first applied.
    pub written: RefCell<Option<Rc<controls::WrittenInstance>>>,
}

/// The argument of a constructor.
#[derive(Clone)]
pub(super) enum Argument<'a> {
    /// A value.
    Value(Value),
    /// Another instance.
    Instance(Rc<Instance<'a>>),
}

/// The parts of an instance in the IR.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// Nothing: a control or a parser, which is written where it is applied, a package, or an extern without state.
    Nothing,
    /// Arrays of registers, one for each scalar of its values.
    Registers(super::tree::Tree<ir::RegisterId>),
    /// Counters.
    Counter(ir::CounterId),
    /// Meters.
    Meter(ir::MeterId),
    /// An action profile or selector.
    Profile(ir::ProfileId),
    /// An action on a register, which its constructor names.
    RegisterAction,
    /// Registers of which each entry of a table has one.
    DirectRegisters(super::tree::Tree<ir::RegisterId>),
    /// A number that the control plane alone changes, in arrays of one place.
    RegisterParameter(super::tree::Tree<ir::RegisterId>),
    /// A function that a table approximates.
    MathUnit(Rc<super::externs::MathTable>),
    /// A hash function.
    Hash(Rc<super::externs::HashFunction>),
    /// The polynomial of a hash function.
    Polynomial {
        /// The cyclic code.
        code: CyclicParameters,
        /// Whether the hash is repeated where more bits are asked for.
        is_extended: bool,
    },
    /// A source of random numbers.
    Random,
    /// A checksum, whose sum is this variable.
    ChecksumUnit(ir::VariableId),
    /// The counter of a parser.
    ParserCounter(super::externs::ParserCounter),
    /// Low-pass filters.
    Filter {
        filter: ir::FilterId,
        /// Whether each entry of a table has one.
        is_direct: bool,
    },
    /// Weighted random early detection.
    EarlyDetection {
        wred: ir::WredId,
        /// Whether each entry of a table has one.
        is_direct: bool,
        /// The results for a packet to be dropped, and for others.
        values: [u64; 2],
    },
    /// Mirrored packets, resubmitted packets, or messages to the control plane.
    DeparserObject(super::externs::DeparserObject),
    /// A hint to the compiler of a chip.
    Hint,
    /// Says that the entries of a table have idle timeouts.
    IdleTimeout,
}

impl Instance<'_> {
    /// Returns the same instance under another name, not written yet.
    pub(super) fn renamed(&self, name: String) -> Self {
        Self {
            of: self.of,
            name,
            arguments: self.arguments.clone(),
            annotations: self.annotations,
            body: self.body,
            made: self.made.clone(),
            methods: RefCell::default(),
            written: RefCell::new(None),
        }
    }
}

impl Frame<'_> {
    /// Returns the prefix of the names of variables.
    pub(super) fn prefix(&self) -> String {
        if self.path.is_empty() { String::new() } else { format!("{}.", self.path) }
    }
}
