//! The requests that a running switch takes and its answers, as values and as JSON: a line a message.

mod answer;
mod rows;
mod text;

use serde::{Deserialize, Serialize};

pub use answer::{
    Answer, ControllersReport, CounterRow, DropRow, EntryRow, Executed, MeterRow, PortRow, RegisterRow, Reloaded,
    StateReport, SwitchReport, TableRow,
};
pub use rows::Indexed;
pub use service::{Refusal, TrafficRow};

/// What a switch answers to a request: what was asked for, or why not.
pub type Answered = service::Answered<Answer>;

use crate::capture::CapturePoint;

/// A request to a running switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case", deny_unknown_fields)]
// Variants without fields have braces, because serde refuses unknown fields of these only.
pub enum Request {
    /// What runs, and for how long.
    Switch {},
    /// The ports with their counters.
    Ports {},
    /// The entries of tables.
    Tables {
        /// The names of the tables; all if there is none.
        #[serde(default)]
        names: Vec<String>,
    },
    /// The counters, meters and registers of the program.
    Counters {
        /// Their names; all if there is none.
        #[serde(default)]
        names: Vec<String>,
        /// The most elements of each that are returned.
        #[serde(default = "usual_most")]
        most: usize,
    },
    /// The discarded packets by reason and port, and by block of the program.
    Drops {},
    /// Carries out requests of the control plane, all or none.
    Execute {
        /// The lines of an STF file or of `simple_switch_CLI`.
        lines: String,
        /// Whether the lines are those of an STF file.
        #[serde(default)]
        stf: bool,
    },
    /// Waits for a packet that matches, and traces it.
    Trace {
        /// The filter; all packets match an empty one.
        #[serde(default)]
        filter: String,
        /// The port on which the packet comes; any if there is none.
        #[serde(default)]
        port: Option<u16>,
    },
    /// Captures packets. The answer is followed by the bytes of a pcapng file until either end closes the connection.
    Capture {
        /// The points at which packets are captured; all if there is none.
        #[serde(default)]
        at: Vec<CapturePoint>,
        /// The ports; all if there is none.
        #[serde(default)]
        ports: Vec<u16>,
        /// The filter; all packets match an empty one.
        #[serde(default)]
        filter: String,
    },
    /// Reads the plan's program and tables again.
    Reload {
        /// Whether the switch only says what would change.
        #[serde(default)]
        dry_run: bool,
    },
    /// Sends what is held and ends.
    Stop {},
}

const fn usual_most() -> usize {
    64
}

impl Request {
    /// Reads a request from a line of JSON.
    ///
    /// # Errors
    /// Fails if the line is not a request; the message says why.
    pub fn read(line: &[u8]) -> Result<Self, Refusal> {
        service::read_request(line)
    }
}
