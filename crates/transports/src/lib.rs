//! End hosts as pure state machines: transports, and the host that runs an application above one of them.
//!
//! A [`Transport`] turns messages into packets and packets into messages: [`tcp`], [`ndp`], [`eqds`] or [`rocev2`]. It
//! opens no sockets, reads no clock and does not know the simulator. A [`Host`] gives it the time, arriving packets and
//! a link to send on, and connects it with a `demand::Application`. The [`costs`] module models the time that packets
//! need in the host's processor and network card.
//!
//! Begin with [`Transport`], the contract of every transport, and [`HostParameters`], from which a host is built.
//!
//! ```
//! use basis::Instant;
//! use demand::Wanted;
//! use transports::{Endpoint, Transport};
//! use transports::tcp::{TcpParameters, Tcp};
//!
//! let mut sender = Tcp::new(0x0A00_0001, TcpParameters::default(), 1);
//! let message = Wanted::of_length(0x0A00_0002, 10_000).numbered(0);
//! sender.submit(Instant::ZERO, message).expect("TCP carries messages to one host");
//!
//! // The connection opens with a SYN; nothing else may be sent until it is answered.
//! let syn = sender.transmit(Instant::ZERO).expect("a SYN");
//! assert_eq!(syn.tail.len(), 0);
//! assert!(sender.transmit(Instant::ZERO).is_none());
//! assert!(sender.deadline().is_some(), "the retransmission timer runs");
//! ```

pub mod aggregation;
mod arrivals;
pub mod costs;
mod counters;
mod endpoint;
pub mod eqds;
mod flow;
pub mod frame;
mod host;
mod integer_hasher;
pub mod jobs;
mod messaging;
pub mod ndp;
mod numbers;
mod participants;
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

/// Parts of transports for others that count packets: what has come, what is in flight, how long the way takes, and which
/// paths are suspected to be dead.
pub mod parts {
    pub use crate::ranges::{Changed, Ranges};
    pub use crate::round_trip::RoundTrip;
    pub use crate::suspects::{Suspect, Suspects, contains};
    pub use crate::window::{Flight, Window};
}

pub use endpoint::Endpoint;
pub use flow::{Flow, FlowEvent, FlowId};
pub use host::{Host, HostParameters, HostWith};
pub use paths::PathChoice;
pub use transport::{Notice, Refusal, Transport};
