//! The kinds of machines with pipelines.

mod banzai;
mod draft;
mod mp5;
mod options;
mod parameters;
mod recirculating;

use std::sync::{Arc, LazyLock};

use equivalence::{Flows, Reference, Rules};
use machines::Device;
use machines::edge::ProgramEdge;
use native::NativeStages;

pub use self::banzai::BANZAI;
pub use self::mp5::MP5;
use self::options::PipelineOption;
pub use self::parameters::{ControlPlane, PipelineParameters};
pub use self::recirculating::RECIRCULATING;
use super::meaning;
use super::tofino::is_for;
use super::{ControlPlaneSetup, Fitted, MachineKind, MachineOption, Settings};
use crate::machine::MachinePlan;
use crate::memory_need::check_machine;
use crate::program::{FittedProgram, LoadedProgram};
use diagnostics::Failure;

/// The option for the number of pipelines, which all kinds with pipelines have.
pub static PIPELINES: &MachineOption = &options::PIPELINES.option;
/// The option for the number of ports on which generated packets arrive, which all kinds with pipelines have.
pub static PORTS: &MachineOption = &options::PORTS.option;

/// A kind of machine with pipelines.
pub struct Pipelines {
    /// The name of the kind in plans and on the command line.
    pub name: &'static str,
    /// The name of the kind in text and figures.
    pub title: &'static str,
    about: &'static str,
    page: &'static str,
    /// Whether packets access state in the order of their arrival.
    keeps_order: bool,
    /// Returns the default parameters, which are those of the papers' evaluations.
    parameters: fn() -> Box<dyn PipelineParameters>,
    /// The options, with functions that set them.
    own: &'static [&'static PipelineOption],
    /// The declarations of the options.
    options: LazyLock<Vec<&'static MachineOption>>,
}

impl Pipelines {
    /// Returns the default parameters of such a machine, which are those of the papers' evaluations.
    pub fn parameters(&self) -> Box<dyn PipelineParameters> {
        (self.parameters)()
    }
}

impl MachineKind for Pipelines {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn page(&self) -> &'static str {
        self.page
    }

    /// A recirculating switch does not preserve the meaning of programs whose updates depend on the order of packets
    /// (MP5, section 2.3), as those of most programs without a parser do.
    fn is_usual(&self, program: &LoadedProgram) -> bool {
        !is_for(program) && !program.has_threads() && (program.has_parser() || self.keeps_order)
    }

    fn options(&self) -> &[&'static MachineOption] {
        &self.options
    }

    fn pipelines(&self, program: &LoadedProgram, settings: &Settings) -> Result<Option<MachinePlan>, Failure> {
        draft::plan(self, program, &settings.given).map(Some)
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        let plan = draft::plan(self, program, &settings.given)?;
        // The accesses of a program that parses packets itself cannot be computed beforehand.
        let known = settings.packets.as_ref().filter(|_| program.binds_fields());
        draft::refuse_unknown_load(&plan, &settings.given, known.is_some())?;
        let fitted = program.fit(&plan, &mut ())?;
        let pipeline = &fitted.compiled.pipeline;
        check_machine(&pipeline.program, &plan)?;
        let plan = match known {
            Some(packets) => plan.placed_for(pipeline, packets.binding(), packets.packets())?,
            None => plan.placed_by_name(pipeline)?,
        };
        // Tables of field values have a binding of their own.
        let binding = known.map_or(&program.binding, |packets| packets.binding()).clone();
        Ok(Box::new(OnPipelines { program: LoadedProgram { binding, ..program.clone() }, plan, fitted }))
    }
}

/// The number of packets after which stages are compiled to machine code: so many take longer than the compiler, which needs some
/// milliseconds.
const COMPILE_AFTER: u64 = 10_000;

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
        let mut device = match flattened {
            Some(flattened) => {
                let control = ControlPlane { program: &self.program, flattened };
                let edge = Box::new(ProgramEdge::new(flattened)?);
                plan.parameters.build(&compiled.pipeline, edge, Some(control))?
            }
            None => plan.build(&compiled.pipeline, &self.program.binding)?,
        };
        device.compile_stages(Arc::new(NativeStages), COMPILE_AFTER);
        Ok(device)
    }

    fn reference(&self, seed: u64, write: ControlPlaneSetup<'_>) -> Result<Reference<'_>, Failure> {
        Ok(match &self.fitted.flattened {
            Some(flattened) => {
                Reference::of_packets(flattened, &self.program.program, meaning(&self.program, seed, write)?)?
            }
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

    /// Includes the order within flows if the machine is asked to keep it. Otherwise, MP5 guarantees it only for flows
    /// whose packets access the same state (section 3.4).
    fn rules(&self) -> Rules {
        let program = &self.program.program;
        let fields: Vec<_> = self.plan.flow_order.iter().filter_map(|name| program.variable_named(name)).collect();
        if fields.is_empty() {
            return Rules::default();
        }
        Rules { flows: Flows::Fields(fields), flow_order: true, ..Rules::default() }
    }
}
