//! Keeps a timeline of what every stage does.

use super::packets::FREE;
use super::queue::Kind;
use super::switch::Switch;
use crate::timeline::{Moment, Waiting};

impl Switch {
    /// Records this cycle, at its end.
    pub(super) fn record(&mut self) {
        let Some(mut timeline) = self.timeline.take() else { return };
        let k = self.parameters.pipelines;
        for pipeline in 0..k {
            let mut base = self.core.plan.entry;
            for (number, line) in self.lines.iter().enumerate() {
                // A stop's own stage is recorded below. Stages between come with the packets that will come out.
                let from = u64::from(number > 0);
                for offset in from..line.distance {
                    let packet = line.look(self.core.cycle + line.distance - offset, pipeline);
                    let moment = Moment { processed: self.order_of(packet), waiting: Vec::new() };
                    timeline.record(self.core.cycle, base + offset as usize, pipeline, moment);
                }
                let Some(stop) = self.stops.get(number) else { break };
                base = stop.plan.stage;
                let processed = stop.processed[pipeline];
                let moment = Moment { processed: self.order_of(processed), waiting: self.waiting(number, pipeline) };
                timeline.record(self.core.cycle, base, pipeline, moment);
            }
        }
        self.timeline = Some(timeline);
    }

    fn order_of(&self, packet: u32) -> Option<u64> {
        (packet != FREE).then(|| self.core.packets.traveller(packet).order)
    }

    fn waiting(&self, stop: usize, pipeline: usize) -> Vec<(u64, Waiting)> {
        let entries = self.stops[stop].queues.get(pipeline).into_iter().flat_map(|queue| queue.entries());
        entries
            .map(|entry| {
                let kind = match entry.kind {
                    Kind::Data => Waiting::Data,
                    Kind::Phantom => Waiting::Phantom,
                    Kind::Void | Kind::Gone => Waiting::Void,
                };
                // The order is taken from the timestamp, for the packet of a void placeholder may be gone.
                (if self.core.swapped { !entry.order } else { entry.order }, kind)
            })
            .collect()
    }
}
