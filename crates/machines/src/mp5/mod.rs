//! MP5: k pipelines that together do what one would (Shrivastav, "Stateful Multi-Pipelined Programmable Switches",
//! SIGCOMM 2022). See `docs/machines/mp5.md` for its rules.

mod arrive;
mod core;
mod ecn;
mod entrance;
mod exit;
mod line;
mod packets;
mod parameters;
mod phantoms;
mod placement;
mod plan;
mod queue;
mod record;
mod rules;
mod serve;
mod shard;
mod step;
mod stop;
mod switch;
mod waiting;

use std::sync::Arc;

use basis::Instant;
use ir::pipeline::Pipeline;
use node::{Burst, Control, Node, Outbox, Port};
pub use parameters::{Blocking, Mutation, Ordering, Parameters, Recirculation, Sharding, Steering};
pub use placement::{first_maps, packed, packed_from_least, sorted_runs, sorted_worst_case};
use plan::Plan;
pub use rules::{Departure, Rules};
use runtime::{RegisterFile, State};
use switch::Switch;

use crate::edge::{Edge, EntryCounts};
use crate::engine::Memory;
use crate::timeline::Timeline;
use crate::unsuitable::Unsuitable;
use crate::{Machine, Statistics, Stuck};

/// A switch of k pipelines that runs one program.
#[derive(Debug)]
pub struct Mp5 {
    switch: Switch,
}

impl Mp5 {
    /// A switch that runs `pipeline` on packets, whose fields `edge` reads and writes; or all reasons why it cannot.
    pub fn new(pipeline: &Pipeline, edge: impl Edge + 'static, parameters: Parameters) -> Result<Self, Unsuitable> {
        let plan = Plan::new(pipeline, &parameters)?;
        // Each is made by itself: a copy would take memory for values that no packet ever touches.
        let memories = (0..parameters.pipelines).map(|_| Memory::new(&pipeline.program)).collect();
        Ok(Self { switch: Switch::new(plan, memories, Box::new(edge), parameters) })
    }

    /// What the control plane has written: packets that arrive from now on find in these tables; those inside go on
    /// with what was there when they came. Of the state only what the control plane alone writes means anything here:
    /// tables, profiles, value sets.
    ///
    /// Panics if the tables are not those of the program.
    pub fn set_tables(&mut self, tables: &Arc<State>) {
        self.switch.set_tables(tables);
    }
}

impl Node for Mp5 {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.switch.take_in(now, port, burst, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.switch.run(now, true, out);
        self.switch.schedule(out);
    }

    /// Nothing can be asked of it: a link that is down is the business of whoever drains its ports.
    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Machine for Mp5 {
    fn registers(&self) -> RegisterFile {
        self.switch.registers()
    }

    fn counted(&self) -> &[EntryCounts] {
        self.switch.edge.counted()
    }

    fn statistics(&self) -> Statistics {
        self.switch.statistics()
    }

    fn record_timeline(&mut self, cycles: u64) {
        self.switch.timeline = Some(Timeline::new(self.switch.clock, cycles));
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.switch.timeline.as_ref()
    }

    fn waiting(&self) -> Vec<Stuck> {
        self.switch.waiting()
    }
}
