//! The answers of a running switch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use service::TrafficRow;

use super::Indexed;

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// What runs.
    Switch(SwitchReport),
    /// The ports.
    Ports(Vec<PortRow>),
    /// The tables.
    Tables(Vec<TableRow>),
    /// The counters, meters and registers.
    Counters(StateReport),
    /// The discarded packets.
    Drops(Vec<DropRow>),
    /// The results of the requests of the control plane that read something.
    Executed(Vec<Executed>),
    /// The traces of a packet, and their text.
    Trace {
        /// The text, as `polyplane trace` prints it.
        text: String,
        /// The traces, as `polyplane trace --json` prints them.
        traces: serde_json::Value,
    },
    /// A capture has begun.
    Capture {
        /// The format of the bytes that follow: `pcapng`.
        format: String,
    },
    /// What a reload has changed, or would change.
    Reloaded(Reloaded),
    /// The switch ends.
    Stopping,
}

/// What runs, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchReport {
    /// The name of the switch.
    pub name: String,
    /// The program.
    pub program: String,
    /// The machine.
    pub machine: String,
    /// The number of the process.
    pub process: u32,
    /// The time since it started, in seconds.
    pub seconds: u64,
    /// The number of times that it was reloaded.
    pub reloads: u64,
    /// The controllers; `None` if no server for them runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controllers: Option<ControllersReport>,
}

/// The controllers of a switch, and what happened to packets to and from them since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControllersReport {
    /// Whether a controller is the primary of a role, so that it may write.
    pub primary: bool,
    /// The number of packet-ins that were handed to a controller.
    pub packet_ins: u64,
    /// The number of packet-ins for which a controller had no room.
    pub lost: u64,
    /// The number of packets to controllers while there was none to take them.
    pub unheard: u64,
    /// The number of packets to controllers that were shorter than the header `packet_in`.
    pub malformed: u64,
    /// The number of packet-outs that were handed to the switch.
    pub packet_outs: u64,
    /// The number of packet-outs for which the switch had no room.
    pub refused: u64,
}

/// A port.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortRow {
    /// The number of the port.
    pub port: u16,
    /// The name of its interface.
    pub interface: String,
    /// Whether the interface is up.
    pub up: bool,
    /// The longest frame that the interface takes, in bytes.
    pub longest_frame: Option<u32>,
    /// The number of packets that wait for room at the interface.
    pub waiting: u64,
    /// The number of packets in the port's queue.
    pub queued_packets: u64,
    /// The number of their bytes.
    pub queued_bytes: u64,
    /// What came in.
    pub received: TrafficRow,
    /// What went out.
    pub transmitted: TrafficRow,
    /// The number of packets from the port that were discarded.
    pub dropped: u64,
    /// What is wrong with the interface: the error with which it failed, or a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRow {
    /// The name.
    pub name: String,
    /// The most entries that it holds; `None` if it is not limited.
    pub size: Option<u32>,
    /// The line that sets the default as it is; empty if no line can.
    pub default: String,
    /// The entries, in order of insertion.
    pub entries: Vec<EntryRow>,
}

/// An entry of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRow {
    /// The number by which commands such as `table_delete` name it.
    pub handle: u32,
    /// The line of an STF file that adds it.
    pub line: String,
    /// Whether the program declares it as constant.
    pub constant: bool,
}

/// The state of the program apart from tables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateReport {
    /// The counters.
    pub counters: Vec<CounterRow>,
    /// The meters.
    pub meters: Vec<MeterRow>,
    /// The registers.
    pub registers: Vec<RegisterRow>,
}

/// Counters of one name. Those that have counted nothing are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterRow {
    /// The name.
    pub name: String,
    /// The counters that are not 0, in order.
    pub values: Vec<Indexed>,
    /// The number of further ones that are not 0.
    pub more: usize,
}

/// Meters of one name. Those without rates are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeterRow {
    /// The name.
    pub name: String,
    /// The meters that have rates, in order.
    pub values: Vec<Indexed>,
    /// The number of further ones with rates.
    pub more: usize,
}

/// A register. Elements that are 0 are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegisterRow {
    /// The name.
    pub name: String,
    /// The number of elements.
    pub size: u32,
    /// The elements that are not 0, in order.
    pub values: Vec<Indexed>,
    /// The number of further ones that are not 0.
    pub more: usize,
}

/// The packets that were discarded for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DropRow {
    /// The reason.
    pub reason: String,
    /// The number of packets.
    pub packets: u64,
    /// The number of packets by the port from which they came, or whose interface did not take them.
    pub by_port: BTreeMap<u16, u64>,
    /// The number of packets by the last block of the program that they entered.
    pub by_block: BTreeMap<String, u64>,
}

/// The result of a request of the control plane that reads something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Executed {
    /// The object, such as `register Ingress.seen[1]`.
    pub object: String,
    /// The values, in order.
    pub found: Vec<String>,
}

/// What a reload has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reloaded {
    /// Whether nothing was changed because the request only asked what would be.
    pub dry_run: bool,
    /// Whether the program is another one.
    pub program_changed: bool,
    /// The number of requests that changed tables, if the program stays.
    pub changes: usize,
    /// What is kept, in words, if the program is another one.
    pub kept: Vec<String>,
    /// What does not fit the new program, in words.
    pub lost: Vec<String>,
    /// The settings of the switch that have changed, in words.
    #[serde(default)]
    pub settings: Vec<String>,
}
