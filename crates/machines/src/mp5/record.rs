//! Recording of a timeline of all stages.

use super::packets::FREE;
use super::queue::QueueEntryKind;
use super::switch::ParallelPipelines;
use crate::timeline::{Moment, PacketLocation, WaitingState};

impl ParallelPipelines {
    /// Records the current cycle, at its end.
    pub(super) fn record(&mut self) {
        let Some(mut timeline) = self.timeline.take() else { return };
        let cycle = self.core.cycle;
        timeline.record(cycle, PacketLocation::Entrance, self.all_waiting(self.entrance.waiting()));
        for pipeline in 0..self.parameters.pipelines {
            let mut base = self.core.plan.entry;
            for (number, stretch) in self.stretches.iter().enumerate() {
                // The stop's own stage is recorded below; the stages between stops contain the packets that will come
                // out later.
                let from = u64::from(number > 0);
                for offset in from..stretch.distance {
                    let packet = stretch.look(cycle + stretch.distance - offset, pipeline);
                    let moment = Moment { processed: self.orders_of(&[packet]), waiting: Vec::new() };
                    timeline.record(cycle, PacketLocation::Stage { pipeline, stage: base + offset as usize }, moment);
                }
                let Some(stop) = self.stops.get(number) else { break };
                base = stop.plan.stage;
                let processed = self.orders_of(&stop.stages[pipeline].processed);
                let moment = Moment { processed, waiting: self.waiting_at(number, pipeline) };
                timeline.record(cycle, PacketLocation::Stage { pipeline, stage: base }, moment);
            }
            let coming = self.entrance.going_round().filter(|&(to, _)| to == pipeline).map(|(_, packet)| packet);
            timeline.record(cycle, PacketLocation::Round { pipeline }, self.all_waiting(coming));
        }
        self.timeline = Some(timeline);
    }

    fn order_of(&self, packet: u32) -> u64 {
        self.core.packets.traveller(packet).order
    }

    fn orders_of(&self, packets: &[u32]) -> Vec<u64> {
        packets.iter().filter(|&&packet| packet != FREE).map(|&packet| self.order_of(packet)).collect()
    }

    fn all_waiting(&self, packets: impl Iterator<Item = u32>) -> Moment {
        let waiting = packets.map(|packet| (self.order_of(packet), WaitingState::Data)).collect();
        Moment { processed: Vec::new(), waiting }
    }

    fn waiting_at(&self, stop: usize, pipeline: usize) -> Vec<(u64, WaitingState)> {
        let stage = &self.stops[stop].stages[pipeline];
        let served = stage.exit.iter().map(|&packet| (self.order_of(packet), WaitingState::Served));
        let queued = stage.queue.entries().map(|entry| {
            let kind = match entry.kind {
                QueueEntryKind::Data => WaitingState::Data,
                QueueEntryKind::Phantom => WaitingState::Phantom,
                QueueEntryKind::Void | QueueEntryKind::Gone => WaitingState::Void,
            };
            // Take the order from the timestamp, because the packet of a void phantom may no longer exist.
            (if self.core.swapped { !entry.order } else { entry.order }, kind)
        });
        served.chain(queued).collect()
    }
}
