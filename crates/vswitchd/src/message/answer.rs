//! The answers of a running virtual switch.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use service::TrafficRow;

use crate::upgrade::{HandedOver, UpgradeReport};

/// An answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// What runs.
    Switch(SwitchReport),
    /// The interfaces.
    Ports(Vec<PortRow>),
    /// The sessions.
    Sessions {
        /// Some of them.
        sessions: Vec<SessionRow>,
        /// The number of further ones.
        more: usize,
    },
    /// The flows.
    Flows {
        /// Some of them.
        flows: Vec<FlowRow>,
        /// The number of further ones.
        more: usize,
    },
    /// The discarded packets.
    Drops(Vec<DropRow>),
    /// The rules.
    Rules(Vec<RuleRow>),
    /// The limiters.
    Limiters(Vec<LimiterRow>),
    /// The paths of the underlay.
    Underlay(Vec<PathRow>),
    /// The cores.
    Cores(Vec<CoreRow>),
    /// What happens to a packet.
    Trace(Box<TraceReport>),
    /// A capture has begun.
    Capture {
        /// The format of the bytes that follow: `pcapng`.
        format: String,
    },
    /// Events follow, one a line.
    Events {
        /// The format of a line: `json`.
        format: String,
    },
    /// What another configuration has changed, or would change.
    Applied(AppliedReport),
    /// The names of vNICs that were attached.
    Attached(Vec<String>),
    /// What another process has to know that takes over.
    Upgrade(Box<UpgradeReport>),
    /// Sessions.
    HandedOver(HandedOver),
    /// The switch goes on.
    Resumed,
    /// The switch ends.
    Stopping,
}

/// What runs, for how long, and how packets find their sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SwitchReport {
    /// The name of the switch.
    pub name: String,
    /// The number of the process.
    pub process: u32,
    /// The time since it started, in seconds.
    pub seconds: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of packets that were decided by the policy tables, and not by a session.
    pub slow_path_packets: u64,
    /// The number of times that a configuration was applied.
    pub applied: u64,
    /// The number of sessions that have ended because another configuration does not allow them.
    pub ended_by_apply: u64,
    /// Whether some sessions are still to be decided by the present configuration.
    pub deciding: bool,
}

/// The interface of a vNIC, or of the underlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortRow {
    /// The number of the port.
    pub port: u16,
    /// The name of its interface.
    pub interface: String,
    /// The name of the vNIC; empty for the underlay.
    pub vnic: String,
    /// The name of the VPC; empty for the underlay.
    pub vpc: String,
    /// Whether the interface is up.
    pub up: bool,
    /// The number of packets that wait for room at the interface.
    pub waiting: u64,
    /// What came in.
    pub received: TrafficRow,
    /// What went out.
    pub transmitted: TrafficRow,
    /// The number of packets from the port that were discarded.
    pub dropped: u64,
    /// The number of sessions that are counted for the vNIC.
    pub sessions: u64,
    /// What is wrong with the interface: the error with which it failed, or a warning.
    pub note: Option<String>,
}

/// A core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreRow {
    /// The number, from 0 on.
    pub core: u16,
    /// The number of its sessions.
    pub sessions: u64,
    /// The number of packets that it was given.
    pub packets: u64,
    /// The number of those that the policy tables have decided.
    pub slow_path_packets: u64,
    /// The number of packets in its ring now, and of those it has worked on that are still to be sent.
    pub waiting: u64,
}

/// A path of the underlay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathRow {
    /// The name of its interface.
    pub interface: String,
    /// To whom packets go: the address of a router, an Ethernet address, or `neighbours`.
    pub next_hop: String,
    /// The Ethernet address of the next hop, if it is one for all packets and known.
    pub mac: Option<String>,
    /// Whether flows take the path.
    pub alive: bool,
    /// Whether the interface's link carries packets.
    pub carrier: bool,
    /// The probes that the router has not answered, one after the other.
    pub unanswered: u32,
    /// How often the path has become alive or dead.
    pub changes: u64,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionRow {
    /// The number of the session, which another one may get when it has ended.
    pub id: u64,
    /// The name of the VPC.
    pub vpc: String,
    /// The protocol.
    pub protocol: String,
    /// The end that began it, as that is known there.
    pub from: String,
    /// The other end, as the first knows it.
    pub to: String,
    /// The ends as the other end knows them, if they are translated.
    pub translated: Option<[String; 2]>,
    /// The vNIC that it is counted for; empty if a tenant asks and it is another one than the tenant's.
    pub vnic: String,
    /// The state of the connection; `half open` or `open` for protocols without connections.
    pub state: String,
    /// The number of packets in each direction.
    pub packets: [u64; 2],
    /// The number of bytes in each direction.
    pub bytes: [u64; 2],
    /// The numbers of segments with SYN, FIN and RST in each direction.
    pub flags: [[u16; 3]; 2],
    /// The round-trip time from the switch to the receiver of each direction and back, in microseconds.
    pub round_trip: [Option<u64>; 2],
    /// The time since it began, in seconds.
    pub age: u64,
    /// The time since its last packet, in seconds.
    pub idle: u64,
    /// The time after which it ends if no packet comes, in seconds.
    pub ends_in: u64,
}

