//! What the steps of a trace are made of.

use std::collections::BTreeMap;

use runtime::Bits;
use runtime::tables::FieldMatch;
use serde::{Serialize, Serializer};

use super::Value;
use super::address::address;

/// A condition and how it came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// As the program has it.
    pub condition: String,
    /// How it came out.
    pub holds: bool,
    /// The values of the variables in it.
    pub values: Vec<Field>,
    /// The variables in it that have no value, for their header is invalid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undefined: Vec<String>,
}

/// A case of a selection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// What the values are compared with, or `default`.
    pub sets: String,
    /// The next state, `accept` or `reject`.
    pub next: String,
}

/// What is done with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Its value is taken.
    Read,
    /// It is given a value.
    Write,
}

/// Packets that a trace does not follow.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct More {
    /// How many: rounds of the packet, and copies.
    pub packets: u64,
    /// True if all of them are rounds, and none is a copy.
    pub only_rounds: bool,
    /// What became of them in the end, and how often.
    pub ends: BTreeMap<String, u64>,
}

/// How a block ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// As it should; a parser accepted.
    Done,
    /// A parser rejected, with this error.
    Rejected(String),
    /// An `assert` or `assume` did not hold.
    AssertionFailed,
    /// It took too many steps.
    Unfinished,
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// One of the things that a table looks up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// What the entry that matched asks of it: `0xa000000/8`, `0x10 &&& 0xf0`, `0x1..0x5`, `0x1` or `_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Asked>,
}

/// What an entry asks of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked(pub FieldMatch);

impl Asked {
    /// For people: addresses as such. The key tells which kind of value it is.
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

/// What an entry of a table with a profile names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// A member of the profile.
    Member(u32),
    /// A group, of which a hash chose a member.
    Group(u32),
}

/// An action with what it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Action {
    /// Which one.
    pub name: String,
    /// What the entry, or the default, gives it.
    pub arguments: Vec<Argument>,
}

/// What an action is given.
pub type Argument = Field;

/// Bytes; serialises to hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Hex(pub Vec<u8>);

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&digits)
    }
}
