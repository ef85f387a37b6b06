//! Today's multi-pipelined switch: ports fixed to pipelines, and recirculation as the only way from one pipeline to
//! another (MP5 section 2.3). See `docs/machines/recirculating.md` for its rules.
//!
//! It is an MP5 without its three inventions, and runs on the same stages: no crossbars, no phantoms, no spraying.
//! A stage then gets at most one packet a cycle and its queues never hold one over, so that they might as well
//! not be there.

use basis::Duration;
use ir::pipeline::Pipeline;

use crate::edge::Edge;
pub use crate::mp5::Sharding;
use crate::mp5::{self, Departure, Mp5, Ordering, Recirculation, Rules, Steering};
use crate::unsuitable::Unsuitable;

/// The parameters of a switch that recirculates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How many pipelines there are: 1 to 64.
    pub pipelines: usize,
    /// How many ports there are, which belong to the pipelines in equal runs: port / (ports / pipelines).
    pub ports: u16,
    /// Where registers lie.
    pub sharding: Sharding,
    /// Every how many cycles an index may move, with [`Sharding::Dynamic`]; at least 1.
    pub remap_period: u64,
    /// Cycles between leaving the last stage of a pipeline and being at the entrance of another.
    pub latency: u64,
    /// How many packets may be on their way to one pipeline's entrance; `None` is any number.
    pub queue: Option<u32>,
    /// How often a packet may be recirculated; `None` is any number.
    pub limit: Option<u32>,
    /// What random maps are drawn from.
    pub seed: u64,
    /// The clock period of a pipeline.
    pub period: Duration,
}

impl Default for Parameters {
    /// The MP5 paper's comparison (section 4.3.2): as its MP5, dynamic sharding included.
    fn default() -> Self {
        let mp5::Parameters { pipelines, ports, sharding, remap_period, seed, period, .. } = mp5::Parameters::default();
        let Recirculation { latency, queue, limit } = Recirculation::default();
        Self { pipelines, ports, sharding, remap_period, latency, queue, limit, seed, period }
    }
}

impl From<Parameters> for mp5::Parameters {
    fn from(parameters: Parameters) -> Self {
        let Parameters { pipelines, ports, sharding, remap_period, latency, queue, limit, seed, period } = parameters;
        Self {
            pipelines,
            ports,
            sharding,
            remap_period,
            seed,
            period,
            ordering: Ordering::None,
            steering: Steering::Recirculation(Recirculation { latency, queue, limit }),
            rules: Rules::paper().with(Departure::PortsFixed),
            ..Self::default()
        }
    }
}

/// A switch that runs `pipeline` on packets, whose fields `edge` reads and writes, and sends packets round again to other
/// pipelines' state; or all reasons why there is none.
///
/// Its `largest_queue` is 1 once a packet has accessed state: the packet itself, on its way in.
pub fn build(pipeline: &Pipeline, edge: impl Into<Box<dyn Edge>>, parameters: Parameters) -> Result<Mp5, Unsuitable> {
    Mp5::new(pipeline, edge, parameters.into())
}
