//! The machines with pipelines.

use equivalence::Reference;
use ir::interpret::PacketInterpreter;
use machines::Device;
use machines::edge::ProgramEdge;
use machines::v1model::Switch;

use super::{Fitted, Kind, Settings};
use crate::failure::Failure;
use crate::machine::{Architecture, MachinePlan};
use crate::memory_need::check_machine;
use crate::packet_programs::{FittedPacketProgram, PacketProgram};

/// One pipeline, k times as fast.
pub(super) static BANZAI: Pipelines = Pipelines {
    architecture: Architecture::Banzai,
    about: "one pipeline that is as fast as k together",
    page: "docs/machines/banzai.md",
};
/// k functionally equal pipelines.
pub(super) static MP5: Pipelines = Pipelines {
    architecture: Architecture::Mp5,
    about: "k parallel pipelines that together do what one would",
    page: "docs/machines/mp5.md",
};
/// Today's switch.
pub(super) static RECIRCULATING: Pipelines = Pipelines {
    architecture: Architecture::Recirculating,
    about: "k pipelines with ports fixed to them, which reach each other's state by recirculation",
    page: "docs/machines/recirculating.md",
};

pub(super) struct Pipelines {
    architecture: Architecture,
    about: &'static str,
    page: &'static str,
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

    fn fit(&self, program: &PacketProgram, settings: &Settings) -> Result<Box<dyn Fitted>, Failure> {
        let usual = || MachinePlan { target: passes::Target::match_action(), ..MachinePlan::new(self.architecture) };
        let plan = settings.pipelines.clone().unwrap_or_else(usual);
        let plan = MachinePlan { architecture: self.architecture, ..plan };
        let fitted = program.fit(&plan, &mut ())?;
        check_machine(&fitted.compiled.pipeline.program, &plan)?;
        let plan = plan.placed_by_name(&fitted.compiled.pipeline)?;
        Ok(Box::new(OnPipelines { program: program.clone(), plan, fitted }))
    }
}

struct OnPipelines {
    program: PacketProgram,
    plan: MachinePlan,
    fitted: FittedPacketProgram,
}

impl Fitted for OnPipelines {
    fn build(&self, seed: u64) -> Result<Box<dyn Device>, Failure> {
        let FittedPacketProgram { flattened, compiled } = &self.fitted;
        let mut plan = self.plan.clone();
        plan.parameters.seed = seed;
        let edge = ProgramEdge::new(flattened)?;
        Ok(plan.build_on(&compiled.pipeline, edge, Some((&self.program, flattened)))?)
    }

    fn reference(&self, switch: Switch<PacketInterpreter>) -> Result<Reference<'_>, Failure> {
        Ok(Reference::of_packets(&self.fitted.flattened, switch)?)
    }

    fn compiled(&self) -> Option<&passes::Compiled> {
        Some(&self.fitted.compiled)
    }

    fn parameters(&self) -> Vec<(&'static str, String)> {
        vec![("pipelines", format!("{:?} {:?}", self.plan.parameters, self.plan.target))]
    }
}
