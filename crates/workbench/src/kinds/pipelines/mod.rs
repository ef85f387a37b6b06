//! The machines with pipelines.

mod banzai;
mod draft;
mod mp5;
mod options;
mod parameters;
mod recirculating;

use std::sync::LazyLock;

use equivalence::{Flows, Reference, Rules};
use machines::Device;
use machines::edge::ProgramEdge;

pub use self::banzai::BANZAI;
pub use self::mp5::MP5;
use self::options::PipelineOption;
pub use self::parameters::{ControlPlane, PipelineParameters};
pub use self::recirculating::RECIRCULATING;
use super::switch::meaning;
use super::{Fitted, Kind, MachineOption, Settings, Written};
use crate::machine::MachinePlan;
use crate::memory_need::check_machine;
use crate::program::{FittedProgram, LoadedProgram};
use diagnostics::Failure;

/// How many pipelines a machine has: an option of all kinds that have any.
pub static PIPELINES: &MachineOption = &options::PIPELINES.option;
/// On how many ports packets come that are made: an option of all kinds that have pipelines.
pub static PORTS: &MachineOption = &options::PORTS.option;

/// A kind of machine with pipelines.
pub struct Pipelines {
    /// Its name in plans and on the command line.
    pub name: &'static str,
    /// Its name as people write it.
    pub title: &'static str,
    about: &'static str,
    page: &'static str,
    /// Whether packets access state in the order of their arrival.
    keeps_order: bool,
    /// What machines are built from, with everything as the papers' evaluations have it.
    parameters: fn() -> Box<dyn PipelineParameters>,
    /// What can be set, and how it is set.
    own: &'static [&'static PipelineOption],
    /// What can be set, as it is declared.
    options: LazyLock<Vec<&'static MachineOption>>,
}

impl Pipelines {
    /// The parameters of such a machine, with everything as the papers' evaluations have it.
    pub fn parameters(&self) -> Box<dyn PipelineParameters> {
        (self.parameters)()
    }
}

impl Kind for Pipelines {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn page(&self) -> &'static str {
        self.page
    }

    /// A recirculating switch does not keep what programs mean whose updates depend on their order (MP5, section 2.3). Most
    /// programs of fields are such.
    fn is_usual(&self, program: &LoadedProgram) -> bool {
        program.has_parser() || self.keeps_order
    }

    fn options(&self) -> &[&'static MachineOption] {
        &self.options
    }

    fn pipelines(&self, program: &LoadedProgram, settings: &Settings) -> Result<Option<MachinePlan>, Failure> {
        draft::plan(self, program, &settings.given).map(Some)
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        let plan = draft::plan(self, program, &settings.given)?;
        // What a program does with packets that it parses itself is not known beforehand.
        let known = settings.packets.as_ref().filter(|_| !program.has_parser());
        draft::refuse_unknown_load(&plan, &settings.given, known.is_some())?;
        let fitted = program.fit(&plan, &mut ())?;
        let pipeline = &fitted.compiled.pipeline;
        check_machine(&pipeline.program, &plan)?;
        let plan = match known {
            Some(packets) => plan.placed_for(pipeline, packets.binding(), packets.packets())?,
            None => plan.placed_by_name(pipeline)?,
        };
        // Tables of field values bind fields in a way of their own.
        let binding = known.map_or(&program.binding, |packets| packets.binding()).clone();
        Ok(Box::new(OnPipelines { program: LoadedProgram { binding, ..program.clone() }, plan, fitted }))
    }
}

struct OnPipelines {
    program: LoadedProgram,
    plan: MachinePlan,
    fitted: FittedProgram,
}

impl Fitted for OnPipelines {
    fn program(&self) -> &LoadedProgram {
        &self.program
    }

    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let FittedProgram { flattened, compiled } = &self.fitted;
        let mut plan = self.plan.clone();
        plan.parameters.set_seed(seed);
        let device = match flattened {
            Some(flattened) => {
                let control = ControlPlane { program: &self.program, flattened };
                let edge = Box::new(ProgramEdge::new(flattened)?);
                plan.parameters.build(&compiled.pipeline, edge, Some(control))?
            }
            None => plan.build(&compiled.pipeline, &self.program.binding)?,
        };
        Ok(device)
    }

    fn reference(&self, seed: u64, write: Written<'_>) -> Result<Reference<'_>, Failure> {
        Ok(match &self.fitted.flattened {
            Some(flattened) => Reference::of_packets(flattened, meaning(&self.program, seed, write)?)?,
            None => Reference::new(&self.program.program, &self.program.binding),
        })
    }

    fn plan(&self) -> Option<&MachinePlan> {
        Some(&self.plan)
    }

    fn compiled(&self) -> Option<&passes::Compiled> {
        Some(&self.fitted.compiled)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("pipelines", self.plan.described())]
    }

    /// The order within flows too, if the machine is asked to keep it, which MP5 else promises only to flows whose packets
    /// access the same state (section 3.4).
    fn rules(&self) -> Rules {
        let program = &self.program.program;
        let fields: Vec<_> = self.plan.flow_order.iter().filter_map(|name| program.variable_named(name)).collect();
        if fields.is_empty() {
            return Rules::default();
        }
        Rules { flows: Flows::Fields(fields), flow_order: true, ..Rules::default() }
    }
}
