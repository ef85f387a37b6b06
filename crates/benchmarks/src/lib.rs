//! How fast machines are on this computer, beside the interpreter on the same packets.
//!
//! Measurements: the [`router`] in P4 as machine code and by the interpreter; [`programs`] on generated packets; the
//! [`traces`] that MP5's artifact was measured with; [`networks`] beside htsim; and a [`long_stream`], whose memory must not grow. Each also says
//! whether what was fast was right, for it is fast in vain if it is wrong. `docs/benchmarks.md` has the method and the
//! figures.

mod long_stream;
mod memory;
mod networks;
mod programs;
mod published_simulator;
mod router;
mod timing;
mod traces;

pub use long_stream::{LongStream, Mark, MeasuredStream, long_stream};
pub use networks::{Htsim, MeasuredHtsim, MeasuredNetwork, networks};
pub use programs::{Measured, programs};
pub use published_simulator::{PUBLISHED_PIPELINES, PUBLISHED_RATE, published_best_rate};
pub use router::{CompileTime, MeasuredRouter, Tables, compile_times, router};
pub use timing::Verdict;
pub use traces::{MeasuredTrace, traces};
