//! The trace format of MP5's published artifact: when packets of which flow arrive, and which state they access in
//! which stage.
//!
//! A trace consists of two files: `flows_*` has a flow per line, as its number followed by stage and index for each
//! access; `uniform_*` or `heavytail_*` has a packet per line, as port, size, flow and time in cycles of one pipeline.
//! The packets are listed port by port, so all of them are read before the first is returned; a packet takes 24 bytes.

mod generate;
mod read;
mod shape;
mod stream;
mod write;

pub use generate::{PublishedPackets, PublishedPattern, PublishedPlan};
pub(crate) use read::Limits;
pub use shape::{PublishedShape, PublishedSizes};
pub(crate) use stream::PublishedStream;

/// A published trace, or one in the same format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedTrace {
    /// The accesses of each flow's packets, in order of stage, by the flow's position.
    flows: Vec<Vec<StatefulAccess>>,
    /// The number that the files give each flow, by the flow's position.
    numbers: Vec<u32>,
    /// The packets in order of time; of equal times the smaller port first.
    packets: Vec<PublishedPacket>,
}

/// A packet of a published trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedPacket {
    /// The arrival, in clock cycles of one pipeline.
    pub cycle: u64,
    /// The port on which the packet arrives, from 0.
    pub port: u16,
    /// The length in bytes.
    pub size: u32,
    /// The number of the flow in the files.
    pub flow: u32,
    /// The flow's position among the flows.
    place: u32,
}

/// An access of a flow's packets to state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatefulAccess {
    /// The stage, from 0.
    pub stage: u32,
    /// The index into the stage's register array, from 0.
    pub index: u32,
}

impl PublishedPacket {
    /// Returns a packet of flow `flow` for a trace made by [`PublishedTrace::of_parts`].
    pub fn new(cycle: u64, port: u16, size: u32, flow: u32) -> Self {
        Self { cycle, port, size, flow, place: flow.saturating_sub(1) }
    }

    /// Returns the position of the packet's flow among [`PublishedTrace::flows`].
    pub fn place(&self) -> usize {
        self.place as usize
    }
}

impl PublishedTrace {
    /// Returns a trace of flows that are numbered from 1, each with its accesses (at most one per stage), and of their
    /// packets; packets of flow 0 access nothing. Flows' accesses and packets may be in any order. Returns `None` if a
    /// packet belongs to another flow, or if a flow accesses a stage twice.
    pub fn of_parts(mut flows: Vec<Vec<StatefulAccess>>, mut packets: Vec<PublishedPacket>) -> Option<Self> {
        let last = u32::try_from(flows.len()).ok()?;
        if packets.iter().any(|packet| packet.flow > last) {
            return None;
        }
        for accesses in &mut flows {
            accesses.sort_unstable();
            if accesses.windows(2).any(|pair| pair[0].stage == pair[1].stage) {
                return None;
            }
        }
        let mut numbers: Vec<u32> = (1..=last).collect();
        let has_flow_0 = packets.iter().any(|packet| packet.flow == 0);
        if has_flow_0 {
            flows.push(Vec::new());
            numbers.push(0);
        }
        for packet in &mut packets {
            packet.place = if packet.flow == 0 { last } else { packet.flow - 1 };
        }
        packets.sort_by_key(|packet| (packet.cycle, packet.port));
        Some(Self { flows, numbers, packets })
    }

    /// Returns the packets in order of time, and of equal times the smaller port first; each with its flow's accesses
    /// in order of stage.
    pub fn packets(&self) -> impl ExactSizeIterator<Item = (&PublishedPacket, &[StatefulAccess])> {
        self.packets.iter().map(|packet| (packet, &self.flows[packet.place as usize][..]))
    }

    /// Returns the packets in the same order without their accesses.
    pub fn arrivals(&self) -> &[PublishedPacket] {
        &self.packets
    }

    /// Returns the number of packets.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Returns true if there are no packets.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Returns the accesses of every flow in order of stage, by flow in the order of the file. A flow 0 that is not in
    /// the file comes last and accesses nothing.
    pub fn flows(&self) -> impl ExactSizeIterator<Item = &[StatefulAccess]> {
        self.flows.iter().map(Vec::as_slice)
    }
}
