//! Banzai: one pipeline, k times as fast as one of k (Sivaraman et al., "Packet Transactions", SIGCOMM 2016,
//! section 2; MP5 sections 2.1 and 2.2). See `docs/machines/banzai.md` for its rules.

mod pipeline;

use std::sync::Arc;

use basis::{Clock, Duration, Instant};
use ir::pipeline::Pipeline;
use node::{Burst, Control, Node, Outbox, Port};
use runtime::{RegisterFile, State};

use crate::edge::{Edge, EntryCounts};
use crate::timeline::Timeline;
use crate::unsuitable::Unsuitable;
use crate::{Machine, Statistics};

/// The parameters of a Banzai.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The clock period of one pipeline of the machine that this one stands for.
    pub period: Duration,
    /// How many times as fast this one is: the number of pipelines of that machine, at least 1.
    pub speedup: u64,
}

impl Default for Parameters {
    /// As fast as four pipelines of a nanosecond.
    fn default() -> Self {
        Self { period: Duration::from_nanoseconds(1), speedup: 4 }
    }
}

/// A switch of one pipeline that runs one program.
#[derive(Debug)]
pub struct Banzai {
    pipeline: pipeline::SinglePipeline,
}

impl Banzai {
    /// A switch that runs `pipeline` on packets, whose fields `edge` reads and writes; or all reasons why it cannot.
    pub fn new(pipeline: &Pipeline, edge: impl Edge + 'static, parameters: Parameters) -> Result<Self, Unsuitable> {
        let mut unsuitable = Unsuitable::of(pipeline)?;
        unsuitable.unless(parameters.period > Duration::ZERO, || "the clock period must not be zero".into());
        unsuitable.unless(parameters.speedup > 0, || "the pipeline must be at least as fast as one".into());
        unsuitable.or(())?;
        let clock = Clock::new(parameters.period, parameters.speedup);
        Ok(Self { pipeline: pipeline::SinglePipeline::new(pipeline, Box::new(edge), clock)? })
    }

    /// What the control plane has written: packets that arrive from now on find in these tables; those inside go on
    /// with what was there when they came. Of the state only what the control plane alone writes means anything here:
    /// tables, profiles, value sets.
    ///
    /// Panics if the tables are not those of the program.
    pub fn set_tables(&mut self, tables: &Arc<State>) {
        self.pipeline.set_tables(tables);
    }
}

impl Node for Banzai {
    fn receive(&mut self, now: Instant, port: Port, burst: &mut Burst, out: &mut Outbox) {
        self.pipeline.receive(now, port, burst, out);
    }

    fn wake(&mut self, now: Instant, out: &mut Outbox) {
        self.pipeline.wake(now, out);
    }

    /// Nothing can be asked of it: a link that is down is the business of whoever drains its ports.
    fn control(&mut self, _now: Instant, _request: Control, _out: &mut Outbox) {}
}

impl Machine for Banzai {
    fn registers(&self) -> RegisterFile {
        self.pipeline.registers()
    }

    fn counted(&self) -> &[EntryCounts] {
        self.pipeline.counted()
    }

    fn statistics(&self) -> Statistics {
        self.pipeline.statistics()
    }

    fn record_timeline(&mut self, cycles: u64) {
        self.pipeline.record_timeline(cycles);
    }

    fn timeline(&self) -> Option<&Timeline> {
        self.pipeline.timeline()
    }
}
