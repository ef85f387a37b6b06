//! What is done with the packets of vNICs beside forwarding them: limits of their rate, copies, and records of their flows.

use std::net::IpAddr;
use std::ops::RangeInclusive;

use basis::Duration;
use runtime::meter::{MeterRates, MeterUnit};
use serde::{Deserialize, Serialize};

use super::Prefix;
use crate::flow_log::FlowField;

/// The direction of packets as seen from a vNIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Course {
    /// The packets that the guest sends.
    Egress,
    /// The packets that the guest is given.
    Ingress,
}

/// A limit of the rate of a vNIC's packets in one direction: a two-rate three-colour marker (RFC 2698).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limiter {
    /// The name.
    pub name: String,
    /// The vNIC, by its position.
    pub vnic: usize,
    /// The direction.
    pub course: Course,
    /// Whether bytes of frames are counted, or packets.
    pub unit: MeterUnit,
    /// The rates, in such units per second. What exceeds the peak rate is dropped.
    pub rates: MeterRates,
    /// The code point for Differentiated Services (RFC 2474) that packets above the committed rate are given; `None` if they
    /// keep theirs.
    pub excess_dscp: Option<u8>,
}

/// Copies of a vNIC's packets for somebody who watches.
#[derive(Clone, Debug, PartialEq)]
pub struct Mirror {
    /// The name.
    pub name: String,
    /// The vNIC whose packets are copied, by its position.
    pub vnic: usize,
    /// The directions.
    pub courses: Vec<Course>,
    /// The protocol that IP carries; `None` for every protocol.
    pub protocol: Option<u8>,
    /// The destination ports of the packet that begins the session; `None` for all.
    pub ports: Option<RangeInclusive<u16>>,
    /// The other side of the session.
    pub peer: Prefix,
    /// The greatest length of a copy in bytes from the Ethernet header on; `None` for whole packets. A copy that its way
    /// does not carry is cut as well.
    pub length: Option<u32>,
    /// The receiver of the copies.
    pub target: MirrorTarget,
}

/// The receiver of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorTarget {
    /// A vNIC of this switch, by its position.
    Vnic(usize),
    /// Somebody behind a tunnel endpoint.
    Endpoint {
        /// The address of the endpoint.
        address: IpAddr,
        /// The VXLAN network identifier of the copies.
        vni: u32,
    },
}

/// Records of flows, in the manner of AWS VPC flow logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowLog {
    /// The time over which packets of a flow are counted in one record.
    pub interval: Duration,
    /// The account that stands in every record.
    pub account: String,
    /// The vNICs whose flows are recorded, by their positions; `None` for all.
    pub vnics: Option<Vec<usize>>,
    /// The fields of records in their order; `None` for those of version 2 ([`VERSION_2`](crate::flow_log::VERSION_2)), before which no line names them.
    pub fields: Option<Vec<FlowField>>,
}
