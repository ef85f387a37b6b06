//! A host: an application above a transport above one line.

use node::Line;
use traffic::demand::Application;

use crate::Transport;

/// What a host is made of.
pub struct HostParameters {
    /// Its IPv4 address, as a number.
    pub address: u32,
    /// The line it sends on.
    pub line: Line,
    /// What carries its messages.
    pub transport: Box<dyn Transport>,
    /// What wants messages carried.
    pub application: Box<dyn Application>,
}

/// A host with one port.
pub struct Host {
    #[expect(dead_code, reason = "the contract only")]
    parameters: HostParameters,
}

impl Host {
    /// A host that has not sent anything yet.
    pub fn new(parameters: HostParameters) -> Self {
        Self { parameters }
    }
}
