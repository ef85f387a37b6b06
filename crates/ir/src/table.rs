//! Match-action tables: maps from keys to actions with data, which only the control plane writes.

use basis::typed_id;
use runtime::tables::{MatchKind, TableEntry, Target};

use crate::{CounterId, Expression, FunctionId, MeterId, ProfileId, Program, RegisterId, Statement, VariableId};

typed_id!(
    /// Identifies a table of a program.
    TableId
);

/// A match-action table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The name that the control plane uses.
    pub name: String,
    /// The keys.
    pub keys: Vec<Key>,
    /// The actions that entries or the default may run.
    pub actions: Vec<TableAction>,
    /// The default action, which runs on a miss, until the control plane changes it. It is always [`Target::Action`]
    /// with an index into `actions`.
    pub default: Target,
    /// Whether the default action cannot be changed.
    pub is_default_constant: bool,
    /// The initial entries.
    pub entries: Vec<TableEntry>,
    /// Whether the set of entries is fixed: none can be added, changed or removed.
    pub is_constant: bool,
    /// The maximum number of entries, if the program's author states one.
    pub size: Option<u32>,
    /// The action profile that holds the actions and their data, if entries only name members or groups of a profile.
    /// An entry whose member does not exist or whose group is empty does not match.
    pub profile: Option<ProfileId>,
    /// The values that choose a member of a group: the keys of kind `selector`.
    pub selector: Vec<Expression>,
    /// The direct counter, which counts every hit before the action runs unless the table [`Table::counts_when_called`].
    pub counter: Option<CounterId>,
    /// The direct meter, which measures every hit before the action runs, and the variable that receives the colour. On
    /// a miss the variable keeps its value, and always if the table [`Table::counts_when_called`].
    pub meter: Option<(MeterId, VariableId)>,
    /// Whether the time of each entry's last hit is recorded, so that entries can have idle timeouts.
    pub has_idle_timeout: bool,
    /// Whether each entry has a slot: the least number that no other entry had when it was inserted, which is less than
    /// the table's size.
    pub has_slots: bool,
    /// The direct registers: arrays of the table's size that are indexed by the slot. A value is set to its initial one
    /// when an entry takes its slot.
    pub registers: Vec<RegisterId>,
    /// Whether a hit by itself neither counts nor measures the packet, but only [`crate::SharedStatement::Count`] and
    /// [`crate::SharedStatement::Measure`] of the direct counter and meter do, whose index is the slot of an entry.
    pub counts_when_called: bool,
}

impl Program {
    /// Returns the table that a direct counter belongs to, if it counts when it is called.
    pub fn table_of_counter(&self, counter: CounterId) -> Option<TableId> {
        let is_direct = self.counters.get(counter.index()).is_some_and(|counter| counter.size.is_none());
        if is_direct { self.table_called(|table| table.counter == Some(counter)) } else { None }
    }

    /// Returns the table that a direct meter belongs to, if it measures when it is called.
    pub fn table_of_meter(&self, meter: MeterId) -> Option<TableId> {
        let is_direct = self.meters.get(meter.index()).is_some_and(|meter| meter.size.is_none());
        if is_direct { self.table_called(|table| table.meter.is_some_and(|(own, _)| own == meter)) } else { None }
    }

    fn table_called(&self, owns: impl Fn(&Table) -> bool) -> Option<TableId> {
        self.tables.iter().position(|table| table.counts_when_called && owns(table)).map(TableId::from)
    }
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name that the control plane uses.
    pub name: String,
    /// The value that is looked up.
    pub value: Expression,
    /// The way in which the value is compared with entries.
    pub kind: MatchKind,
}

/// An action that a table may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableAction {
    /// The action. The data of an entry is assigned to its [`crate::Function::parameters`].
    pub function: FunctionId,
    /// The block that assigns the arguments that are bound in the table's list of actions.
    pub before: Vec<Statement>,
    /// The block that copies out the action's results. It also runs when the action exits.
    pub after: Vec<Statement>,
    /// Whether the action can only be the default (`@defaultonly`).
    pub only_default: bool,
    /// Whether the action cannot be the default (`@tableonly`).
    pub only_entries: bool,
}
