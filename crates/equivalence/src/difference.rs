//! The differences between the meaning of a program and the result of a machine.

use std::fmt;

use ir::{Program, Type};
use serde::Serialize;
use wire::Packet;

use crate::marks;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "fate")]
pub enum Fate {
    /// The packet leaves on a port.
    Leaves {
        /// The port.
        port: u16,
    },
    /// The program drops the packet.
    Dropped,
}

/// A packet whose result differs from the expected one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PacketDifference {
    /// The index of the packet in the order of arrival.
    pub sequence: u64,
    /// The fields that differ, in the order of the program.
    pub fields: Vec<FieldDifference>,
    /// Whether the machine did not run the program on the packet although it applies.
    pub not_run: bool,
    /// The expected and the actual fate, if they differ.
    pub fate: Option<FateDifference>,
    /// The first byte that differs.
    pub bytes: Option<ByteDifference>,
    /// The number of packets that had arrived when the difference was detected; later packets have no part in it.
    pub offered: u64,
}

/// A field whose final value differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldDifference {
    /// The name of the field.
    pub field: String,
    /// The value on arrival, as a number of the field's type; the same holds for the other values.
    pub arrived: i128,
    /// The value according to the program.
    pub expected: i128,
    /// The value according to the machine.
    pub machine: i128,
}

/// A fate that differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FateDifference {
    /// The fate according to the program.
    pub expected: Fate,
    /// The fate according to the machine.
    pub machine: Fate,
}

/// The first byte that differs between the expected packet and the packet that left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ByteDifference {
    /// The offset from the start of the packet, in bytes. If one packet is a prefix of the other, this is the length of
    /// the shorter one.
    pub offset: u64,
    /// The expected byte; `None` past the end, and in a tail of which only the length is known.
    pub expected: Option<u8>,
    /// The byte that left; `None` as for `expected`.
    pub machine: Option<u8>,
}

/// A register element, counter, meter, word of shared memory or record whose final value differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RegisterDifference {
    /// The name of the register.
    pub register: String,
    /// The index in the array; `None` for a scalar. For a word of shared memory, its distance from the beginning of its
    /// segment in bytes; for a record, its place.
    pub index: Option<u64>,
    /// The value according to the program, as a number of the register's type.
    pub expected: i128,
    /// The value according to the machine; `None` if it has no such element.
    pub machine: Option<i128>,
}

impl PacketDifference {
    /// Creates a packet without differences.
    pub(crate) fn none(sequence: u64, offered: u64) -> Self {
        Self { sequence, fields: Vec::new(), not_run: false, fate: None, bytes: None, offered }
    }

    /// Returns whether nothing differs.
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

/// Writes the name and index of the register, without its values.
impl fmt::Display for RegisterDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.register)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        Ok(())
    }
}

/// Returns the number that raw bits represent. Bits above the width, which a machine must not report, are kept, because
/// otherwise two values that differ could read alike.
pub(crate) fn number(ty: Type, value: u64) -> i128 {
    if runtime::arithmetic::truncate(value, ty.width()) == value { ty.number(value) } else { i128::from(value) }
}

/// Returns the fields whose final values differ. A value that the machine does not report counts as 0.
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

/// Returns the first difference between the expected packet and the packet that left. A congestion mark set by the
/// machine is not a difference: the program does not ask for it, and the machine counts it.
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
    // Finding the first differing byte in the tail would require a walk over payload that programs do not write.
    (expected.tail != machine.tail).then_some(ByteDifference { offset: head as u64, expected: None, machine: None })
}
