//! The trace format of MP5's published artifact: which flow comes when, and which state it accesses in which stage.
//!
//! Two files belong together: `flows_*` (a flow a line: its number, then stage and index, as often as it accesses
//! state) and `uniform_*` or `heavytail_*` (a packet a line: port, size, flow, time in cycles of one pipeline). The
//! packets come port by port, so all of them are read before the first is given; a record takes 24 bytes.

mod generate;
mod read;
mod shape;
mod stream;
mod write;

pub use generate::{PublishedPackets, PublishedPattern, PublishedPlan};
pub(crate) use read::Limits;
pub use shape::{PublishedShape, PublishedSizes};
pub(crate) use stream::PublishedStream;

/// A published trace, or one like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedTrace {
    /// By place: the accesses of a flow's packets, in order of stage.
    flows: Vec<Vec<StatefulAccess>>,
    /// By place: the number that the files give a flow.
    numbers: Vec<u32>,
    /// In order of time; of equal times the smaller port first.
    packets: Vec<PublishedPacket>,
}

/// A packet of a published trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishedPacket {
    /// When it arrives, in clock cycles of one pipeline.
    pub cycle: u64,
    /// Where it arrives, from 0.
    pub port: u16,
    /// Its length in bytes.
    pub size: u32,
    /// The number of its flow, as the files give it.
    pub flow: u32,
    /// Its flow's place among the flows.
    place: u32,
}

/// A state that a flow's packets access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatefulAccess {
    /// In which stage, from 0.
    pub stage: u32,
    /// Which index of that stage's register array, from 0.
    pub index: u32,
}

impl PublishedPacket {
    /// A packet of flow `flow` of a trace that [`PublishedTrace::of_parts`] makes.
    pub fn new(cycle: u64, port: u16, size: u32, flow: u32) -> Self {
        Self { cycle, port, size, flow, place: flow.saturating_sub(1) }
    }

    /// Its flow's place among [`PublishedTrace::flows`].
    pub fn place(&self) -> usize {
        self.place as usize
    }
}

impl PublishedTrace {
    /// A trace of flows that are numbered from 1, each with its accesses (at most one a stage), and packets of them;
    /// packets of flow 0 access nothing. Both may be in any order. `None` if a packet is of another flow, or a flow
    /// accesses a stage twice.
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

    /// The packets, in order of time, of equal times the smaller port first; each with its flow's accesses, in order of stage.
    pub fn packets(&self) -> impl ExactSizeIterator<Item = (&PublishedPacket, &[StatefulAccess])> {
        self.packets.iter().map(|packet| (packet, &self.flows[packet.place as usize][..]))
    }

    /// The packets alone, in the same order.
    pub fn arrivals(&self) -> &[PublishedPacket] {
        &self.packets
    }

    /// How many packets there are.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// True if there is no packet.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Every flow's accesses, in order of stage, in the order of the file; a flow 0 that is not in the file is the
    /// last, and accesses nothing.
    pub fn flows(&self) -> impl ExactSizeIterator<Item = &[StatefulAccess]> {
        self.flows.iter().map(Vec::as_slice)
    }
}
