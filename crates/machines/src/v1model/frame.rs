//! A packet as blocks work on it, in whatever form the executor likes.

use std::fmt::Debug;

use basis::snapshot::Snapshot;
use ir::VariableId;
use ir::interpret::Packet;
use runtime::Bits;

use crate::trace::Begins;

/// One packet on its way through the blocks of a program: the values of all variables, the bytes as they arrived, how
/// far they were parsed, and what was emitted. The form is the executor's business; the switch moves packets about by
/// these methods.
pub trait Frame: Clone + Debug + Send + Snapshot {
    /// The low 64 bits of a variable.
    fn low(&self, variable: VariableId) -> u64;

    /// Gives a variable a value that its type holds, cut to it by whoever knows the type; bits above 64 become 0.
    fn set(&mut self, variable: VariableId, value: u64);

    /// Gives these variables the values that they have in another packet of the same program.
    fn copy_variables(&mut self, from: &Self, variables: &[VariableId]);

    /// Becomes the same as another packet of the same program, in the memory that it has.
    fn copy_from(&mut self, from: &Self);

    /// Makes all variables 0 and forgets the bytes, in the memory that it has: it is as new.
    fn clear(&mut self);

    /// Makes these variables 0.
    fn clear_variables(&mut self, variables: &[VariableId]);

    /// The bytes as they arrived, as far as they are in memory: [`Frame::zeros`] more follow, which are all 0.
    fn bytes(&self) -> &[u8];

    /// How many bytes follow [`Frame::bytes`] that are all 0. No memory is spent on them before a
    /// program reads them.
    fn zeros(&self) -> usize;

    /// Has so many bytes follow that are all 0.
    fn set_zeros(&mut self, zeros: usize);

    /// Gives it other bytes, of which nothing is parsed yet and none was emitted: `write` puts them into memory that is
    /// empty. No zeros follow.
    fn set_bytes(&mut self, write: impl FnOnce(&mut Vec<u8>));

    /// Gives it copies of the bytes of a packet; those of a tail that is only a length are zeros.
    fn copy_bytes(&mut self, packet: &wire::Packet) {
        let mut zeros = 0;
        self.set_bytes(|bytes| zeros = packet.append_known_to(bytes));
        self.set_zeros(zeros);
    }

    /// Gives it the bytes of a packet, of which nothing is parsed yet and none was emitted. A frame may keep the packet and
    /// work on its bytes where they lie, until [`Frame::release`]; one that copies them, as this does, gives it back.
    fn hold(&mut self, packet: wire::Packet) -> Option<wire::Packet> {
        self.copy_bytes(&packet);
        Some(packet)
    }

    /// The packet that it keeps, as it came. The frame's bytes are gone with it; what was emitted stays.
    fn release(&mut self) -> Option<wire::Packet> {
        None
    }

    /// How many bits of the bytes were extracted or skipped.
    fn position(&self) -> usize;

    /// What was emitted, in whole bytes; those bits of the last one that were not emitted are 0.
    fn emitted(&self) -> &[u8];

    /// What the parser left of the bytes that are in memory, from the next whole one on.
    fn payload(&self) -> &[u8] {
        let bytes = self.bytes();
        &bytes[self.position().div_ceil(8).min(bytes.len())..]
    }

    /// How many bytes it has in all.
    fn length(&self) -> usize {
        self.bytes().len() + self.zeros()
    }
}

/// What a trace shows of a packet where it begins.
pub(super) fn begins(packet: &impl Frame) -> Begins<'_> {
    Begins { bytes: packet.bytes(), length: packet.length() }
}

/// A value does not know its width, but how many limbs it has; so 0 of the same width is made in its place.
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

/// Limbs are copied where they are: `Bits` would get new memory for them.
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
