//! A data packet arrives at a stop: it queues if it accesses state there, and takes the stage if it does not.

use node::Reason;

use super::packets::{FREE, NOWHERE, Phantom, Tag};
use super::parameters::Steering;
use super::plan::Condition;
use super::queue::Kind;
use super::switch::Switch;

impl Switch {
    /// True if a packet does the program's work in a stage, rather than passing through it.
    #[inline]
    pub(super) fn is_active(&self, stage: usize, packet: u32) -> bool {
        let traveller = self.packets.traveller(packet);
        traveller.applies && traveller.detour == NOWHERE && stage >= usize::from(traveller.next)
    }

    /// Computes what the program has for a packet in the stages before `stage`.
    #[inline]
    pub(super) fn compute(&mut self, pipeline: usize, packet: u32, stage: usize) {
        let traveller = self.packets.traveller_mut(packet);
        let from = usize::from(traveller.next);
        traveller.next = stage as u16;
        self.plan.code.execute(from..stage, self.packets.frame_mut(packet), &mut self.memories[pipeline]);
    }

    /// Lets a data packet arrive at a stop from the pipeline `source`.
    #[inline]
    pub(super) fn receive_packet(&mut self, stop: usize, source: usize, packet: u32) {
        let slot = stop * self.parameters.pipelines + source;
        let stage = self.plan.stops[stop].stage;
        if self.plan.stops[stop].accesses.is_empty() || !self.is_active(stage, packet) {
            self.slots[slot] = packet;
            return;
        }
        if self.plan.stops[stop].is_late {
            self.compute(source, packet, stage);
        }
        let Some((pipeline, holder)) = self.settle(stop, packet) else {
            self.slots[slot] = packet;
            return;
        };
        if let Steering::Recirculation(_) = self.parameters.steering
            && usize::from(pipeline) != source
        {
            // It runs on to the end of its pipeline, and then enters the other one at the front (section 2.3).
            self.compute(source, packet, stage);
            self.packets.traveller_mut(packet).detour = pipeline;
            self.slots[slot] = packet;
            return;
        }
        if !self.phantoms {
            match self.push(stop, usize::from(pipeline), source, packet, Kind::Data) {
                Some(_) => self.note_joined(stop, pipeline, packet),
                None => self.discard(packet, Reason::StageQueueFull),
            }
            return;
        }
        let phantom = holder.map(|access| &mut self.packets.tag_mut(packet, access).phantom);
        match phantom {
            Some(phantom @ Phantom::Queued(_)) => {
                if let Phantom::Queued(place) = std::mem::replace(phantom, Phantom::None) {
                    self.queues[stop][usize::from(pipeline)].replace(place, Kind::Data, self.cycle);
                    self.note_joined(stop, pipeline, packet);
                }
            }
            Some(phantom @ Phantom::Travelling) => *phantom = Phantom::Awaited,
            _ => self.discard(packet, Reason::PhantomLost),
        }
    }

    /// True if a packet's predicate for an access holds, as far as it is known now.
    #[inline]
    fn holds(&self, packet: u32, access: usize) -> bool {
        match self.plan.accesses[access].condition {
            Condition::Conservative(slot) => self.packets.frame(packet)[usize::from(slot)] != 0,
            _ => true,
        }
    }

    /// True if a packet that leaves the stop before this one will queue here.
    pub(super) fn will_queue(&mut self, stop: usize, source: usize, packet: u32) -> bool {
        let stage = self.plan.stops[stop].stage;
        if self.plan.stops[stop].accesses.is_empty() || !self.is_active(stage, packet) {
            return false;
        }
        if self.plan.stops[stop].is_late {
            self.compute(source, packet, stage);
        }
        let mut accesses = self.plan.stops[stop].accesses.clone();
        accesses.any(|access| self.packets.tag(packet, access).pending && self.holds(packet, access))
    }

    /// Finds out which accesses of a stop a packet makes now that all predicates are known: the pipeline in
    /// which they lie, and the access whose tag holds the phantom for them; `None` if it makes none. What was
    /// tagged for a branch that is not taken is given up, and its phantoms are void (section 3.3).
    #[inline]
    fn settle(&mut self, stop: usize, packet: u32) -> Option<(u8, Option<usize>)> {
        let accesses = self.plan.stops[stop].accesses.clone();
        if accesses.len() == 1 && !self.plan.stops[stop].is_late {
            let tag = self.packets.tag(packet, accesses.start);
            return tag.pending.then_some((tag.pipeline, Some(accesses.start)));
        }
        let mut pipeline = NOWHERE;
        for access in accesses.clone() {
            let tag = self.packets.tag(packet, access);
            if !tag.pending {
                continue;
            }
            if !self.holds(packet, access) {
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
    pub(super) fn release(&mut self, packet: u32, access: usize) {
        let tag = self.packets.tag_mut(packet, access);
        tag.pending = false;
        let index = tag.index as usize;
        if let Some(shard) = &mut self.shards[access]
            && !self.in_flight_for_ever
        {
            shard.release(index);
        }
    }

    fn void_phantom(&mut self, packet: u32, access: usize, tag: Tag) {
        if let Phantom::Queued(place) = tag.phantom {
            let stop = self.plan.accesses[access].stop;
            self.queues[stop][usize::from(tag.pipeline)].replace(place, Kind::Void, self.cycle);
            self.voids += 1;
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
        let traveller = *self.packets.traveller(packet);
        if traveller.source != NOWHERE {
            self.resolved.forget(traveller.resolved, usize::from(traveller.source), packet);
        }
        self.leave_with(packet, Some(reason));
    }

    /// Notes that a packet has joined a queue.
    #[inline]
    pub(super) fn note_joined(&mut self, stop: usize, pipeline: u8, packet: u32) {
        if self.parameters.ecn_threshold.is_some() {
            self.joined.push((packet, stop, pipeline));
        }
    }

    /// Marks packets that have joined a long queue (section 3.4). Looks at the queue when all packets of this
    /// cycle are in it, for they join at once.
    #[inline]
    pub(super) fn mark(&mut self) {
        let Some(threshold) = self.parameters.ecn_threshold else { return };
        for (packet, stop, pipeline) in self.joined.drain(..) {
            let traveller = self.packets.traveller_mut(packet);
            if self.queues[stop][usize::from(pipeline)].len() > threshold && !traveller.marked {
                traveller.marked = true;
                self.statistics.marked += 1;
            }
        }
    }

    /// Discards an arriving stateless packet in favour of the queue (section 3.4, "Handling starvation"). A void
    /// placeholder at the head counts like a data packet, for those behind it starve with it.
    pub(super) fn guard(&mut self, stop: usize, pipeline: usize, limit: u64) {
        let slot = stop * self.parameters.pipelines + pipeline;
        let packet = self.slots[slot];
        if packet == FREE {
            return;
        }
        let Some(head) = self.queues[stop].get(pipeline).and_then(|queue| queue.head()) else { return };
        if head.kind != Kind::Phantom && self.cycle - head.ready > limit {
            self.slots[slot] = FREE;
            self.discard(packet, Reason::StarvationGuard);
        }
    }
}
