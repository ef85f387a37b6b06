//! The execution of one cycle where no option is in use that most machines do without.
//!
//! A cycle consists of what [`ParallelPipelines::cycle_together`] does. Here it is known that queues are unbounded and served from
//! their heads, that one packet at most leaves a stage in a cycle, that packets do not recirculate, and that nobody
//! watches, so that none of this is asked for at each stop of each pipeline.

use super::core::Core;
use super::packets::{FREE, Phantom};
use super::parameters::{Blocking, Mp5Parameters, Mutation};
use super::queue::{Push, QueueEntryKind};
use super::rules::Departure;
use super::stop::Stop;
use super::switch::ParallelPipelines;

/// The departures from the paper's rules that change what happens within a cycle.
const WITHIN_A_CYCLE: [Departure; 5] = [
    Departure::DelayedAtExit,
    Departure::OneAfterAnother,
    Departure::PhantomsAtOnce,
    Departure::RemapFirst,
    Departure::ResolvedAtEntry,
];

/// Returns true if the parameters ask for nothing that a plain cycle leaves out.
pub(super) fn is_enough_for(parameters: &Mp5Parameters) -> bool {
    !WITHIN_A_CYCLE.into_iter().any(|departure| parameters.rules.has(departure))
        && parameters.mutation == Mutation::None
        && parameters.sends_phantoms()
        && !parameters.recirculates()
        && parameters.blocking == Blocking::HeadOfLine
        && parameters.fifo_depth.is_none()
        && parameters.ecn_threshold.is_none()
        && parameters.starvation_limit.is_none()
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
                    core.receive_all(number, stop, access, arriving);
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
        self.come_out_all();
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

    /// Lets the packets leave that come out of the pipelines at the beginning of the next cycle.
    #[inline(always)]
    fn come_out_all(&mut self) {
        let Self { core, stops, stretches, .. } = self;
        let row = stretches[stops.len()].row(core.cycle + 1);
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
        let (end, cycle) = (self.plan.resolution + 1, self.cycle);
        // All packets execute the same stages here, often none.
        let computes = self.plan.code.computes(0..end);
        let mut moved = 0;
        for (pipeline, (packet, cell)) in arriving.iter_mut().zip(leaving).enumerate() {
            let packet = std::mem::replace(packet, FREE);
            *cell = packet;
            if packet == FREE {
                continue;
            }
            moved += 1;
            let traveller = self.packets.traveller_mut(packet);
            if traveller.applies {
                if computes {
                    self.compute(pipeline, packet, end);
                } else {
                    traveller.next = end as u16;
                }
                self.resolve(pipeline, packet, cycle);
            }
        }
        self.advanced |= moved > 0;
        moved
    }

    /// Queues the phantoms that arrive for the only access of a stop.
    #[inline(always)]
    fn receive_phantoms_of(&mut self, stop: &mut Stop, access: usize) {
        let Self { resolved, packets, statistics, cycle, selected, .. } = self;
        let row = resolved.of(cycle.wrapping_sub(stop.plan.phantom_delay));
        // Whether a packet has a phantom here is hardly ever predictable, so the pipelines are listed without a branch on it.
        let mut count = 0;
        for (source, &packet) in row.iter().enumerate() {
            selected[count] = source as u8;
            count += usize::from(packets.has_travelling(packet, access));
        }
        let mut longest = 0;
        for source in selected[..count].iter().map(|&source| usize::from(source)) {
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
    /// others stay in their cells.
    #[inline(always)]
    fn receive_all(&mut self, number: usize, stop: &mut Stop, access: usize, arriving: &mut [u32]) {
        let (mut count, mut received) = (0, false);
        for (source, &packet) in arriving.iter().enumerate() {
            self.selected[count] = source as u8;
            // A packet to which the program does not apply makes no access.
            count += usize::from(self.packets.is_pending(packet, access));
            received |= packet != FREE;
        }
        for place in 0..count {
            let source = usize::from(self.selected[place]);
            let packet = std::mem::replace(&mut arriving[source], FREE);
            let tag = self.packets.tag_mut(packet, access);
            if let Phantom::Queued(position) = tag.phantom {
                tag.phantom = Phantom::None;
                stop.stages[usize::from(tag.pipeline)].queue.replace(position, QueueEntryKind::Data, self.cycle);
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
        let end = stop.plan.stage + 1;
        let Self { plan, packets, memories, shards, voids, counters, selected, .. } = self;
        let mut shard = shards[access].as_mut();
        let (mut moved, mut count) = (0, 0);
        let cells = passing.iter_mut().zip(&mut *leaving);
        for (pipeline, (stage, (passing, cell))) in stop.stages.iter().zip(cells).enumerate() {
            let packet = std::mem::replace(passing, FREE);
            *cell = packet;
            moved += u64::from(packet != FREE);
            selected[count] = pipeline as u8;
            count += usize::from((packet == FREE) & stage.queue.is_ready());
        }
        for pipeline in selected[..count].iter().map(|&pipeline| usize::from(pipeline)) {
            let Some((kind, packet)) = stop.stages[pipeline].queue.pop() else { continue };
            if kind == QueueEntryKind::Data {
                let from = std::mem::replace(&mut packets.traveller_mut(packet).next, end as u16);
                plan.code.execute(usize::from(from)..end, packets.frame_mut(packet), &mut memories[pipeline]);
                let index = packets.end_access(packet, access);
                if let Some(shard) = &mut shard {
                    shard.release(index);
                }
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
