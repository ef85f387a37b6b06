//! Connection matrices in the format of htsim (github Broadcom/csg-htsim, `sim/datacenter/connection_matrix.cpp`).
//!
//! ```text
//! Nodes 16
//! Connections 2
//! Triggers 1
//! 0->13 id 1 start 0 size 2000000 send_done_trigger 1
//! 0->14 id 2 trigger 1 size 2000000
//! trigger id 1 oneshot
//! ```
//! Starts are in picoseconds, sizes in bytes. There a trigger acts at once wherever it is; here, as in a network,
//! nothing carries it from host to host: it must start flows of the host at which it fires.

mod host;
mod read;

use std::sync::Arc;

use basis::Duration;
use diagnostics::{Diagnostics, SourceId, Sources};

pub(crate) use host::MatrixHost;

/// Connections from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    nodes: u32,
    connections: Vec<Connection>,
    triggers: Vec<Trigger>,
    /// The connections of each node, in the order of the file.
    by_source: Vec<Vec<u32>>,
    /// Connections whose arrival at each node fires a trigger.
    awaited: Vec<Vec<u32>>,
}

/// A connection: one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Connection {
    source: u32,
    destination: u32,
    start: Start,
    bytes: u64,
    priority: Option<u8>,
    /// The trigger that fires when the source knows that all has arrived.
    sent: Option<u32>,
    /// The trigger that fires when all is at the destination.
    received: Option<u32>,
}

/// When a connection starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    At(Duration),
    /// When a trigger fires.
    Triggered,
}

/// Something that starts connections when others are done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Trigger {
    /// Its number in the file.
    id: u64,
    kind: TriggerKind,
    /// What it starts, in the order of the file.
    targets: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TriggerKind {
    /// Starts all when it fires first.
    #[default]
    OneShot,
    /// Starts one more each time.
    MultiShot,
    /// Starts all when it has fired so often.
    Barrier(u32),
}

impl Trigger {
    /// What it has started when it has fired so often.
    fn started(&self, times: u32) -> &[u32] {
        let count = match self.kind {
            TriggerKind::OneShot if times > 0 => self.targets.len(),
            TriggerKind::Barrier(needed) if times >= needed => self.targets.len(),
            TriggerKind::MultiShot => self.targets.len().min(times as usize),
            TriggerKind::OneShot | TriggerKind::Barrier(_) => 0,
        };
        &self.targets[..count]
    }

    /// For what those wait that it has not started, when it has fired so often.
    fn why(&self, times: u32) -> String {
        let id = self.id;
        match (self.kind, times) {
            (TriggerKind::Barrier(needed), _) => {
                format!("waits for trigger {id}, a barrier that has fired {times} of {needed} times")
            }
            (_, 0) => format!("waits for trigger {id}, which has not fired"),
            (_, times) => {
                format!("waits for trigger {id}, which has fired {times} times and starts one flow each time")
            }
        }
    }
}

impl Matrix {
    /// Reads a connection matrix.
    ///
    /// # Errors
    /// Every mistake, with its line.
    pub fn read(sources: &Sources, id: SourceId) -> Result<Arc<Self>, Diagnostics> {
        read::read(sources, id).map(Arc::new)
    }

    /// For how many hosts it is.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How many connections there are.
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    /// The bytes of the longest message.
    pub(crate) fn longest_message(&self) -> u64 {
        self.connections.iter().map(|connection| connection.bytes).max().unwrap_or(0)
    }

    /// True if there are no connections.
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }
}
