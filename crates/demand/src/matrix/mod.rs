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
//! Start times are in picoseconds and sizes in bytes. In htsim a trigger takes effect at once on any host. Here, as in
//! a real network, nothing carries it from host to host: it can only start flows of the host on which it fires.

mod host;
mod read;

use std::sync::Arc;

use basis::Duration;
use diagnostics::{Diagnostics, SourceId, Sources};

/// The connections of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    nodes: u32,
    connections: Vec<Connection>,
    triggers: Vec<Trigger>,
    /// The connections of each node, in the order of the file.
    by_source: Vec<Vec<u32>>,
    /// The connections to each node whose arrival fires a trigger.
    awaited: Vec<Vec<u32>>,
}

/// A connection, which carries one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Connection {
    source: u32,
    destination: u32,
    start: Start,
    bytes: u64,
    priority: Option<u8>,
    /// The trigger that fires when the source knows that all bytes have arrived.
    sent: Option<u32>,
    /// The trigger that fires when all bytes have arrived at the destination.
    received: Option<u32>,
}

/// The start of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    At(Duration),
    /// The connection starts when a trigger fires.
    Triggered,
}

/// A trigger, which starts connections when others are done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Trigger {
    /// The trigger's number in the file.
    id: u64,
    kind: TriggerKind,
    /// The connections that it starts, in the order of the file.
    targets: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TriggerKind {
    /// Starts all targets when it fires for the first time.
    #[default]
    OneShot,
    /// Starts one more target each time it fires.
    MultiShot,
    /// Starts all targets when it has fired this number of times.
    Barrier(u32),
}

impl Trigger {
    /// Returns the targets that it has started after firing `times` times.
    fn started(&self, times: u32) -> &[u32] {
        let count = match self.kind {
            TriggerKind::OneShot if times > 0 => self.targets.len(),
            TriggerKind::Barrier(needed) if times >= needed => self.targets.len(),
            TriggerKind::MultiShot => self.targets.len().min(times as usize),
            TriggerKind::OneShot | TriggerKind::Barrier(_) => 0,
        };
        &self.targets[..count]
    }

    /// Returns the reason why the remaining targets wait after it has fired `times` times.
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
    /// Parses the source `id` as a connection matrix.
    ///
    /// # Errors
    /// All mistakes in the file, each with its position.
    pub fn read(sources: &Sources, id: SourceId) -> Result<Arc<Self>, Diagnostics> {
        read::read(sources, id).map(Arc::new)
    }

    /// Returns the number of hosts that the matrix is for.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Returns the number of connections.
    pub fn len(&self) -> usize {
        self.connections.len()
    }

    /// Returns the length of the longest message, in bytes.
    pub(crate) fn longest_message(&self) -> u64 {
        self.connections.iter().map(|connection| connection.bytes).max().unwrap_or(0)
    }

    /// Returns true if there are no connections.
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }
}
