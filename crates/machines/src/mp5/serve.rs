//! Service at a stop: serving the queue and letting served packets leave.

use runtime::RegisterFile;

use super::core::Core;
use super::packets::{FREE, NOWHERE, Phantom, Tag};
use super::parameters::Blocking;
use super::queue::QueueEntryKind;
use super::stage_plan;
use super::stop::{PipelineStage, Stop};

impl Core {
    /// Serves a stop of a pipeline in this cycle: a stateless packet occupies the stage if there is one (section 3.4,
    /// Invariant 2), otherwise the queue is popped. With [`super::Departure::DelayedAtExit`] the queue is always
    /// popped, and the popped packet waits at the exit.
    #[inline(always)]
    pub(super) fn serve(&mut self, plan: &stage_plan::Stop, stage: &mut PipelineStage, pipeline: usize) {
        if stage.queue.len() == 0 || (stage.slot != FREE && !self.delayed_at_exit) {
            return;
        }
        let packet = self.pop(plan, stage, pipeline);
        if !self.delayed_at_exit {
            stage.slot = packet;
        } else if packet != FREE {
            stage.exit.push_back(packet);
        }
    }

    /// Pops the queue, makes the accesses of the popped packet and returns it, or [`FREE`] if no data packet is served.
    #[inline(always)]
    fn pop(&mut self, plan: &stage_plan::Stop, stage: &mut PipelineStage, pipeline: usize) -> u32 {
        let popped = match self.blocking {
            Blocking::HeadOfLine => stage.queue.pop(),
            Blocking::PerIndex => self.pop_by_index(plan, stage, pipeline),
        };
        let Some((kind, packet)) = popped else { return FREE };
        self.advanced = true;
        if kind != QueueEntryKind::Data {
            // Removing a void phantom costs the stage a cycle (section 3.3).
            self.voids -= 1;
            self.counters.wasted_cycles += 1;
            return FREE;
        }
        self.access(plan, pipeline, packet);
        if self.loses && self.packets.traveller(packet).order % 50 == 49 {
            return FREE;
        }
        packet
    }

    /// Serves the first data packet whose indices no earlier entry needs.
    #[inline(never)]
    fn pop_by_index(
        &mut self,
        plan: &stage_plan::Stop,
        stage: &mut PipelineStage,
        pipeline: usize,
    ) -> Option<(QueueEntryKind, u32)> {
        let Self { packets, blocked, .. } = self;
        blocked.clear();
        stage.queue.pop_first(|entry| {
            // The packet of a void phantom may no longer exist, and the entry waits for nobody.
            if entry.kind == QueueEntryKind::Void {
                return true;
            }
            let needs = plan.accesses.clone().filter_map(|access| {
                let tag = packets.tag(entry.packet, access);
                (usize::from(tag.pipeline) == pipeline && tag.pending).then_some((access, tag.index))
            });
            let is_free = entry.kind == QueueEntryKind::Data && needs.clone().all(|need| !blocked.contains(&need));
            if !is_free {
                blocked.extend(needs);
            }
            is_free
        })
    }

    /// Executes the outstanding stages up to that of a stop on a packet that is served.
    #[inline(always)]
    fn access(&mut self, plan: &stage_plan::Stop, pipeline: usize, packet: u32) {
        self.compute(pipeline, packet, plan.stage + 1);
        for access in plan.accesses.clone() {
            if !self.packets.tag(packet, access).pending {
                continue;
            }
            self.release(packet, access);
            if self.observing {
                self.note_access(packet, access);
            }
        }
    }

    /// Notes an access for an event.
    #[cold]
    fn note_access(&mut self, packet: u32, access: usize) {
        let planned = &self.plan.accesses[access];
        let index = self.packets.frame(packet)[usize::from(planned.index)];
        let index = RegisterFile::wrap(index, planned.indices) as u32;
        self.made.push((access as u32, index, self.packets.content(packet).sidecar.id));
    }

