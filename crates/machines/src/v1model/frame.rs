//! The packet as blocks work on it, in a form chosen by the executor.

use std::fmt::Debug;

use basis::snapshot::Snapshot;
use ir::VariableId;
use ir::interpret::Packet;
use runtime::Bits;

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

    /// Returns the bytes as they arrived, as far as they are in memory; [`Frame::zeros`] zero bytes follow.
    fn bytes(&self) -> &[u8];

    /// Returns the number of zero bytes that follow [`Frame::bytes`]. They take no memory before a program reads them.
    fn zeros(&self) -> usize;

    /// Sets the number of zero bytes that follow.
    fn set_zeros(&mut self, zeros: usize);

    /// Replaces the bytes and resets parser position and emitted bytes. `write` fills an empty buffer. No zero bytes
    /// follow.
    fn set_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>));

    /// Replaces the bytes by copies of those of a packet; a tail that is only a length becomes zeros.
    fn copy_bytes(&mut self, packet: &wire::Packet) {
        let mut zeros = 0;
        self.set_bytes(|bytes| zeros = packet.append_known_to(bytes));
        self.set_zeros(zeros);
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

    /// Returns the bytes in memory that the parser has not consumed, from the next whole byte on.
    fn payload(&self) -> &[u8] {
        let bytes = self.bytes();
        &bytes[self.position().div_ceil(8).min(bytes.len())..]
    }

    /// Returns the total number of bytes.
    fn length(&self) -> usize {
        self.bytes().len() + self.zeros()
    }
}

/// Returns what a trace shows of a packet at its beginning.
pub(super) fn begins(packet: &impl Frame) -> Begins<'_> {
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

    fn zeros(&self) -> usize {
        self.zeros
    }

    fn set_zeros(&mut self, zeros: usize) {
        self.zeros = zeros;
    }

    fn position(&self) -> usize {
        self.position
    }

    fn emitted(&self) -> &[u8] {
        &self.emitted.bytes
    }
}
