//! ATP (Lao et al., NSDI 2021): workers and servers of in-network aggregation with best effort.
//!
//! A [`Worker`] cuts tensors into fragments and sends each to a [`Server`] as one packet. Switches on the way add up what
//! they can; the server adds up the rest, and answers with a parameter packet to all workers. The switch is
//! `machines::aggregator::atp`. `docs/transports/atp.md` has the packets, the rules, and what the paper leaves open.

mod contributions;
mod counters;
mod entry;
mod flight;
mod index;
mod numbering;
mod packet;
mod parameters;
mod scales;
mod server;
mod store;
mod tensors;
mod window;
mod worker;

pub use parameters::{Arithmetic, AtpParameters, Index};
pub use server::Server;
pub use worker::Worker;
