//! The k pipelines: their state, and how time advances.

use std::sync::Arc;

use basis::snapshot::{Loader, Saver, Unfit};
use basis::{Clock, Instant};
use ir::RegisterId;
use node::{Burst, Control, Node, Outbox, Port, Reason};
use runtime::{ProgramState, RegisterFile};
use wire::Packet;

use super::core::Core;
use super::entrance::Entrance;
use super::packets::{FREE, Traveller};
use super::parameters::{Mp5Parameters, Mutation};
use super::placement;
use super::plain::Plain;
use super::rules::Departure;
use super::shard::{Pace, ShardMap};
use super::stage_plan::StagePlan;
use super::stateless_stretch::StatelessStretch;
use super::stop::Stop;
use crate::Statistics;
use crate::Stuck;
use crate::edge::Edge;
use crate::engine::Memory;
use crate::pipelines::events::Access;
use crate::pipelines::{Pipelines, Tracer};
use crate::stages::StageCompiler;
use crate::timeline::Timeline;

/// The pipelines of an MP5 or of a recirculating switch.
#[derive(Debug)]
pub struct ParallelPipelines {
    pub(super) parameters: Mp5Parameters,
    pub(super) phantoms_at_once: bool,
    pub(super) one_after_another: bool,
    pub(super) remaps_first: bool,
    /// The plain cycles that are enough as long as nobody watches, if any are.
    plain: Option<Plain>,
    pub(super) edge: Box<dyn Edge>,
    /// The number of ports, if the program cannot name any others.
    ports: Option<u32>,
    pub(super) clock: Clock,
    pub(super) core: Core,
    pub(super) entrance: Entrance,
    /// The packets that enter the pipelines in this cycle; all free except while they enter.
    pub(super) entering: Vec<u32>,
    /// The stretches of stages before each stop and before the exit.
    pub(super) stretches: Vec<StatelessStretch>,
    pub(super) stops: Vec<Stop>,
    /// The order in which pipelines are updated.
    pub(super) update: Vec<usize>,
    /// The first cycle that the maps of indices have not passed yet.
    remapped: u64,
    /// The first cycle at whose end some index may move.
    remap_due: u64,
    /// The number of consecutive cycles without progress.
    still: u64,
    pub(super) timeline: Option<Timeline>,
}

impl ParallelPipelines {
    pub(super) fn new(plan: StagePlan, memories: Vec<Memory>, edge: Box<dyn Edge>, parameters: Mp5Parameters) -> Self {
        let (k, rules) = (parameters.pipelines, parameters.rules);
        let mut from = plan.entry;
        let ends = plan.stops.iter().map(|stop| stop.stage).chain([plan.depth]).enumerate();
        let stretches = ends.map(|(number, to)| {
            let distance = to - std::mem::replace(&mut from, to);
            // A served packet leaves beside one that passes only if one of them joins a queue directly behind.
            let is_between_stops = (1..plan.stops.len()).contains(&number);
            let is_double = rules.has(Departure::DelayedAtExit) && is_between_stops && distance == 1;
            StatelessStretch::new(distance as u64, k, 1 + usize::from(is_double))
        });
        let stretches = stretches.collect();
        let shards = plan.accesses.iter().enumerate().map(|(number, access)| {
            if access.home.is_some() {
                return None;
            }
            let map = placement::first_map(number, access.indices, &parameters);
            Some(ShardMap::new(map, k, parameters.remap_period))
        });
        let shards = shards.collect();
        Self {
            phantoms_at_once: rules.has(Departure::PhantomsAtOnce),
            one_after_another: rules.has(Departure::OneAfterAnother),
            remaps_first: rules.has(Departure::RemapFirst),
            plain: Plain::enough_for(&parameters, &plan),
            entrance: Entrance::new(&parameters),
            entering: vec![FREE; k],
            stretches,
            stops: plan.stops.iter().map(|stop| Stop::new(stop, &parameters)).collect(),
            update: parameters.update_order(),
            clock: Clock::new(parameters.period, 1),
            remapped: 0,
            remap_due: 0,
            still: 0,
            timeline: None,
            ports: edge.ports(),
            core: Core::new(plan, memories, shards, &parameters),
            edge,
            parameters,
        }
    }

    /// Returns true if the port exists.
    pub(super) fn is_port(&self, port: u16) -> bool {
        self.ports.is_none_or(|ports| u32::from(port) < ports)
    }

    /// Asks to be woken when there is something to do.
    #[inline]
    pub(super) fn schedule(&self, out: &mut Outbox) {
        match self.next_busy() {
            Some(cycle) => out.wake_at(self.clock.edge(cycle)),
            None => out.sleep(),
        }
    }

