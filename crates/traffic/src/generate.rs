//! Generated traffic, which keeps every port busy at line rate.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use basis::{Instant, Random};
use demand::FlowSizeTable;
use node::Offered;
use runtime::binding::FieldShape;

use crate::fields::Facts;
use crate::heads;
use crate::maker::{Maker, SentBytes};
use crate::plan::Generated;
use crate::rate::{LineRate, Ticks};
use crate::{Form, PacketSizes, Pattern};

/// A stream of generated packets in order of arrival, which ends after the number of packets in its plan.
///
/// Each port gets a sequence of packets without gaps, which begins at a random phase; a packet arrives with its last
/// byte. The flows of packets are drawn in order of arrival, so that the load of the states does not depend on the
/// number of ports.
pub struct Generator {
    rate: LineRate,
    left: u64,
    sequence: u64,
    sizes: PacketSizes,
    ports: Vec<PortState>,
    /// The arrival and port of each port's next packet. They are ordered by the instant that nodes see rather than by
    /// ticks, so that of equal arrival times the smaller port comes first.
    next: BinaryHeap<Reverse<(Instant, u16)>>,
    /// The bytes of a packet that are headers and do not count towards its flow.
    overhead: u32,
    choice: Choice,
    maker: Maker,
}

struct PortState {
    random: Random,
    /// The arrival of the port's next packet.
    ticks: Ticks,
    /// The size of the next packet.
    size: u32,
    /// The active flow that the next packet belongs to, if flows end.
    slot: usize,
    active: Vec<ActiveFlow>,
}

impl PortState {
    /// Draws the size of the next packet, and its flow if the port has active flows.
    fn draw_next(&mut self, sizes: PacketSizes, overhead: u32) {
        self.size = sizes.draw(&mut self.random);
        if !self.active.is_empty() {
            self.slot = self.random.below(self.active.len() as u64) as usize;
            // The last packet of a flow is as long as the rest of the flow.
            let needed = self.active[self.slot].left.saturating_add(u64::from(overhead));
            let needed = u32::try_from(needed).unwrap_or(u32::MAX);
            self.size = self.size.min(needed.max(PacketSizes::SHORTEST));
        }
    }
}

struct ActiveFlow {
    flow: u64,
    /// The payload bytes that have not been sent.
    left: u64,
    sent: u32,
}

/// The flow that the next packet belongs to.
enum Choice {
    /// One of a fixed number of flows that do not end.
    Pattern { pattern: Pattern, count: u64, random: Random, sent: SentBytes },
    /// One of the port's active flows, which end and are replaced by new ones.
    Flows { table: FlowSizeTable, started: u64 },
}

impl Generator {
    /// Creates the stream of a plan for the fields of a program.
    pub(crate) fn new<'a>(
        plan: &Generated,
        form: Form,
        rate: LineRate,
        packets: u64,
        seed: u64,
        fields: impl Iterator<Item = FieldShape<'a>> + Clone,
    ) -> Self {
        let choice = match plan.flow_sizes {
            Some(sizes) => Choice::Flows { table: sizes.table(), started: 0 },
            None => Choice::Pattern {
                pattern: plan.pattern,
                count: u64::from(plan.flows),
                random: Random::for_part(seed, PART_CHOICE),
                sent: SentBytes::new(plan.flows as usize, form),
            },
        };
        let maker = Maker::new(plan.making.protocol, form, seed, fields, |name| plan.field_generator(name));
        let mut generator = Self {
            rate,
            left: packets,
            sequence: 0,
            sizes: plan.sizes,
            ports: Vec::with_capacity(usize::from(rate.ports)),
            next: BinaryHeap::with_capacity(usize::from(rate.ports)),
            overhead: heads::overhead(plan.making.protocol),
            choice,
            maker,
        };
        for port in 0..rate.ports {
            let mut random = Random::for_part(seed, u64::from(port));
            let active = match &mut generator.choice {
                Choice::Pattern { .. } => Vec::new(),
                Choice::Flows { table, started } => {
                    (0..plan.active_flows).map(|_| start_flow(table, started, &mut random)).collect()
                }
            };
            let mut state = PortState { random, ticks: Ticks(0), size: 0, slot: 0, active };
            state.draw_next(plan.sizes, generator.overhead);
            let gap = u64::try_from(rate.on_a_port(state.size).0).unwrap_or(u64::MAX);
            state.ticks = Ticks(state.random.below(gap.max(1)).into());
            generator.next.push(Reverse((rate.instant(state.ticks), port)));
            generator.ports.push(state);
        }
        generator
    }
}

impl Choice {
    /// Returns the flow of a port's next packet, and the number of its payload bytes before that packet.
    fn draw(&mut self, state: &mut PortState, payload: u32) -> (u64, u32) {
        match self {
            Self::Pattern { pattern, count, random, sent } => {
                let flow = pattern.draw(*count, random);
                (flow, sent.add(flow as usize, payload))
            }
            Self::Flows { table, started } => {
                let active = &mut state.active[state.slot];
                let chosen = (active.flow, active.sent);
                active.sent = active.sent.wrapping_add(payload);
                active.left = active.left.saturating_sub(u64::from(payload));
                if active.left == 0 {
                    *active = start_flow(table, started, &mut state.random);
                }
                chosen
            }
        }
    }
}

/// The part of the seed for the choice of flows. Ports use the parts from 0 on.
const PART_CHOICE: u64 = 1 << 32;

fn start_flow(table: &FlowSizeTable, started: &mut u64, random: &mut Random) -> ActiveFlow {
    let flow = *started;
    *started += 1;
    ActiveFlow { flow, left: table.draw(random), sent: 0 }
}

impl Iterator for Generator {
    type Item = Offered;

    fn next(&mut self) -> Option<Offered> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let mut top = self.next.peek_mut()?;
        let Reverse((at, port)) = *top;
        let state = &mut self.ports[usize::from(port)];
        let (size, sequence) = (state.size, self.sequence);
        self.sequence += 1;
        let (flow, offset) = self.choice.draw(state, size - self.overhead);
        state.draw_next(self.sizes, self.overhead);
        state.ticks.0 += self.rate.on_a_port(state.size).0;
        *top = Reverse((self.rate.instant(state.ticks), port));
        drop(top); // restores the order of the heap
        Some(self.maker.offered(&Facts { at, port, size, flow, sequence, offset, accesses: &[] }))
    }
}
