//! Which tunnels are reliable.

use std::net::IpAddr;

/// The options of reliable tunnels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReliableOptions {
    /// The endpoints of the switches that have such tunnels with this one.
    pub endpoints: Vec<IpAddr>,
    /// Whether packets for an endpoint that does not answer are discarded, instead of being sent in a plain tunnel.
    pub is_demanded: bool,
}
