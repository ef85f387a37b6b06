//! End hosts without I/O: transports as pure state machines, and a small host above them.
//!
//! A [`Transport`] turns messages into packets and packets into messages. It opens no socket and reads no clock; a
//! [`Host`] gives it time, packets and a line to send on, and connects it with an application.

mod arrivals;
pub mod costs;
mod counters;
pub mod eqds;
mod flow;
pub mod frame;
mod host;
mod integer_hasher;
pub mod ndp;
mod numbers;
mod paths;
mod ranges;
pub mod reasons;
mod receiver_driven;
mod refused;
mod return_paths;
pub mod rocev2;
mod round_trip;
mod slots;
mod sources;
mod suspects;
pub mod tcp;
mod timeouts;
mod transport;
mod window;

pub use flow::{Flow, FlowEvent, FlowId};
pub use host::{Host, HostParameters, HostWith};
pub use paths::PathChoice;
pub use transport::{Notice, Refusal, Transport};
