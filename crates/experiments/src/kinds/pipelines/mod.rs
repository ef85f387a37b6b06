//! The machines with pipelines.

mod draft;
mod options;

use std::sync::LazyLock;

use equivalence::{Flows, Reference, Rules};
use machines::Device;
use machines::edge::ProgramEdge;

use super::switch::meaning;
use super::{Fitted, Kind, MachineOption, Settings, Written};
use crate::failure::Failure;
use crate::machine::{Architecture, MachinePlan};
use crate::memory_need::check_machine;
use crate::program::{FittedProgram, LoadedProgram};

/// One pipeline, k times as fast.
pub(super) static BANZAI: Pipelines = Pipelines {
    architecture: Architecture::Banzai,
    options: LazyLock::new(|| options_of(Architecture::Banzai)),
    keeps_order: true,
    about: "one pipeline that is as fast as k together",
    page: "docs/machines/banzai.md",
};
/// k functionally equal pipelines.
pub(super) static MP5: Pipelines = Pipelines {
    architecture: Architecture::Mp5,
    options: LazyLock::new(|| options_of(Architecture::Mp5)),
    keeps_order: true,
    about: "k parallel pipelines that together do what one would",
    page: "docs/machines/mp5.md",
};
/// Today's switch.
pub(super) static RECIRCULATING: Pipelines = Pipelines {
    architecture: Architecture::Recirculating,
    options: LazyLock::new(|| options_of(Architecture::Recirculating)),
    keeps_order: false,
    about: "k pipelines with ports fixed to them, which reach each other's state by recirculation",
    page: "docs/machines/recirculating.md",
};

pub(super) struct Pipelines {
    architecture: Architecture,
    options: LazyLock<Vec<&'static MachineOption>>,
    /// Whether packets access state in the order of their arrival.
    keeps_order: bool,
    about: &'static str,
    page: &'static str,
}

fn options_of(architecture: Architecture) -> Vec<&'static MachineOption> {
    let own = options::OPTIONS.iter().filter(|option| option.machines.contains(&architecture));
    own.map(|option| &option.option).collect()
}

impl Kind for Pipelines {
    fn name(&self) -> &'static str {
        self.architecture.name()
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
        draft::plan(self.architecture, program, &settings.given).map(Some)
    }

    fn fit(&self, program: &LoadedProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        let plan = draft::plan(self.architecture, program, &settings.given)?;
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
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let FittedProgram { flattened, compiled } = &self.fitted;
        let mut plan = self.plan.clone();
        plan.parameters.set_seed(seed);
        let device = match flattened {
            Some(flattened) => {
                plan.build_on(&compiled.pipeline, ProgramEdge::new(flattened)?, Some((&self.program, flattened)))?
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

    fn compiled(&self) -> Option<&passes::Compiled> {
        Some(&self.fitted.compiled)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("pipelines", format!("{:?} {:?}", self.plan.parameters, self.plan.target))]
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
