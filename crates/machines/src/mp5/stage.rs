//! One stage in one cycle, in all pipelines (MP5 sections 3.2 to 3.4).
//!
//! 1. Phantoms that arrive are pushed.
//! 2. Data packets that arrive and access state here are inserted where their phantoms wait, or pushed where
//!    there are no phantoms; others are stateless here and go on in the pipeline that they are in.
//! 3. A stateless packet takes the stage (Invariant 2), else the queue is popped.
//!
//! Each step is done for all pipelines before the next one begins, and no step of one pipeline looks at what the
//! same step did for another one: the order of the pipelines makes no difference.

use node::Reason;
use runtime::RegisterFile;

use super::fifo::{Kind, Popped, Timestamp};
use super::packets::{NOWHERE, Phantom, Tag};
use super::parameters::Steering;
use super::plan::Condition;
use super::switch::{FREE, Leaving, Switch};
use crate::timeline::{Moment, Waiting};

/// When an entry is pushed; `swapped` is [`super::Mutation::SwappedTimestamps`].
#[inline]
fn timestamp(cycle: u64, order: u64, swapped: bool) -> Timestamp {
    Timestamp { cycle, order: if swapped { !order } else { order } }
}

impl Switch {
    /// Lets one cycle pass for one stage of every pipeline.
    pub(super) fn one_stage(&mut self, stage: usize) {
        let k = self.parameters.pipelines;
        let stateful = !self.plan.by_stage[stage].is_empty();
        if stateful {
            for turn in 0..k {
                self.receive_phantoms(stage, self.update[turn]);
            }
            for turn in 0..k {
                self.receive_packet(stage, self.update[turn]);
            }
            self.mark(stage);
            if let Some(limit) = self.parameters.starvation_limit {
                for turn in 0..k {
                    self.guard(stage, self.update[turn], limit);
                }
            }
            let longest = self.queues[stage].iter().map(|queue| u64::from(queue.len())).max();
            self.statistics.largest_queue = self.statistics.largest_queue.max(longest.unwrap_or(0));
        }
        for turn in 0..k {
            let pipeline = self.update[turn];
            let packet = std::mem::replace(&mut self.moving[stage * k + pipeline], FREE);
            let packet = if packet == FREE && stateful { self.pop(stage, pipeline) } else { packet };
            if packet != FREE {
                self.statistics.stage_cycles += 1;
                if self.plan.works[stage] {
                    self.process(stage, pipeline, packet);
                }
                self.moving[(stage + 1) * k + pipeline] = packet;
            }
            if self.timeline.is_some() {
                self.record(stage, pipeline, packet);
            }
        }
    }

    /// Pushes the phantoms of packets of the pipeline `source` (section 3.2: one FIFO for each pipeline).
    fn receive_phantoms(&mut self, stage: usize, source: usize) {
        let Some(line) = &mut self.lines[stage] else { return };
        for (place, access) in self.plan.by_stage[stage].clone().enumerate() {
            let Some(packet) = line.receive(self.cycle, source, place) else { continue };
            let timestamp = timestamp(self.cycle, self.packets.traveller(packet).order, self.swapped);
            let tag = self.packets.tag_mut(packet, access);
            let queue = &mut self.queues[stage][usize::from(tag.pipeline)];
            // A phantom that finds its FIFO full is dropped; its data packet will notice (section 3.4).
            tag.phantom = queue.push(source, Kind::Phantom, packet, timestamp).map_or(Phantom::Lost, Phantom::Queued);
        }
    }

    /// True if a packet does the program's work in a stage, rather than passing through it.
    #[inline]
    fn is_active(&self, stage: usize, packet: u32) -> bool {
        let traveller = self.packets.traveller(packet);
        traveller.applies && traveller.detour == NOWHERE && stage >= usize::from(traveller.resume)
    }

