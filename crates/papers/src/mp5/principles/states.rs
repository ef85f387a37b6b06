//! The states that packets access: those of their flow, as in the published traces, or states drawn for each packet.
//!
//! In the published traces an index belongs to one flow, and all packets of a flow access the same indices in the same
//! order. Two packets that share one state then share all of them, take the same path, and hardly ever overtake each
//! other, with or without phantoms. Programs differ as soon as they keep tables by different keys (by flow and by
//! destination, say): packets then meet at one state after accessing different ones.

use basis::Random;
use traffic::{PublishedPacket, PublishedTrace, StatefulAccess};

use crate::mp5::streams::{Pattern, Stream, StreamPlan};

/// The states that packets access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum States {
    /// The states of their flow, as published.
    OfFlows,
    /// Each packet draws how many of the stateful stages it uses, which, and an index in each; by the skewed pattern,
    /// 95% of the draws are among the first 30% of the indices (section 4.3.1).
    OfPackets,
}

/// The part of the seed for states, different from those of ports, which are numbered from 0, and of the traffic.
const PART_STATES: u64 = 1 << 40;

impl States {
    /// Both.
    pub const ALL: [Self; 2] = [Self::OfFlows, Self::OfPackets];

    /// Returns its name in plans.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OfFlows => "of-flows",
            Self::OfPackets => "of-packets",
        }
    }

    /// Returns the choice of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|states| states.name() == name)
    }

    /// Makes a stream. The packets and their times of arrival are the same in both cases.
    pub fn stream(self, plan: &StreamPlan, seed: u64) -> Stream {
        match self {
            Self::OfFlows => Stream::generate(plan, seed),
            Self::OfPackets => of_packets(plan, seed),
        }
    }
}

fn of_packets(plan: &StreamPlan, seed: u64) -> Stream {
    let mut random = Random::for_part(seed, PART_STATES);
    let mut stages = plan.stateful_stages(seed);
    let size = u64::from(plan.shape.register_size);
    let (mut flows, mut packets) = (Vec::new(), Vec::new());
    for packet in plan.packets(1, seed) {
        random.shuffle(&mut stages);
        let uses = if stages.is_empty() { 0 } else { 1 + random.below(stages.len() as u64) as usize };
        let access = |&stage: &u32| StatefulAccess { stage, index: index(plan.pattern, size, &mut random) };
        flows.push(stages[..uses].iter().map(access).collect());
        packets.push(PublishedPacket::new(packet.cycle, packet.port, packet.size, flows.len() as u32));
    }
    let trace = PublishedTrace::of_parts(flows, packets);
    Stream::of_trace(
        plan.shape,
        trace.unwrap_or_else(|| unreachable!("every packet has a flow, with one index a stage")),
    )
}

fn index(pattern: Pattern, size: u64, random: &mut Random) -> u32 {
    let busy = (size * 3).div_ceil(10);
    let index = match pattern {
        Pattern::Uniform => random.below(size),
        Pattern::Skewed if busy < size && random.below(100) >= 95 => busy + random.below(size - busy),
        Pattern::Skewed => random.below(busy),
    };
    index as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use traffic::{PublishedShape, PublishedSizes};

    #[test]
    fn states_per_packet_keep_arrivals_and_are_skewed() {
        let packet_size = PublishedSizes::Fixed(64);
        let shape =
            PublishedShape { ports: 64, pipelines: 4, stages: 16, stateful_stages: 4, register_size: 100, packet_size };
        let plan = StreamPlan { shape, pattern: Pattern::Skewed, packets_per_port: 100 };
        let (flows, own) = (States::OfFlows.stream(&plan, 7), States::OfPackets.stream(&plan, 7));
        assert_eq!(flows.stateful_stages(), own.stateful_stages());
        let times = |stream: &Stream| -> Vec<(u64, u16)> {
            stream.trace().arrivals().iter().map(|packet| (packet.cycle, packet.port)).collect()
        };
        assert_eq!(times(&flows), times(&own));
        let loads = own.loads();
        let all: u64 = loads.iter().flatten().sum();
        let busy: u64 = loads.iter().flat_map(|loads| &loads[..30]).sum();
        // 6,400 packets of 2.5 accesses on average; a standard deviation of the share is 0.2%.
        assert!((2.4..2.6).contains(&(all as f64 / own.len() as f64)));
        assert!((0.94..0.96).contains(&(busy as f64 / all as f64)));
    }
}
