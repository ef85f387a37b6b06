//! What the blocks of a program share, and what is gathered from all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use arch::{Architecture, Value};
use control::ActionNumber;
use diagnostics::Span;
use ir::{DigestId, FunctionId, MeterId, Statement, TableId, VariableId};

use super::externs::Direct;
use super::names::Names;
use super::tree::{Leaf, Place};
use crate::types::{Definition, Type};

/// What the blocks of the switch have in common.
#[derive(Default)]
pub(super) struct Switch {
    /// The metadata of the architecture, which externs read and write without being given it.
    pub(super) intrinsics: Option<Place>,
    /// Where `direct_meter.read` finds the colour. Only looked up.
    pub(super) colors: HashMap<MeterId, VariableId>,
    /// Direct counters and meters, and where they are declared.
    pub(super) direct: Vec<(Direct, Span)>,
    /// Tables that are applied somewhere.
    pub(super) applied: BTreeSet<TableId>,
    /// Actions that controls call by themselves.
    pub(super) called: BTreeMap<FunctionId, Definition>,
    /// How many actions lie around what is being written.
    pub(super) within_actions: usize,
    /// Kinds of digest by the type that is sent. Only looked up.
    pub(super) digests: HashMap<Type, DigestId>,
    /// The names of registers that are taken.
    pub(super) registers: Names,
    /// The names of parsers that are taken.
    pub(super) parsers: Names,
    /// Where tables list their actions, by the place in the list. Only looked up.
    pub(super) action_spans: HashMap<(TableId, usize), Span>,
    /// Actions that tables may run. Only looked up.
    pub(super) actions: HashMap<FunctionId, ActionNumber>,
    /// What is to be computed before the keys of each table can be read.
    pub(super) before_keys: Vec<Vec<Statement>>,
}

impl Switch {
    /// A field of the intrinsic metadata.
    pub(super) fn intrinsic(&self, name: &str) -> Option<Leaf> {
        self.intrinsics.as_ref()?.part(name)?.scalar().cloned()
    }

    /// The field of the intrinsic metadata in which the switch tells something.
    pub(super) fn told_field(&self, architecture: &Architecture, value: Value) -> Option<Leaf> {
        self.intrinsic(architecture.field(value)?)
    }
}
