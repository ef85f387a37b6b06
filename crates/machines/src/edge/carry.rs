//! Transfer of bits between the variables of parser and deparser and the fields of a pipeline.

use passes::flatten::Carried;
use runtime::{Bits, arithmetic};

/// A field and the part of a variable that it carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carry {
    field: usize,
    variable: usize,
    /// The index of the 64-bit limb of the variable, least significant first.
    limb: usize,
    /// A mask of the field's width.
    mask: u64,
}

impl Carry {
    pub(super) fn of(carried: &Carried) -> Self {
        debug_assert!(carried.low.is_multiple_of(64), "a piece of a variable is one of its limbs");
        Self {
            field: carried.field.index(),
            variable: carried.variable.index(),
            limb: carried.low as usize / 64,
            mask: arithmetic::mask(carried.width),
        }
    }

    /// Copies the part of the variable to the field.
    pub(super) fn arrive(self, variables: &[Bits], fields: &mut [u64]) {
        fields[self.field] = variables[self.variable].limbs()[self.limb] & self.mask;
    }

    /// Copies the field to its part of the variable, whose other bits do not change.
    pub(super) fn leave(self, fields: &[u64], variables: &mut [Bits]) {
        let value = fields[self.field] & self.mask;
        match &mut variables[self.variable] {
            Bits::Narrow(narrow) => *narrow = value,
            Bits::Wide(limbs) => limbs[self.limb] = value,
        }
    }
}
