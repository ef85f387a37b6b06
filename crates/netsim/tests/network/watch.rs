//! A recorder of what happened to flows and packets, with a hash of everything.

use std::collections::BTreeMap;

use basis::{Duration, Instant};
use measure::{Counts, Event};
use netsim::{LinkId, Recorder, Simulation};
use node::{Port, Reason};
use transports::{FlowEvent, FlowId};
use wire::Packet;

/// The events of a flow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    pub destination: u32,
    pub bytes: u64,
    pub delivered: Vec<Instant>,
    pub completed: Vec<Instant>,
    pub abandoned: Vec<Instant>,
}

/// Records flows and discards, keeps the packets of tapped links if asked to, and hashes everything that is reported.
#[derive(Default)]
pub struct Watch {
    pub flows: BTreeMap<FlowId, Flow>,
    pub discarded: Counts<Reason>,
    /// The number of discarded packets by station and reason.
    pub places: BTreeMap<(usize, Reason), u64>,
    pub keeps_packets: bool,
    pub carried: Vec<(Instant, LinkId, Packet)>,
    pub packets_seen: u64,
    pub packets_coming: u64,
    pub samples: u64,
    /// The station whose queues are recorded with each sample.
    pub sampled: usize,
    /// The hash of everything in the order in which it was reported (FNV-1a).
    pub hash: u64,
}

impl Watch {
    pub fn keeping_packets() -> Self {
        Self { keeps_packets: true, ..Self::default() }
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }

    fn add_numbers(&mut self, numbers: &[u64]) {
        numbers.iter().for_each(|number| self.add(&number.to_le_bytes()));
    }

    fn add_packet(&mut self, packet: &Packet) {
        self.add(packet.head.bytes());
        self.add_numbers(&[packet.tail.len() as u64, packet.sidecar.id]);
    }

    /// Asserts that every flow was delivered once and that its sender knows. Returns how many there were, and when the
    /// last was delivered.
    #[track_caller]
    pub fn assert_finished(&self) -> (usize, Instant) {
        for (id, flow) in &self.flows {
            let told = [&flow.delivered, &flow.completed, &flow.abandoned].map(Vec::len);
            assert_eq!(told, [1, 1, 0], "{id:?}: {flow:?}");
            assert!(flow.completed >= flow.delivered, "{id:?}: {flow:?}");
        }
        let last = self.flows.values().map(|flow| flow.delivered[0]).max().expect("flows");
        (self.flows.len(), last)
    }

    /// Asserts that packets were discarded for these reasons only.
    #[track_caller]
    pub fn assert_discarded_only(&self, reasons: &[Reason]) {
        let others: Vec<_> = self.discarded.iter().filter(|(reason, _)| !reasons.contains(reason)).collect();
        assert_eq!(others, []);
    }
}

impl Recorder for Watch {
    fn event(&mut self, at: Instant, station: usize, event: Event) {
        self.add_numbers(&[at.picoseconds(), station as u64]);
        let Ok(told) = event.read::<transports::Flow>() else { return };
        self.add(format!("{told:?}").as_bytes());
        let transports::Flow { flow, happened } = told;
        let known = self.flows.entry(flow).or_default();
        match happened {
            FlowEvent::Started { destination, bytes } => (known.destination, known.bytes) = (destination, bytes),
            FlowEvent::Delivered => known.delivered.push(at),
            FlowEvent::Completed => known.completed.push(at),
            FlowEvent::Abandoned => known.abandoned.push(at),
        }
    }

    fn discarded(&mut self, at: Instant, station: usize, packet: &Packet, reason: Reason) {
        self.add_numbers(&[at.picoseconds(), station as u64]);
        self.add(reason.to_string().as_bytes());
        self.add_packet(packet);
        self.discarded.add(reason);
        *self.places.entry((station, reason)).or_default() += 1;
    }

    fn carried(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.add_numbers(&[at.picoseconds(), link.0.into()]);
        self.add_packet(packet);
        self.packets_seen += 1;
        if self.keeps_packets {
            self.carried.push((at, link, packet.clone()));
        }
    }

    fn coming(&mut self, at: Instant, link: LinkId, packet: &Packet) {
        self.add_numbers(&[at.picoseconds(), link.0.into()]);
        self.add_packet(packet);
        self.packets_coming += 1;
    }

    fn sample(&mut self, at: Instant, simulation: &Simulation) {
        self.samples += 1;
        self.add_numbers(&[at.picoseconds(), simulation.packet_hops()]);
        for port in 0..4 {
            let length = simulation.station(self.sampled).queue(Port(port));
            self.add_numbers(&[length.packets, length.bytes]);
        }
    }
}

/// Returns how long a number of bytes takes at 100 Gb/s.
pub fn at_100_gigabits(bytes: u64) -> Duration {
    basis::Rate::from_gigabits_per_second(100).time_of(bytes)
}
