//! What a worker contributes.

use std::fmt;

/// The values that one worker contributes to the tensors of its job. The same position always has the same value, because
/// a scheme reads what it sends again.
pub trait Gradients: fmt::Debug + Send + Sync {
    /// Writes the integers that the worker contributes to a tensor from position `first` on. If the job sums floating-point
    /// numbers, these are the integers that stand for them (see [`super::FixedPoint`]).
    fn integers(&self, tensor: u32, first: u64, values: &mut [i32]);

    /// Writes the same contribution as floating-point numbers. If the job sums integers, these are the integers themselves,
    /// rounded to the nearest number that the format has.
    fn floats(&self, tensor: u32, first: u64, values: &mut [f32]);
}
