//! The topology of a pair of ends at a past moment, from flow logs: the vNICs, switches, paths and translations that were between them.

mod logs;
mod moment;
mod text;

use std::collections::BTreeSet;
use std::path::PathBuf;

use diagnostics::{Diagnostic, Failure};
use serde::Serialize;
use vswitch::flow_log::{FlowField, FlowField as F, header};

use crate::describe::protocol_name;
use logs::Record;

pub use moment::{moment, text as moment_text};

/// The fields that records must have, so that everything can be told.
pub const FIELDS: [FlowField; 27] = [
    F::Version,
    F::AccountId,
    F::InterfaceId,
    F::SourceAddress,
    F::DestinationAddress,
    F::SourcePort,
    F::DestinationPort,
    F::Protocol,
    F::Packets,
    F::Bytes,
    F::Start,
    F::End,
    F::Action,
    F::LogStatus,
    F::VpcId,
    F::FlowDirection,
    F::PacketSourceAddress,
    F::PacketDestinationAddress,
    F::Host,
    F::SessionStart,
    F::PeerSourceAddress,
    F::PeerSourcePort,
    F::PeerDestinationAddress,
    F::PeerDestinationPort,
    F::PeerInterfaceId,
    F::LocalEndpoint,
    F::RemoteEndpoint,
];

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// The folders with flow logs, one of each switch.
    pub folders: Vec<PathBuf>,
    /// The moment, in seconds since 1970.
    pub at: u64,
    /// How far from the moment, in seconds, the packets of a record may be.
    pub within: u64,
    /// The two ends: addresses, or names of vNICs.
    pub ends: [String; 2],
}

/// What the logs say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Topology {
    /// The moment, in seconds since 1970.
    pub at: u64,
    /// What is known of the two ends.
    pub ends: [TopologyEnd; 2],
    /// What was seen of packets between them, in the order of protocols, addresses and places.
    pub seen: Vec<Seen>,
    /// Whether some records are of version 2, which do not have what is missing.
    pub is_partial: bool,
    /// Where records of these vNICs had found no room then, so that something may be missing.
    pub lost: Vec<String>,
}

/// What is known of an end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TopologyEnd {
    /// The end, as it was asked for.
    pub name: String,
    /// The vNICs that had it.
    pub vnics: BTreeSet<String>,
    /// The VPCs that they were in.
    pub vpcs: BTreeSet<String>,
    /// The switches that they were at, by their names or, where only another switch knows of them, by their tunnel endpoints.
    pub hosts: BTreeSet<String>,
}

/// One direction of a flow, as one vNIC saw it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Seen {
    /// The protocol.
    pub protocol: String,
    /// The source and the destination with their ports, as the vNIC saw them.
    pub flow: [String; 2],
    /// The same as the other end saw them, if that differs.
    pub translated: Option<[String; 2]>,
    /// The vNIC.
    pub vnic: Option<String>,
    /// The VPC of the vNIC.
    pub vpc: Option<String>,
    /// The switch.
    pub host: Option<String>,
    /// `egress` if the vNIC sent the packets, `ingress` if it was given them.
    pub direction: Option<String>,
    /// The vNIC at the other end, if it was one of the same switch.
    pub peer_vnic: Option<String>,
    /// The tunnel endpoints of the switch and of the one behind which the other end was.
    pub tunnel: Option<[String; 2]>,
    /// The interface of the underlay by which packets left.
    pub underlay: Option<String>,
    /// Whether the rules accepted the packets.
    pub is_accepted: bool,
    /// The number of packets.
    pub packets: u64,
    /// The times of the first and of the last packet, in seconds since 1970.
    pub times: [u64; 2],
    /// The time at which the session began, in seconds since 1970.
    pub session_start: Option<u64>,
    /// The file and the line of the record.
    pub place: String,
}

/// Reads the logs and answers.
///
/// # Errors
/// Fails if logs cannot be read, at the place of a line that is no record, or if no record is of that moment: with the nearest one, if
/// there is any of the two ends.
pub fn topology(question: &Question) -> Result<Topology, Failure> {
    let Question { folders, at, within, ends } = question;
    let mut topology = Topology {
        at: *at,
        ends: ends.clone().map(|name| TopologyEnd { name, ..TopologyEnd::default() }),
        seen: Vec::new(),
        is_partial: false,
        lost: Vec::new(),
    };
    let (mut nearest, mut skipped, mut count) = (None::<(u64, String)>, Vec::new(), 0u64);
    for folder in folders {
        logs::read(folder, |record| {
            count += 1;
            let [Some(start), Some(end)] = [F::Start, F::End].map(|field| record.number(field)) else { return };
            let distance = start.saturating_sub(*at).max(at.saturating_sub(end));
            if record.get(F::LogStatus) == Some("SKIPDATA") {
                if distance <= *within {
                    skipped.push((record.get(F::InterfaceId).unwrap_or_default().to_owned(), record.place.clone()));
                }
                return;
            }
            let Some(source) = source_of(&record, ends) else { return };
            if distance > *within {
                if nearest.as_ref().is_none_or(|(known, _)| distance < *known) {
                    nearest = Some((distance, record.place.clone()));
                }
                return;
            }
            topology.add(&record, source, [start, end]);
        })?;
    }
    if topology.seen.is_empty() {
        return Err(nothing(question, count, nearest));
    }
    let is_of_end = |vnic: &String| topology.ends.iter().any(|end| end.vnics.contains(vnic));
    topology.lost = skipped.into_iter().filter(|(vnic, _)| is_of_end(vnic)).map(|(_, place)| place).collect();
    topology.seen.sort();
    Ok(topology)
}

