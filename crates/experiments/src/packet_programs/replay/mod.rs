//! Packets run through a machine that runs a program.

mod described;
mod files;
mod input;
mod names;
mod result;
mod run;

pub(super) use input::Packets;
pub use input::{CaptureInput, Offer, Pace};
pub use result::{PortOutcome, ReplayOutcome};
pub use run::{Replay, replay, replay_into};
