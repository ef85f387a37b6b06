//! The state that all stops share: packets, program, maps and memories.

use std::ops::Range;

use node::Reason;

use super::counters::Counters;
use super::packets::{NOWHERE, Packets, Phantom};
use super::parameters::{Blocking, Mp5Parameters};
use super::phantoms::Resolved;
use super::queue::QueueEntryKind;
use super::rules::Departure;
use super::shard::ShardMap;
use super::stage_plan::StagePlan;
use super::stop::Stop;
use crate::Statistics;
use crate::engine::Memory;
use crate::pipelines::{At, Tracer};

/// A packet that leaves the pipelines in this cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    /// The order of arrival, in which packets that leave in the same cycle are handled.
    pub(super) order: u64,
    pub(super) packet: u32,
    /// The reason why it is discarded; `None` if it reached the end of a pipeline.
    pub(super) reason: Option<Reason>,
}

/// The state that stops work on.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) plan: StagePlan,
    pub(super) packets: Packets,
    /// The map of each sharded access.
    pub(super) shards: Vec<Option<ShardMap>>,
    /// One copy of all registers per pipeline, of which the pipeline uses the values that are active in it (section
    /// 3.1, D2).
    pub(super) memories: Vec<Memory>,
    /// The contents of the phantom channel.
    pub(super) resolved: Resolved,
    /// The current cycle, or the next one between cycles.
    pub(super) cycle: u64,
    /// The number of queue entries for packets that will never arrive.
    pub(super) voids: u64,
    /// Whether anything has made progress since the flag was last read: a packet arrived at a stop, was served or left,
    /// or a phantom was queued or given up.
    pub(super) advanced: bool,
    pub(super) statistics: Statistics,
    /// The counters that only this machine has; they are added to the statistics when these are read.
    pub(super) counters: Counters,
    /// The packets that leave in this cycle, in order of arrival.
    pub(super) leaving: Vec<Leaving>,
    /// Packets that were discarded at a stop and may have phantoms at others.
    pub(super) discarded: Vec<u32>,
    /// Packets that joined a queue and must still be checked for marking, with the stop and the pipeline.
    pub(super) joined: Vec<(u32, usize, u8)>,
    /// Accesses and indices that earlier packets of the examined queue need.
    pub(super) blocked: Vec<(usize, u32)>,
    /// A scratch list of cells of pipelines at a stop, or of accesses of a packet, with a place for each. Entries are appended without a branch, because no processor
    /// can predict the condition.
    pub(super) selected: Vec<u32>,
    /// The accesses made in this cycle: unit, index, sequence.
    pub(super) made: Vec<(u32, u32, u64)>,
    pub(super) observing: bool,
    /// Whether phantoms are sent.
    pub(super) phantoms: bool,
    /// Whether they travel to their stops; otherwise they are there at once.
    pub(super) phantoms_travel: bool,
    pub(super) recirculates: bool,
    /// Whether timestamps are swapped, as a mutation.
    pub(super) swapped: bool,
    /// Whether packets are lost inside, as a mutation.
    pub(super) loses: bool,
    ecn_threshold: Option<u32>,
    pub(super) delayed_at_exit: bool,
    pub(super) in_flight_for_ever: bool,
    pub(super) retries: bool,
    pub(super) blocking: Blocking,
    pub(super) tracer: Option<Box<Tracer>>,
}

impl Core {
    /// Creates the shared state of a new machine.
    pub(super) fn new(
        plan: StagePlan,
        memories: Vec<Memory>,
        shards: Vec<Option<ShardMap>>,
        parameters: &Mp5Parameters,
    ) -> Self {
        let (k, rules) = (parameters.pipelines, parameters.rules);
        let longest = plan.stops.iter().map(|stop| stop.phantom_delay).max().unwrap_or(0);
        Self {
            packets: Packets::new(&plan.code, plan.accesses.len()),
            shards,
            memories,
            resolved: Resolved::new(longest, k),
            cycle: 0,
            voids: 0,
            advanced: false,
            statistics: Statistics::default(),
            counters: Counters::default(),
            leaving: Vec::new(),
            discarded: Vec::new(),
            joined: Vec::new(),
            blocked: Vec::new(),
            selected: vec![0; (2 * k).max(plan.accesses.len())],
            made: Vec::new(),
            observing: false,
            phantoms: parameters.sends_phantoms(),
            phantoms_travel: parameters.sends_phantoms() && !rules.has(Departure::PhantomsAtOnce),
            recirculates: parameters.recirculates(),
            swapped: parameters.swaps_timestamps(),
            loses: parameters.loses_packets(),
            ecn_threshold: parameters.ecn_threshold,
            delayed_at_exit: rules.has(Departure::DelayedAtExit),
            in_flight_for_ever: rules.has(Departure::IdealInFlight) && parameters.blocking == Blocking::PerIndex,
            retries: rules.has(Departure::Retry),
            blocking: parameters.blocking,
            tracer: None,
            plan,
        }
    }

    /// Returns true if a packet executes the program in a stage, rather than only passing through it.
    #[inline]
    pub(super) fn is_active(&self, stage: usize, packet: u32) -> bool {
        let traveller = self.packets.traveller(packet);
        traveller.applies && traveller.detour == NOWHERE && stage >= usize::from(traveller.next)
    }