    /// Queues the data packet that comes from the pipeline `source`, if it accesses state here.
    fn receive_packet(&mut self, stage: usize, source: usize) {
        let slot = stage * self.parameters.pipelines + source;
        let packet = self.moving[slot];
        if packet == FREE || !self.is_active(stage, packet) {
            return;
        }
        let Some((pipeline, holder)) = self.settle(stage, packet) else { return };
        if let Steering::Recirculation(_) = self.parameters.steering
            && usize::from(pipeline) != source
        {
            // It runs on to the end of its pipeline, and then enters the other one at the front (section 2.3).
            let traveller = self.packets.traveller_mut(packet);
            traveller.detour = pipeline;
            traveller.resume = stage as u16;
            return;
        }
        self.moving[slot] = FREE;
        let timestamp = timestamp(self.cycle, self.packets.traveller(packet).order, self.swapped);
        let queue = &mut self.queues[stage][usize::from(pipeline)];
        if self.phantoms {
            let directory = holder.map(|access| self.packets.tag_mut(packet, access));
            let Some(Tag { phantom: phantom @ Phantom::Queued(_), .. }) = directory else {
                return self.discard(packet, Reason::PhantomLost);
            };
            if let Phantom::Queued(place) = std::mem::replace(phantom, Phantom::None) {
                queue.insert(usize::from(self.packets.traveller(packet).source), place, self.cycle);
            }
        } else if queue.push(source, Kind::Data, packet, timestamp).is_none() {
            return self.discard(packet, Reason::StageQueueFull);
        }
        self.joined.push((packet, pipeline));
    }

    /// Marks packets that have joined a long queue (section 3.4). Looks at the queue when all packets of this
    /// cycle are in it, for they join at once.
    fn mark(&mut self, stage: usize) {
        for (packet, pipeline) in self.joined.drain(..) {
            let length = self.queues[stage][usize::from(pipeline)].len();
            let traveller = self.packets.traveller_mut(packet);
            if self.parameters.ecn_threshold.is_some_and(|threshold| length > threshold) && !traveller.marked {
                traveller.marked = true;
                self.statistics.marked += 1;
            }
        }
    }

    /// Finds out which accesses of this stage a packet makes now that all predicates are known: the pipeline in
    /// which they lie, and the access whose tag holds the phantom for them; `None` if it makes none. What was
    /// tagged for a branch that is not taken is given up, and its phantoms are void (section 3.3).
    fn settle(&mut self, stage: usize, packet: u32) -> Option<(u8, Option<usize>)> {
        let accesses = self.plan.by_stage[stage].clone();
        let mut pipeline = NOWHERE;
        for access in accesses.clone() {
            let tag = self.packets.tag(packet, access);
            if !tag.pending {
                continue;
            }
            if let Condition::Conservative(slot) = self.plan.accesses[access].condition
                && self.packets.frame(packet)[usize::from(slot)] == 0
            {
                self.release(packet, access);
            } else if pipeline == NOWHERE {
                pipeline = tag.pipeline;
            }
        }
        let mut holder = None;
        for access in accesses {
            let tag = self.packets.tag(packet, access);
            if tag.phantom == Phantom::None {
                continue;
            }
            if tag.pipeline == pipeline {
                holder = Some(access);
            } else {
                self.void_phantom(packet, access, tag);
            }
        }
        (pipeline != NOWHERE).then_some((pipeline, holder))
    }

    /// The access is made, or will not be: the packet is in flight to its index no more (section 3.4).
    #[inline]
    fn release(&mut self, packet: u32, access: usize) {
        let tag = self.packets.tag_mut(packet, access);
        tag.pending = false;
        let index = tag.index as usize;
        if let Some(shard) = &mut self.shards[access] {
            shard.release(index);
        }
    }

    fn void_phantom(&mut self, packet: u32, access: usize, tag: Tag) {
        let stage = self.plan.accesses[access].stage;
        let traveller = *self.packets.traveller(packet);
        match tag.phantom {
            Phantom::None | Phantom::Lost => {}
            Phantom::Travelling => {
                let place = access - self.plan.by_stage[stage].start;
                if let Some(line) = &mut self.lines[stage] {
                    line.cancel(traveller.resolved, usize::from(traveller.source), place);
                }
            }
            Phantom::Queued(place) => {
                let queue = &mut self.queues[stage][usize::from(tag.pipeline)];
                queue.void(usize::from(traveller.source), place, self.cycle);
                self.voids += 1;
            }
        }
        self.packets.tag_mut(packet, access).phantom = Phantom::None;
    }

