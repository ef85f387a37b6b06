//! Runs a node on real packets in real time: interfaces, a clock, and a driver that binds the ports of a node to
//! interfaces.
//!
//! The node is the same as in simulations: any [`node::Node`], which is told the time and does no I/O of its own. This
//! crate knows no protocol and no program, and nothing of simulated time. Begin with [`Driver`]; [`PacketSocket`] binds a
//! port to an interface of Linux that exists, [`Tap`] to one that is made, and others implement [`Interface`].
//!
//! # Example
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use basis::Instant;
//! use live::{Driver, Tap};
//! use node::Port;
//!
//! /// Runs a node with two ports on two TAP interfaces for a second.
//! fn run(node: impl node::Node) -> std::io::Result<()> {
//!     let mut driver = Driver::new(node, [(Port(0), Tap::open("tap0")?), (Port(1), Tap::open("tap1")?)])?;
//!     let end = Instant::from_microseconds(1_000_000);
//!     driver.wake_by(Some(end));
//!     driver.run(|_, now, _| if now < end { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
//! }
//! ```
#![cfg(unix)]

mod affinity;
mod capture_files;
mod check;
mod clock;
mod driver;
mod found;
mod frame_program;
mod frames;
mod interface;
mod kinds;
mod link_message;
mod link_watch;
mod memory;
pub mod namespace;
mod observer;
mod packet_socket;
pub mod reasons;
mod segments;
mod succession;
mod tally;
mod tap;
mod tun_link;
mod udp;
#[cfg(feature = "vhost_user")]
mod vhost_user;
pub mod virtio;
mod waker;
#[cfg(feature = "af_xdp")]
mod xdp;

pub use affinity::{pin_to_core, usable_cores};
pub use capture_files::CaptureFiles;
pub use check::{Claim, RIGHTS, Unusable, check, written_file};
pub use clock::RealClock;
pub use driver::{Driver, PortView};
pub use found::{Found, found};
pub use frame_program::FrameProgram;
pub use interface::{Interface, InterfaceEvent, Offload};
pub use kinds::{KINDS, Kind, Options, kind_of, open};
pub use memory::{MemoryCounts, MemoryInterface};
pub use observer::Observer;
pub use packet_socket::PacketSocket;
pub use succession::{Succession, succession};
pub use tally::{Balance, Delays, Lateness, PortTally, Tally, Traffic};
pub use tap::Tap;
pub use udp::Udp;
#[cfg(feature = "vhost_user")]
pub use vhost_user::VhostUser;
pub use waker::Waker;
#[cfg(feature = "af_xdp")]
pub use xdp::Xdp;
