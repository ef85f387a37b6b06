//! Banzai: one pipeline that is k times as fast as each pipeline of a k-pipelined switch (Sivaraman et al., "Packet
//! Transactions", SIGCOMM 2016, section 2; MP5 sections 2.1 and 2.2). `docs/machines/banzai.md` describes its rules.

mod pipeline;

use basis::{Clock, Duration};
use ir::pipeline::Pipeline;
use pipeline::SinglePipeline;

use crate::edge::Edge;
use crate::pipelines::Pipelined;
use crate::unsuitable::Unsuitable;

/// The parameters of a Banzai switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BanzaiParameters {
    /// The clock period of one pipeline of the multi-pipelined switch that this one is compared with.
    pub period: Duration,
    /// The clock rate relative to that switch, which is its number of pipelines; at least 1.
    pub speedup: u64,
}

impl Default for BanzaiParameters {
    /// As fast as four pipelines with a clock period of one nanosecond.
    fn default() -> Self {
        Self { period: Duration::from_nanoseconds(1), speedup: 4 }
    }
}

/// A switch with a single pipeline that runs one program.
pub type Banzai = Pipelined<SinglePipeline>;

impl Banzai {
    /// Builds a switch that runs `pipeline` on packets whose fields `edge` reads and writes.
    ///
    /// # Errors
    /// Fails with all reasons why the switch cannot be built.
    pub fn new(
        pipeline: &Pipeline,
        edge: impl Into<Box<dyn Edge>>,
        parameters: BanzaiParameters,
    ) -> Result<Self, Unsuitable> {
        let mut unsuitable = Unsuitable::of(pipeline)?;
        unsuitable.unless(parameters.period > Duration::ZERO, || "the clock period must not be zero".into());
        unsuitable.unless(parameters.speedup > 0, || "the speedup must be at least 1".into());
        unsuitable.or(())?;
        let clock = Clock::new(parameters.period, parameters.speedup);
        let stages = SinglePipeline::new(pipeline, edge.into(), clock)?;
        Ok(Self::around(stages, &pipeline.program))
    }
}
