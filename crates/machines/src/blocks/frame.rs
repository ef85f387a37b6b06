//! The packet as blocks work on it, in a form chosen by the executor.

use std::fmt::Debug;

use basis::snapshot::Snapshot;
use ir::VariableId;
use ir::interpret::Packet;
use runtime::Bits;
use wire::Tail;

use crate::trace::Begins;

/// A packet on its way through the blocks of a program: the values of all variables, the bytes as they arrived, the
/// position of the parser, and the emitted bytes. The executor chooses the representation; the switch accesses it by
/// these methods.
pub trait Frame: Clone + Debug + Send + Snapshot {
    /// Returns the low 64 bits of a variable.
    fn low(&self, variable: VariableId) -> u64;

    /// Sets a variable to a value, which the caller has truncated to the variable's type; bits above 64 become 0.
    fn set(&mut self, variable: VariableId, value: u64);

    /// Copies the values of the given variables from another packet of the same program.
    fn copy_variables(&mut self, from: &Self, variables: &[VariableId]);

    /// Becomes a copy of another packet of the same program, reusing memory.
    fn copy_from(&mut self, from: &Self);

    /// Sets all variables to 0 and drops the bytes, reusing memory; the packet is then as new.
    fn clear(&mut self);

    /// Sets the given variables to 0.
    fn clear_variables(&mut self, variables: &[VariableId]);

    /// Returns the bytes as they arrived, as far as the frame has them at hand; [`Frame::rest`] follows.
    fn bytes(&self) -> &[u8];

    /// Returns what follows [`Frame::bytes`]. A tail that is only a length reads as zeros. Its bytes are brought to hand
    /// when a program reads them.
    fn rest(&self) -> Tail;

    /// Replaces what follows the bytes. A frame that works only on bytes at hand appends known ones to them.
    fn set_rest(&mut self, rest: Tail);

    /// Replaces the bytes and resets parser position and emitted bytes. `write` fills an empty buffer. Nothing follows.
    fn set_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>));

    /// Replaces the bytes by those of a packet.
    fn copy_bytes(&mut self, packet: &wire::Packet) {
        self.set_bytes(|bytes| bytes.extend_from_slice(packet.head.bytes()));
        self.set_rest(packet.tail.clone());
    }

    /// Replaces the bytes by those of a packet and resets parser position and emitted bytes. A frame may hold the
    /// packet and work on its bytes in place until [`Frame::release`]; one that copies them, like this default, returns
    /// the packet.
    fn hold(&mut self, packet: wire::Packet) -> Option<wire::Packet> {
        self.copy_bytes(&packet);
        Some(packet)
    }

    /// Returns the packet that the frame holds, as it arrived. The frame loses its bytes, but keeps what was emitted.
    fn release(&mut self) -> Option<wire::Packet> {
        None
    }

    /// Returns the number of bits that were extracted or skipped.
    fn position(&self) -> usize;

    /// Returns the emitted bytes; unused bits of the last byte are 0.
    fn emitted(&self) -> &[u8];

    /// Returns the total number of bytes.
    fn length(&self) -> usize;
}

/// Returns what a trace shows of a packet at its beginning.
pub(crate) fn begins(packet: &impl Frame) -> Begins<'_> {
    Begins { bytes: packet.bytes(), length: packet.length() }
}

/// Sets a value in place. A `Bits` knows the number of its limbs but not its width, so the limbs are kept.
#[inline]
fn set(place: &mut Bits, value: u64) {
    match place {
        Bits::Narrow(narrow) => *narrow = value,
        Bits::Wide(limbs) => {
            limbs.fill(0);
            limbs[0] = value;
        }
    }
}

/// Copies a value in place; assigning a wide `Bits` would allocate memory for its limbs.
fn copy(place: &mut Bits, from: &Bits) {
    match (place, from) {
        (Bits::Wide(place), Bits::Wide(from)) => place.copy_from_slice(from),
        (place, from) => place.clone_from(from),
    }
}

impl Frame for Packet {
    #[inline]
    fn low(&self, variable: VariableId) -> u64 {
        Packet::low(self, variable)
    }

    #[inline]
    fn set(&mut self, variable: VariableId, value: u64) {
        set(&mut self.values[variable.index()], value);
    }

    fn copy_variables(&mut self, from: &Self, variables: &[VariableId]) {
        for variable in variables {
            copy(&mut self.values[variable.index()], &from.values[variable.index()]);
        }
    }

    fn copy_from(&mut self, from: &Self) {
        self.values.iter_mut().zip(&from.values).for_each(|(place, from)| copy(place, from));
        self.bytes.clone_from(&from.bytes);
        self.zeros = from.zeros;
        self.position = from.position;
        self.emitted.bytes.clone_from(&from.emitted.bytes);
        self.emitted.bits = from.emitted.bits;
    }

    fn clear(&mut self) {
        self.values.iter_mut().for_each(|value| set(value, 0));
        self.set_bytes(|_| ());
    }

    fn clear_variables(&mut self, variables: &[VariableId]) {
        variables.iter().for_each(|variable| set(&mut self.values[variable.index()], 0));
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn set_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.bytes.clear();
        write(&mut self.bytes);
        self.zeros = 0;
        self.position = 0;
        self.emitted.bytes.clear();
        self.emitted.bits = 0;
    }

    fn rest(&self) -> Tail {
        // What is less than the length of a packet fits into 32 bits.
        Tail::Length(self.zeros as u32)
    }

    fn set_rest(&mut self, rest: Tail) {
        match rest {
            Tail::Bytes(bytes) => self.bytes.extend_from_slice(&bytes),
            Tail::Length(zeros) => self.zeros = zeros as usize,
        }
    }

    fn length(&self) -> usize {
        self.bytes.len() + self.zeros
    }

    fn position(&self) -> usize {
        self.position
    }

    fn emitted(&self) -> &[u8] {
        &self.emitted.bytes
    }
}
