//! Events and who wants them, without knowing which there are. Knows nothing of plots.
//!
//! Nodes emit events; recorders fold them. An event that nobody asked for is never built: a node looks at its
//! [`Interest`] first.

mod counts;
mod event;

pub use counts::Counts;
pub use event::{Event, Interest, Kind, Numbers, Told};
