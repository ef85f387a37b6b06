//! Entries of tables.

use serde::{Deserialize, Serialize};

use super::FieldMatch;
use crate::Bits;

/// Identifies an entry of one table. A handle is never reused in that table. Handles increase in the order of
/// insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryHandle(pub u32);

/// The treatment of a packet that matches an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// An action runs.
    Action {
        /// The index of the action in the table's list of actions.
        action: u32,
        /// The arguments from the control plane, in the order of the action's directionless parameters.
        data: Vec<Bits>,
    },
    /// The action of a member of the table's action profile runs.
    Member(u32),
    /// The action of a member of a group of the table's action selector runs; a hash selects the member.
    Group(u32),
    /// An action of a set of the table's action selector runs, of which a hash selects one. The set belongs to this
    /// entry alone.
    ActionSet(u32),
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableEntry {
    /// The match of each field, in the order of the key.
    pub key: Vec<FieldMatch>,
    /// The priority: among entries that match, the one with the larger priority wins. It is unused and 0 in a table
    /// without a ternary, range or optional field.
    pub priority: u32,
    /// The treatment of a packet that matches.
    pub target: Target,
    /// Whether the program declares the entry `const`, so that it can be neither modified nor deleted.
    pub is_constant: bool,
}
