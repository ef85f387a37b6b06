//! The packets that arrived at chosen ports: when, of which kind, from whom, and which.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use basis::Instant;
use netsim::{LinkId, Simulation};
use plans::Pattern;
use report::{Column, Columns};
use serde::{Deserialize, Serialize};
use wire::Packet;

use super::cabled_ports::{CabledPort, CabledPorts};
use super::flows::NOWHERE;
use super::identity::{Identity, identity};
use super::kinds::{KINDS, kind};

/// A packet that arrived at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// The time at which its last bit arrived.
    pub at: Instant,
    /// The number of the port in [`Arrivals::ports`].
    pub port: u32,
    /// The kind of the packet, as an index into [`KINDS`].
    pub kind: u8,
    /// The host of its IPv4 source address, by its number; [`NOWHERE`] if no host has the address.
    pub source: u32,
    /// The message and the packet, as far as its transport names them in its head.
    pub identity: Identity,
    /// Its differentiated services code point (RFC 2474); `None` if it is not IPv4.
    pub code_point: Option<u8>,
    /// Its length in bytes, without framing.
    pub bytes: u32,
}

/// Notes each packet that arrives at a chosen port.
#[derive(Debug, Default)]
pub struct Arrivals {
    /// The names of the ports.
    ports: Arc<[String]>,
    /// The number of the port at which each watched link ends, by the number of the link.
    links: BTreeMap<u32, u32>,
    /// The number of the host with each address. Never iterated over, since its order is not deterministic.
    hosts: HashMap<u32, u32>,
    /// The names of all stations, of which hosts are the first.
    stations: Arc<[String]>,
    /// Packets that were put on a link and may not have arrived, in the order in which they were.
    coming: Vec<Arrival>,
    /// Packets that have arrived, in the order of time; at one time in the order of ports.
    arrived: Vec<Arrival>,
}

impl Arrivals {
    /// Watches the links to the ports that the patterns name. `addresses` are those of all hosts.
    pub(super) fn watch(
        ports: &CabledPorts,
        patterns: &[Pattern],
        addresses: &[u32],
        simulation: &mut Simulation,
    ) -> Self {
        let mut links = BTreeMap::new();
        let mut names = Vec::new();
        for port in ports.matching(patterns) {
            let other = CabledPort { station: port.other, port: port.other_port, ..*port };
            let link = other.link(simulation);
            simulation.tap(link);
            links.insert(link.0, names.len() as u32);
            names.push(ports.name(port));
        }
        Self {
            ports: names.into(),
            links,
            hosts: addresses.iter().zip(0..).map(|(&address, number)| (address, number)).collect(),
            stations: Arc::clone(&ports.stations),
            ..Self::default()
        }
    }

    /// Notes that a packet on a link will arrive at an instant.
    pub(super) fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        let Some(&port) = self.links.get(&link.0) else { return };
        let head = packet.head.bytes();
        let identity = identity(head);
        let source = identity.source.and_then(|address| self.hosts.get(&address).copied()).unwrap_or(NOWHERE);
        let bytes = u32::try_from(packet.len()).unwrap_or(u32::MAX);
        let code_point = match head.get(12..16) {
            Some([0x08, 0x00, _, traffic_class]) => Some(traffic_class >> 2),
            _ => None,
        };
        self.coming.push(Arrival { at, port, kind: kind(head), source, identity, code_point, bytes });
    }

    /// Puts what has arrived before `now` in order. No packet is told later that it arrived then.
    pub(super) fn settle(&mut self, now: Instant) {
        // The sort is stable: what arrives at one port at one time stays in the order in which it was sent.
        self.coming.sort_by_key(|arrival| (arrival.at, arrival.port));
        let before = self.coming.partition_point(|arrival| arrival.at < now);
        self.arrived.extend(self.coming.drain(..before));
    }

    /// Ends the run: packets that have not arrived by `end` are forgotten.
    pub(super) fn end(&mut self, end: Instant) {
        self.coming.retain(|arrival| arrival.at <= end);
        self.settle(Instant::MAX);
        self.arrived.truncate(self.arrived.partition_point(|arrival| arrival.at <= end));
    }

    /// Returns the names of the ports.
    pub fn ports(&self) -> &[String] {
        &self.ports
    }

    /// Returns the packets in the order of their arrival.
    pub fn all(&self) -> &[Arrival] {
        &self.arrived
    }

    /// Returns the times in seconds at which packets of a kind, an index into [`KINDS`], arrived at any of the ports, in
    /// ascending order.
    pub fn times(&self, kind: u8) -> Vec<f64> {
        let of_kind = self.arrived.iter().filter(|arrival| arrival.kind == kind);
        of_kind.map(|arrival| arrival.at.since(Instant::ZERO).seconds()).collect()
    }

    /// Returns `arrivals.csv` from a row on: a row for each packet; `None` if no port is watched.
    pub(super) fn table(&self, from: usize) -> Option<Columns> {
        if self.ports.is_empty() {
            return None;
        }
        let rows = &self.arrived[from..];
        // An additional empty name stands for addresses that no host has.
        let sources: Arc<[String]> = self.stations.iter().cloned().chain([String::new()]).collect();
        let nowhere = self.stations.len() as u32;
        let kinds: Arc<[String]> = KINDS.iter().map(|&kind| kind.to_owned()).collect();
        let names = |names: &Arc<[String]>, of: &dyn Fn(&Arrival) -> u32| Column::Names {
            names: Arc::clone(names),
            rows: rows.iter().map(of).collect(),
        };
        let optional = |of: fn(&Identity) -> Option<u32>| {
            Column::Optional(rows.iter().map(|row| of(&row.identity).map(u64::from)).collect())
        };
        Some(Columns {
            name: "arrivals",
            columns: vec![
                ("time_ps", Column::Counts(rows.iter().map(|row| row.at.picoseconds()).collect())),
                ("port", names(&self.ports, &|row| row.port)),
                ("kind", names(&kinds, &|row| row.kind.into())),
                ("source", names(&sources, &|row| row.source.min(nowhere))),
                ("message", optional(|identity| identity.message)),
                ("sequence", optional(|identity| identity.sequence)),
                ("code_point", Column::Optional(rows.iter().map(|row| row.code_point.map(u64::from)).collect())),
                ("bytes", Column::Counts(rows.iter().map(|row| row.bytes.into()).collect())),
            ],
        })
    }
}

basis::snapshot!(Arrivals { values coming, arrived; });
