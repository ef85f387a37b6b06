//! The workers of Trio-ML ("Using Trio", SIGCOMM 2022, sections 4 and 5): tensors are streamed in blocks through a window, and
//! the network answers each block with its sum.
//!
//! Blocks are numbered through all tensors of a job, so that the results of one tensor are never taken for those of the next.
//! What the paper leaves out is loss: a block without a result is sent again after a timeout, and the switch either counts it
//! once, or answers with the result that it keeps. `docs/transports/trio-ml.md` describes the protocol.

mod blocks;
mod counters;
mod format;
mod parameters;
mod tensors;
mod worker;

pub use counters::Counters;
pub use parameters::TrioMlParameters;
pub use worker::TrioMl;
