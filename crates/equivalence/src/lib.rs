//! Holds a machine against the interpreter, which is the meaning of a program, and shrinks a difference to the
//! fewest packets that show it.
//!
//! [`compare`] drives a machine with a stream of packets and the interpreter beside it, and says what came of it in
//! a [`Comparison`]: final registers, every packet's fields, bytes and fate, order within flows, and how many packets
//! violate MP5's condition C1. [`Subject::shrink`] finds the fewest packets that show a difference, and [`Witness`]
//! shows them side by side.

mod access_order;
mod check;
mod comparison;
pub mod coverage;
mod difference;
mod flow_order;
mod flows;
mod in_flight;
mod judge;
mod marks;
mod original;
mod packets;
mod record;
mod reduce;
mod reference;
mod shrink;
mod state;
mod timing;
mod watcher;
mod witness;

pub use access_order::{AccessOrder, Overtaking};
pub use check::{Rules, compare, compare_watched};
pub use comparison::{Comparison, Times, Verdict};
pub use difference::{ByteDifference, Fate, FateDifference, FieldDifference, PacketDifference, RegisterDifference};
pub use flow_order::{FlowOrder, Reordering};
pub use flows::Flows;
pub use reduce::Effort;
pub use reference::{End, Expected, Reference};
pub use shrink::{Shrunk, Subject};
pub use watcher::Watcher;
pub use witness::{Witness, WitnessField, WitnessPacket};
