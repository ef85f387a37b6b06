//! Tables and actions.

use runtime::Bits;
use runtime::tables::MatchKind;

use super::{ActionNumber, Annotation, CounterNumber, Documentation, Identity, MeterNumber, ProfileNumber};

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// What it is called.
    pub identity: Identity,
    /// What is matched, without the keys that only select a member of a group.
    pub fields: Vec<MatchField>,
    /// What may happen; an entry says which by its position here, and so does [`runtime::tables::Target`].
    pub actions: Vec<ActionReference>,
    /// What happens on a miss, before anybody changes it.
    pub default: DefaultAction,
    /// Whether that stays.
    pub is_default_constant: bool,
    /// How many entries it can hold; `None` if nothing limits them.
    pub size: Option<u32>,
    /// Whether its entries stay, and no others come.
    pub is_constant: bool,
    /// How many entries it begins with.
    pub initial_entries: u32,
    /// Where actions and their data are, if its entries only name members and groups.
    pub profile: Option<ProfileNumber>,
    /// Counts the hits of each entry.
    pub counter: Option<CounterNumber>,
    /// Measures the hits of each entry.
    pub meter: Option<MeterNumber>,
    /// Whether the control plane asked to be told of entries that nothing hits for a while.
    pub has_idle_timeout: bool,
}

/// What a table matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchField {
    /// Its id among the fields of its table, from 1; 0 before [`super::Info::identify`].
    pub id: u32,
    /// Its name, such as `hdr.ipv4.dstAddr`.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
    /// How it is compared.
    pub kind: MatchKind,
    /// The annotations that the control plane may see.
    pub annotations: Vec<Annotation>,
    /// What it is for.
    pub documentation: Documentation,
    /// The name of its type among [`super::Info::new_types`], if it is one of them.
    pub type_name: Option<String>,
}

/// An action of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionReference {
    /// Which one.
    pub action: ActionNumber,
    /// Who may run it.
    pub scope: Scope,
    /// The annotations that the control plane may see.
    pub annotations: Vec<Annotation>,
}

/// Who may run an action (P4_16 specification 1.2.5, section 20.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Entries, and the default.
    EntriesAndDefault,
    /// Entries (`@tableonly`).
    Entries,
    /// The default (`@defaultonly`).
    Default,
}

/// What happens on a miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultAction {
    /// Its position in [`Table::actions`].
    pub action: u32,
    /// Its parameters.
    pub data: Vec<Bits>,
}

/// An action that a table may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it is called.
    pub identity: Identity,
    /// What an entry gives it.
    pub parameters: Vec<Parameter>,
}

/// What an entry gives to an action, or a field of a header between controller and switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its id among those of its action or header, from 1; 0 before [`super::Info::identify`].
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
    /// The annotations that the control plane may see.
    pub annotations: Vec<Annotation>,
    /// What it is for.
    pub documentation: Documentation,
    /// The name of its type among [`super::Info::new_types`], if it is one of them.
    pub type_name: Option<String>,
}

impl Table {
    /// Where an action stands in the list of actions.
    pub fn position_of(&self, action: ActionNumber) -> Option<u32> {
        self.actions.iter().position(|reference| reference.action == action).map(|at| at as u32)
    }

    /// Whether entries need a priority, because several may match (P4Runtime specification 1.4, section 9.1).
    pub fn has_priorities(&self) -> bool {
        self.fields.iter().any(|field| field.kind.has_priority())
    }
}

impl MatchField {
    /// A field without annotations that has no id yet.
    pub fn new(name: impl Into<String>, width: u32, kind: MatchKind) -> Self {
        let documentation = Documentation::default();
        Self { id: 0, name: name.into(), width, kind, annotations: Vec::new(), documentation, type_name: None }
    }

    /// Its name for people; the only field of a value set of plain numbers has none.
    pub(crate) fn called(&self) -> String {
        if self.name.is_empty() { "value".to_owned() } else { self.name.clone() }
    }
}

impl ActionReference {
    /// An action that entries and the default may run.
    pub fn new(action: ActionNumber) -> Self {
        Self { action, scope: Scope::EntriesAndDefault, annotations: Vec::new() }
    }
}

impl Parameter {
    /// A parameter without annotations that has no id yet.
    pub fn new(name: impl Into<String>, width: u32) -> Self {
        let documentation = Documentation::default();
        Self { id: 0, name: name.into(), width, annotations: Vec::new(), documentation, type_name: None }
    }
}
