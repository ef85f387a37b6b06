//! The ports whose links are down.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// The ports whose links are down. All others are up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DownPorts(BTreeSet<u32>);

impl DownPorts {
    /// Returns whether a port is down.
    #[inline]
    pub fn contains(&self, port: u32) -> bool {
        self.0.contains(&port)
    }

    /// Says whether a port is up. Returns true if it was not known before.
    pub fn set(&mut self, port: u32, is_up: bool) -> bool {
        if is_up { self.0.remove(&port) } else { self.0.insert(port) }
    }
}
