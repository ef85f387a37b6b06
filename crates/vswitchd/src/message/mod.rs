//! The requests that a running virtual switch takes and its answers, as values and as JSON: a line a message.

mod answer;
mod text;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

pub use answer::{
    Answer, AppliedReport, CoreRow, DropRow, FlowRow, LimiterRow, PacketReport, PathRow, PortRow, RuleRow, SessionRow,
    StepRow, SwitchReport, TraceReport,
};
pub use service::{Refusal, TrafficRow};

use crate::capture::CapturePoint;

/// What a switch answers to a request: what was asked for, or why not.
pub type Answered = service::Answered<Answer>;

/// A request to a running virtual switch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case", deny_unknown_fields)]
// Variants without fields have braces, because serde refuses unknown fields of these only.
pub enum Request {
    /// What runs, for how long, and how packets find their sessions.
    Switch {},
    /// The interfaces of vNICs and of the underlay, with their counters.
    Ports {},
    /// The sessions.
    Sessions {
        /// The vNIC at one of their ends; any if there is none.
        #[serde(default)]
        vnic: Option<String>,
        /// The most sessions that are returned.
        #[serde(default = "usual_most")]
        most: usize,
    },
    /// The two directions of sessions with what is done with their packets.
    Flows {
        /// The vNIC at one of their ends; any if there is none.
        #[serde(default)]
        vnic: Option<String>,
        /// The most flows that are returned.
        #[serde(default = "usual_most")]
        most: usize,
    },
    /// The discarded packets by reason and port.
    Drops {},
    /// The rules of security groups.
    Rules {},
    /// The limiters with what they have counted.
    Limiters {},
    /// The paths of the underlay.
    Underlay {},
    /// The cores; or another number of them from now on.
    Cores {
        /// The number, from 1 to 64; `None` to leave it as it is.
        #[serde(default)]
        number: Option<u16>,
    },
    /// Says what happens to a packet, and why.
    Trace {
        /// The protocol, by name or number.
        protocol: String,
        /// The source address.
        source: IpAddr,
        /// The source port; 0 for protocols without ports.
        #[serde(default)]
        source_port: u16,
        /// The destination address.
        destination: IpAddr,
        /// The destination port; 0 for protocols without ports.
        #[serde(default)]
        destination_port: u16,
        /// The name of the VPC; may be left out if there is one.
        #[serde(default)]
        vpc: Option<String>,
        /// Whether to wait for the next packet of the flow, and to say what became of it.
        #[serde(default)]
        next: bool,
    },
    /// Captures packets. The answer is followed by the bytes of a pcapng file until either end closes the connection.
    Capture {
        /// The stages at which packets are captured; all if there is none.
        #[serde(default)]
        at: Vec<CapturePoint>,
        /// The ports; all if there is none.
        #[serde(default)]
        ports: Vec<u16>,
        /// The filter; all packets match an empty one.
        #[serde(default)]
        filter: String,
    },
    /// Tells events of vNICs. The answer is followed by an event a line until either end closes the connection.
    Events {
        /// The vNIC; all if there is none.
        #[serde(default)]
        vnic: Option<String>,
    },
    /// Puts another configuration into the place of the present one.
    Apply {
        /// The path of its file, which the switch reads.
        path: String,
        /// Its text, instead of that of the file.
        #[serde(default)]
        text: Option<String>,
        /// Whether the switch only says what would change.
        #[serde(default)]
        dry_run: bool,
    },
    /// Adds a vNIC that no file has. It stays until it is detached, whatever file is applied.
    Attach {
        /// The `[[vnic]]` of a configuration, as TOML.
        vnic: String,
    },
    /// Removes a vNIC that was attached.
    Detach {
        /// Its name.
        name: String,
    },
    /// The vNICs that were attached.
    Attached {},
    /// What another process has to know that takes over from this one.
    Upgrade {},
    /// Hands the sessions in some slots over to another process.
    HandOver {
        /// The number of the first slot.
        from: usize,
    },
    /// Gives way to another process: passes no packets on, and hands the sessions over that had some since a time.
    GiveWay {
        /// The time, in picoseconds of the switch's clock.
        since: u64,
        /// The configuration that the other process has read, by its epoch: if there has been another one since, it is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<u32>,
    },
    /// Goes on after giving way.
    Resume {},
    /// Sends what is held and ends.
    Stop {
        /// The process that has taken over. A service manager is told that it is the one to watch from then on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        successor: Option<u32>,
    },
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
