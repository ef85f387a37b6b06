//! What a stop does with the packets it has: it serves its queue, and sends on what is served.

use runtime::RegisterFile;

use super::packets::{FREE, Phantom, Tag};
use super::parameters::Blocking;
use super::plan::Condition;
use super::queue::{Entry, Kind};
use super::rules::Departure;
use super::switch::Switch;

impl Switch {
    /// Serves a stop of a pipeline in this cycle: a stateless packet takes the stage (section 3.4, Invariant 2),
    /// else the queue is popped. With [`Departure::DelayedAtExit`] the queue is popped anyway, and what was
    /// popped waits at the exit.
    #[inline]
    pub(super) fn serve(&mut self, stop: usize, pipeline: usize) {
        if self.plan.stops[stop].accesses.is_empty() {
            return;
        }
        let slot = stop * self.parameters.pipelines + pipeline;
        if self.delayed_at_exit {
            let packet = self.pop(stop, pipeline);
            if packet != FREE {
                self.exits[slot].push_back(packet);
            }
        } else if self.slots[slot] == FREE {
            self.slots[slot] = self.pop(stop, pipeline);
        }
    }

    /// The packet that the queue serves now, with its accesses made.
    #[inline]
    fn pop(&mut self, stop: usize, pipeline: usize) -> u32 {
        let popped = match self.parameters.blocking {
            Blocking::HeadOfLine => self.queues[stop][pipeline].pop(),
            Blocking::PerIndex => self.pop_by_index(stop, pipeline),
        };
        match popped {
            None => FREE,
            Some(Entry { kind: Kind::Data, packet, .. }) => {
                self.access(stop, pipeline, packet);
                packet
            }
            // A void placeholder costs the stage its cycle (section 3.3).
            Some(_) => {
                self.voids -= 1;
                self.statistics.wasted_cycles += 1;
                FREE
            }
        }
    }

    /// Serves the first entry whose index nobody before it needs.
    fn pop_by_index(&mut self, stop: usize, pipeline: usize) -> Option<Entry> {
        let Self { queues, packets, plan, blocked, .. } = self;
        let accesses = plan.stops[stop].accesses.clone();
        blocked.clear();
        queues[stop][pipeline].pop_first(|entry| {
            // A void placeholder's packet may be gone, and waits for nobody.
            if entry.kind == Kind::Void {
                return true;
            }
            let needs = accesses.clone().filter_map(|access| {
                let tag = packets.tag(entry.packet, access);
                (usize::from(tag.pipeline) == pipeline && tag.pending).then_some((access, tag.index))
            });
            let is_free = entry.kind == Kind::Data && needs.clone().all(|need| !blocked.contains(&need));
            if !is_free {
                blocked.extend(needs);
            }
            is_free
        })
    }

    /// Does the program's work of a stop's stage, and of what lies before it, on a packet that was served.
    #[inline]
    fn access(&mut self, stop: usize, pipeline: usize, packet: u32) {
        self.compute(pipeline, packet, self.plan.stops[stop].stage + 1);
        for access in self.plan.stops[stop].accesses.clone() {
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

    /// Sends on what leaves a stop of a pipeline in this cycle, `early` cycles before it would be its turn in a
    /// machine that updates everything together.
    #[inline]
    pub(super) fn send_on(&mut self, stop: usize, pipeline: usize, early: u64) {
        let slot = stop * self.parameters.pipelines + pipeline;
        let packet = std::mem::replace(&mut self.slots[slot], FREE);
        if self.delayed_at_exit && !self.plan.stops[stop].accesses.is_empty() {
            self.send_on_from_exit(stop, pipeline, packet, early);
        }
        if packet != FREE {
            if self.plan.stops[stop].accesses.is_empty() && self.is_active(self.plan.resolution, packet) {
                self.compute(pipeline, packet, self.plan.resolution + 1);
                self.resolve(pipeline, packet, self.cycle - early);
            }
            if self.timeline.is_some() {
                self.processed[slot] = packet;
            }
            self.put(stop + 1, pipeline, 0, packet, early);
        }
    }

    /// Sends on the first packet at the exit, if the next stage has room for it: a stateless packet that leaves
    /// with it has the right of way, and what queues in the next stage needs no room.
    fn send_on_from_exit(&mut self, stop: usize, pipeline: usize, passing: u32, early: u64) {
        let slot = stop * self.parameters.pipelines + pipeline;
        let Some(&packet) = self.exits[slot].front() else { return };
        let is_next = self.lines[stop + 1].distance == 1 && stop + 1 < self.plan.stops.len();
        // In the published simulator what passes through the first stage always holds up what leaves it, even if it
        // queues in the next one: where packets enter, it notes them as passing without looking further.
        let is_first = self.plan.stops[stop].stage == self.plan.entry;
        let mut needs_room = |packet| !(is_next && self.will_queue(stop + 1, pipeline, packet));
        if passing != FREE && (is_first || needs_room(passing)) && needs_room(packet) {
            return;
        }
        self.exits[slot].pop_front();
        if self.timeline.is_some() {
            self.processed[slot] = packet;
        }
        self.put(stop + 1, pipeline, usize::from(passing != FREE), packet, early);
    }

    /// Lets a packet into the stretch before a stop, or before the exit.
    #[inline]
    pub(super) fn put(&mut self, line: usize, pipeline: usize, lane: usize, packet: u32, early: u64) {
        let distance = self.lines[line].distance;
        self.statistics.stage_cycles += distance;
        let arrival = self.cycle + distance - early;
        if arrival == self.cycle && self.one_after_another {
            self.come_out(line, pipeline, packet);
        } else {
            self.lines[line].put(arrival, pipeline, lane, packet);
        }
    }

    /// Tags a packet with the pipeline of each access that it will or may make, counts it, and sends phantoms
    /// ahead in `cycle` (section 3.3, "PVSM-to-PVSM transformer", and section 3.4).
    pub(super) fn resolve(&mut self, pipeline: usize, packet: u32, cycle: u64) {
        let traveller = self.packets.traveller_mut(packet);
        traveller.resolved = cycle;
        traveller.source = pipeline as u8;
        for access in 0..self.plan.accesses.len() {
            let planned = &self.plan.accesses[access];
            if let Condition::Resolved(slot) = planned.condition
                && self.packets.frame(packet)[usize::from(slot)] == 0
            {
                continue;
            }
            let (index, target) = match &mut self.shards[access] {
                Some(shard) => {
                    let index = self.packets.frame(packet)[usize::from(planned.index)];
                    let index = RegisterFile::wrap(index, planned.indices);
                    (index as u32, shard.resolve(index))
                }
                None => (0, planned.home.unwrap_or(0)),
            };
            // One phantom stands for all accesses of a stage that lie in one pipeline.
            let first = self.plan.stops[planned.stop].accesses.start;
            let stands = |other| {
                let tag = self.packets.tag(packet, other);
                tag.phantom == Phantom::Travelling && tag.pipeline == target
            };
            let phantom =
                if self.phantoms && !(first..access).any(stands) { Phantom::Travelling } else { Phantom::None };
            *self.packets.tag_mut(packet, access) = Tag { index, phantom, pipeline: target, pending: true };
        }
        if !self.phantoms {
            return;
        }
        if self.parameters.rules.has(Departure::PhantomsAtOnce) {
            for stop in 0..self.plan.stops.len() {
                self.queue_phantoms(stop, pipeline, packet);
            }
        } else {
            self.resolved.note(cycle, pipeline, packet);
        }
    }
}
