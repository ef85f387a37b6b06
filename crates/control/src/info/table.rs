//! Tables and actions.

use runtime::Bits;
use runtime::tables::{MatchKind, TableEntry};

use super::{ActionNumber, Annotation, CounterNumber, Documentation, Identity, MeterNumber, ProfileNumber};

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The identity.
    pub identity: Identity,
    /// The match fields, without keys that serve only to select a member of a group.
    pub fields: Vec<MatchField>,
    /// The actions of the table. Entries, and [`runtime::tables::Target`], refer to an action by its position here.
    pub actions: Vec<ActionReference>,
    /// The initial default action, for packets that match no entry.
    pub default: DefaultAction,
    /// Whether the default action is constant.
    pub is_default_constant: bool,
    /// The maximum number of entries; `None` if it is not limited.
    pub size: Option<u32>,
    /// Whether the set of entries is constant.
    pub is_constant: bool,
    /// The initial entries, in order. They have the first handles; what the control plane does not delete of them stays.
    pub initial_entries: Vec<TableEntry>,
    /// The action profile, if entries refer to members and groups instead of actions.
    pub profile: Option<ProfileNumber>,
    /// The direct counters, which count the hits of each entry.
    pub counter: Option<CounterNumber>,
    /// The direct meters, which measure the hits of each entry.
    pub meter: Option<MeterNumber>,
    /// Whether the control plane is notified of entries that are not hit for a while.
    pub has_idle_timeout: bool,
}

/// A match field of a table or value set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchField {
    /// The id, unique among the fields of its table, starting at 1; 0 before [`super::Info::identify`].
    pub id: u32,
    /// The name, such as `hdr.ipv4.dstAddr`.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The match kind.
    pub kind: MatchKind,
    /// The annotations that are visible to the control plane.
    pub annotations: Vec<Annotation>,
    /// The documentation.
    pub documentation: Documentation,
    /// The name of its type, if that is one of [`super::Info::new_types`].
    pub type_name: Option<String>,
}

/// An action of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionReference {
    /// The action.
    pub action: ActionNumber,
    /// The places in which the action may be used.
    pub scope: Scope,
    /// The annotations that are visible to the control plane.
    pub annotations: Vec<Annotation>,
}

/// The places in which an action of a table may be used (P4_16 specification 1.2.5, section 20.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In entries and as the default action.
    EntriesAndDefault,
    /// In entries only (`@tableonly`).
    Entries,
    /// As the default action only (`@defaultonly`).
    Default,
}

/// The action for packets that match no entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultAction {
    /// The position of the action in [`Table::actions`].
    pub action: u32,
    /// The values of the action's parameters.
    pub data: Vec<Bits>,
}

/// An action that tables may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The identity.
    pub identity: Identity,
    /// The parameters, whose values come from entries.
    pub parameters: Vec<Parameter>,
}

/// A parameter of an action, or a field of a header of packets between controller and switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The id, unique in its action or header, starting at 1; 0 before [`super::Info::identify`].
    pub id: u32,
    /// The name.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// The annotations that are visible to the control plane.
    pub annotations: Vec<Annotation>,
    /// The documentation.
    pub documentation: Documentation,
    /// The name of its type, if that is one of [`super::Info::new_types`].
    pub type_name: Option<String>,
}

impl Table {
    /// Returns the position of an action in the list of the table's actions.
    pub fn position_of(&self, action: ActionNumber) -> Option<u32> {
        self.actions.iter().position(|reference| reference.action == action).map(|at| at as u32)
    }

    /// Returns whether entries need a priority because several may match (P4Runtime specification 1.4, section 9.1).
    pub fn has_priorities(&self) -> bool {
        self.fields.iter().any(|field| field.kind.has_priority())
    }
}

impl MatchField {
    /// Creates a field without id and annotations.
    pub fn new(name: impl Into<String>, width: u32, kind: MatchKind) -> Self {
        let documentation = Documentation::default();
        Self { id: 0, name: name.into(), width, kind, annotations: Vec::new(), documentation, type_name: None }
    }

    /// Returns the name for messages; the single field of a value set of plain numbers has no name of its own.
    pub(crate) fn called(&self) -> String {
        if self.name.is_empty() { "value".to_owned() } else { self.name.clone() }
    }
}

impl ActionReference {
    /// Creates a reference to an action that may be used in entries and as the default.
    pub fn new(action: ActionNumber) -> Self {
        Self { action, scope: Scope::EntriesAndDefault, annotations: Vec::new() }
    }
}

impl Parameter {
    /// Creates a parameter without id and annotations.
    pub fn new(name: impl Into<String>, width: u32) -> Self {
        let documentation = Documentation::default();
        Self { id: 0, name: name.into(), width, annotations: Vec::new(), documentation, type_name: None }
    }
}
