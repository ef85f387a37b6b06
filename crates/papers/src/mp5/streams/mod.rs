//! Streams of the published format on the machines of MP5's evaluation (section 4.3): the stream, the program that its
//! accesses are, who contends, and one run.
//!
//! A [`Stream`] says only which packet accesses which index in which stage. Its accesses become a program of their own
//! ([`Stream::pipeline`]), whose state at the end depends on the order of every access; so a run shows not only how
//! fast a machine is but also, beside [`interpret_stream`], whether it did what the stream means.

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
