//! P4Runtime, the protocol by which controllers configure, fill and watch a programmable switch.
//!
//! [`message`] has the messages, [`translate`] what they mean to a program, [`write()`] and [`read`] what a server does
//! with batches of them on a [`Switch`], [`arbitration`] which controller may write, and
//! [`p4info`] the description of a program for controllers. [`Listening`] begins the server for a switch that runs.

pub mod arbitration;
mod batch_status;
#[cfg(feature = "client")]
pub mod client;
pub mod digests;
mod failure;
pub mod message;
pub mod p4info;
pub mod packets;
pub mod pipeline;
pub mod read;
pub mod role_config;
pub mod roles;
mod service;
mod switch;
pub mod translate;
mod write;

pub use failure::Failure;
pub use service::{CPU_QUEUE, DirectService, DirectStream, Listening, PacketCounts, Server, VERSION};
pub use switch::{Access, Everything, Switch, Unavailable};
pub use translate::Translator;
pub use write::write;
