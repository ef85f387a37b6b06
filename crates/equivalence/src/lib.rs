//! Compares a machine with the interpreter, which defines the meaning of a program, and shrinks a difference to the
//! fewest packets that show it.
//!
//! Begin with [`compare`]: it feeds a stream of packets to a machine and to the interpreter, and returns a
//! [`Comparison`] of the final registers, of every packet's fields, bytes and fate, and of the order within flows, with
//! the number of packets that violate condition C1 of MP5. [`Subject::shrink`] finds the fewest packets that show a
//! difference, and a [`Witness`] shows both results side by side. A program of threads means any interleaving of them; there the
//! interpreter follows the order that the machine tells ([`Reference::of_order`]). [`coverage`] generates packets that reach every part
//! of a program.
//!
//! The crate sees a machine only through [`machines::Device`] and never looks inside.

mod access_order;
mod ahead;
mod check;
mod comparison;
mod course;
pub mod coverage;
mod difference;
mod flow_order;
mod flows;
mod in_flight;
mod judge;
mod marks;
mod original;
mod outside;
mod packets;
mod pairing;
mod record;
mod reduce;
mod reference;
mod replay;
mod shrink;
mod state;
mod tape;
mod timing;
mod watcher;
mod witness;

pub use access_order::{AccessOrder, Overtaking};
pub use check::{Leaving, Rules, compare, compare_watched};
pub use comparison::{Comparison, Times, Verdict};
pub use difference::{ByteDifference, Fate, FateDifference, FieldDifference, PacketDifference, RegisterDifference};
pub use flow_order::{FlowOrder, Reordering};
pub use flows::Flows;
pub use reduce::Effort;
pub use reference::{ControlPlaneSetup, Expected, PacketEnd, Reference};
pub use replay::ThreadReasons;
pub use shrink::{Shrunk, Subject};
pub use watcher::Watcher;
pub use witness::{Witness, WitnessField, WitnessPacket};
