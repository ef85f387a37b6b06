//! Live upgrade (Triton, section 8.2): a new process takes over from one that runs, while packets pass.
//!
//! Both have the interfaces and receive; the old one transmits until it *gives way*. The new one asks the old for its configuration
//! and, some slots at a time, for its sessions ([`Takeover`]). Then the old one gives way: from one burst to the next it
//! discards what arrives, and hands over what has changed since. The new one discards what it has received until then, for the
//! old one has passed it on, and transmits from there on. It stops the old one, which otherwise would go on by itself after
//! [`LONGEST_WAIT`]: so a new process that fails leaves a switch that runs.
//!
//! An interface that two processes cannot have at once (TAP, vhost-user) is closed by the old one when it gives way, and opened by
//! the new one.

mod give;
mod take;

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub(crate) use give::{give_way, hand_over, report, resume};
pub use take::Takeover;

/// The time after which a switch that has given way goes on by itself.
pub const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The time within which a new process must transmit after the old one has given way. It ends before the old one goes on, so that
/// never both do.
const LONGEST_TAKEOVER: Duration = Duration::from_millis(700);

/// What a new process has to know of the switch that it takes over from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpgradeReport {
    /// The name of the switch.
    pub name: String,
    /// The number of the process.
    pub process: u32,
    /// The path of the file that was applied last, and its text.
    pub file: (String, String),
    /// The `[[vnic]]` sections of vNICs that no file has.
    pub attached: Vec<String>,
    /// The epoch of this configuration, which every other one changes.
    #[serde(default)]
    pub epoch: Option<u32>,
    /// The time of the switch's clock, in picoseconds.
    pub now: u64,
    /// The version in which it hands sessions over.
    pub version: u16,
    /// The address at which it serves metrics.
    #[serde(default)]
    pub metrics: Option<SocketAddr>,
    /// Whether a service manager has started it, and is told of its successor.
    #[serde(default)]
    pub is_managed: bool,
}

/// Sessions that are handed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandedOver {
    /// The sessions, as `docs/vswitch/handover.md` describes, in base64.
    pub sessions: String,
    /// The number of the next slot; `None` if there is no other one.
    pub next: Option<usize>,
}
