//! How fast machines are on this computer, beside the interpreter on the same packets.
//!
//! Three measurements: [`programs`] on generated packets, the [`traces`] that MP5's artifact was measured with, and a
//! [`long_stream`], whose memory must not grow. Each also says whether the machine came out in the interpreter's
//! state, for a machine is fast in vain if it is wrong. `docs/benchmarks.md` has the method and the figures.

mod long_stream;
mod memory;
mod programs;
mod published_simulator;
mod timing;
mod traces;

pub use long_stream::{LongStream, Mark, MeasuredStream, long_stream};
pub use programs::{Measured, programs};
pub use published_simulator::{PUBLISHED_PIPELINES, PUBLISHED_RATE, published_best_rate};
pub use timing::Verdict;
pub use traces::{MeasuredTrace, traces};
