//! The recirculating switch and its options.

use std::sync::LazyLock;

use basis::Duration;
use ir::pipeline::Pipeline;
use machines::mp5;
use machines::recirculating::{RecirculatingParameters, Sharding, build};
use machines::{Device, Edge, Unsuitable};
use passes::Layout;

use super::options::{self, PipelineOption, number};
use super::{ControlPlane, PipelineParameters, Pipelines};

static OPTIONS: [&PipelineOption; 18] = [
    &options::PIPELINES,
    &options::PORTS,
    &REMAP_PERIOD,
    &options::SHARDING,
    &options::PLACEMENT,
    &RECIRCULATION_LATENCY,
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

/// A conventional switch: k pipelines, each with its own ports. Packets reach state in other pipelines by
/// recirculation.
pub static RECIRCULATING: Pipelines = Pipelines {
    name: "recirculating",
    title: "recirculating",
    about: "k pipelines, each with its own ports, whose packets reach state in other pipelines by recirculation",
    page: "docs/machines/recirculating.md",
    keeps_order: false,
    parameters: || Box::new(RecirculatingParameters::default()),
    own: &OPTIONS,
    options: LazyLock::new(|| options::declared(&OPTIONS)),
};

static REMAP_PERIOD: PipelineOption = options::remap_period(|draft, text| {
    let cycles = number(text)?;
    draft.set(|parameters: &mut RecirculatingParameters| parameters.remap_period = cycles);
    Ok(())
});

static RECIRCULATION_LATENCY: PipelineOption = options::recirculation_latency(|draft, text| {
    let cycles = number(text)?;
    draft.set(|parameters: &mut RecirculatingParameters| parameters.latency = cycles);
    Ok(())
});

impl PipelineParameters for RecirculatingParameters {
    fn pipelines(&self) -> usize {
        self.pipelines
    }

    fn set_pipelines(&mut self, pipelines: usize) {
        self.pipelines = pipelines;
    }

    fn ports(&self) -> u16 {
        self.ports
    }

    fn set_ports(&mut self, ports: u16) {
        self.ports = ports;
    }

    fn period(&self) -> Duration {
        self.period
    }

    fn set_period(&mut self, period: Duration) {
        self.period = period;
    }

    fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn sharding(&mut self) -> Option<&mut Sharding> {
        Some(&mut self.sharding)
    }

    fn spread(&self) -> Option<mp5::Mp5Parameters> {
        Some(self.clone().into())
    }

    /// The switch must resolve the addresses of a packet's state as early as MP5 does.
    fn layout(&self, flow_order: &[String]) -> Layout {
        Layout::Steered { flow_order: flow_order.to_vec() }
    }

    fn build(
        &self,
        pipeline: &Pipeline,
        edge: Box<dyn Edge>,
        control: Option<ControlPlane<'_>>,
    ) -> Result<Box<dyn Device>, Unsuitable> {
        Ok(ControlPlane::of(control, build(pipeline, edge, self.clone())?))
    }

    fn cloned(&self) -> Box<dyn PipelineParameters> {
        Box::new(self.clone())
    }
}
