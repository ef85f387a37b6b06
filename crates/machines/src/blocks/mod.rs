//! What runs the blocks of packet programs, and the form in which it holds a packet, for every machine that runs blocks one
//! after the other.

mod digests;
mod discards;
mod events;
mod executor;
mod frame;
mod gate;
mod idle;
mod list;
mod suitable;

pub(crate) use digests::{count_unread_digests, send_digest};
pub(crate) use discards::{restore_block, restore_discards, save_discards};
pub use events::Digest;
pub use executor::{Executor, Ran};
pub use frame::Frame;
pub(crate) use frame::begins;
pub use gate::{Assigned, Condition, Gate};
pub(crate) use idle::NextIdle;
pub use list::BlockList;
pub(crate) use suitable::unsuitable;
