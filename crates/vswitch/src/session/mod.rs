//! Sessions: both directions of a connection in one object (Triton, section 2.2), found by flow id or by key.

mod admission;
mod buckets;
mod key;
mod list;
mod occupied;
mod seen;
#[expect(clippy::module_inception, reason = "a session is what the module is about")]
mod session;
mod table;
mod tcp;
mod timeouts;

pub(crate) use admission::Resumed;
pub use admission::{Ended, NewSession, Refused, SessionLimits};
pub use key::{FlowHasher, FlowKey};
pub use seen::{FlagCounts, Seen, Unlogged};
pub use session::{Count, FlowId, Session};
pub use table::SessionTable;
pub(crate) use tcp::Half;
pub use tcp::{Judged, Segment, TcpPhase, TcpState};
pub use timeouts::Timeouts;
