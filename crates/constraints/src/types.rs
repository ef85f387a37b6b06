//! The types of the language, and what a constraint may speak of.

use std::fmt;

use control::{Info, MatchField, Parameter};
use runtime::tables::MatchKind;

use crate::finding::Subject;

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Boolean,
    /// A signed integer of any size: numbers, lengths of prefixes, priorities.
    Integer,
    /// An unsigned value of this many bits: fields of keys, parameters.
    Bits(u32),
    /// A key of a table: its match kind and its width in bits.
    Key(MatchKind, u32),
}

/// Formats the type as the language specification and P4 do.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean => f.write_str("bool"),
            Self::Integer => f.write_str("int"),
            Self::Bits(width) => write!(f, "bit<{width}>"),
            Self::Key(kind, width) => write!(f, "{kind}<{width}>"),
        }
    }
}

/// A part of the match of an entry for one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Value,
    Mask,
    PrefixLength,
    Low,
    High,
}

impl Part {
    /// Returns the name in the language.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Mask => "mask",
            Self::PrefixLength => "prefix_length",
            Self::Low => "low",
            Self::High => "high",
        }
    }

    /// Returns the parts that the match of a key of this kind has.
    pub fn of(kind: MatchKind) -> &'static [Self] {
        match kind {
            MatchKind::Exact => &[Self::Value],
            MatchKind::Ternary | MatchKind::Optional => &[Self::Value, Self::Mask],
            MatchKind::Lpm => &[Self::Value, Self::PrefixLength],
            MatchKind::Range => &[Self::Low, Self::High],
        }
    }
}

/// The meanings that names in a constraint can have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope<'i> {
    /// The keys of a table, in order.
    Keys(&'i [MatchField]),
    /// The parameters of an action, in order.
    Parameters(&'i [Parameter]),
}

impl<'i> Scope<'i> {
    /// Returns the scope of the constraint of a table or action.
    pub fn of(info: &'i Info, subject: Subject) -> Self {
        match subject {
            Subject::Table(number) => Self::Keys(&info.table(number).fields),
            Subject::Action(number) => Self::Parameters(&info.action(number).parameters),
        }
    }

    /// Returns all names, in order.
    pub fn names(self) -> impl Iterator<Item = &'i str> {
        let (keys, parameters) = match self {
            Self::Keys(fields) => (fields, &[][..]),
            Self::Parameters(parameters) => (&[][..], parameters),
        };
        let keys = keys.iter().map(|field| field.name.as_str());
        keys.chain(parameters.iter().map(|parameter| parameter.name.as_str()))
    }

    /// Returns the number of a name and its type.
    pub fn find(self, name: &str) -> Option<(usize, Type)> {
        match self {
            Self::Keys(fields) => {
                let at = fields.iter().position(|field| field.name == name)?;
                Some((at, Type::Key(fields[at].kind, fields[at].width)))
            }
            Self::Parameters(parameters) => {
                let at = parameters.iter().position(|parameter| parameter.name == name)?;
                Some((at, Type::Bits(parameters[at].width)))
            }
        }
    }

    /// Returns what a name stands for.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Keys(_) => "key",
            Self::Parameters(_) => "parameter",
        }
    }
}
