//! The types of the language, and where the fields of structs and unions lie.

use std::collections::BTreeMap;
use std::rc::Rc;

/// The width of a pointer in bits: it is an address in the local memory of a thread.
pub(crate) const POINTER_BITS: u32 = 16;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// The type of what is pointed to if nobody knows: `void`.
    Void,
    Bool,
    /// The address of an instruction.
    Label,
    /// An integer of so many bits.
    Number {
        width: u32,
        signed: bool,
    },
    /// A number known at compile time, which has the width that it needs.
    Literal,
    /// The address in local memory of a value.
    Pointer(Rc<Type>),
    Structure(Rc<Structure>),
    Array(Rc<Type>, u64),
}

/// A struct or union.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Structure {
    /// The name, or `struct` or `union` if it has none.
    pub name: Rc<str>,
    /// The size in bits.
    pub bits: u64,
    pub fields: BTreeMap<Rc<str>, Field>,
    /// The names of the fields, in order.
    pub order: Vec<Rc<str>>,
    /// Whether some field declaration is malformed, so that an unknown field may have been declared there.
    pub is_incomplete: bool,
    pub is_union: bool,
}

/// A field of a struct or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub ty: Type,
    /// The distance from the first bit of the struct, in bits. Fields follow each other without gaps, the first one at the
    /// most significant bit of the first byte.
    pub offset: u64,
}

impl Type {
    /// An unsigned integer.
    pub const fn unsigned(width: u32) -> Self {
        Self::Number { width, signed: false }
    }

    /// Returns the size in bits; 0 for `void` and for numbers that are only known at compile time.
    pub fn bits(&self) -> u64 {
        match self {
            Self::Void | Self::Literal => 0,
            Self::Bool => 1,
            Self::Label | Self::Pointer(_) => POINTER_BITS.into(),
            Self::Number { width, .. } => (*width).into(),
            Self::Structure(structure) => structure.bits,
            Self::Array(element, length) => element.bits().saturating_mul(*length),
        }
    }

    /// Returns the size in bytes, the last one perhaps in part.
    pub fn bytes(&self) -> u64 {
        self.bits().div_ceil(8)
    }

    /// Returns whether a value of this type can be computed with: it is neither a struct nor an array nor `void`.
    pub const fn is_scalar(&self) -> bool {
        !matches!(self, Self::Void | Self::Structure(_) | Self::Array(..))
    }

    /// Returns the type in the IR of a scalar whose width is known.
    pub fn in_ir(&self) -> ir::Type {
        match self {
            Self::Bool => ir::Type::Bool,
            Self::Number { width, signed: true } => ir::Type::Int(*width as u16),
            other => ir::Type::Bits(other.bits() as u16),
        }
    }

    /// Returns how the type is written, for use in messages.
    pub fn describe(&self) -> String {
        match self {
            Self::Void => "void".to_owned(),
            Self::Bool => "bool".to_owned(),
            Self::Label => "label".to_owned(),
            Self::Number { width, signed: false } => format!(": {width}"),
            Self::Number { width, signed: true } => format!("int : {width}"),
            Self::Literal => "number".to_owned(),
            Self::Pointer(to) => format!("{} *", to.describe()),
            Self::Structure(structure) => structure.name.to_string(),
            Self::Array(element, length) => format!("{} [{length}]", element.describe()),
        }
    }
}