/// One direction of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowRow {
    /// The flow id, of which the last bit is the direction.
    pub flow: u64,
    /// The name of the VPC.
    pub vpc: String,
    /// The protocol.
    pub protocol: String,
    /// The source of its packets.
    pub from: String,
    /// The destination of its packets.
    pub to: String,
    /// The number of packets.
    pub packets: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// What is done with them.
    pub actions: Vec<String>,
}

/// The packets that were discarded for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DropRow {
    /// The reason.
    pub reason: String,
    /// The number of packets.
    pub packets: u64,
    /// The number of packets by the interface from which they came, or which did not take them; `(gone)` stands for those of
    /// interfaces that are gone.
    pub by_interface: BTreeMap<String, u64>,
}

/// A rule of a security group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleRow {
    /// The name of the group.
    pub group: String,
    /// The number of the rule in the group, from 1 on.
    pub number: usize,
    /// The rule in words.
    pub rule: String,
    /// The vNICs in the group.
    pub vnics: Vec<String>,
}

/// A limiter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimiterRow {
    /// The name.
    pub name: String,
    /// The vNIC whose packets it limits.
    pub vnic: String,
    /// The number of packets within the committed rate.
    pub within: u64,
    /// The number of packets above the committed rate and within the peak rate.
    pub excess: u64,
    /// The number of packets above the peak rate, which were dropped.
    pub dropped: u64,
}

/// What happens to a packet, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceReport {
    /// The packet in words.
    pub packet: String,
    /// Where it comes from.
    pub origin: String,
    /// The name of its VPC; empty if it comes from outside all of them and no session expects it.
    pub vpc: String,
    /// The packet that came, if one was waited for.
    pub came: Option<PacketReport>,
    /// Whether it is a reply in the session; then the policy tables are asked about the packet that began it.
    #[serde(default)]
    pub is_reply: bool,
    /// The session that was there.
    pub session: Option<SessionRow>,
    /// What is done with packets of its direction, by the session.
    pub session_actions: Vec<String>,
    /// What the policy tables say of a packet that begins such a session, in their order; nothing if they are not asked.
    pub steps: Vec<StepRow>,
    /// What comes of it.
    pub verdict: String,
    /// What would be done with such packets, and with replies, by the policy tables.
    pub actions: [Vec<String>; 2],
}

/// A packet that came, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketReport {
    /// The interface at which it arrived.
    pub interface: String,
    /// Its length there, in bytes.
    pub length: usize,
    /// What was found about it.
    pub found: String,
    /// The frames that were sent, and the reasons for which packets were discarded.
    pub became: Vec<String>,
}

/// What one table says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRow {
    /// The table.
    pub table: String,
    /// What it says.
    pub says: String,
    /// The rule or the route that made it say so.
    pub because: String,
}

/// What another configuration has changed, or would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedReport {
    /// Whether nothing was changed because the request only asked what would be.
    pub dry_run: bool,
    /// The differences of the configurations, each in a line that begins with `+`, `-` or `~`.
    pub changes: Vec<String>,
    /// The interfaces that are opened.
    pub opened: Vec<String>,
    /// The interfaces that are closed.
    pub closed: Vec<String>,
    /// What may not be meant: interfaces that are made because they are not there, or that pass shorter packets than the configuration says.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The number of sessions that stay.
    pub sessions_kept: u64,
    /// The number of sessions that end, because the configuration does not allow them.
    pub sessions_ended: u64,
}
