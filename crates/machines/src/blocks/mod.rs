//! What runs the blocks of packet programs, and the form in which it holds a packet, for every machine that runs blocks one
//! after the other.

mod events;
mod executor;
mod frame;

pub use events::Digest;
pub use executor::{Executor, Ran};
pub use frame::Frame;
pub(crate) use frame::begins;
