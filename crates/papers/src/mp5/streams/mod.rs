//! Streams of the published format on the machines of MP5's evaluation (section 4.3): the stream, the program of its
//! accesses, the contenders, and one run.
//!
//! A [`Stream`] says only which packet accesses which index in which stage. Its accesses become a program
//! ([`Stream::pipeline`]) whose final state depends on the order of every access, so that a run shows not only how fast
//! a machine is but also, compared with [`interpret_stream`], whether it is correct.

mod contender;
mod machine;
mod packets;
mod program;
mod run;
mod stream;
mod watch;

pub use contender::{Contender, Placement};
pub use machine::{resolution_stages, stream_machine};
pub use machines::mp5::Rules;
pub use packets::StreamPackets;
pub use run::{StreamOutcome, interpret_stream, run_stream};
pub use stream::{PERIOD, Stream};
pub use traffic::{PublishedPattern as Pattern, PublishedPlan as StreamPlan, PublishedShape, PublishedSizes};
