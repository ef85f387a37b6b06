//! The k pipelines: what they hold, and how time passes for them.

use std::collections::VecDeque;

use basis::{Clock, Instant, Random};
use node::{Burst, Outbox, Port, Reason};
use runtime::binding::Binding;

use super::entrance::Entrance;
use super::line::Line;
use super::packets::{FREE, Packets};
use super::parameters::{Blocking, Mutation, Parameters, Sharding};
use super::phantoms::Resolved;
use super::placement;
use super::plan::{Plan, PlannedAccess};
use super::queue::StageQueue;
use super::rules::Departure;
use super::shard::{Pace, ShardMap};
use crate::Statistics;
use crate::engine::Memory;
use crate::timeline::Timeline;

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
    pub(super) delayed_at_exit: bool,
    pub(super) one_after_another: bool,
    pub(super) in_flight_for_ever: bool,
    pub(super) plan: Plan,
    pub(super) binding: Binding,
    pub(super) clock: Clock,
    pub(super) packets: Packets,
    pub(super) entrance: Entrance,
    /// The packets that enter the pipelines in this cycle; all free but while they do.
    pub(super) entering: Vec<u32>,
    /// The stretches of stages between stops: the one before each stop, and the one before the exit.
    pub(super) lines: Vec<Line>,
    /// How many packets can leave a stop of a pipeline in one cycle.
    pub(super) lanes: usize,
    /// The packet in each stop's stage, by stop and pipeline.
    pub(super) slots: Vec<u32>,
    /// With [`Departure::DelayedAtExit`]: packets that were served and have not left their stop's stage, by stop and
    /// pipeline.
    pub(super) exits: Vec<VecDeque<u32>>,
    /// For the timeline: the packet that each stop of each pipeline processed in this cycle.
    pub(super) processed: Vec<u32>,
    /// The queue of each stop of each pipeline; none where there is no state.
    pub(super) queues: Vec<Vec<StageQueue>>,
    /// Entries of queues that stand for packets which will never come.
    pub(super) voids: u64,
    /// What is in the phantom channel.
    pub(super) resolved: Resolved,
    /// The map of each access that is sharded.
    pub(super) shards: Vec<Option<ShardMap>>,
    /// Each pipeline's copy of all registers, of which it uses what is active there (section 3.1, D2).
    pub(super) memories: Vec<Memory>,
    /// In which order pipelines are updated.
    pub(super) update: Vec<usize>,
    /// The next cycle, or the one that passes.
    pub(super) cycle: u64,
    /// The first cycle that has not passed for the maps of indices.
    remapped: u64,
    pub(super) leaving: Vec<Leaving>,
    /// Packets that joined a queue and have not been looked at for marking, with its stop and pipeline.
    pub(super) joined: Vec<(u32, usize, u8)>,
    /// Accesses and indices that a packet of the queue in question needs.
    pub(super) blocked: Vec<(usize, u32)>,
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
        let rules = parameters.rules;
        let stops = plan.stops.len();
        let queue = StageQueue::new(k, parameters.fifo_depth);
        let queues = plan.stops.iter().map(|stop| vec![queue.clone(); if stop.accesses.is_empty() { 0 } else { k }]);
        let lanes = 1 + usize::from(rules.has(Departure::DelayedAtExit));
        let mut from = plan.entry;
        let ends = plan.stops.iter().map(|stop| stop.stage).chain([plan.depth]);
        let lines = ends.map(|to| Line::new((to - std::mem::replace(&mut from, to)) as u64, k, lanes)).collect();
        let longest = plan.stops.iter().map(|stop| stop.phantom_delay).max().unwrap_or(0);
        let shards = plan.accesses.iter().enumerate().map(|(number, access)| {
            let map = first_map(access, number, &parameters)?;
            Some(ShardMap::new(map, k, parameters.remap_period))
        });
        Self {
            phantoms: parameters.sends_phantoms(),
            swapped: parameters.mutation == Mutation::SwappedTimestamps,
            packets: Packets::new(&plan.code, plan.accesses.len()),
            entrance: Entrance::new(&parameters),
            delayed_at_exit: rules.has(Departure::DelayedAtExit),
            one_after_another: rules.has(Departure::OneAfterAnother),
            in_flight_for_ever: rules.has(Departure::IdealInFlight) && parameters.blocking == Blocking::PerIndex,
            entering: vec![FREE; k],
            lines,
            lanes,
            slots: vec![FREE; stops * k],
            exits: vec![VecDeque::new(); stops * k],
            processed: vec![FREE; stops * k],
            queues: queues.collect(),
            voids: 0,
            resolved: Resolved::new(longest, k),
            shards: shards.collect(),
            memories: vec![memory.clone(); k],
            update: parameters.update_order(),
            clock: Clock::new(parameters.period, 1),
            cycle: 0,
            remapped: 0,
            leaving: Vec::new(),
            joined: Vec::new(),
            blocked: Vec::new(),
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

    /// Lets the cycles before `cycle` pass in which nothing happens.
    fn skip_to(&mut self, cycle: u64) {
        if cycle <= self.cycle {
            return;
        }
        if !self.one_after_another {
            self.remap(cycle);
        }
        self.cycle = cycle;
        self.resolved.clear();
    }

    /// Lets one cycle pass.
    fn one_cycle(&mut self, out: &mut Outbox) {
        self.observing = out.interest().accesses;
        self.statistics.cycles += 1;
        let packets = &mut self.packets;
        self.entrance.line_up(|packet, order| packets.traveller_mut(packet).order = order);
        if self.one_after_another {
            self.remap(self.cycle);
            self.cycle_one_after_another();
        } else {
            self.cycle_together();
            self.remap(self.cycle + 1);
        }
        if self.timeline.is_some() {
            self.record();
        }
        self.leave(out);
        self.cycle += 1;
    }

    /// Lets the cycles before `end` pass for every map; the values move with an index, atomically (section 3.4).
    #[inline]
    fn remap(&mut self, end: u64) {
        if !self.parameters.sharding.is_dynamic() {
            return;
        }
        let Parameters { remap_period: period, rules, .. } = self.parameters;
        let ignore_in_flight = self.parameters.mutation == Mutation::MoveWhileInFlight;
        let pace = Pace { period, rules, ignore_in_flight };
        let first = std::mem::replace(&mut self.remapped, end);
        for (shard, access) in self.shards.iter_mut().zip(&self.plan.accesses) {
            let Some(moved) = shard.as_mut().and_then(|shard| shard.pass(first, end, pace)) else { continue };
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
    Some(match &parameters.sharding {
        Sharding::Dynamic if parameters.rules.has(Departure::FirstModulo) => placement::modulo(access.indices, k),
        Sharding::Dynamic | Sharding::StaticRandom => {
            placement::random(access.indices, k, &mut Random::for_part(parameters.seed, number as u64))
        }
        Sharding::StaticModulo => placement::modulo(access.indices, k),
        Sharding::Fixed(maps) | Sharding::DynamicFrom(maps) => maps[number].clone(),
        Sharding::AllInOne => vec![0; access.indices],
    })
}
