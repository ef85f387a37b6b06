//! Jobs whose sums are known beforehand, for runs that measure or test a scheme.
//!
//! Values follow from a seed by their positions ([`Values`]), so that nobody stores them, and the sums can be formed apart
//! from the network. A [`RepeatedTensors`] is a `Job` that begins tensors of equal length one after another, compares
//! every sum that comes out, and emits a [`TensorEvent`] for whatever happens.

mod check;
mod repeated;
mod tensor_event;
mod values;

pub use check::{Check, Checked, Wrong};
pub use repeated::{RepeatedTensors, TensorSchedule};
pub use tensor_event::{TensorEvent, TensorHappening};
pub use values::{Arithmetic, Distribution, Values};
