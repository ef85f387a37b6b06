//! The state of a stop, a stage at which packets must be looked at individually, in all pipelines.

use std::collections::VecDeque;

use super::packets::FREE;
use super::parameters::Mp5Parameters;
use super::queue::StageQueue;
use super::rules::Departure;
use super::stage_plan;

/// The state of a stop. All vectors are indexed by pipeline.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) plan: stage_plan::Stop,
    /// The packet in the stage.
    pub(super) slots: Vec<u32>,
    /// The queue in front of the stage; empty if the stage has no state.
    pub(super) queues: Vec<StageQueue>,
    /// The packets that were served but have not left the stage, with [`super::Departure::DelayedAtExit`].
    pub(super) exits: Vec<VecDeque<u32>>,
    /// The packets that left the stage in this cycle, for the timeline. The second one was served by the queue, with
    /// [`super::Departure::DelayedAtExit`].
    pub(super) processed: Vec<[u32; 2]>,
}

impl Stop {
    /// Creates an empty stop.
    pub(super) fn new(plan: &stage_plan::Stop, parameters: &Mp5Parameters) -> Self {
        let k = parameters.pipelines;
        let queues = if plan.accesses.is_empty() { 0 } else { k };
        Self {
            plan: plan.clone(),
            slots: vec![FREE; k],
            queues: vec![StageQueue::new(k, parameters.fifo_depth, !parameters.rules.has(Departure::OneList)); queues],
            exits: vec![VecDeque::new(); k],
            processed: vec![[FREE; 2]; k],
        }
    }

    /// Returns true if the stage has state.
    #[inline]
    pub(super) fn is_stateful(&self) -> bool {
        self.plan.accesses.start < self.plan.accesses.end
    }

    /// Puts a packet into the stage of a pipeline.
    #[inline]
    pub(super) fn take_stage(&mut self, pipeline: usize, packet: u32) {
        debug_assert_eq!(self.slots[pipeline], FREE, "a stage has room for one packet");
        self.slots[pipeline] = packet;
    }

    /// Returns the length of the longest queue, including packets at the exit.
    #[inline]
    pub(super) fn longest(&self) -> u64 {
        let lengths = self.queues.iter().zip(&self.exits).map(|(queue, exit)| queue.len() + exit.len() as u32);
        u64::from(lengths.max().unwrap_or(0))
    }
}

basis::snapshot!(Stop { values slots, exits, processed; parts queues; });
