//! Values of a program, for scripts and for people.

use ir::Type;
use runtime::Bits;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::address::address;

/// A value with its type. It serialises to `{"type": "bit<9>", "value": "0x2"}`, where a signed number is shown as the
/// digits of its two's complement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The type.
    pub ty: Type,
    /// The bits.
    pub bits: Bits,
}

impl Value {
    /// Formats the value for people who know its name: as an address if the name says so, as a decimal number if it is
    /// small, otherwise in hexadecimal.
    pub fn shown(&self, name: &str) -> String {
        let (width, low) = (self.ty.width(), self.bits.low());
        match self.ty {
            Type::Bool => return (!self.bits.is_zero()).to_string(),
            Type::Int(_) if self.bits.is_negative(width) => return format!("-{}", self.bits.negate(width)),
            Type::Int(_) => return self.bits.to_string(),
            Type::Bits(_) => {}
        }
        if let Some(address) = address(name, width, &self.bits) {
            return address;
        }
        match width {
            // A single digit is the same in both notations.
            _ if self.bits.length() <= 3 => low.to_string(),
            0..=16 => format!("{low} ({low:#x})"),
            17..=64 if low < 1 << 16 => format!("{low} ({low:#x})"),
            _ => format!("{:#x}", self.bits),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut value = serializer.serialize_struct("Value", 2)?;
        value.serialize_field("type", &self.ty.to_string())?;
        value.serialize_field("value", &format!("{:#x}", self.bits))?;
        value.end()
    }
}
