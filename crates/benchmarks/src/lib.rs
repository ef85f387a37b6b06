//! Measures how fast machines and networks run on this computer.
//!
//! - [`router()`] runs an IPv4 router in P4 as machine code and by the interpreter; [`compile_times`] measures how long
//!   programs take to compile.
//! - [`programs()`] runs every machine with pipelines on generated packets.
//! - [`traces()`] runs MP5 on the traces that its artifact was measured with.
//! - [`networks()`] simulates networks, and runs htsim on the same flows.
//! - [`long_stream()`] runs MP5 on a stream during which its memory must not grow.
//!
//! Where the interpreter can run the same packets, the results also say whether the machine ended in the interpreter's
//! state. The crate never knows how a machine is fast. `docs/benchmarks.md` has the method and the figures.

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
