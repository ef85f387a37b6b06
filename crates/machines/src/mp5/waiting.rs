//! Explanations of what every packet inside waits for.

use std::collections::BTreeMap;

use super::packets::FREE;
use super::queue::{QueueEntry, QueueEntryKind};
use super::stage_plan;
use super::stop::Stop;
use super::switch::ParallelPipelines;
use crate::Stuck;

impl ParallelPipelines {
    /// Returns the packets inside in order of arrival, and what each one waits for.
    pub(super) fn packets_that_wait(&self) -> Vec<Stuck> {
        let mut places: BTreeMap<u32, String> = BTreeMap::new();
        for packet in self.entrance.waiting() {
            places.insert(packet, "waits to enter a pipeline".to_owned());
        }
        for (pipeline, packet) in self.entrance.going_round() {
            places.insert(packet, format!("is recirculating to the entrance of pipeline {pipeline}"));
        }
        for stop in &self.stops {
            for pipeline in 0..self.parameters.pipelines {
                self.waiting_at_stop(stop, pipeline, &mut places);
            }
        }
        let mut inside: Vec<u32> = self.core.packets.ids().collect();
        inside.sort_by_key(|&packet| self.core.packets.content(packet).sidecar.id);
        let stuck = |packet: u32| {
            // A stalled packet is never between two stops, because nothing can hold it up there.
            let nowhere = if self.stands_still() {
                "is in no stage, queue or entrance: the machine has lost it"
            } else {
                "is between two stages"
            };
            let why = places.remove(&packet).unwrap_or_else(|| nowhere.to_owned());
            Stuck { packet: self.name_of(packet), why }
        };
        inside.into_iter().map(stuck).collect()
    }

    fn waiting_at_stop(&self, stop: &Stop, pipeline: usize, places: &mut BTreeMap<u32, String>) {
        let stage = stop.plan.stage;
        let here = format!("stage {stage} of pipeline {pipeline}");
        let state = &stop.stages[pipeline];
        if state.slot != FREE {
            places.insert(state.slot, format!("is in {here}"));
        }
        for &packet in &state.exit {
            places.insert(packet, format!("was served in {here} and waits for room to leave it"));
        }
        let mut before: Option<&QueueEntry> = None;
        for entry in state.queue.entries() {
            if entry.kind == QueueEntryKind::Data {
                let names = self.names_at(&stop.plan, entry.packet, pipeline);
                let why = match before {
                    None => "and is next".to_owned(),
                    Some(QueueEntry { kind: QueueEntryKind::Void, .. }) => "behind a void phantom".to_owned(),
                    Some(first) => {
                        let name = self.name_of(first.packet);
                        if first.kind == QueueEntryKind::Data {
                            format!("behind packet {name}")
                        } else {
                            format!("behind the phantom of packet {name}, which has not arrived")
                        }
                    }
                };
                places.insert(entry.packet, format!("waits in the queue of {here} for {names}, {why}"));
            }
            // All entries wait for the first one that cannot be served.
            if before.is_none_or(|first| first.kind != QueueEntryKind::Phantom) {
                before = Some(entry);
            }
        }
    }

    /// Returns the names of the registers that a packet is to access at a stop of a pipeline.
    fn names_at(&self, stop: &stage_plan::Stop, packet: u32, pipeline: usize) -> String {
        let pending = stop.accesses.clone().filter(|&access| {
            let tag = self.core.packets.tag(packet, access);
            tag.pending && usize::from(tag.pipeline) == pipeline
        });
        let names: Vec<&str> = pending.map(|access| self.core.plan.accesses[access].name.as_str()).collect();
        names.join(" and ")
    }

    /// Returns the number that the driver of the machine gave to a packet.
    fn name_of(&self, packet: u32) -> u64 {
        self.core.packets.content(packet).sidecar.id
    }
}
