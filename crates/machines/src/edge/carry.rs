//! Bits that cross between the variables of parser and deparser and the fields of a pipeline.

use passes::flatten::Carried;
use runtime::{Bits, arithmetic};

/// One field and the bits of a variable that it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carry {
    field: usize,
    variable: usize,
    /// Which 64 bits of the variable, from the lowest.
    limb: usize,
    /// The bits of the field's width.
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

    /// From the variable to the field.
    pub(super) fn arrive(self, variables: &[Bits], fields: &mut [u64]) {
        fields[self.field] = variables[self.variable].limbs()[self.limb] & self.mask;
    }

    /// From the field to the variable, whose other bits stay.
    pub(super) fn leave(self, fields: &[u64], variables: &mut [Bits]) {
        let value = fields[self.field] & self.mask;
        match &mut variables[self.variable] {
            Bits::Narrow(narrow) => *narrow = value,
            Bits::Wide(limbs) => limbs[self.limb] = value,
        }
    }
}
