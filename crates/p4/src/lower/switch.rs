//! The parts that the blocks of a program share, or that are gathered from all of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use arch::{Architecture, IntrinsicValue};
use control::ActionNumber;
use diagnostics::Span;
use ir::{DigestId, FunctionId, MeterId, RegisterId, Statement, TableId, VariableId};

use super::externs::Direct;
use super::frame::Made;
use super::names::UniqueNames;
use super::register_accesses::RegisterAccesses;
use super::shared::Alias;
use super::tree::{LValue, Leaf};
use crate::types::{Definition, Type};

/// The parts that the blocks of the switch share.
#[derive(Default)]
pub(super) struct Switch {
    /// The intrinsic metadata of the pipe that is being written, which externs access without receiving it as an
    /// argument: the names of its groups, and their variables.
    pub(super) intrinsics: Vec<(&'static str, LValue)>,
    /// The deparser that is being written.
    pub(super) deparser: Option<&'static arch::Block>,
    /// The variable from which `direct_meter.read` gets the colour. Only looked up.
    pub(super) colors: HashMap<MeterId, VariableId>,
    /// The values of the colours of meters whose constructor gives them: green, yellow, red. Only looked up.
    pub(super) color_values: HashMap<MeterId, [u64; 3]>,
    /// The fields that the program wants to be one variable.
    pub(super) aliases: Vec<Alias>,
    /// The calls of register actions.
    pub(super) accesses: RegisterAccesses,
    /// The places at which the logs, queues and stacks of registers are, by the first array of the register and the name of
    /// the pointer. Only looked up.
    pub(super) pointers: HashMap<(RegisterId, &'static str), RegisterId>,
    /// The numbers of members of a group and of groups, of selectors that are constructed with a hash. Only looked up.
    pub(super) selector_sizes: HashMap<ir::ProfileId, [u32; 2]>,
    /// The filters and early detection of the entries of tables.
    pub(super) filters_of_entries: Vec<(TableId, Made)>,
    /// The slot of the entry that matched last, for what an action does with the entry.
    pub(super) slot: Option<VariableId>,
    /// Direct counters and meters, and where they are declared.
    pub(super) direct: Vec<(Direct, Span)>,
    /// Tables that are applied somewhere.
    pub(super) applied: BTreeSet<TableId>,
    /// Actions that controls call directly.
    pub(super) called: BTreeMap<FunctionId, Definition>,
    /// The number of actions around the code that is being written.
    pub(super) within_actions: usize,
    /// The kinds of digest by the type of their data. Only looked up.
    pub(super) digests: HashMap<Type, DigestId>,
    /// The names of registers that are taken.
    pub(super) registers: UniqueNames,
    /// The names of parsers that are taken.
    pub(super) parsers: UniqueNames,
    /// The spans of the actions in the lists of tables, by their index. Only looked up.
    pub(super) action_spans: HashMap<(TableId, usize), Span>,
    /// The actions that tables may run, with their numbers in the description. Only looked up.
    pub(super) actions: HashMap<FunctionId, ActionNumber>,
    /// The statements that compute the keys of each table.
    pub(super) before_keys: Vec<Vec<Statement>>,
}

impl Switch {
    /// Returns a field of the intrinsic metadata, by the name that the architecture uses for it.
    pub(super) fn intrinsic(&self, name: &str) -> Option<Leaf> {
        let (group, field) = name.split_once('.').unwrap_or(("", name));
        let (_, own) = self.intrinsics.iter().find(|(own, _)| *own == group)?;
        own.part(field)?.scalar().cloned()
    }

    /// Returns the field of the intrinsic metadata in which the switch provides a value.
    pub(super) fn provided_field(&self, architecture: &Architecture, value: IntrinsicValue) -> Option<Leaf> {
        self.intrinsic(architecture.field(value)?)
    }
}