    /// Removes and returns the packet that leaves the stage of a stop now, or [`FREE`]. If address resolution ends
    /// here, resolves the packet's addresses as of `cycle`.
    #[inline(always)]
    pub(super) fn let_go(
        &mut self,
        plan: &stage_plan::Stop,
        stage: &mut PipelineStage,
        pipeline: usize,
        cycle: u64,
    ) -> u32 {
        let packet = std::mem::replace(&mut stage.slot, FREE);
        if packet != FREE && !plan.is_stateful() && self.is_active(self.plan.resolution, packet) {
            self.compute(pipeline, packet, self.plan.resolution + 1);
            self.resolve(pipeline, packet, cycle);
        }
        packet
    }

    /// Removes and returns the first packet at the exit if the next stage has room for it, otherwise [`FREE`]. A
    /// stateless packet that leaves at the same time takes precedence, and packets that queue in the next stage need no
    /// room.
    pub(super) fn let_go_from_exit(
        &mut self,
        plan: &stage_plan::Stop,
        stage: &mut PipelineStage,
        next: Option<&Stop>,
        pipeline: usize,
        passing: u32,
    ) -> u32 {
        let Some(&packet) = stage.exit.front() else { return FREE };
        let next = next.filter(|next| next.plan.stage == plan.stage + 1);
        // In the published simulator, a packet that passes through the first stage always holds up what leaves it, even
        // if it queues in the next one: at the entrance, the simulator marks packets as passing without further checks.
        let is_first = plan.stage == self.plan.entry;
        let mut needs_room = |packet| !next.is_some_and(|next| self.will_queue(next, pipeline, packet));
        if passing != FREE && (is_first || needs_room(passing)) && needs_room(packet) {
            return FREE;
        }
        stage.exit.pop_front();
        self.advanced = true;
        packet
    }

    /// Tags a packet with the pipeline of each access that it will or may make, and counts it (section 3.3,
    /// "PVSM-to-PVSM transformer", and section 3.4). Its phantoms depart in `cycle`.
    pub(super) fn resolve(&mut self, pipeline: usize, packet: u32, cycle: u64) {
        if self.retries {
            self.resolve_by::<true>(pipeline, packet, cycle);
        } else {
            self.resolve_by::<false>(pipeline, packet, cycle);
        }
    }

    /// Does it by rules that contain [`super::Departure::Retry`] (`RETRY`) or do not.
    #[inline(always)]
    fn resolve_by<const RETRY: bool>(&mut self, pipeline: usize, packet: u32, cycle: u64) {
        let traveller = self.packets.traveller_mut(packet);
        traveller.resolved = cycle;
        traveller.source = pipeline as u8;
        let Self { packets, plan, shards, phantoms, .. } = self;
        let (frame, tags) = packets.frame_and_tags(packet);
        for ((planned, shard), tag) in plan.accesses.iter().zip(shards).zip(&mut *tags) {
            // Whether a packet makes an access is hardly ever predictable, so nothing here branches on it.
            let pending = frame[usize::from(planned.predicate)] != 0;
            let (index, target) = match shard {
                Some(shard) => {
                    let index = RegisterFile::wrap(frame[usize::from(planned.index)], planned.indices);
                    (index as u32, shard.resolve::<RETRY>(index, pending))
                }
                None => (0, planned.home.unwrap_or(0)),
            };
            let phantom = if pending & *phantoms { Phantom::Travelling } else { Phantom::None };
            *tag = Tag { index, phantom, pipeline: if pending { target } else { NOWHERE }, pending };
        }
        // One phantom stands for all accesses of a stage in the same pipeline.
        for &(access, first) in &plan.companions {
            let Tag { phantom, pipeline, .. } = tags[access];
            let stands = |tag: &Tag| tag.phantom == Phantom::Travelling && tag.pipeline == pipeline;
            if phantom == Phantom::Travelling && tags[first..access].iter().any(stands) {
                tags[access].phantom = Phantom::None;
            }
        }
        if self.phantoms_travel {
            self.resolved.note(cycle, pipeline, packet);
        }
    }
}
