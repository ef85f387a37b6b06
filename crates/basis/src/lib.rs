//! Integer time, link rates, seeded randomness, typed ids and snapshots of state.
//!
//! Nothing here reads a clock or a source of entropy: an [`Instant`] is a number that the caller passes in, and a
//! [`Random`] is a pure function of its seed, so that the same plan and the same seed give the same bytes on every
//! computer. The crate knows nothing of packets, programs or networks.
//!
//! ```
//! use basis::{Clock, Duration, Instant, Rate};
//!
//! // A 1500-byte packet takes 120 ns on a link of 100 Gb/s, which is 120 cycles of a 1 GHz clock.
//! let time = Rate::from_gigabits_per_second(100).time_of(1500);
//! let clock = Clock::new(Duration::from_nanoseconds(1), 1);
//! assert_eq!(time, Duration::from_nanoseconds(120));
//! assert_eq!(clock.first_edge_at_or_after(Instant::ZERO + time), 120);
//! ```

mod ids;
mod prefetch;
mod random;
mod rate;
pub mod snapshot;
mod time;

pub use prefetch::{prefetch, prefetch_at};
pub use random::{Random, mix};
pub use rate::Rate;
pub use time::{Clock, Duration, Instant};
