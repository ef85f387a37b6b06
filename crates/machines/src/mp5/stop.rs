//! The state of a stop, a stage at which packets must be looked at individually, in all pipelines.

use std::collections::VecDeque;

use super::packets::FREE;
use super::parameters::Mp5Parameters;
use super::queue::StageQueue;
use super::rules::Departure;
use super::stage_plan;

/// The state of a stop.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) plan: stage_plan::Stop,
    /// The stage of each pipeline.
    pub(super) stages: Vec<PipelineStage>,
    delays_at_exit: bool,
}

/// The stage of one pipeline at a stop.
#[derive(Clone, Debug)]
pub(super) struct PipelineStage {
    /// The packet in the stage.
    pub(super) slot: u32,
    /// The packets that left the stage in this cycle, for the timeline. The second one was served by the queue, with
    /// [`super::Departure::DelayedAtExit`].
    pub(super) processed: [u32; 2],
    /// The queue in front of the stage; always empty if the stage has no state.
    pub(super) queue: StageQueue,
    /// The packets that were served but have not left the stage, with [`super::Departure::DelayedAtExit`].
    pub(super) exit: VecDeque<u32>,
}

impl Stop {
    /// Creates an empty stop.
    pub(super) fn new(plan: &stage_plan::Stop, parameters: &Mp5Parameters) -> Self {
        let k = parameters.pipelines;
        let stage = PipelineStage {
            slot: FREE,
            processed: [FREE; 2],
            queue: StageQueue::new(k, parameters.fifo_depth, !parameters.rules.has(Departure::OneList)),
            exit: VecDeque::new(),
        };
        let delays_at_exit = parameters.rules.has(Departure::DelayedAtExit);
        Self { plan: plan.clone(), stages: vec![stage; k], delays_at_exit }
    }

    /// Returns true if the stage has state.
    #[inline]
    pub(super) fn is_stateful(&self) -> bool {
        self.plan.is_stateful()
    }

    /// Puts a packet into the stage of a pipeline.
    #[inline]
    pub(super) fn take_stage(&mut self, pipeline: usize, packet: u32) {
        let slot = &mut self.stages[pipeline].slot;
        debug_assert_eq!(*slot, FREE, "a stage has room for one packet");
        *slot = packet;
    }

    /// Returns the length of the longest queue, including packets at the exit, where there are any only with
    /// [`super::Departure::DelayedAtExit`].
    #[inline]
    pub(super) fn longest(&self) -> u64 {
        let longest = if self.delays_at_exit {
            self.stages.iter().fold(0, |longest, stage| longest.max(stage.queue.len() + stage.exit.len() as u32))
        } else {
            self.stages.iter().fold(0, |longest, stage| longest.max(stage.queue.len()))
        };
        u64::from(longest)
    }
}

impl PipelineStage {
    /// Puts a packet that was served, or [`FREE`], behind those at the exit. Removes and returns the first of them if there is
    /// room for it.
    #[inline(always)]
    pub(super) fn leave_after(&mut self, served: u32, has_room: impl Fn(u32) -> bool) -> u32 {
        if self.exit.is_empty() {
            if served == FREE || has_room(served) {
                return served;
            }
            self.exit.push_back(served);
            return FREE;
        }
        if served != FREE {
            self.exit.push_back(served);
        }
        self.exit.pop_front_if(|&mut first| has_room(first)).unwrap_or(FREE)
    }
}

basis::snapshot!(Stop { parts stages; });
basis::snapshot!(PipelineStage { values slot, exit, processed; parts queue; });
