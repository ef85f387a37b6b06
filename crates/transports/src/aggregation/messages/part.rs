//! The messages of schemes: a part of a tensor, with numbers of 32 bits in network order.

use std::sync::Arc;

use demand::{Arrived, Content};
use serde::{Deserialize, Serialize};

use crate::aggregation::{Gradients, Outcomes};

/// The bytes before the numbers: the number of the tensor, the step of the scheme, and the position of the first number.
pub const HEADER: usize = 16;

/// A part of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The number of the tensor.
    pub tensor: u32,
    /// The step of the scheme, whatever it means there.
    pub step: u32,
    /// The position of the first number in the tensor.
    pub first: u64,
    /// The bits of the numbers: integers, or floating-point numbers of IEEE 754.
    pub numbers: Vec<u32>,
}

impl Part {
    /// Returns the contribution of a worker to `count` positions of a tensor.
    pub fn contribution(
        gradients: &dyn Gradients,
        sums_floats: bool,
        tensor: u32,
        (first, count): (u64, usize),
    ) -> Self {
        let mut numbers = vec![0; count];
        add_contribution(&mut numbers, gradients, sums_floats, (tensor, first));
        Self { tensor, step: 0, first, numbers }
    }

    /// Returns the part in a message; `None` if the message is none of a scheme.
    pub fn of(message: &Arrived) -> Option<Self> {
        let Content::Bytes(bytes) = &message.content else { return None };
        let (header, numbers) = bytes.split_at_checked(HEADER)?;
        let word = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().expect("four bytes"));
        let first = u64::from(word(8)) << 32 | u64::from(word(12));
        let (numbers, rest) = numbers.as_chunks::<4>();
        let numbers = numbers.iter().map(|bytes| u32::from_be_bytes(*bytes)).collect();
        rest.is_empty().then_some(Self { tensor: word(0), step: word(4), first, numbers })
    }

    /// Returns the part as the content of a message.
    pub fn content(&self) -> Content {
        let mut bytes = Vec::with_capacity(HEADER + 4 * self.numbers.len());
        bytes.extend_from_slice(&self.tensor.to_be_bytes());
        bytes.extend_from_slice(&self.step.to_be_bytes());
        bytes.extend_from_slice(&self.first.to_be_bytes());
        for number in &self.numbers {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        Content::Bytes(Arc::from(bytes))
    }

    /// Adds the contribution of a worker.
    pub fn add_contribution(&mut self, gradients: &dyn Gradients, sums_floats: bool) {
        add_contribution(&mut self.numbers, gradients, sums_floats, (self.tensor, self.first));
    }

    /// Adds the numbers of another part of the same positions.
    pub fn add(&mut self, other: &Self, sums_floats: bool) {
        for (sum, &number) in self.numbers.iter_mut().zip(&other.numbers) {
            *sum = added(*sum, number, sums_floats);
        }
    }

    /// Reports the part as sums that contain so many workers.
    pub fn report(&self, sources: u16, sums_floats: bool, outcomes: &mut Outcomes) {
        if sums_floats {
            let sums: Vec<f32> = self.numbers.iter().map(|&bits| f32::from_bits(bits)).collect();
            outcomes.floats(self.tensor, self.first, sources, &sums);
        } else {
            let sums: Vec<i32> = self.numbers.iter().map(|&bits| bits.cast_signed()).collect();
            outcomes.integers(self.tensor, self.first, sources, &sums);
        }
    }
}

fn add_contribution(numbers: &mut [u32], gradients: &dyn Gradients, sums_floats: bool, (tensor, first): (u32, u64)) {
    if sums_floats {
        let mut values = vec![0.0; numbers.len()];
        gradients.floats(tensor, first, &mut values);
        numbers.iter_mut().zip(values).for_each(|(sum, value)| *sum = added(*sum, value.to_bits(), true));
    } else {
        let mut values = vec![0; numbers.len()];
        gradients.integers(tensor, first, &mut values);
        numbers.iter_mut().zip(values).for_each(|(sum, value)| *sum = added(*sum, value.cast_unsigned(), false));
    }
}

/// Adds two numbers. Integers are clamped to 32 bits.
fn added(one: u32, other: u32, sums_floats: bool) -> u32 {
    if sums_floats {
        (f32::from_bits(one) + f32::from_bits(other)).to_bits()
    } else {
        one.cast_signed().saturating_add(other.cast_signed()).cast_unsigned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_survives_its_message() {
        let part = Part { tensor: 7, step: u32::MAX, first: 1 << 40, numbers: vec![1, u32::MAX, 0] };
        let arrived = |content| Arrived { source: 1, number: 0, content, service: 0 };
        assert_eq!(part.content().length(), 28);
        assert_eq!(Part::of(&arrived(part.content())), Some(part));
        for wrong in [Content::Length(28), Content::from(vec![0; 15]), Content::from(vec![0; 18])] {
            assert_eq!(Part::of(&arrived(wrong)), None);
        }
    }

    #[test]
    fn integers_are_clamped_and_floats_are_added() {
        assert_eq!(added(i32::MAX.cast_unsigned(), 1, false).cast_signed(), i32::MAX);
        assert_eq!(added((-3_i32).cast_unsigned(), 1, false).cast_signed(), -2);
        assert_eq!(f32::from_bits(added(0.5_f32.to_bits(), 0.25_f32.to_bits(), true)), 0.75);
    }
}
