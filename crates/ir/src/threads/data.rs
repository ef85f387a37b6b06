//! Bytes that transactions carry from a thread and back to it.

use crate::{Expression, VariableId};

/// Bytes that a transaction takes with it. They are what they were before the instruction, whatever the instruction itself
/// writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data<E = Expression> {
    /// Values, concatenated in wire order: the most significant bit of the first value is that of the first byte. Zeros fill
    /// the last byte. A bool is one bit.
    Values(Vec<E>),
    /// Bytes of local memory.
    Memory {
        /// The address of the first byte.
        address: E,
        /// The number of bytes.
        bytes: u32,
    },
}

/// Where the reply to a transaction goes. A reply is a sequence of at most 64 bytes, whose length and meaning the operation
/// defines ([`super::Operation`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination<E = Expression> {
    /// Nowhere.
    Nothing,
    /// Into variables: each takes the next 8 bytes, or the last ones if fewer are left, as a number in network order. The
    /// number is converted to the variable's type as by a cast from `bit<64>`. `None` skips 8 bytes; bytes that are left
    /// are ignored. There are no more elements than the reply has begun words of 8 bytes.
    Variables(Vec<Option<VariableId>>),
    /// Into local memory, at this address, which is evaluated with the operands.
    Memory(E),
}

/// The head of a packet that leaves: bytes of local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadBytes<E = Expression> {
    /// The address of the first byte.
    pub address: E,
    /// The number of bytes.
    pub bytes: E,
}

impl<E> Data<E> {
    /// Returns the number of bytes, given the number of bits of each value.
    pub fn bytes(&self, mut bits: impl FnMut(&E) -> u32) -> u32 {
        match self {
            Self::Values(values) => values.iter().map(&mut bits).fold(0, u32::saturating_add).div_ceil(8),
            Self::Memory { bytes, .. } => *bytes,
        }
    }
}
