//! MP5: k pipelines that together behave like one pipeline (Shrivastav, "Stateful Multi-Pipelined Programmable
//! Switches", SIGCOMM 2022). `docs/machines/mp5.md` describes its rules.

mod arrive;
mod core;
pub mod counters;
mod ecn;
mod entrance;
mod exit;
mod packets;
mod parameters;
mod phantoms;
mod placement;
mod plain;
mod plain_in_turn;
mod queue;
pub mod reasons;
mod record;
mod rules;
mod serve;
mod shard;
mod stage_plan;
mod stateless_stretch;
mod step;
mod stop;
mod switch;
mod waiting;

use ir::pipeline::Pipeline;
pub use parameters::{Blocking, Mp5Parameters, Mutation, Ordering, Recirculation, Sharding, Steering};
pub use placement::{first_maps, packed, packed_from_least, sorted_runs, sorted_worst_case};
pub use rules::{Departure, Rules};
use stage_plan::StagePlan;
pub use switch::ParallelPipelines;

use crate::edge::Edge;
use crate::engine::Memory;
use crate::pipelines::Pipelined;
use crate::unsuitable::Unsuitable;

/// A switch of k pipelines that runs one program.
pub type Mp5 = Pipelined<ParallelPipelines>;

impl Mp5 {
    /// Builds a switch that runs `pipeline` on packets whose fields `edge` reads and writes.
    ///
    /// # Errors
    /// Fails with all reasons why the switch cannot be built.
    pub fn new(
        pipeline: &Pipeline,
        edge: impl Into<Box<dyn Edge>>,
        parameters: Mp5Parameters,
    ) -> Result<Self, Unsuitable> {
        Ok(Self::around(ParallelPipelines::of(pipeline, edge.into(), parameters)?, &pipeline.program))
    }
}

impl ParallelPipelines {
    /// Builds empty pipelines that run `pipeline`, or fails with all reasons why they cannot be built.
    pub(crate) fn of(pipeline: &Pipeline, edge: Box<dyn Edge>, parameters: Mp5Parameters) -> Result<Self, Unsuitable> {
        let plan = StagePlan::new(pipeline, &parameters)?;
        // Each memory is created separately: a clone would take memory for values that no packet ever touches.
        let memories = (0..parameters.pipelines).map(|_| Memory::new(&pipeline.program)).collect();
        Ok(Self::new(plan, memories, edge, parameters))
    }
}
