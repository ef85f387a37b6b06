//! The parts that steps of a trace consist of.

use std::collections::BTreeMap;

use runtime::Bits;
use runtime::tables::FieldMatch;
use serde::{Serialize, Serializer};

use super::Value;
use super::address::address;

/// A condition and its outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// The condition in the syntax of the program.
    pub condition: String,
    /// Whether the condition holds.
    pub holds: bool,
    /// The values of the variables in the condition.
    pub values: Vec<Field>,
    /// The variables in the condition that have no value because their header is invalid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<String>,
}

/// A case of a selection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The sets that the values are compared with, or `default`.
    pub sets: String,
    /// The next state, `accept` or `reject`.
    pub next: String,
}

/// The kind of access to a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// The value was read.
    Read,
    /// The value was written.
    Write,
}

/// Packets that a trace does not follow.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct More {
    /// The number of packets: further rounds of the packet, and copies.
    pub packets: u64,
    /// Whether all of them are rounds rather than copies.
    pub only_rounds: bool,
    /// The number of packets by what finally became of them.
    pub ends: BTreeMap<String, u64>,
}

/// The ending of a block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The block ended normally; a parser accepted.
    Done,
    /// A parser rejected the packet with this error.
    Rejected(String),
    /// An `assert` or `assume` did not hold.
    AssertionFailed,
    /// The block took too many steps.
    Unfinished,
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Value,
}

/// A key of a table that was looked up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// The name of the key.
    pub name: String,
    /// The value of the key.
    pub value: Value,
    /// The condition of the matching entry on this key: `0xa000000/8`, `0x10 &&& 0xf0`, `0x1..0x5`, `0x1` or `_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Asked>,
}

/// The condition of an entry on a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked(pub FieldMatch);

impl Asked {
    /// Formats the condition for people, with addresses as such. The key determines the type of the value.
    pub(super) fn shown(&self, name: &str, key: &Value) -> String {
        let shown = |bits: &Bits| address(name, key.ty.width(), bits).unwrap_or_else(|| format!("{bits:#x}"));
        match &self.0 {
            FieldMatch::Exact(value) => shown(value),
            FieldMatch::Prefix { value, length } => format!("{}/{length}", shown(value)),
            FieldMatch::Mask { value, mask } => format!("{} &&& {}", shown(value), shown(mask)),
            FieldMatch::Range { low, high } => format!("{}..{}", shown(low), shown(high)),
            FieldMatch::Any => "anything".into(),
        }
    }
}

impl Serialize for Asked {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            FieldMatch::Exact(value) => serializer.collect_str(&format_args!("{value:#x}")),
            FieldMatch::Prefix { value, length } => serializer.collect_str(&format_args!("{value:#x}/{length}")),
            FieldMatch::Mask { value, mask } => serializer.collect_str(&format_args!("{value:#x} &&& {mask:#x}")),
            FieldMatch::Range { low, high } => serializer.collect_str(&format_args!("{low:#x}..{high:#x}")),
            FieldMatch::Any => serializer.serialize_str("_"),
        }
    }
}

/// The target of an entry in a table with an action profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// A member of the profile.
    Member(u32),
    /// A group, from which a hash selects a member.
    Group(u32),
    /// The action set of the entry, of which a hash selects an action.
    ActionSet,
}

/// An action with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Action {
    /// The name of the action.
    pub name: String,
    /// The arguments from the entry or from the default action.
    pub arguments: Vec<Argument>,
}

/// An argument of an action.
pub type Argument = Field;

/// Bytes that serialise to hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Hex(pub Vec<u8>);

impl Hex {
    /// Returns true if there are no bytes.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}
