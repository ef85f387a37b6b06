//! What can differ between what a program means and what a machine made of it.

use std::fmt;

use ir::{Program, Type};
use serde::Serialize;
use wire::Packet;

use crate::marks;

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
pub enum Fate {
    /// It goes on.
    Leaves {
        /// On which port.
        port: u16,
    },
    /// The program says that it goes no further.
    Dropped,
}

/// A packet that did not become what it must.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PacketDifference {
    /// Its place in the order of arrival.
    pub sequence: u64,
    /// The fields that differ, in the order of the program.
    pub fields: Vec<FieldDifference>,
    /// True if the machine ran no program on a packet to which one applies.
    pub not_run: bool,
    /// What should have become of it and what did, where they differ.
    pub fate: Option<FateDifference>,
    /// Where the bytes that left differ.
    pub bytes: Option<ByteDifference>,
    /// How many packets had arrived when it was seen: those after them have no part in it.
    pub offered: u64,
}

/// A field with another final value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldDifference {
    /// Its name.
    pub field: String,
    /// Its value when the packet arrived, as a number of its type, as are the others.
    pub arrived: i128,
    /// What the program makes of it.
    pub expected: i128,
    /// What the machine made of it.
    pub machine: i128,
}

/// Another fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FateDifference {
    /// What the program says.
    pub expected: Fate,
    /// What the machine did.
    pub machine: Fate,
}

/// The first byte that differs between the packet that should have left and the one that did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ByteDifference {
    /// Where, in bytes from the start of the packet; where the shorter one ends if that is all.
    pub offset: u64,
    /// The byte that should have left; `None` past the end and in a tail of which only the length is known.
    pub expected: Option<u8>,
    /// The byte that left.
    pub machine: Option<u8>,
}

/// A place of a register with another final value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RegisterDifference {
    /// The register's name.
    pub register: String,
    /// The place in the array; `None` for a scalar.
    pub index: Option<u64>,
    /// The value that the program leaves there, as a number of the register's type.
    pub expected: i128,
    /// The value that the machine shows there; `None` if it has no such place.
    pub machine: Option<i128>,
}

impl PacketDifference {
    /// A packet of which nothing differs yet.
    pub(crate) fn none(sequence: u64, offered: u64) -> Self {
        Self { sequence, fields: Vec::new(), not_run: false, fate: None, bytes: None, offered }
    }

    /// True if nothing differs.
    pub fn is_none(&self) -> bool {
        self.fields.is_empty() && !self.not_run && self.fate.is_none() && self.bytes.is_none()
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Leaves { port } => write!(f, "leaves on port {port}"),
            Self::Dropped => f.write_str("dropped by the program"),
        }
    }
}

impl fmt::Display for ByteDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let byte = |byte: Option<u8>| byte.map_or("none".to_owned(), |byte| format!("{byte:#04x}"));
        match (self.expected, self.machine) {
            (None, None) => write!(f, "the payload from byte {} on differs", self.offset),
            (ours, theirs) => {
                write!(f, "byte {} should be {}; the machine's is {}", self.offset, byte(ours), byte(theirs))
            }
        }
    }
}

/// The place of the register, without its values.
impl fmt::Display for RegisterDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.register)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        Ok(())
    }
}

/// The number that raw bits stand for. Bits above the width, which a machine must not show, are not cut away, for
/// then two values that differ would read alike.
pub(crate) fn number(ty: Type, value: u64) -> i128 {
    if runtime::arithmetic::truncate(value, ty.width()) == value { ty.number(value) } else { i128::from(value) }
}

/// The fields whose final values differ; a value that the machine does not show counts as 0.
pub(crate) fn fields(program: &Program, arrived: &[u64], expected: &[u64], machine: &[u64]) -> Vec<FieldDifference> {
    let differing = program.fields().filter_map(|(id, variable)| {
        let of = |values: &[u64]| values.get(id.index()).copied().unwrap_or(0);
        let number = |values| number(variable.ty, of(values));
        (of(expected) != of(machine)).then(|| FieldDifference {
            field: variable.name.clone(),
            arrived: number(arrived),
            expected: number(expected),
            machine: number(machine),
        })
    });
    differing.collect()
}

/// Where the packet that left differs from the one that should have. That a machine marked it for congestion is no
/// difference: the program does not ask for it, and the machine counts it.
pub(crate) fn bytes(expected: &Packet, machine: &Packet) -> Option<ByteDifference> {
    if expected.head == machine.head && expected.tail == machine.tail {
        return None;
    }
    let unmarked = marks::without_mark(expected, machine);
    let (ours, theirs) = (expected.head.bytes(), unmarked.as_deref().unwrap_or(machine.head.bytes()));
    let head = ours.len().max(theirs.len());
    if let Some(offset) = (0..head).find(|&offset| ours.get(offset) != theirs.get(offset)) {
        let (expected, machine) = (ours.get(offset).copied(), theirs.get(offset).copied());
        return Some(ByteDifference { offset: offset as u64, expected, machine });
    }
    // In the tail the first differing byte would cost a walk over payload that programs do not write.
    (expected.tail != machine.tail).then_some(ByteDifference { offset: head as u64, expected: None, machine: None })
}
