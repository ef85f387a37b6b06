//! Time, rates, seeded randomness and typed ids.
//!
//! Nothing here reads a clock or an entropy source: an [`Instant`] is a number that somebody hands over, and a
//! [`Random`] is a pure function of its seed, so that the same plan and seed give the same bytes everywhere.

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
