//! The switch of ATP (Lao et al., NSDI 2021): soft state in aggregators, on a first come, first served basis.
//!
//! `docs/transports/atp.md` describes the packets and everything that the paper leaves open.

mod defect;
mod rules;
mod state;
mod values;

pub use defect::Defect;
pub use state::{AtpSwitch, AtpSwitchParameters, MOST_AGGREGATORS};
