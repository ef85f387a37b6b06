//! A record of a flow log.

use basis::Instant;
use wire::protocol;

use crate::session::{Count, FlowKey};

/// A record of the flow log of a vNIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowRecord {
    /// Packets of a flow.
    Flow(RecordedFlow),
    /// No packet of the vNIC was recorded in a window.
    NoData {
        /// The position of the vNIC.
        vnic: u32,
        /// The time at which the window began.
        first: Instant,
        /// The time at which it ended.
        last: Instant,
    },
    /// Some records of the vNIC found no room in a window.
    Skipped {
        /// The position of the vNIC.
        vnic: u32,
        /// The time at which the window began.
        first: Instant,
        /// The time at which it ended.
        last: Instant,
    },
}

/// The packets of one direction of a flow in one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedFlow {
    /// The position of the vNIC.
    pub vnic: u32,
    /// The key of the packets as the vNIC sees them.
    pub key: FlowKey,
    /// The number of packets, and of the bytes of their frames.
    pub count: Count,
    /// The time of the first packet.
    pub first: Instant,
    /// The time of the last packet.
    pub last: Instant,
    /// Whether the security groups of the vNIC accept the flow.
    pub is_accepted: bool,
}

impl FlowRecord {
    /// Returns the position of the vNIC.
    pub fn vnic(&self) -> u32 {
        match self {
            Self::Flow(RecordedFlow { vnic, .. }) | Self::NoData { vnic, .. } | Self::Skipped { vnic, .. } => *vnic,
        }
    }

    /// Returns the record as a line, with the fields of AWS VPC flow logs version 2 in their order: version, account,
    /// interface, addresses, ports, protocol, packets, bytes, start, end, action, status. `unix` gives the seconds since 1970 of
    /// a time. Of protocols without ports, the ports are 0.
    pub fn line(&self, account: &str, interface: &str, unix: impl Fn(Instant) -> u64) -> String {
        let without_flow = |first, last, status: &str| {
            format!("2 {account} {interface} - - - - - - - {} {} - {status}", unix(first), unix(last))
        };
        match *self {
            Self::Flow(RecordedFlow { key, count, first, last, is_accepted, .. }) => {
                let [source, destination] = key.addresses();
                let is_query = matches!(key.protocol(), protocol::ICMP | protocol::ICMPV6);
                let [from, to] = if is_query { [0; 2] } else { key.ports() };
                let Count { packets, bytes } = count;
                let (protocol, start, end) = (key.protocol(), unix(first), unix(last));
                let action = if is_accepted { "ACCEPT" } else { "REJECT" };
                format!(
                    "2 {account} {interface} {source} {destination} {from} {to} {protocol} {packets} {bytes} {start} {end} {action} OK"
                )
            }
            Self::NoData { first, last, .. } => without_flow(first, last, "NODATA"),
            Self::Skipped { first, last, .. } => without_flow(first, last, "SKIPDATA"),
        }
    }
}
