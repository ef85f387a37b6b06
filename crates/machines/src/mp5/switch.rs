//! The k pipelines: what they hold, and how time passes for them.

use basis::{Clock, Instant, Random};
use node::{Burst, Outbox, Port, Reason};
use runtime::binding::Binding;

use super::channel::Line;
use super::entrance::Entrance;
use super::fifo::StageQueue;
use super::packets::Packets;
use super::parameters::{FirstMap, Mutation, Parameters, Sharding};
use super::plan::{Plan, PlannedAccess};
use super::shard::{self, Pace, ShardMap};
use crate::Statistics;
use crate::engine::Memory;
use crate::timeline::Timeline;

/// A stage's slot that holds no packet.
pub(super) const FREE: u32 = u32::MAX;

/// A packet at the end of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Leaving {
    /// Packets leave in the order of arrival where they leave in one cycle.
    pub(super) order: u64,
    pub(super) packet: u32,
    /// Why it is discarded; `None` if it came to the end of a pipeline.
    pub(super) reason: Option<Reason>,
}

/// The pipelines of an MP5, or of a switch that recirculates.
#[derive(Debug)]
pub(super) struct Switch {
    pub(super) parameters: Parameters,
    /// Whether phantoms are sent.
    pub(super) phantoms: bool,
    /// Whether timestamps are swapped, by a mutation.
    pub(super) swapped: bool,
    pub(super) plan: Plan,
    pub(super) binding: Binding,
    pub(super) clock: Clock,
    pub(super) packets: Packets,
    pub(super) entrance: Entrance,
    /// The packet that is about to enter each stage, by stage and by the pipeline that it comes from; after the
    /// last stage, the packets that leave.
    pub(super) moving: Vec<u32>,
    /// The queue of each stage of each pipeline; none at stages without state.
    pub(super) queues: Vec<Vec<StageQueue>>,
    /// Entries of queues that stand for packets which will never come.
    pub(super) voids: u64,
    /// The phantom channel to each stage with state.
    pub(super) lines: Vec<Option<Line>>,
    /// The map of each access that is sharded.
    pub(super) shards: Vec<Option<ShardMap>>,
    /// Each pipeline's copy of all registers, of which it uses what is active there (section 3.1, D2).
    pub(super) memories: Vec<Memory>,
    /// In which order pipelines are updated.
    pub(super) update: Vec<usize>,
    /// The next cycle.
    pub(super) cycle: u64,
    pub(super) leaving: Vec<Leaving>,
    /// Packets that joined queues of the stage in this cycle, and the pipelines of the queues.
    pub(super) joined: Vec<(u32, u8)>,
    /// Accesses made in this cycle: unit, index, sequence.
    pub(super) made: Vec<(u32, u32, u64)>,
    pub(super) observing: bool,
    pub(super) fields: Vec<u64>,
    pub(super) statistics: Statistics,
    pub(super) timeline: Option<Timeline>,
}

impl Switch {
    pub(super) fn new(plan: Plan, memory: &Memory, binding: Binding, parameters: Parameters) -> Self {
        let k = parameters.pipelines;
        let depth = plan.depth();
        let stateful = |stage: usize| !plan.by_stage[stage].is_empty();
        let queue = StageQueue::new(k, parameters.fifo_depth);
        let queues = (0..depth).map(|stage| if stateful(stage) { vec![queue.clone(); k] } else { Vec::new() });
        let line = |stage: usize| Line::new((stage - plan.resolution) as u64, k, plan.by_stage[stage].len());
        let lines = (0..depth).map(|stage| stateful(stage).then(|| line(stage)));
        let shards = plan.accesses.iter().enumerate().map(|(number, access)| {
            let map = first_map(access, number, &parameters)?;
            Some(ShardMap::new(map, k, parameters.remap_period))
        });
        Self {
            phantoms: parameters.sends_phantoms(),
            swapped: parameters.mutation == Mutation::SwappedTimestamps,
            packets: Packets::new(&plan.code, plan.accesses.len()),
            entrance: Entrance::new(&parameters),
            moving: vec![FREE; (depth + 1) * k],
            queues: queues.collect(),
            voids: 0,
            lines: lines.collect(),
            shards: shards.collect(),
            memories: vec![memory.clone(); k],
            update: parameters.update_order(),
            clock: Clock::new(parameters.period, 1),
            cycle: 0,
            leaving: Vec::new(),
            joined: Vec::new(),
            made: Vec::new(),
            observing: false,
            fields: Vec::new(),
            statistics: Statistics::default(),
            timeline: None,
            plan,
            binding,
            parameters,
        }
    }

