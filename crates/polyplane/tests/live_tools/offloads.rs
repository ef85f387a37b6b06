//! Offloads of the hosts' interfaces.

use crate::site::Site;

/// Switches the work on packets that the kernel leaves to interfaces on or off, in both hosts.
pub fn set(site: &Site, state: &str) {
    for host in [&site.left, &site.right] {
        host.done("ethtool", &format!("-K eth0 tx {state} rx {state} tso {state} gso {state} gro {state}"));
    }
}
