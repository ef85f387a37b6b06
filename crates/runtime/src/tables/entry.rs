//! What an entry of a table is.

use serde::{Deserialize, Serialize};

use super::FieldMatch;
use crate::Bits;

/// Names an entry of one table for as long as it lives; never given to another entry of that table. Handles grow in
/// the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EntryHandle(pub u32);

/// What happens to a packet that an entry matches.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// An action runs.
    Action {
        /// Its number in the table's list of actions.
        action: u32,
        /// The arguments that the control plane gives, in the order of the action's directionless parameters.
        data: Vec<Bits>,
    },
    /// The action of a member of the table's action profile runs.
    Member(u32),
    /// The action of one member of a group of the table's action selector runs, chosen by a hash.
    Group(u32),
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What each field of the key must be, in the order of the key.
    pub key: Vec<FieldMatch>,
    /// The larger one wins among entries that match. Means nothing and is 0 in a table without a ternary, range or
    /// optional field.
    pub priority: u32,
    /// What happens to a packet that it matches.
    pub target: Target,
    /// The program says `const` of it, so that it is neither modified nor deleted.
    pub is_constant: bool,
}