    /// Takes in packets that have arrived.
    pub(super) fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        // Cycles that the driver should have let pass; at the edge of `now` itself these packets can enter.
        self.run(now, false, out);
        self.skip_to(self.clock.first_edge_at_or_after(now));
        for packet in burst.drain(..) {
            self.statistics.received += 1;
            let id = self.packets.add(packet, port.0, &self.plan.code);
            let (content, frame) = self.packets.content_and_frame(id);
            let applies = self.binding.load(content, port.0, self.plan.code.variables(frame));
            self.packets.traveller_mut(id).applies = applies;
            self.entrance.arrive(now, port.0, id);
        }
        self.schedule(out);
    }

    /// Asks to be woken when there is something to do.
    pub(super) fn schedule(&self, out: &mut Outbox) {
        match self.next_busy() {
            Some(cycle) => out.wake_at(self.clock.edge(cycle)),
            None => out.sleep(),
        }
    }

    /// What it has done so far.
    pub(super) fn statistics(&self) -> Statistics {
        Statistics { in_flight: self.packets.len() as u64, ..self.statistics.clone() }
    }

    /// The next cycle in which there is something to do.
    pub(super) fn next_busy(&self) -> Option<u64> {
        let returning = self.entrance.returning();
        if self.packets.len() > returning || self.voids > 0 {
            return Some(self.cycle);
        }
        self.entrance.first_return().map(|ready| ready.max(self.cycle))
    }

    /// Lets all cycles pass whose edge lies before `end`, or at it if `inclusive`.
    pub(super) fn run(&mut self, end: Instant, inclusive: bool, out: &mut Outbox) {
        while let Some(cycle) = self.next_busy() {
            let edge = self.clock.edge(cycle);
            if edge > end || (edge == end && !inclusive) {
                return;
            }
            self.skip_to(cycle);
            self.one_cycle(out);
        }
    }

    /// Lets the next cycle end, and those before `cycle` in which nothing happens.
    pub(super) fn skip_to(&mut self, cycle: u64) {
        if self.parameters.sharding == Sharding::Dynamic {
            self.remap(cycle);
        }
        self.cycle = self.cycle.max(cycle);
    }

    /// Lets one cycle pass.
    fn one_cycle(&mut self, out: &mut Outbox) {
        let k = self.parameters.pipelines;
        self.observing = out.interest().accesses;
        self.statistics.cycles += 1;
        let packets = &mut self.packets;
        self.entrance.line_up(|packet, order| packets.traveller_mut(packet).order = order);
        self.entrance.admit(self.cycle, &mut self.moving[..k], FREE);
        // From the last stage to the first, so that a stage's output finds the place in front of the next one
        // empty: everything moves at once. Of two stages neither sees what the other does in this cycle.
        for stage in (0..self.plan.depth()).rev() {
            self.one_stage(stage);
        }
        self.leave(out);
        self.skip_to(self.cycle + 1);
    }

    /// Lets the cycles before `end` pass for every map; the values move with an index, atomically (section 3.4).
    fn remap(&mut self, end: u64) {
        let Parameters { remap_period: period, remap_hindered: hindered, .. } = self.parameters;
        let ignore_in_flight = self.parameters.mutation == Mutation::MoveWhileInFlight;
        let pace = Pace { period, hindered, ignore_in_flight };
        for (shard, access) in self.shards.iter_mut().zip(&self.plan.accesses) {
            let Some(moved) = shard.as_mut().and_then(|shard| shard.pass(self.cycle, end, pace)) else { continue };
            self.statistics.moves += 1;
            for &register in &access.registers {
                let cell = self.plan.code.layout().cells(register).start + moved.index;
                let value = self.memories[moved.from].read(cell);
                self.memories[moved.to].write(cell, value);
            }
        }
    }

    /// The registers as one logical machine has them: each value from the pipeline in which it is active.
    pub(super) fn registers(&self) -> runtime::RegisterFile {
        let layout = self.plan.code.layout();
        let mut registers = self.memories[0].to_registers(layout);
        for (access, shard) in self.plan.accesses.iter().zip(&self.shards) {
            for &register in &access.registers {
                let start = layout.cells(register).start;
                for (index, value) in registers.array_mut(register.index()).iter_mut().enumerate() {
                    let home = usize::from(access.home.unwrap_or(0));
                    let pipeline = shard.as_ref().map_or(home, |shard| shard.pipeline_of(index));
                    *value = self.memories[pipeline].read(start + index);
                }
            }
        }
        registers
    }
}

fn first_map(access: &PlannedAccess, number: usize, parameters: &Parameters) -> Option<Vec<u8>> {
    if access.home.is_some() {
        return None;
    }
    let k = parameters.pipelines;
    let random = || shard::random(access.indices, k, &mut Random::for_part(parameters.seed, number as u64));
    let modulo = || (0..access.indices).map(|index| (index % k) as u8).collect();
    Some(match &parameters.sharding {
        Sharding::Dynamic if parameters.first_map == FirstMap::Modulo => modulo(),
        Sharding::Dynamic | Sharding::StaticRandom => random(),
        Sharding::StaticModulo => modulo(),
        Sharding::Fixed(maps) => maps[number].clone(),
        Sharding::AllInOne => vec![0; access.indices],
    })
}
