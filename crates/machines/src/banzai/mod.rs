//! Banzai: one pipeline, k times as fast as one of k (Sivaraman et al., "Packet Transactions", SIGCOMM 2016,
//! section 2; MP5 sections 2.1 and 2.2). See `docs/machines/banzai.md` for its rules.

mod pipeline;

use basis::{Clock, Duration};
use ir::pipeline::Pipeline;
use pipeline::SinglePipeline;

use crate::edge::Edge;
use crate::pipelines::Pipelined;
use crate::unsuitable::Unsuitable;

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
pub type Banzai = Pipelined<SinglePipeline>;

impl Banzai {
    /// A switch that runs `pipeline` on packets, whose fields `edge` reads and writes; or all reasons why it cannot.
    pub fn new(
        pipeline: &Pipeline,
        edge: impl Into<Box<dyn Edge>>,
        parameters: Parameters,
    ) -> Result<Self, Unsuitable> {
        let mut unsuitable = Unsuitable::of(pipeline)?;
        unsuitable.unless(parameters.period > Duration::ZERO, || "the clock period must not be zero".into());
        unsuitable.unless(parameters.speedup > 0, || "the pipeline must be at least as fast as one".into());
        unsuitable.or(())?;
        let clock = Clock::new(parameters.period, parameters.speedup);
        let stages = SinglePipeline::new(pipeline, edge.into(), clock)?;
        Ok(Self::around(stages, &pipeline.program))
    }
}
