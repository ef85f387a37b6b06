//! A conventional multi-pipelined switch: ports are fixed to pipelines, and recirculation is the only way from one
//! pipeline to another (MP5 section 2.3). `docs/machines/recirculating.md` describes its rules.
//!
//! It is an MP5 without its three inventions, on the same stages: no crossbars, no phantoms, no spraying. A stage then
//! receives at most one packet per cycle, so its queue never holds a packet back.

use basis::Duration;
use ir::pipeline::Pipeline;

use crate::edge::Edge;
pub use crate::mp5::Sharding;
use crate::mp5::{self, Departure, Mp5, Ordering, Recirculation, Rules, Steering};
use crate::unsuitable::Unsuitable;

/// The parameters of a recirculating switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecirculatingParameters {
    /// The number of pipelines, from 1 to 64.
    pub pipelines: usize,
    /// The number of ports. They belong to the pipelines in equal contiguous ranges: port / (ports / pipelines).
    pub ports: u16,
    /// The placement of register state in pipelines.
    pub sharding: Sharding,
    /// The number of cycles between remappings with [`Sharding::Dynamic`]; at least 1.
    pub remap_period: u64,
    /// The number of cycles between leaving the last stage of a pipeline and reaching the entrance of another.
    pub latency: u64,
    /// The maximum number of packets on their way to the entrance of one pipeline; `None` is unlimited.
    pub queue: Option<u32>,
    /// The maximum number of recirculations of a packet; `None` is unlimited.
    pub limit: Option<u32>,
    /// The seed of random placements.
    pub seed: u64,
    /// The clock period of a pipeline.
    pub period: Duration,
}

impl Default for RecirculatingParameters {
    /// The configuration of the comparison in the MP5 paper (section 4.3.2), which has the same parameters as its MP5,
    /// including dynamic sharding.
    fn default() -> Self {
        let mp5::Mp5Parameters { pipelines, ports, sharding, remap_period, seed, period, .. } =
            mp5::Mp5Parameters::default();
        let Recirculation { latency, queue, limit } = Recirculation::default();
        Self { pipelines, ports, sharding, remap_period, latency, queue, limit, seed, period }
    }
}

impl From<RecirculatingParameters> for mp5::Mp5Parameters {
    fn from(parameters: RecirculatingParameters) -> Self {
        let RecirculatingParameters { pipelines, ports, sharding, remap_period, latency, queue, limit, seed, period } =
            parameters;
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

/// Builds a switch that runs `pipeline` on packets whose fields `edge` reads and writes, and recirculates packets to
/// the pipelines that hold the state they need.
///
/// Its `largest_queue` is 1 once a packet has accessed state: the entering packet itself.
///
/// # Errors
/// Fails with all reasons why the switch cannot be built.
pub fn build(
    pipeline: &Pipeline,
    edge: impl Into<Box<dyn Edge>>,
    parameters: RecirculatingParameters,
) -> Result<Mp5, Unsuitable> {
    Mp5::new(pipeline, edge, parameters.into())
}
