//! What can be set of a machine with pipelines: each has parameters of its own, and some are said of all.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use basis::Duration;
use ir::pipeline::Pipeline;
use machines::mp5::{self, Sharding};
use machines::{Device, Edge, Pipelined, Unsuitable};
use passes::Layout;
use passes::flatten::Flattened;

use crate::program::LoadedProgram;

/// The parameters of a machine with pipelines, from which it is built.
pub trait PipelineParameters: Any + fmt::Debug + Send + Sync {
    /// How many pipelines there are; where there is one, as how many it is as fast.
    fn pipelines(&self) -> usize;

    /// Changes how many pipelines there are.
    fn set_pipelines(&mut self, pipelines: usize);

    /// How many ports there are.
    fn ports(&self) -> u16;

    /// Changes how many ports there are.
    fn set_ports(&mut self, ports: u16);

    /// The clock period of one of the pipelines, or of one of those for which one pipeline stands.
    fn period(&self) -> Duration;

    /// Changes the clock period.
    fn set_period(&mut self, period: Duration);

    /// Changes what everything random is drawn from; nothing is, where registers lie in one place.
    fn set_seed(&mut self, seed: u64) {
        let _ = seed;
    }

    /// Where registers lie, to change it; `None` for a machine in which they lie in one place.
    fn sharding(&mut self) -> Option<&mut Sharding> {
        None
    }

    /// The stages on which registers are spread, as an MP5 has them; `None` for a machine in which they lie in one place.
    fn spread(&self) -> Option<mp5::Parameters> {
        None
    }

    /// How passes lay a program out whose packets are kept in the order of fields of these names.
    fn layout(&self, flow_order: &[String]) -> Layout;

    /// A fresh machine that runs `pipeline` between the two ends of `edge`.
    ///
    /// # Errors
    /// Everything that keeps the machine from being built.
    fn build(
        &self,
        pipeline: &Pipeline,
        edge: Box<dyn Edge>,
        control: Option<ControlPlane<'_>>,
    ) -> Result<Box<dyn Device>, Unsuitable>;

    /// The same parameters once more.
    fn cloned(&self) -> Box<dyn PipelineParameters>;
}

impl Clone for Box<dyn PipelineParameters> {
    fn clone(&self) -> Self {
        self.cloned()
    }
}

impl dyn PipelineParameters {
    /// The parameters of one machine, to change them; `None` if these are of another.
    pub fn of<P: PipelineParameters>(&mut self) -> Option<&mut P> {
        (self as &mut dyn Any).downcast_mut()
    }
}

/// The program with a parser that a pipeline was made of: its control plane is that of the machine.
#[derive(Clone, Copy)]
pub struct ControlPlane<'p> {
    /// The program.
    pub program: &'p LoadedProgram,
    /// What became of it.
    pub flattened: &'p Flattened,
}

impl ControlPlane<'_> {
    /// A machine with this control plane, if there is one.
    pub fn of<P: machines::pipelines::Pipelines + 'static>(
        control: Option<Self>,
        machine: Pipelined<P>,
    ) -> Box<dyn Device> {
        Box::new(match control {
            Some(Self { program, flattened }) => {
                machine.of_packet_program(&program.program, Arc::clone(&program.info), flattened)
            }
            None => machine,
        })
    }
}
