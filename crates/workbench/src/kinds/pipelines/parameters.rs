//! The parameters of machines with pipelines. Each kind has its own type; the trait gives access to what they share.

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
    /// Returns the number of parallel pipelines; for a machine with a single pipeline, its speedup over one of them.
    fn pipelines(&self) -> usize;

    /// Sets the number of pipelines, or the speedup of a single pipeline.
    fn set_pipelines(&mut self, pipelines: usize);

    /// Returns the number of ports.
    fn ports(&self) -> u16;

    /// Sets the number of ports.
    fn set_ports(&mut self, ports: u16);

    /// Returns the clock period of one parallel pipeline. A single pipeline with a speedup of k has a k-th of it.
    fn period(&self) -> Duration;

    /// Sets the clock period of one parallel pipeline.
    fn set_period(&mut self, period: Duration);

    /// Sets the seed of everything random. By default, nothing is random.
    fn set_seed(&mut self, seed: u64) {
        let _ = seed;
    }

    /// Returns the sharding of registers, to change it; `None` for a machine that does not shard registers.
    fn sharding(&mut self) -> Option<&mut Sharding> {
        None
    }

    /// Returns the parameters of an MP5 that shards registers in the same way; `None` for a machine that does not shard
    /// registers.
    fn spread(&self) -> Option<mp5::Mp5Parameters> {
        None
    }

    /// Returns the layout in which passes compile a program. `flow_order` names the fields that identify a flow whose
    /// packets are kept in order.
    fn layout(&self, flow_order: &[String]) -> Layout;

    /// Builds a new machine that runs `pipeline` between the two ends of `edge`.
    ///
    /// # Errors
    /// If the machine cannot run the pipeline.
    fn build(
        &self,
        pipeline: &Pipeline,
        edge: Box<dyn Edge>,
        control: Option<ControlPlane<'_>>,
    ) -> Result<Box<dyn Device>, Unsuitable>;

    /// Returns a copy of the parameters.
    fn cloned(&self) -> Box<dyn PipelineParameters>;
}

impl Clone for Box<dyn PipelineParameters> {
    fn clone(&self) -> Self {
        self.cloned()
    }
}

impl dyn PipelineParameters {
    /// Returns the parameters as type `P`, to change them; `None` if they are of another type.
    pub fn of<P: PipelineParameters>(&mut self) -> Option<&mut P> {
        (self as &mut dyn Any).downcast_mut()
    }
}

/// The program with a parser from which a pipeline was compiled. Its control plane becomes that of the machine.
#[derive(Clone, Copy)]
pub struct ControlPlane<'p> {
    /// The program.
    pub program: &'p LoadedProgram,
    /// The flat form of the program.
    pub flattened: &'p Flattened,
}

impl ControlPlane<'_> {
    /// Returns the machine as a device, with the control plane of a program with a parser if one is given.
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
