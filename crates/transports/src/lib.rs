//! End hosts without I/O: transports as pure state machines, and a small host above them.
//!
//! A [`Transport`] turns messages into packets and packets into messages. It opens no socket and reads no clock; a
//! [`Host`] gives it time, packets and a line to send on, and connects it with an application.

mod counters;
pub mod frame;
mod host;
mod integer_hasher;
pub mod ndp;
mod slots;
pub mod tcp;
mod transport;

pub use host::{Host, HostParameters, HostWith};
pub use transport::{Notice, Transport};
