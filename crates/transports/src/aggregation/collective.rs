//! The contract of every scheme that sums tensors.

use std::sync::Arc;

use basis::Instant;
use serde::{Deserialize, Serialize};

use super::{Outcomes, Setup};
use crate::Endpoint;

/// A tensor: values to which every worker of a job contributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tensor {
    /// The number of the tensor in its job, in ascending order from 0.
    pub number: u32,
    /// The number of values, at least 1.
    pub length: u64,
}

/// A worker's or a server's side of a scheme that sums tensors.
pub trait Member: Endpoint<Outcomes> {
    /// Changes who takes part. A worker that has left contributes to nothing that was not complete before; one that has come
    /// contributes to everything from the first part that is not complete.
    fn set_up(&mut self, now: Instant, setup: Arc<Setup>);

    /// Forgets everything but the setup, as a process that failed and was started again. A worker then learns from the others
    /// which parts are complete.
    fn restart(&mut self, now: Instant);
}

/// A worker's side of a scheme that sums tensors: a [`Member`] that contributes, and reports the sums.
pub trait Collective: Member {
    /// Begins to contribute to a tensor. Tensors are begun in the order of their numbers, and several may be under way. After
    /// [`Member::restart`], they are begun from the first again.
    ///
    /// # Panics
    /// Collectives may panic if a tensor with this or a higher number was begun before.
    fn begin(&mut self, now: Instant, tensor: Tensor);
}