    /// Executes a packet's outstanding stages before `stage`.
    #[inline(always)]
    pub(super) fn compute(&mut self, pipeline: usize, packet: u32, stage: usize) {
        let from = usize::from(std::mem::replace(&mut self.packets.traveller_mut(packet).next, stage as u16));
        if self.tracer.is_some() {
            return self.compute_traced(pipeline, packet, from..stage);
        }
        let Self { plan, packets, memories, .. } = self;
        plan.code.execute(from..stage, packets.frame_mut(packet), &mut memories[pipeline]);
    }

    /// Executes what is outstanding for a packet that has passed the last stage of its pipeline, and lets it leave.
    #[inline(always)]
    pub(super) fn finish(&mut self, pipeline: usize, packet: u32) {
        if self.is_active(self.plan.depth, packet) {
            self.compute(pipeline, packet, self.plan.depth);
        }
        self.leave_with(packet, None);
    }

    /// Executes the stages for a tracer. Only the last stage runs in the current cycle. The chip executed the others on
    /// the way here; this model executes them only when their results are needed.
    #[cold]
    fn compute_traced(&mut self, pipeline: usize, packet: u32, stages: Range<usize>) {
        let Self { tracer: Some(tracer), packets, plan, memories, cycle, recirculates, .. } = self else { return };
        let id = packets.content(packet).sidecar.id;
        // With crossbars, the packet changes pipelines right before the last of these stages.
        let before = if *recirculates { pipeline } else { tracer.pipeline_of(id).unwrap_or(pipeline) };
        for stage in stages.clone() {
            let is_last = stage + 1 == stages.end;
            let pipeline = if is_last { pipeline } else { before };
            let at = At { pipeline, stage, cycle: is_last.then_some(*cycle) };
            tracer.execute(id, at, &plan.code, packets.frame_mut(packet), &mut memories[pipeline]);
        }
    }

    /// Ends the time for which a packet is in flight to its index: the access has been made, or will never be (section
    /// 3.4).
    #[inline]
    pub(super) fn release(&mut self, packet: u32, access: usize) {
        let index = self.packets.end_access(packet, access);
        if let Some(shard) = &mut self.shards[access]
            && !self.in_flight_for_ever
        {
            shard.release(index);
        }
    }

    /// Voids a packet's phantom for an access of a stop.
    pub(super) fn void_phantom(&mut self, stop: &mut Stop, packet: u32, access: usize) {
        let cycle = self.cycle;
        let tag = self.packets.tag_mut(packet, access);
        if let Phantom::Queued(position) = std::mem::replace(&mut tag.phantom, Phantom::None) {
            stop.stages[usize::from(tag.pipeline)].queue.replace(position, QueueEntryKind::Void, cycle);
            self.voids += 1;
        }
    }

    /// Gives up everything that is tagged for a packet's access of a stop.
    pub(super) fn give_up(&mut self, stop: &mut Stop, packet: u32, access: usize) {
        if self.packets.tag(packet, access).pending {
            self.release(packet, access);
        }
        self.void_phantom(stop, packet, access);
    }

    /// Discards a packet at a stop. Its tags for other stops are given up when this stop has finished the cycle.
    pub(super) fn discard(&mut self, stop: &mut Stop, packet: u32, reason: Reason) {
        for access in stop.plan.accesses.clone() {
            self.give_up(stop, packet, access);
        }
        self.discarded.push(packet);
        self.leave_with(packet, Some(reason));
    }

    /// Notes that a packet has joined a queue.
    #[inline]
    pub(super) fn note_joined(&mut self, stop: usize, pipeline: u8, packet: u32) {
        if self.ecn_threshold.is_some() {
            self.joined.push((packet, stop, pipeline));
        }
    }

    /// Marks packets that have joined a long queue (section 3.4). `stops` begins with the stop numbered `first`. Queues
    /// are measured when all packets of the cycle have joined, because they join simultaneously.
    #[inline]
    pub(super) fn mark(&mut self, stops: &[Stop], first: usize) {
        let Some(threshold) = self.ecn_threshold else { return };
        for (packet, number, pipeline) in self.joined.drain(..) {
            let traveller = self.packets.traveller_mut(packet);
            if stops[number - first].stages[usize::from(pipeline)].queue.len() > threshold && !traveller.marked {
                traveller.marked = true;
                self.statistics.marked += 1;
            }
        }
    }

    /// Schedules a packet to leave at the end of the cycle, because it has reached the end of a pipeline or is
    /// discarded for a reason. Packets leave in order of arrival.
    #[inline]
    pub(super) fn leave_with(&mut self, packet: u32, reason: Option<Reason>) {
        let order = self.packets.traveller(packet).order;
        self.advanced = true;
        let mut place = self.leaving.len();
        self.leaving.push(Leaving { order, packet, reason });
        // Few packets leave in one cycle, and those of neighbouring pipelines mostly in order.
        while place > 0 && self.leaving[place - 1].order > order {
            self.leaving.swap(place - 1, place);
            place -= 1;
        }
    }
}

// The lists that are used within a cycle are empty between cycles.
basis::snapshot!(Core {
    values cycle, voids, advanced, counters;
    parts packets, shards, memories, resolved, statistics;
});
