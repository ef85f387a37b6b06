//! Service at a stop: serving the queue and letting served packets leave.

use runtime::RegisterFile;

use super::core::Core;
use super::packets::{FREE, Phantom, Tag};
use super::parameters::Blocking;
use super::queue::{QueueEntry, QueueEntryKind};
use super::stage_plan::Condition;
use super::stop::Stop;

impl Core {
    /// Serves a stop of a pipeline in this cycle: a stateless packet occupies the stage if there is one (section 3.4,
    /// Invariant 2), otherwise the queue is popped. With [`super::Departure::DelayedAtExit`] the queue is always
    /// popped, and the popped packet waits at the exit.
    #[inline]
    pub(super) fn serve(&mut self, stop: &mut Stop, pipeline: usize) {
        if !stop.is_stateful() {
            return;
        }
        if self.delayed_at_exit {
            let packet = self.pop(stop, pipeline);
            if packet != FREE {
                stop.exits[pipeline].push_back(packet);
            }
        } else if stop.slots[pipeline] == FREE && stop.queues[pipeline].len() > 0 {
            stop.slots[pipeline] = self.pop(stop, pipeline);
        }
    }

    /// Pops the queue, makes the accesses of the popped packet and returns it, or [`FREE`] if no data packet is served.
    #[inline]
    fn pop(&mut self, stop: &mut Stop, pipeline: usize) -> u32 {
        let popped = match self.blocking {
            Blocking::HeadOfLine => stop.queues[pipeline].pop(),
            Blocking::PerIndex => self.pop_by_index(stop, pipeline),
        };
        self.advanced |= popped.is_some();
        match popped {
            None => FREE,
            Some(QueueEntry { kind: QueueEntryKind::Data, packet, .. }) => {
                self.access(stop, pipeline, packet);
                if self.loses && self.packets.traveller(packet).order % 50 == 49 {
                    return FREE;
                }
                packet
            }
            // Removing a void phantom costs the stage a cycle (section 3.3).
            Some(_) => {
                self.voids -= 1;
                self.counters.wasted_cycles += 1;
                FREE
            }
        }
    }

    /// Serves the first data packet whose indices no earlier entry needs.
    fn pop_by_index(&mut self, stop: &mut Stop, pipeline: usize) -> Option<QueueEntry> {
        let Self { packets, blocked, .. } = self;
        let Stop { queues, plan, .. } = stop;
        blocked.clear();
        queues[pipeline].pop_first(|entry| {
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
    #[inline]
    fn access(&mut self, stop: &Stop, pipeline: usize, packet: u32) {
        self.compute(pipeline, packet, stop.plan.stage + 1);
        for access in stop.plan.accesses.clone() {
            if !self.packets.tag(packet, access).pending {
                continue;
            }
            self.release(packet, access);
            if self.observing {
                let planned = &self.plan.accesses[access];
                let index = self.packets.frame(packet)[usize::from(planned.index)];
                let index = RegisterFile::wrap(index, planned.indices) as u32;
                self.made.push((access as u32, index, self.packets.content(packet).sidecar.id));
            }
        }
    }

    /// Removes and returns the packet that leaves the stage of a stop now, or [`FREE`]. If address resolution ends
    /// here, resolves the packet's addresses as of `cycle`.
    #[inline]
    pub(super) fn let_go(&mut self, stop: &mut Stop, pipeline: usize, cycle: u64) -> u32 {
        let packet = std::mem::replace(&mut stop.slots[pipeline], FREE);
        if packet != FREE && !stop.is_stateful() && self.is_active(self.plan.resolution, packet) {
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
        stop: &mut Stop,
        next: Option<&Stop>,
        pipeline: usize,
        passing: u32,
    ) -> u32 {
        let Some(&packet) = stop.exits[pipeline].front() else { return FREE };
        let next = next.filter(|next| next.plan.stage == stop.plan.stage + 1);
        // In the published simulator, a packet that passes through the first stage always holds up what leaves it, even
        // if it queues in the next one: at the entrance, the simulator marks packets as passing without further checks.
        let is_first = stop.plan.stage == self.plan.entry;
        let mut needs_room = |packet| !next.is_some_and(|next| self.will_queue(next, pipeline, packet));
        if passing != FREE && (is_first || needs_room(passing)) && needs_room(packet) {
            return FREE;
        }
        stop.exits[pipeline].pop_front();
        self.advanced = true;
        packet
    }

    /// Tags a packet with the pipeline of each access that it will or may make, and counts it (section 3.3,
    /// "PVSM-to-PVSM transformer", and section 3.4). Its phantoms depart in `cycle`.
    pub(super) fn resolve(&mut self, pipeline: usize, packet: u32, cycle: u64) {
        let traveller = self.packets.traveller_mut(packet);
        traveller.resolved = cycle;
        traveller.source = pipeline as u8;
        let (frame, tags) = self.packets.frame_and_tags(packet);
        for (access, planned) in self.plan.accesses.iter().enumerate() {
            if let Condition::Resolved(slot) = planned.condition
                && frame[usize::from(slot)] == 0
            {
                continue;
            }
            let (index, target) = match &mut self.shards[access] {
                Some(shard) => {
                    let index = RegisterFile::wrap(frame[usize::from(planned.index)], planned.indices);
                    (index as u32, shard.resolve(index))
                }
                None => (0, planned.home.unwrap_or(0)),
            };
            // One phantom stands for all accesses of a stage in the same pipeline.
            let mut others = tags[planned.first..access].iter();
            let stands = others.any(|tag| tag.phantom == Phantom::Travelling && tag.pipeline == target);
            let phantom = if self.phantoms && !stands { Phantom::Travelling } else { Phantom::None };
            tags[access] = Tag { index, phantom, pipeline: target, pending: true };
        }
        if self.phantoms {
            self.resolved.note(cycle, pipeline, packet);
        }
    }
}
