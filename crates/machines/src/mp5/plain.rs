//! The execution of one cycle where no option is in use that most machines do without.
//!
//! A cycle consists of what [`ParallelPipelines::cycle_together`] does, or [`ParallelPipelines::cycle_one_after_another`] in
//! [`super::plain_in_turn`]. Here it is known that queues are unbounded and served from their heads, that one packet at most
//! leaves a stage in a cycle, that packets do not recirculate, and that nobody watches, so that none of this is asked for at each
//! stop of each pipeline.

use super::core::Core;
use super::packets::{FREE, Packets, Phantom};
use super::parameters::{Blocking, Mp5Parameters, Mutation};
use super::queue::{Push, QueueEntryKind};
use super::rules::Departure;
use super::shard::ShardMap;
use super::stage_plan::StagePlan;
use super::stop::Stop;
use super::switch::ParallelPipelines;
use crate::engine::{Code, Memory};

/// The plain cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// All pipelines advance together, as in the paper.
    Together,
    /// Pipelines are updated one after the other, as in the published simulator.
    InTurn,
}

/// The departures from the paper's rules that change what happens within a cycle of pipelines that advance together.
const WITHIN_A_CYCLE: [Departure; 5] = [
    Departure::DelayedAtExit,
    Departure::OneAfterAnother,
    Departure::PhantomsAtOnce,
    Departure::RemapFirst,
    Departure::ResolvedAtEntry,
];

/// The departures with which pipelines are updated one after the other in plain cycles. If queues were sorted, it would matter whether
/// an entry is served before another one of the same cycle is pushed.
const IN_TURN: [Departure; 5] = [
    Departure::DelayedAtExit,
    Departure::OneAfterAnother,
    Departure::OneList,
    Departure::PhantomsAtOnce,
    Departure::ResolvedAtEntry,
];

impl Plain {
    /// Returns the plain cycles that leave out nothing for which the parameters ask, if there are any.
    pub(super) fn enough_for(parameters: &Mp5Parameters, plan: &StagePlan) -> Option<Self> {
        let is_plain = parameters.mutation == Mutation::None
            && parameters.sends_phantoms()
            && !parameters.recirculates()
            && parameters.blocking == Blocking::HeadOfLine
            && parameters.fifo_depth.is_none()
            && parameters.ecn_threshold.is_none()
            && parameters.starvation_limit.is_none();
        let has = |departure| parameters.rules.has(departure);
        if !is_plain {
            None
        } else if !WITHIN_A_CYCLE.into_iter().any(has) {
            Some(Self::Together)
        } else {
            let is_certain = plan.stops.iter().all(|stop| stop.certain.is_some());
            (IN_TURN.into_iter().all(has) && is_certain).then_some(Self::InTurn)
        }
    }
}

impl ParallelPipelines {
    /// Executes a cycle with all pipelines together.
    pub(super) fn plain_cycle(&mut self) {
        self.enter_all();
        for number in (0..self.stops.len()).rev() {
            let Self { core, stops, stretches, .. } = self;
            let stop = &mut stops[number];
            let (before, after) = stretches.split_at_mut(number + 1);
            // Packets that pass through the stage of their pipeline stay in its cell until they leave it.
            let (arriving, after) = (before[number].row(core.cycle), &mut after[0]);
            let distance = after.distance;
            let leaving = after.row(core.cycle + distance);
            let moved = match stop.plan.certain {
                Some(access) => {
                    core.receive_phantoms_of(stop, access);
                    core.receive_all::<false>(number, stop, access, arriving);
                    core.serve_all(stop, access, arriving, leaving)
                }
                None if stop.is_stateful() => {
                    core.receive_any(number, stop, arriving);
                    core.serve_any(stop, leaving)
                }
                None => core.resolve_all(arriving, leaving),
            };
            core.statistics.stage_cycles += moved * distance;
            self.finish_discards();
        }
        self.come_out_all(self.core.cycle + 1);
    }

    /// Admits packets from the entrance, which enter the pipelines.
    #[inline(always)]
    fn enter_all(&mut self) {
        self.line_up();
        let Self { core, stretches, entrance, .. } = self;
        core.resolved.begin(core.cycle);
        let stretch = &mut stretches[0];
        let distance = stretch.distance;
        let entered = entrance.admit(core.cycle, stretch.row(core.cycle + distance), FREE);
        core.advanced |= entered > 0;
        core.statistics.stage_cycles += entered as u64 * distance;
    }