fn nothing(question: &Question, count: u64, nearest: Option<(u64, String)>) -> Failure {
    let [one, other] = &question.ends;
    let at = moment_text(question.at);
    let message = format!("no record is of packets between {one} and {other} within {} s of {at}", question.within);
    let hint = match nearest {
        Some((distance, place)) => {
            format!("the nearest is {place}, {distance} s from then; --within widens the search")
        }
        None if count == 0 => "the folders have no records; `polyplane vswitch run --flow-logs` writes them".to_owned(),
        None => format!("none of the {count} records is of these two; the flow log may not record their vNICs"),
    };
    Diagnostic::without_place(message).hint(hint).into()
}

/// Returns which of the ends has sent the packets of a record, if they were between both.
fn source_of(record: &Record, ends: &[String; 2]) -> Option<usize> {
    let direction = record.get(F::FlowDirection);
    let is = |end: &String, fields: [F; 3], vnic_if: &str| {
        let has_address = fields.iter().any(|field| record.get(*field) == Some(end));
        let own =
            if direction.is_none_or(|direction| direction == vnic_if) { F::InterfaceId } else { F::PeerInterfaceId };
        has_address || record.get(own) == Some(end)
    };
    let sends = |end: &String| is(end, [F::SourceAddress, F::PacketSourceAddress, F::PeerSourceAddress], "egress");
    let is_given = |end: &String| {
        is(end, [F::DestinationAddress, F::PacketDestinationAddress, F::PeerDestinationAddress], "ingress")
    };
    [0, 1].into_iter().find(|&source| sends(&ends[source]) && is_given(&ends[1 - source]))
}

impl Topology {
    /// Adds a record of packets that an end has sent.
    fn add(&mut self, record: &Record, source: usize, times: [u64; 2]) {
        let text = |field| record.get(field).map(str::to_owned);
        let ends = |fields: [(F, F); 2]| -> Option<[String; 2]> {
            let [source, destination] =
                fields.map(|(address, port)| Some(place(record.get(address)?, record.get(port))));
            Some([source?, destination?])
        };
        let Some(flow) = ends([(F::SourceAddress, F::SourcePort), (F::DestinationAddress, F::DestinationPort)]) else {
            return;
        };
        let peer =
            ends([(F::PeerSourceAddress, F::PeerSourcePort), (F::PeerDestinationAddress, F::PeerDestinationPort)]);
        let protocol = record.number(F::Protocol).and_then(|number| u8::try_from(number).ok());
        let tunnel = text(F::LocalEndpoint).zip(text(F::RemoteEndpoint)).map(|(local, remote)| [local, remote]);
        let direction = text(F::FlowDirection);
        self.is_partial |= record.is_plain;
        // The end that the vNIC of the record is, as far as that is known.
        let own = match direction.as_deref() {
            Some("egress") => Some(source),
            Some(_) => Some(1 - source),
            None => None,
        };
        if let Some(own) = own {
            let end = &mut self.ends[own];
            end.vnics.extend(text(F::InterfaceId));
            end.vpcs.extend(text(F::VpcId));
            end.hosts.extend(text(F::Host));
            let other = &mut self.ends[1 - own];
            if let Some(vnic) = text(F::PeerInterfaceId) {
                other.vnics.insert(vnic);
                other.vpcs.extend(text(F::VpcId));
                other.hosts.extend(text(F::Host));
            }
            other.hosts.extend(tunnel.as_ref().map(|[_, remote]| remote.clone()));
        }
        self.seen.push(Seen {
            protocol: protocol.map_or_else(|| "?".to_owned(), protocol_name),
            translated: peer.filter(|peer| *peer != flow),
            flow,
            vnic: text(F::InterfaceId),
            vpc: text(F::VpcId),
            host: text(F::Host),
            direction,
            peer_vnic: text(F::PeerInterfaceId),
            tunnel,
            underlay: text(F::UnderlayInterface),
            is_accepted: record.get(F::Action) != Some("REJECT"),
            packets: record.number(F::Packets).unwrap_or(0),
            times,
            session_start: record.number(F::SessionStart),
            place: record.place.clone(),
        });
    }
}

/// Returns an address with a port, if there is one.
fn place(address: &str, port: Option<&str>) -> String {
    match port.filter(|port| *port != "0") {
        Some(port) if address.contains(':') => format!("[{address}]:{port}"),
        Some(port) => format!("{address}:{port}"),
        None => address.to_owned(),
    }
}

/// Returns the entry of a configuration by which records have everything that is asked for.
pub fn wanted_entry() -> String {
    let fields = [&FIELDS[..], &[F::UnderlayInterface]].concat();
    let names: Vec<String> = header(&fields).split(' ').map(|name| format!("\"{name}\"")).collect();
    format!("fields = [{}]", names.join(", "))
}
