//! Measures the virtual switch alone, without interfaces: what its options bring, what connections cost, and what attacks cost.

mod attacks;
mod connections;
mod frames;
mod network;
mod options;
mod tables;

use diagnostics::Failure;
use serde::Serialize;

pub use attacks::{MeasuredAttack, attacks};
pub use connections::MeasuredConnections;
pub use options::MeasuredOption;
pub use tables::{attack_table, connection_table, option_table};

/// The figures of the switch alone.
#[derive(Debug, Serialize)]
pub struct MeasuredVirtualSwitch {
    /// The time of a packet with each option of the path.
    pub options: Vec<MeasuredOption>,
    /// Connections of TCP, from the first packet to the last.
    pub connections: Vec<MeasuredConnections>,
}

/// Measures options and connections.
///
/// # Errors
/// If a configuration cannot be read, which is an error of this program.
pub fn virtual_switch(quick: bool) -> Result<MeasuredVirtualSwitch, Failure> {
    Ok(MeasuredVirtualSwitch { options: options::options(quick)?, connections: connections::connections(quick)? })
}