    /// Lets the packets leave that come out of the pipelines at the beginning of a cycle.
    #[inline(always)]
    pub(super) fn come_out_all(&mut self, cycle: u64) {
        let Self { core, stops, stretches, .. } = self;
        let row = stretches[stops.len()].row(cycle);
        for (pipeline, cell) in row.iter_mut().enumerate() {
            let packet = std::mem::replace(cell, FREE);
            if packet != FREE {
                core.finish(pipeline, packet);
            }
        }
    }
}

impl Core {
    /// Lets all packets pass the stage in which addresses are resolved, and returns their number.
    #[inline(always)]
    fn resolve_all(&mut self, arriving: &mut [u32], leaving: &mut [u32]) -> u64 {
        // All packets execute the same stages here, often none.
        let computes = self.plan.code.computes(0..self.plan.resolution + 1);
        let mut moved = 0;
        for (pipeline, (packet, cell)) in arriving.iter_mut().zip(leaving).enumerate() {
            let packet = std::mem::replace(packet, FREE);
            *cell = packet;
            if packet == FREE {
                continue;
            }
            moved += 1;
            self.resolve_one(pipeline, packet, computes);
        }
        self.advanced |= moved > 0;
        moved
    }

    /// Resolves the addresses of a packet, if the program applies to it. `computes` says whether anything must be computed before.
    #[inline(always)]
    pub(super) fn resolve_one(&mut self, pipeline: usize, packet: u32, computes: bool) {
        let end = self.plan.resolution + 1;
        let traveller = self.packets.traveller_mut(packet);
        if traveller.applies {
            if computes {
                self.compute(pipeline, packet, end);
            } else {
                traveller.next = end as u16;
            }
            self.resolve(pipeline, packet, self.cycle);
        }
    }

    /// Queues the phantoms that arrive for the only access of a stop.
    #[inline(always)]
    fn receive_phantoms_of(&mut self, stop: &mut Stop, access: usize) {
        let Self { resolved, packets, statistics, cycle, selected, .. } = self;
        let row = resolved.of(cycle.wrapping_sub(stop.plan.phantom_delay));
        // Whether a packet has a phantom here is hardly ever predictable, so the pipelines are listed without a branch on it.
        let mut count = 0;
        for (source, &packet) in row.iter().enumerate() {
            selected[count] = source as u32;
            count += usize::from(packets.has_travelling(packet, access));
        }
        let mut longest = 0;
        for source in selected[..count].iter().map(|&source| source as usize) {
            let packet = row[source];
            let pipeline = packets.tag(packet, access).pipeline;
            let order = packets.traveller(packet).order;
            let push = Push { cycle: *cycle, order, source, packet, kind: QueueEntryKind::Phantom };
            let queue = &mut stop.stages[usize::from(pipeline)].queue;
            let position = queue.push(push, |moved, position| {
                packets.tag_mut(moved, access).phantom = Phantom::Queued(position);
            });
            packets.tag_mut(packet, access).phantom = position.map_or(Phantom::Lost, Phantom::Queued);
            // Nothing leaves a queue before all phantoms of the cycle are in it.
            longest = longest.max(queue.len());
        }
        statistics.largest_queue = statistics.largest_queue.max(longest.into());
        self.advanced |= count > 0;
    }

    /// Receives the packets that arrive at a stop with one access: those that make it take the places of their phantoms, and the
    /// others stay in their cells. `IN_TURN` says that pipelines are updated one after the other: a pipeline that was updated before
    /// the one that a packet comes from can serve the packet in the next cycle.
    #[inline(always)]
    pub(super) fn receive_all<const IN_TURN: bool>(
        &mut self,
        number: usize,
        stop: &mut Stop,
        access: usize,
        arriving: &mut [u32],
    ) {
        let pipelines = stop.stages.len();
        let (mut count, mut received) = (0, false);
        for (cell, &packet) in arriving.iter().enumerate() {
            self.selected[count] = cell as u32;
            // A packet to which the program does not apply makes no access.
            count += usize::from(self.packets.is_pending(packet, access));
            received |= packet != FREE;
        }
        for place in 0..count {
            let cell = self.selected[place] as usize;
            let packet = std::mem::replace(&mut arriving[cell], FREE);
            // The second lane is behind the first one.
            let source = if IN_TURN && cell >= pipelines { cell - pipelines } else { cell };
            let tag = self.packets.tag_mut(packet, access);
            if let Phantom::Queued(position) = tag.phantom {
                tag.phantom = Phantom::None;
                let pipeline = usize::from(tag.pipeline);
                let ready = self.cycle + u64::from(IN_TURN && pipeline <= source);
                stop.stages[pipeline].queue.replace(position, QueueEntryKind::Data, ready);
            } else {
                self.receive_active(number, stop, source, packet);
            }
        }
        self.advanced |= received;
    }

