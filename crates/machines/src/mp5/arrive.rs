//! Arrival of data packets at a stop: a packet that accesses state there joins the queue, any other takes the stage.

use super::core::Core;
use super::packets::{FREE, NOWHERE, Phantom};
use super::queue::QueueEntryKind;
use super::reasons;
use super::stop::Stop;

impl Core {
    /// Receives a data packet that arrives at a stop from the pipeline `source`.
    #[inline(always)]
    pub(super) fn receive_packet(&mut self, number: usize, stop: &mut Stop, source: usize, packet: u32) {
        self.advanced = true;
        if !stop.is_stateful() || !self.is_active(stop.plan.stage, packet) {
            stop.take_stage(source, packet);
            return;
        }
        // Nearly all packets are of the first two kinds, in nearly all programs: the only access of the stage was known
        // when addresses were resolved, and it is not made, or its phantom waits at its place.
        if let Some(access) = stop.plan.certain {
            let tag = self.packets.tag_mut(packet, access);
            if !tag.pending {
                stop.take_stage(source, packet);
                return;
            }
            if let Phantom::Queued(position) = tag.phantom
                && !self.recirculates
            {
                tag.phantom = Phantom::None;
                let pipeline = tag.pipeline;
                stop.stages[usize::from(pipeline)].queue.replace(position, QueueEntryKind::Data, self.cycle);
                self.note_joined(number, pipeline, packet);
                return;
            }
        }
        self.receive_active(number, stop, source, packet);
    }

    /// Receives a data packet that arrives at a stateful stop and executes the program there.
    #[inline(never)]
    pub(super) fn receive_active(&mut self, number: usize, stop: &mut Stop, source: usize, packet: u32) {
        if stop.plan.is_late {
            self.compute(source, packet, stop.plan.stage);
        }
        let Some((pipeline, holder)) = self.settle(stop, packet) else {
            stop.take_stage(source, packet);
            return;
        };
        if self.recirculates && usize::from(pipeline) != source {
            // The packet continues to the end of its pipeline and then enters the other one at the front (section 2.3).
            self.compute(source, packet, stop.plan.stage);
            self.packets.traveller_mut(packet).detour = pipeline;
            stop.take_stage(source, packet);
            return;
        }
        if !self.phantoms {
            match self.push(stop, usize::from(pipeline), source, packet, QueueEntryKind::Data) {
                Some(_) => self.note_joined(number, pipeline, packet),
                None => self.discard(stop, packet, reasons::STAGE_QUEUE_FULL),
            }
            return;
        }
        let phantom = holder.map(|access| &mut self.packets.tag_mut(packet, access).phantom);
        match phantom {
            Some(phantom @ Phantom::Queued(_)) => {
                if let Phantom::Queued(position) = std::mem::replace(phantom, Phantom::None) {
                    stop.stages[usize::from(pipeline)].queue.replace(position, QueueEntryKind::Data, self.cycle);
                    self.note_joined(number, pipeline, packet);
                }
            }
            Some(phantom @ Phantom::Travelling) => *phantom = Phantom::Awaited,
            _ => self.discard(stop, packet, reasons::PHANTOM_LOST),
        }
    }

    /// Returns true if the packet's predicate for an access holds, as far as it is known now.
    #[inline]
    fn holds(&self, packet: u32, access: usize) -> bool {
        self.plan.accesses[access].late.is_none_or(|slot| self.packets.frame(packet)[usize::from(slot)] != 0)
    }

    /// Returns true if a packet that leaves the previous stop will join the queue here and thus needs no room in the
    /// stage. With recirculation, a packet whose state is in another pipeline passes through the stage instead.
    pub(super) fn will_queue(&mut self, stop: &Stop, source: usize, packet: u32) -> bool {
        if !stop.is_stateful() || !self.is_active(stop.plan.stage, packet) {
            return false;
        }
        if stop.plan.is_late {
            self.compute(source, packet, stop.plan.stage);
        }
        let mut accesses = stop.plan.accesses.clone();
        // All accesses that a packet makes here are in the pipeline of the first one; see `settle_several`.
        let made = accesses.find(|&access| self.packets.tag(packet, access).pending && self.holds(packet, access));
        let pipeline = made.map(|access| usize::from(self.packets.tag(packet, access).pipeline));
        pipeline.is_some_and(|pipeline| !self.recirculates || pipeline == source)
    }

    /// Determines which accesses a packet makes at a stop, now that all its predicates are known. Returns the pipeline
    /// in which they are, and the access whose tag holds their phantom; `None` if the packet makes none. Tags for
    /// branches not taken are given up, and their phantoms become void (section 3.3).
    #[inline]
    fn settle(&mut self, stop: &mut Stop, packet: u32) -> Option<(u8, Option<usize>)> {
        if let Some(access) = stop.plan.certain {
            let tag = self.packets.tag(packet, access);
            return tag.pending.then_some((tag.pipeline, Some(access)));
        }
        self.settle_several(stop, packet)
    }

    fn settle_several(&mut self, stop: &mut Stop, packet: u32) -> Option<(u8, Option<usize>)> {
        let accesses = stop.plan.accesses.clone();
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
                self.void_phantom(stop, packet, access);
            }
        }
        (pipeline != NOWHERE).then_some((pipeline, holder))
    }

    /// Discards an arriving stateless packet in favour of the queue (section 3.4, "Handling starvation"). A void
    /// phantom at the head counts like a data packet, because the entries behind it starve with it.
    pub(super) fn guard(&mut self, stop: &mut Stop, pipeline: usize, limit: u64) {
        let stage = &mut stop.stages[pipeline];
        let packet = stage.slot;
        if packet == FREE {
            return;
        }
        let Some(head) = stage.queue.head() else { return };
        if head.kind != QueueEntryKind::Phantom && self.cycle - head.ready > limit {
            stage.slot = FREE;
            self.discard(stop, packet, reasons::STARVATION_GUARD);
        }
    }
}
