//! What every node needs that runs on live packets while somebody asks it questions.
//!
//! A node runs on one thread with its driver ([`Running`], [`run()`]). Other threads do [work](Handle::with) on it between two
//! bursts of packets. A [control socket](socket) takes requests as lines of JSON, a [capture] is a stream of pcapng, and
//! [metrics] are served over HTTP. Which requests there are, and what a node is, this crate does not know: whoever runs a node
//! implements [`Running`] for what work sees, and [`socket::Answers`] for what can be asked.
#![cfg(unix)]

mod cancel;
pub mod capture;
mod columns;
mod filter;
mod inbox;
mod message;
pub mod metrics;
mod run;
mod share;
pub mod socket;

/// The time for which a listener waits when the system has no descriptors left for the next client.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

pub use cancel::{Cancel, GivenUp};
pub use capture::ByteQueue;
pub use columns::columns;
pub use filter::Filter;
pub use inbox::{Ended, Handle, Inbox, channel};
pub use message::{Answered, Messages, Refusal, TrafficRow, read_request};
pub use run::{BoxedInterface, Running, run};
