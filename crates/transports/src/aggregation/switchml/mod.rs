//! SwitchML's workers: a switch adds up all that they send (Sapio et al., "Scaling distributed machine learning with in-network
//! aggregation", NSDI 2021). `docs/transports/switchml.md` describes packets and rules.
//!
//! The switch has a pool of slots for the job. A worker sends part p of its tensors through slot p modulo the number of slots, and the
//! next part of this slot as soon as it has the sum: the sums are the acknowledgements. Each slot has two sets of values (shadow
//! copies), used in turn, so that the switch can send a sum again to a worker that has not got it while others have gone on.

mod parameters;
mod parts;
mod worker;

pub use parameters::{SwitchMlParameters, ValuesPerPacket};
pub use worker::{Counters, SwitchMl};
