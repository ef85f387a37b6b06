//! Nodes on real packets in real time: interfaces, the clock, and a driver that binds a node's ports to them.
//!
//! A node that runs here is the one that runs in simulations: it is told the time and hands out packets. Nothing here
//! knows a protocol.
#![cfg(unix)]

mod clock;
mod driver;
mod interface;
mod tap;
mod waits;

pub use clock::RealClock;
pub use driver::{Driver, Tally};
pub use interface::Interface;
pub use tap::Tap;
