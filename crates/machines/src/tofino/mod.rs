//! A chip for programs of the Tofino Native Architecture: parsers, ingress, deparser, traffic manager, parser, egress and
//! deparser, with bytes between the gresses.
//!
//! What a gress sees of a packet besides its bytes lies in front of them, as the architecture lays it out
//! ([`arch::InFront`]); nothing else crosses. The chip has one pipe here, whose blocks and queues take no time unless its
//! ports have links ([`crate::Device::hold_queues`]).

mod copies;
mod device;
mod egress;
mod front;
mod gress;
mod ingress;
mod item;
mod layout;
mod parameters;
mod queues;
pub mod reasons;
mod snapshot;
mod station;
mod statistics;
mod switch;

pub use parameters::TofinoParameters;
pub use statistics::Statistics;
pub use switch::Tofino;