    /// Returns true if nothing will move without new input: there has been no progress for longer than a packet or
    /// phantom takes between two stops, so all entries wait for each other. Only a packet that arrives or returns can
    /// change that.
    pub(super) fn stands_still(&self) -> bool {
        self.still > self.core.plan.depth as u64
    }

    /// Returns the next cycle in which there is something to do.
    #[inline]
    pub(super) fn next_busy(&self) -> Option<u64> {
        let returning = self.entrance.returning();
        let is_busy = self.core.packets.len() > returning || self.core.voids > 0;
        if is_busy && !self.stands_still() {
            return Some(self.core.cycle);
        }
        self.entrance.first_return().map(|ready| ready.max(self.core.cycle))
    }

    /// Executes all cycles whose clock edge is before `end`, or at `end` if `inclusive`.
    #[inline]
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

    /// Runs the cycles before `now` that the driver should already have called for, and skips idle ones. Packets that
    /// arrive at `now` can enter at an edge at that very time.
    #[cold]
    fn catch_up(&mut self, now: Instant, out: &mut Outbox) {
        self.run(now, false, out);
        if self.clock.edge(self.core.cycle) < now {
            self.skip_to(self.clock.first_edge_at_or_after(now));
        }
    }

    /// Accepts a packet on a port that exists.
    #[inline(always)]
    fn arrive(&mut self, now: Instant, port: u16, packet: Packet) {
        let Core { statistics, packets, plan, tracer, .. } = &mut self.core;
        statistics.received += 1;
        let (id, frame) = packets.prepare(&plan.code);
        let values = plan.code.variables(frame);
        let applies = match tracer {
            Some(tracer) => tracer.load(&mut *self.edge, &packet, port, now, values),
            None => self.edge.load(&packet, port, now, values, None),
        };
        packets.add(id, packet, Traveller::new(port, applies));
        self.entrance.arrive(now, port, id);
        self.still = 0;
    }

    /// Discards a packet that arrives on a port that does not exist.
    #[cold]
    fn refuse(&mut self, now: Instant, port: u16, packet: Packet, out: &mut Outbox) {
        let Core { statistics, tracer, .. } = &mut self.core;
        statistics.received += 1;
        statistics.discarded.add(Reason::NO_SUCH_PORT);
        if let Some(tracer) = tracer {
            tracer.refuse(&*self.edge, &packet, port, now);
        }
        out.discard(packet, Reason::NO_SUCH_PORT);
    }

    /// Skips the idle cycles before `cycle`.
    fn skip_to(&mut self, cycle: u64) {
        if cycle <= self.core.cycle {
            return;
        }
        self.remap(cycle);
        self.core.cycle = cycle;
        self.core.resolved.clear();
    }

    /// Executes one cycle. It is not a part of its caller, which in most calls finds nothing to do.
    #[inline(never)]
    fn one_cycle(&mut self, out: &mut Outbox) {
        let cycle = self.core.cycle;
        self.core.observing = out.interest().wants::<Access>();
        self.core.statistics.cycles += 1;
        if self.one_after_another && self.remaps_first {
            self.remap(cycle);
        }
        let is_watched = self.core.observing || self.core.tracer.is_some() || self.timeline.is_some();
        match self.plain.filter(|_| !is_watched) {
            Some(Plain::Together) => self.plain_cycle(),
            Some(Plain::InTurn) => self.plain_cycle_in_turn(),
            None if self.one_after_another => self.cycle_one_after_another(),
            None => self.cycle_together(),
        }
        if !self.remaps_first {
            self.remap(cycle + 1);
        }
        if self.timeline.is_some() {
            self.record();
        }
        self.leave(out);
        self.still = if std::mem::take(&mut self.core.advanced) { 0 } else { self.still + 1 };
        self.core.cycle += 1;
    }

    /// Advances all maps to before `end`; the values move atomically with their index (section 3.4).
    #[inline]
    pub(super) fn remap(&mut self, end: u64) {
        if !self.parameters.sharding.is_dynamic() {
            return;
        }
        let first = std::mem::replace(&mut self.remapped, end);
        if self.remap_due < end {
            self.move_indices(first, end);
        }
    }

