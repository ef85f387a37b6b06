//! Runs a node on real packets in real time: interfaces, a clock, and a driver that binds the ports of a node to
//! interfaces.
//!
//! The node is the same as in simulations: any [`node::Node`], which is told the time and does no I/O of its own. This
//! crate knows no protocol and no program, and nothing of simulated time. Begin with [`Driver`]; [`Tap`] is the
//! interface for Linux, and other interfaces implement [`Interface`].
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
