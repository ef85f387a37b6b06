//! Tables: maps that only the control plane writes, from keys to actions with their data.

use basis::typed_id;
use runtime::tables::{Entry, MatchKind, Target};

use crate::{CounterId, Expression, FunctionId, MeterId, ProfileId, Statement, VariableId};

typed_id!(
    /// Numbers a table of a program.
    TableId
);

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, as the control plane knows it.
    pub name: String,
    /// What is looked up.
    pub keys: Vec<Key>,
    /// What may happen.
    pub actions: Vec<TableAction>,
    /// What happens on a miss before the control plane says something else: always [`Target::Action`], with the
    /// number of one of `actions`.
    pub default: Target,
    /// Whether that stays.
    pub is_default_constant: bool,
    /// The entries that it begins with.
    pub entries: Vec<Entry>,
    /// Whether these stay, and no others come.
    pub is_constant: bool,
    /// How many entries it can hold, if its author says so.
    pub size: Option<u32>,
    /// Where actions and their data are, if entries only name members or groups of a profile. An entry whose member is
    /// not there or whose group is empty does not match.
    pub profile: Option<ProfileId>,
    /// What chooses among the members of a group: the keys of kind `selector`.
    pub selector: Vec<Expression>,
    /// Counts every hit of an entry, before the action runs.
    pub counter: Option<CounterId>,
    /// Measures every hit of an entry, before the action runs, and where its colour goes; without a hit that stays.
    pub meter: Option<(MeterId, VariableId)>,
}

/// What is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, as the control plane knows it.
    pub name: String,
    /// The value.
    pub value: Expression,
    /// How it is compared.
    pub kind: MatchKind,
}

/// An action that a table may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableAction {
    /// The action; the data of an entry goes into its [`crate::Function::parameters`].
    pub function: FunctionId,
    /// Gives the action what is bound in the table's list of actions.
    pub before: Vec<Statement>,
    /// Takes back what comes out of it, in order, also when the action exits.
    pub after: Vec<Statement>,
    /// It can only be the default (`@defaultonly`).
    pub only_default: bool,
    /// It cannot be the default (`@tableonly`).
    pub only_entries: bool,
}
