//! Events that nodes emit, the set of events that a recorder wants, and counters.
//!
//! Nodes emit [`Event`]s and recorders fold them. An event that nobody asked for should never be built: a node checks
//! its [`Interest`] first. The crate knows neither which events there are nor how measurements are plotted.
//!
//! ```
//! let mut counts = measure::Counts::default();
//! for verdict in ["forwarded", "dropped", "forwarded"] {
//!     counts.add(verdict);
//! }
//! assert_eq!((counts.of("forwarded"), counts.of("lost"), counts.total()), (2, 0, 3));
//! ```

mod counts;
mod event;

pub use counts::Counts;
pub use event::{Event, EventKind, Interest, Numbers, TypedEvent};
