//! Banzai and its options.

use std::fmt;
use std::sync::LazyLock;

use basis::Duration;
use ir::pipeline::Pipeline;
use machines::banzai::BanzaiParameters;
use machines::{Banzai, Device, Edge, Unsuitable};
use passes::Layout;
use traffic::Traffic;

use super::options::{self, PipelineOption};
use super::{ControlPlane, PipelineParameters, Pipelines};

static OPTIONS: [&PipelineOption; 14] = [
    &options::PIPELINES,
    &options::PORTS,
    &options::CLOCK_PERIOD,
    &options::DEPTH,
    &options::STAGES,
    &options::STATEFUL,
    &options::STATELESS,
    &options::TABLES_PER_STAGE,
    &options::SRAM_BLOCKS,
    &options::TCAM_BLOCKS,
    &options::HASH_UNITS,
    &options::ATOM,
    &options::OPERATIONS,
    &options::ASSUME_NO_OVERFLOW,
];

/// A single pipeline that is as fast as k parallel ones.
pub static BANZAI: Pipelines = Pipelines {
    name: "banzai",
    title: "Banzai",
    about: "a single pipeline that is as fast as k parallel ones",
    page: "docs/machines/banzai.md",
    keeps_order: true,
    parameters: || Box::new(Ported { parameters: BanzaiParameters::default(), ports: Traffic::PORTS }),
    own: &OPTIONS,
    options: LazyLock::new(|| options::declared(&OPTIONS)),
};

/// The parameters of Banzai, with the number of ports of generated traffic. Banzai itself takes packets of any port.
#[derive(Clone)]
struct Ported {
    parameters: BanzaiParameters,
    ports: u16,
}

impl fmt::Debug for Ported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameters.fmt(f)
    }
}

impl PipelineParameters for Ported {
    fn pipelines(&self) -> usize {
        self.parameters.speedup as usize
    }

    fn set_pipelines(&mut self, pipelines: usize) {
        self.parameters.speedup = pipelines as u64;
    }

    fn ports(&self) -> u16 {
        self.ports
    }

    fn set_ports(&mut self, ports: u16) {
        self.ports = ports;
    }

    fn period(&self) -> Duration {
        self.parameters.period
    }

    fn set_period(&mut self, period: Duration) {
        self.parameters.period = period;
    }

    fn layout(&self, _flow_order: &[String]) -> Layout {
        Layout::Single
    }

    fn build(
        &self,
        pipeline: &Pipeline,
        edge: Box<dyn Edge>,
        control: Option<ControlPlane<'_>>,
    ) -> Result<Box<dyn Device>, Unsuitable> {
        Ok(ControlPlane::of(control, Banzai::new(pipeline, edge, self.parameters.clone())?))
    }

    fn cloned(&self) -> Box<dyn PipelineParameters> {
        Box::new(self.clone())
    }
}
