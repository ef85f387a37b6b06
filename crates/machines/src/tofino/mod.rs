//! A chip for programs of the Tofino Native Architecture: parsers, ingress, deparser, traffic manager, parser, egress and
//! deparser, with bytes between the gresses.
//!
//! What a gress sees of a packet besides its bytes lies in front of them, as the architecture lays it out
//! ([`arch::InFront`]); nothing else crosses. The chip has pipes that share nothing but the traffic manager, each with a
//! state of its own. Blocks and queues take no time unless ports have links ([`crate::Device::hold_queues`]).

mod agenda;
mod configure;
mod copies;
mod deflection;
mod device;
mod egress;
mod front;
mod generator;
mod ghost;
mod gress;
mod ingress;
mod item;
mod layout;
mod lines;
mod mirroring;
mod multicast;
mod parameters;
mod ports;
mod queues;
pub mod reasons;
pub mod settings;
mod snapshot;
mod station;
mod statistics;
mod switch;
mod target;
mod timing;
mod told;

pub use parameters::TofinoParameters;
pub use settings::{ChipSettings, PortSettings};
pub use statistics::Statistics;
pub use switch::Tofino;
