//! Generated traces with the same distribution as the published ones, drawn from a seed.
//!
//! The rules are those of MP5's artifact, which made the published traces (section 4.3.1). Every port has a random
//! generator of its own, so that packets can be made one after the other in order of time, without ever holding all of
//! them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::Random;

use super::{PublishedPacket, PublishedShape, PublishedSizes, PublishedTrace, StatefulAccess};

/// The distribution of packets over flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublishedPattern {
    /// All flows are equally likely.
    Uniform,
    /// 95% of the packets belong to the first 30% of the flows; the published files call this `heavytail`.
    Skewed,
}

/// The parameters of a trace like the published ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PublishedPlan {
    /// The switch that the trace is for.
    pub shape: PublishedShape,
    /// The distribution of packets over flows.
    pub pattern: PublishedPattern,
    /// The number of packets of each port; the published traces have 100.
    pub packets_per_port: u32,
}

/// The number of packets in 10,000 that belong to busy flows ([`PublishedPattern::Skewed`]).
const OF_BUSY_FLOWS: u64 = 9_500;
/// The number of busy flows in 10.
const BUSY_FLOWS: u64 = 3;
/// The shortest packet in bytes, which is the unit in which time on a port is counted.
const SHORTEST: u32 = 64;

/// The parts of the seed for stages and flows. Ports use the parts from 0 on.
const PART_STAGES: u64 = 1 << 32;
const PART_FLOWS: u64 = 2 << 32;

impl PublishedPattern {
    /// All patterns.
    pub const ALL: [Self; 2] = [Self::Uniform, Self::Skewed];

    /// Returns the name in plans.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Skewed => "skewed",
        }
    }

    /// Returns the name in the published files.
    pub const fn published_name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Skewed => "heavytail",
        }
    }

    /// Returns the pattern with a name, either ours or the published one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pattern| [pattern.name(), pattern.published_name()].contains(&name))
    }

    /// Draws the flow of a packet, from 1; returns 0 if there are no flows.
    fn draw(self, flows: u64, random: &mut Random) -> u32 {
        let busy = (flows * BUSY_FLOWS).div_ceil(10);
        let from_zero = match self {
            _ if flows == 0 => return 0,
            Self::Skewed if busy < flows && random.below(10_000) >= OF_BUSY_FLOWS => busy + random.below(flows - busy),
            Self::Skewed => random.below(busy),
            Self::Uniform => random.below(flows),
        };
        (from_zero + 1) as u32
    }
}

impl PublishedSizes {
    fn draw(self, random: &mut Random) -> u32 {
        match self {
            Self::Fixed(size) => size,
            Self::Bimodal => [256, 1472][random.below(2) as usize],
        }
    }
}

impl PublishedPlan {
    /// Returns the stages that keep state in ascending order, drawn from all but the last one.
    pub fn stateful_stages(&self, seed: u64) -> Vec<u32> {
        let mut stages: Vec<u32> = (0..self.shape.depth().saturating_sub(1)).collect();
        Random::for_part(seed, PART_STAGES).shuffle(&mut stages);
        stages.truncate(self.shape.stateful_stages as usize);
        stages.sort_unstable();
        stages
    }

    /// Returns the accesses of each flow's packets to these stateful stages, by flow from 1 and in order of stage.
    ///
    /// Each flow in turn draws how many of the stages it uses and which, and takes the first index of each that no
    /// flow has yet, until one stage has no index left.
    pub fn flows(&self, stages: &[u32], seed: u64) -> Vec<Vec<StatefulAccess>> {
        let mut random = Random::for_part(seed, PART_FLOWS);
        let mut free: Vec<u32> = vec![0; stages.len()];
        let mut order: Vec<usize> = (0..stages.len()).collect();
        let mut flows = Vec::new();
        while free.iter().max().is_some_and(|&most| most < self.shape.register_size) {
            let uses = 1 + random.below(stages.len() as u64) as usize;
            random.shuffle(&mut order);
            let mut accesses: Vec<StatefulAccess> = order[..uses]
                .iter()
                .map(|&place| {
                    let index = free[place];
                    free[place] += 1;
                    StatefulAccess { stage: stages[place], index }
                })
                .collect();
            accesses.sort_unstable();
            flows.push(accesses);
        }
        flows
    }

    /// Returns the packets of a switch with this many flows in order of time, and of equal times the smaller port
    /// first.
    pub fn packets(&self, flows: usize, seed: u64) -> PublishedPackets {
        let cycles_per_unit = self.shape.ports_per_pipeline();
        let mut packets = PublishedPackets {
            next: BinaryHeap::new(),
            ports: Vec::new(),
            plan: *self,
            flows: flows as u64,
            cycles_per_unit: cycles_per_unit.into(),
        };
        if self.packets_per_port == 0 {
            return packets;
        }
        for port in 0..u16::try_from(self.shape.ports.saturating_sub(1)).map_or(0, |last| u32::from(last) + 1) {
            let mut random = Random::for_part(seed, port.into());
            packets.next.push(Reverse((random.below(cycles_per_unit.into()), port as u16)));
            packets.ports.push(PortState { random, left: self.packets_per_port });
        }
        packets
    }

    /// Returns a whole trace.
    pub fn trace(&self, seed: u64) -> PublishedTrace {
        let flows = self.flows(&self.stateful_stages(seed), seed);
        let packets = self.packets(flows.len(), seed).collect();
        PublishedTrace::of_parts(flows, packets).expect("packets are of these flows, and no flow repeats a stage")
    }
}

/// The packets of a plan, made one after the other: see [`PublishedPlan::packets`].
#[derive(Clone, Debug)]
pub struct PublishedPackets {
    /// The time of the next packet of each port that has packets left.
    next: BinaryHeap<Reverse<(u64, u16)>>,
    ports: Vec<PortState>,
    plan: PublishedPlan,
    flows: u64,
    /// The cycles of one pipeline that 64 bytes take on a port.
    cycles_per_unit: u64,
}

#[derive(Clone, Debug)]
struct PortState {
    random: Random,
    left: u32,
}

impl Iterator for PublishedPackets {
    type Item = PublishedPacket;

    fn next(&mut self) -> Option<PublishedPacket> {
        let mut earliest = self.next.peek_mut()?;
        let Reverse((cycle, port)) = *earliest;
        let state = &mut self.ports[usize::from(port)];
        let size = self.plan.shape.packet_size.draw(&mut state.random);
        let flow = self.plan.pattern.draw(self.flows, &mut state.random);
        state.left -= 1;
        if state.left == 0 {
            std::collections::binary_heap::PeekMut::pop(earliest);
        } else {
            *earliest = Reverse((cycle + u64::from(size / SHORTEST) * self.cycles_per_unit, port));
        }
        Some(PublishedPacket { cycle, port, size, flow, place: flow.saturating_sub(1) })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.ports.iter().map(|port| port.left as usize).sum();
        (left, Some(left))
    }
}