    /// Moves the indices that are to move in the cycles from `first` to before `end`.
    #[inline(never)]
    fn move_indices(&mut self, first: u64, end: u64) {
        let Mp5Parameters { remap_period: period, rules, .. } = self.parameters;
        let ignore_in_flight = self.parameters.mutation == Mutation::MoveWhileInFlight;
        let pace = Pace { period, rules, ignore_in_flight };
        let Core { shards, plan, memories, counters, .. } = &mut self.core;
        for (shard, access) in shards.iter_mut().zip(&plan.accesses) {
            let Some(moved) = shard.as_mut().and_then(|shard| shard.pass(first, end, pace)) else { continue };
            counters.moves += 1;
            for &register in &access.registers {
                let cell = plan.code.layout().cells(register).start + moved.index;
                let value = memories[moved.from].read(cell);
                memories[moved.to].write(cell, value);
            }
        }
        self.remap_due = shards.iter().flatten().map(ShardMap::due).min().unwrap_or(u64::MAX);
    }

    /// Returns the pipeline in which the value at an index is active, given the access of its register.
    fn active(&self, access: Option<usize>, index: usize) -> usize {
        let Core { plan, shards, .. } = &self.core;
        access.map_or(0, |access| match &shards[access] {
            Some(shard) => shard.pipeline_of(index),
            None => usize::from(plan.accesses[access].home.unwrap_or(0)),
        })
    }

    /// Returns the memory and the cell that hold a value.
    fn place(&self, register: RegisterId, index: usize) -> (usize, usize) {
        let Core { plan, .. } = &self.core;
        let access = plan.accesses.iter().position(|access| access.registers.contains(&register));
        (self.active(access, index), plan.code.layout().cells(register).start + index)
    }
}

impl Node for ParallelPipelines {
    #[inline]
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        if self.clock.edge(self.core.cycle) < now {
            self.catch_up(now, out);
        }
        if self.is_port(port.0) {
            node::take_each(burst, |packet| self.arrive(now, port.0, packet));
        } else {
            node::take_each(burst, |packet| self.refuse(now, port.0, packet, out));
        }
        self.schedule(out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.run(now, true, out);
        self.schedule(out);
    }

    /// Does nothing: a link that is down concerns whoever drains the ports.
    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Pipelines for ParallelPipelines {
    fn edge(&self) -> &dyn Edge {
        &*self.edge
    }

    fn edge_mut(&mut self) -> &mut dyn Edge {
        &mut *self.edge
    }

    /// Returns each value from the pipeline in which it is active.
    fn registers(&self) -> RegisterFile {
        let Core { plan, memories, .. } = &self.core;
        let mut access_of = vec![None; plan.code.layout().registers()];
        for (number, access) in plan.accesses.iter().enumerate() {
            access.registers.iter().for_each(|register| access_of[register.index()] = Some(number));
        }
        Memory::gather(plan.code.layout(), |register, index| &memories[self.active(access_of[register], index)])
    }

    fn value(&self, register: RegisterId, index: usize) -> u64 {
        let (memory, cell) = self.place(register, index);
        self.core.memories[memory].read(cell)
    }

    fn set_value(&mut self, register: RegisterId, index: usize, value: u64) {
        let (memory, cell) = self.place(register, index);
        self.core.memories[memory].write(cell, value);
    }

    fn set_tables(&mut self, tables: &Arc<ProgramState>) {
        let Core { packets, plan, .. } = &mut self.core;
        plan.code.set_tables(tables, packets.frames());
        self.edge.set_tables(tables);
    }

    fn save_tables(&self, into: &mut Saver) -> Result<(), Unfit> {
        self.core.plan.code.save_tables(into)
    }

    fn restore_tables(&mut self, from: &mut Loader<'_>, like: &ProgramState) -> Result<(), Unfit> {
        self.core.plan.code.restore_tables(from, like)
    }

    fn statistics(&self) -> Statistics {
        let Core { packets, statistics, counters, .. } = &self.core;
        Statistics { in_flight: packets.len() as u64, own: counters.by_name(), ..statistics.clone() }
    }

    fn stuck(&self) -> Vec<Stuck> {
        self.packets_that_wait()
    }

    fn tracer(&mut self) -> &mut Option<Box<Tracer>> {
        &mut self.core.tracer
    }

    fn compile_stages(&mut self, compiler: &dyn StageCompiler) {
        self.core.plan.code.compile_with(compiler);
    }

    fn is_recorded(&self) -> bool {
        self.core.tracer.is_some() || self.timeline.is_some()
    }

    fn record_timeline(&mut self, cycles: u64) {
        self.timeline = Some(Timeline::new(self.clock, cycles));
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }
}

basis::snapshot!(ParallelPipelines { values remapped, remap_due, still; parts core, entrance, stretches, stops; });
