//! The encryption of tunnels.

use std::sync::Arc;

use crate::encryption::Keys;

/// The encryption of the tunnels of a VPC.
#[derive(Clone, Debug, PartialEq)]
pub struct Encryption {
    /// The VXLAN network identifier of the VPC.
    pub vni: u32,
    /// The path of the file with the keys, as the configuration has it.
    pub file: String,
    /// Whether packets of the VPC that come in the clear are discarded.
    pub is_demanded: bool,
    /// The keys; `None` until somebody has read the file. Without them no packet of the VPC enters a tunnel.
    pub keys: Option<Arc<Keys>>,
}
