//! What workers contribute, and what must come out.

use basis::mix;
use transports::aggregation::Gradients;

/// The values of a worker, by position.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    pub job: u8,
    pub rank: u16,
    /// The number of bits of the magnitude of integers.
    pub bits: u32,
}

impl Values {
    pub fn integer(self, tensor: u32, position: u64) -> i32 {
        let own = u64::from(self.job) << 48 | u64::from(self.rank) << 32 | u64::from(tensor);
        (mix(mix(own) ^ position) as i32) >> (32 - self.bits)
    }

    pub fn float(self, tensor: u32, position: u64) -> f32 {
        // Up to 2^-8 for 24 bits.
        self.integer(tensor, position) as f32 / 2_147_483_648.0
    }
}

impl Gradients for Values {
    fn integers(&self, tensor: u32, first: u64, values: &mut [i32]) {
        (first..).zip(values).for_each(|(position, value)| *value = self.integer(tensor, position));
    }

    fn floats(&self, tensor: u32, first: u64, values: &mut [f32]) {
        (first..).zip(values).for_each(|(position, value)| *value = self.float(tensor, position));
    }
}
