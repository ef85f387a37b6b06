//! Typed events, and who wants them. Knows nothing of plots.
//!
//! Nodes emit events; recorders fold them. An event that nobody asked for is never built: a node looks at its
//! [`Interest`] first.

mod counts;
mod event;

pub use counts::Counts;
pub use event::{Event, FlowEvent, FlowId, Interest};
