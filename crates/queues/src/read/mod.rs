//! Reads schedulers and memory in cells from plans in TOML: those of networks, of live switches and of chips.

mod cells;
mod scheduler;

pub use cells::memory;
pub use scheduler::scheduler;
