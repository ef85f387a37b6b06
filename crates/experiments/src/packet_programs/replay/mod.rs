//! Captures run through a program.

mod described;
mod files;
mod input;
mod names;
mod result;
mod run;

pub use input::{CaptureInput, Pace};
pub use result::ReplayOutcome;
pub use run::{Replay, nth_packet, replay, replay_into};