    /// Ends a packet's way: its remaining phantoms and in-flight counts are cancelled. For stages further down
    /// this takes effect in the next cycle.
    pub(super) fn discard(&mut self, packet: u32, reason: Reason) {
        for access in 0..self.plan.accesses.len() {
            let tag = self.packets.tag(packet, access);
            if tag.pending {
                self.release(packet, access);
            }
            self.void_phantom(packet, access, tag);
        }
        let order = self.packets.traveller(packet).order;
        self.leaving.push(Leaving { order, packet, reason: Some(reason) });
    }

    /// Discards an arriving stateless packet in favour of the queue (section 3.4, "Handling starvation"). A void
    /// placeholder at the head counts like a data packet, for those behind it starve with it.
    fn guard(&mut self, stage: usize, pipeline: usize, limit: u64) {
        let slot = stage * self.parameters.pipelines + pipeline;
        let packet = self.moving[slot];
        if packet == FREE {
            return;
        }
        let Some(head) = self.queues[stage][pipeline].head() else { return };
        if head.kind != Kind::Phantom && self.cycle - head.ready > limit {
            self.moving[slot] = FREE;
            self.discard(packet, Reason::StarvationGuard);
        }
    }

    fn pop(&mut self, stage: usize, pipeline: usize) -> u32 {
        match self.queues[stage][pipeline].pop() {
            Popped::Nothing => FREE,
            Popped::Data(packet) => packet,
            Popped::Void => {
                self.voids -= 1;
                self.statistics.wasted_cycles += 1;
                FREE
            }
        }
    }

    fn process(&mut self, stage: usize, pipeline: usize, packet: u32) {
        if !self.is_active(stage, packet) {
            return;
        }
        self.plan.code.execute(stage, self.packets.frame_mut(packet), &mut self.memories[pipeline]);
        for access in self.plan.by_stage[stage].clone() {
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
        if stage == self.plan.resolution {
            self.resolve(pipeline, packet);
        }
    }

    /// Tags a packet with the pipeline of each access that it will or may make, counts it, and sends phantoms
    /// ahead (section 3.3, "PVSM-to-PVSM transformer", and section 3.4).
    fn resolve(&mut self, pipeline: usize, packet: u32) {
        let traveller = self.packets.traveller_mut(packet);
        traveller.resolved = self.cycle;
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
            let first = self.plan.by_stage[planned.stage].start;
            let stands = |other| {
                let tag = self.packets.tag(packet, other);
                tag.phantom == Phantom::Travelling && tag.pipeline == target
            };
            let mut phantom = Phantom::None;
            if self.phantoms && !(first..access).any(stands) {
                phantom = Phantom::Travelling;
                if let Some(line) = &mut self.lines[planned.stage] {
                    line.send(self.cycle, pipeline, access - first, packet);
                }
            }
            *self.packets.tag_mut(packet, access) = Tag { index, phantom, pipeline: target, pending: true };
        }
    }

    fn record(&mut self, stage: usize, pipeline: usize, packet: u32) {
        let waiting = self.queues[stage].get(pipeline).into_iter().flat_map(|queue| queue.entries()).map(|entry| {
            let kind = match entry.kind {
                Kind::Data => Waiting::Data,
                Kind::Phantom => Waiting::Phantom,
                Kind::Void => Waiting::Void,
            };
            // The order is taken from the timestamp, for the packet of a void placeholder may be gone.
            let order = entry.timestamp.order;
            (if self.swapped { !order } else { order }, kind)
        });
        let processed = (packet != FREE).then(|| self.packets.traveller(packet).order);
        let moment = Moment { processed, waiting: waiting.collect() };
        if let Some(timeline) = &mut self.timeline {
            timeline.record(self.cycle, stage, pipeline, moment);
        }
    }
}
