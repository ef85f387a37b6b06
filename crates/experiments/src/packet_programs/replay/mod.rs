//! Packets run through a machine that runs a program.

mod described;
mod files;
mod input;
mod names;
mod result;
mod run;

pub use input::{CaptureInput, Offer, Pace};
pub use result::{PortOutcome, ReplayOutcome};
pub use run::{Replay, nth_packet, replay, replay_into};
