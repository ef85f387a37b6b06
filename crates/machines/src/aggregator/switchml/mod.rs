//! The switch of SwitchML (Sapio et al., "Scaling distributed machine learning with in-network aggregation", NSDI 2021, section 3.4): a
//! pool of slots, each with two sets of values, which workers use in turn.
//!
//! `docs/transports/switchml.md` describes the packets and everything that is ours.

mod defect;
mod rules;
mod state;

pub use defect::SwitchMlDefect;
pub use state::{SwitchMlParameters, SwitchMlSwitch};
