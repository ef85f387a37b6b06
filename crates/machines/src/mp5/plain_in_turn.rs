//! The execution of one cycle with one pipeline after the other ([`super::Departure::OneAfterAnother`]), where no option is in
//! use that most machines do without.
//!
//! A cycle does what [`ParallelPipelines::cycle_one_after_another`] does, but stop by stop, with all pipelines at each stop. That is
//! the same, because a pipeline sees of another one, in the same cycle, only the packets that have joined its queue at the same
//! stop: a packet that arrives from a pipeline is served in this cycle only by those that are updated later.

use super::core::Core;
use super::packets::{FREE, Phantom};
use super::plain::Service;
use super::queue::{Push, QueueEntryKind};
use super::stop::Stop;
use super::switch::ParallelPipelines;

impl ParallelPipelines {
    /// Executes a cycle with one pipeline after the other.
    pub(super) fn plain_cycle_in_turn(&mut self) {
        self.measure_queues();
        self.enter_in_turn();
        for number in 0..self.stops.len() {
            let Self { core, stops, stretches, .. } = self;
            let (stop, follower) = stops[number..].split_first_mut().expect("there is a stop of that number");
            let Some(access) = stop.plan.certain else { continue };
            let follower = follower.first().filter(|next| next.plan.stage == stop.plan.stage + 1);
            let follower = follower.and_then(|next| next.plan.certain);
            let (before, after) = stretches.split_at_mut(number + 1);
            let (arriving, after) = (before[number].row(core.cycle), &mut after[0]);
            let distance = after.distance;
            // A packet that leaves the stage is behind it already in this cycle.
            let leaving = after.row(core.cycle + distance - 1);
            core.receive_all::<true>(number, stop, access, arriving);
            merge_lanes(arriving, stop.stages.len());
            let moved = core.serve_in_turn(stop, access, follower, arriving, leaving);
            core.statistics.stage_cycles += moved * distance;
        }
        self.come_out_all(self.core.cycle);
        self.finish_discards();
    }

    /// Admits packets from the entrance, which enter the pipelines, and whose phantoms are in their queues at once.
    #[inline(always)]
    fn enter_in_turn(&mut self) {
        self.line_up();
        let Self { core, stretches, stops, entrance, .. } = self;
        let stretch = &mut stretches[0];
        let distance = stretch.distance;
        let row = stretch.row(core.cycle + distance);
        let entered = entrance.admit(core.cycle, row, FREE);
        if entered == 0 {
            return;
        }
        core.advanced = true;
        core.statistics.stage_cycles += entered as u64 * distance;
        let computes = core.plan.code.computes(0..core.plan.resolution + 1);
        for (pipeline, &packet) in row.iter().enumerate() {
            if packet != FREE {
                core.resolve_one(pipeline, packet, computes);
                core.queue_all_phantoms(stops, pipeline, packet);
            }
        }
    }
}

impl Core {
    /// Queues the phantoms of a packet at all stops, each of which has one access, and therefore the number of that.
    #[inline(always)]
    fn queue_all_phantoms(&mut self, stops: &mut [Stop], source: usize, packet: u32) {
        let Self { packets, selected, cycle, .. } = self;
        let order = packets.traveller(packet).order;
        let tags = packets.tags_mut(packet);
        // Whether a packet has a phantom is hardly ever predictable, so the accesses are listed without a branch on it.
        let mut count = 0;
        for (access, tag) in tags.iter().enumerate() {
            selected[count] = access as u32;
            count += usize::from(tag.phantom == Phantom::Travelling);
        }
        for access in selected[..count].iter().map(|&access| access as usize) {
            let tag = &mut tags[access];
            let push = Push { cycle: *cycle, order, source, packet, kind: QueueEntryKind::Phantom };
            let position = stops[access].stages[usize::from(tag.pipeline)].queue.append(push);
            tag.phantom = Phantom::Queued(position);
        }
    }

    /// Lets the packets move on that have passed through the stages of a stop, and those that were served in them if there is room,
    /// and puts those that arrive without an access into the stages. `follower` is the access of the stop that directly follows, if
    /// one does. Returns the number of packets that move on.
    #[inline(always)]
    fn serve_in_turn(
        &mut self,
        stop: &mut Stop,
        access: usize,
        follower: Option<usize>,
        arriving: &mut [u32],
        leaving: &mut [u32],
    ) -> u64 {
        let Self { plan, packets, memories, shards, voids, counters, selected, cycle, advanced, .. } = self;
        let pipelines = stop.stages.len();
        let is_first = stop.plan.stage == plan.entry;
        let shard = shards[access].as_mut();
        let mut service = Service { code: &plan.code, packets, memories, shard, access, end: stop.plan.stage + 1 };
        let (mut moved, mut count) = (0, 0);
        let cells = arriving.iter_mut().zip(&mut *leaving);
        for (pipeline, (stage, (arriving, cell))) in stop.stages.iter_mut().zip(cells).enumerate() {
            let passing = std::mem::replace(&mut stage.slot, std::mem::replace(arriving, FREE));
            *cell = passing;
            moved += u64::from(passing != FREE);
            selected[count] = pipeline as u32;
            let may_leave = (passing == FREE) | follower.is_some();
            count += usize::from(may_leave & !stage.exit.is_empty() | stage.queue.is_ready(*cycle));
        }
        for pipeline in selected[..count].iter().map(|&pipeline| pipeline as usize) {
            let stage = &mut stop.stages[pipeline];
            let mut served = FREE;
            if stage.queue.is_ready(*cycle) {
                let (kind, packet) = stage.queue.pop_ready();
                *advanced = true;
                if kind == QueueEntryKind::Data {
                    service.make_access(pipeline, packet);
                    served = packet;
                } else {
                    // Removing a void phantom costs the stage a cycle (section 3.3).
                    *voids -= 1;
                    counters.wasted_cycles += 1;
                }
            }
            let passing = leaving[pipeline];
            let queues = |packet| follower.is_some_and(|access| service.packets.is_pending(packet, access));
            let next =
                stage.leave_after(served, |packet| passing == FREE || (!is_first && queues(passing)) || queues(packet));
            if next != FREE {
                *advanced = true;
                leaving[if passing == FREE { pipeline } else { pipelines + pipeline }] = next;
                moved += 1;
            }
        }
        moved
    }
}

/// Moves the packets of the second lane, if there is one, to the first one, which is free where there are any.
#[inline(always)]
fn merge_lanes(row: &mut [u32], pipelines: usize) {
    let (first, second) = row.split_at_mut(pipelines);
    for (cell, other) in first.iter_mut().zip(second) {
        if *other != FREE {
            *cell = std::mem::replace(other, FREE);
        }
    }
}