    /// Serves the stages of a stop with one access, lets their packets and those that pass through move on, and returns the
    /// number of these.
    #[inline(always)]
    fn serve_all(&mut self, stop: &mut Stop, access: usize, passing: &mut [u32], leaving: &mut [u32]) -> u64 {
        let Self { plan, packets, memories, shards, voids, counters, selected, cycle, .. } = self;
        let shard = shards[access].as_mut();
        let mut service = Service { code: &plan.code, packets, memories, shard, access, end: stop.plan.stage + 1 };
        let (mut moved, mut count) = (0, 0);
        let cells = passing.iter_mut().zip(&mut *leaving);
        for (pipeline, (stage, (passing, cell))) in stop.stages.iter().zip(cells).enumerate() {
            let packet = std::mem::replace(passing, FREE);
            *cell = packet;
            moved += u64::from(packet != FREE);
            selected[count] = pipeline as u32;
            count += usize::from((packet == FREE) & stage.queue.is_ready(*cycle));
        }
        for pipeline in selected[..count].iter().map(|&pipeline| pipeline as usize) {
            let (kind, packet) = stop.stages[pipeline].queue.pop_ready();
            if kind == QueueEntryKind::Data {
                service.make_access(pipeline, packet);
                leaving[pipeline] = packet;
                moved += 1;
            } else {
                // Removing a void phantom costs the stage a cycle (section 3.3).
                *voids -= 1;
                counters.wasted_cycles += 1;
            }
        }
        self.advanced |= count > 0;
        moved
    }

    /// Receives the phantoms and packets that arrive at a stop where it is not known before whether a packet makes an access, or
    /// which one.
    fn receive_any(&mut self, number: usize, stop: &mut Stop, arriving: &mut [u32]) {
        self.receive_phantoms(number, stop, 0..arriving.len());
        for (source, packet) in arriving.iter_mut().enumerate() {
            match std::mem::replace(packet, FREE) {
                FREE => {}
                packet => self.receive_packet(number, stop, source, packet),
            }
        }
        self.statistics.largest_queue = self.statistics.largest_queue.max(stop.longest());
    }

    /// Serves the stages of such a stop, lets their packets move on, and returns the number of these.
    fn serve_any(&mut self, stop: &mut Stop, leaving: &mut [u32]) -> u64 {
        let Stop { plan, stages, .. } = stop;
        let mut moved = 0;
        for (pipeline, (stage, cell)) in stages.iter_mut().zip(leaving).enumerate() {
            self.serve(plan, stage, pipeline);
            *cell = std::mem::replace(&mut stage.slot, FREE);
            moved += u64::from(*cell != FREE);
        }
        moved
    }
}

/// What the stages of a stop with one access need to serve packets.
pub(super) struct Service<'c> {
    pub(super) code: &'c Code,
    pub(super) packets: &'c mut Packets,
    pub(super) memories: &'c mut [Memory],
    pub(super) shard: Option<&'c mut ShardMap>,
    pub(super) access: usize,
    /// The stage behind that of the stop.
    pub(super) end: usize,
}

impl Service<'_> {
    /// Executes the outstanding stages up to that of the stop on a packet that is served.
    #[inline(always)]
    pub(super) fn make_access(&mut self, pipeline: usize, packet: u32) {
        let Self { code, packets, memories, shard, access, end } = self;
        let from = std::mem::replace(&mut packets.traveller_mut(packet).next, *end as u16);
        code.execute(usize::from(from)..*end, packets.frame_mut(packet), &mut memories[pipeline]);
        let index = packets.end_access(packet, *access);
        if let Some(shard) = shard {
            shard.release(index);
        }
    }
}
