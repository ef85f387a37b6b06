//! The run-to-completion chip of *Using Trio: Juniper Networks' programmable chipset for emerging in-network applications*
//! (SIGCOMM 2022): packet processing engines whose threads share memory, and each of which runs one packet to its end.
//!
//! A packet that arrives is dispatched to a free thread of any engine, executes instructions, asks for transactions behind
//! the crossbar ([`memory`]), and leaves through the reorder engine and the queues of its port. Timers and events begin
//! threads, too. What an instruction and a transaction do is said in [`ir::interpret::threads`]; the chip says when.
//!
//! The chip knows cycles: [`Trio`] jumps from one in which something happens to the next, so an idle chip costs nothing.

mod calendar;
mod chip;
mod device;
mod dispatch;
mod engines;
mod event;
mod flow;
mod free;
pub mod memory;
mod node;
mod output;
mod packets;
mod parameters;
mod parts;
mod presets;
mod read;
pub mod reasons;
mod reorder;
mod run;
mod slot;
mod snapshot;
mod station;
mod statistics;
mod timeline;
mod timers;
mod trace;

pub use chip::Trio;
use parameters::MAXIMUM;
pub use parameters::TrioParameters;
pub use presets::{PRESET_NAMES, PRESETS, Preset};
pub use statistics::{Latency, Statistics};
