//! Machines by name: what a plan says of a machine, and the machine that comes of it.

use basis::{Duration, Instant};
use ir::interpret::PipelineInterpreter;
use ir::pipeline::Pipeline;
use machines::mp5::{self, Departure, Sharding};
use machines::{Device, Unsuitable};
use node::Offered;
use passes::{Layout, Target};
use runtime::binding::Binding;
use traffic::LineRate;

use crate::kinds::{PipelineParameters, Pipelines};
use crate::placement::Placement;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// A machine as a plan describes it.
#[derive(Clone, Debug)]
pub struct MachinePlan {
    /// The name of the machine in plans and on the command line.
    pub name: &'static str,
    /// Its name as people write it.
    pub title: &'static str,
    /// What is set of it.
    pub parameters: Box<dyn PipelineParameters>,
    /// Place registers for the very packets that come, which needs a pass over them beforehand; replaces the machine's
    /// sharding.
    pub known_load: Option<KnownLoad>,
    /// Places of indices by name: what else is placed stays there, and nothing moves. Replaces the machine's sharding
    /// once the pipeline is known.
    pub placement: Option<Placement>,
    /// What its stages offer.
    pub target: Target,
    /// Fields in whose order packets are kept, where they are steered.
    pub flow_order: Vec<String>,
}

/// How registers are placed for a load that is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownLoad {
    /// In the worst way: sorted by load and cut into runs. Nothing moves.
    Sorted,
    /// In a good way: packed, busiest first. Then the heuristic moves indices.
    Packed,
}

impl KnownLoad {
    /// Where indices lie whose loads are known, one list for each access of the pipeline. The published simulator has
    /// ways of its own ([`Departure::SortedRuns`], [`Departure::IdealPacking`]).
    pub fn sharding(self, loads: &[Vec<u64>], parameters: &mp5::Parameters) -> Sharding {
        let map: fn(&[u64], usize) -> Vec<u8> = match self {
            Self::Sorted if parameters.rules.has(Departure::SortedRuns) => mp5::sorted_runs,
            Self::Sorted => mp5::sorted_worst_case,
            Self::Packed if parameters.rules.has(Departure::IdealPacking) => mp5::packed_from_least,
            Self::Packed => mp5::packed,
        };
        let maps = loads.iter().map(|loads| map(loads, parameters.pipelines)).collect();
        match self {
            Self::Sorted => Sharding::Fixed(maps),
            Self::Packed => Sharding::DynamicFrom(maps),
        }
    }
}

impl MachinePlan {
    /// A machine with everything as the papers' evaluations have it.
    pub fn new(kind: &Pipelines) -> Self {
        Self {
            name: kind.name,
            title: kind.title,
            parameters: kind.parameters(),
            known_load: None,
            placement: None,
            target: Target::default(),
            flow_order: Vec::new(),
        }
    }

    /// The same for a program: one that parses packets looks them up in tables, and gets stages that match and act.
    pub fn usual(kind: &Pipelines, program: &LoadedProgram) -> Self {
        let target = if program.has_parser() { Target::match_action() } else { Target::default() };
        Self { target, ..Self::new(kind) }
    }

    /// The machine and its pipelines, as a person reads it.
    pub fn in_words(&self) -> String {
        match (self.is_parallel(), self.parameters.pipelines()) {
            (_, 1) => format!("{}, one pipeline", self.name),
            (true, count) => format!("{}, {count} pipelines", self.name),
            // As fast as so many of the others.
            (false, count) => format!("{}, one pipeline, {count} x as fast", self.name),
        }
    }

    /// Everything that is set of it, for manifests.
    pub fn described(&self) -> String {
        format!("{:?} {:?}", self.parameters, self.target)
    }

    /// The clock period of its pipelines, rounded down to a picosecond: that of one pipeline which is as fast as several
    /// is a part of theirs.
    pub fn clock(&self) -> Duration {
        let period = self.parameters.period();
        let count = if self.is_parallel() { 1 } else { self.parameters.pipelines().max(1) as u64 };
        Duration::from_picoseconds(period.picoseconds() / count)
    }

    /// Whether there are several pipelines side by side, and not one that is as fast.
    pub fn is_parallel(&self) -> bool {
        self.parameters.spread().is_some()
    }

    /// How fast packets come to it that are made, or that come at line rate.
    pub fn line_rate(&self) -> LineRate {
        let pipelines = u16::try_from(self.parameters.pipelines()).unwrap_or(u16::MAX);
        LineRate { ports: self.parameters.ports(), pipelines, period: self.parameters.period() }
    }

    /// How passes lay a program out for it.
    pub fn layout(&self) -> Layout {
        self.parameters.layout(&self.flow_order)
    }

    /// A fresh machine that runs `pipeline`, whose fields bind to packets.
    ///
    /// # Errors
    /// Everything that keeps the machine from being built.
    pub fn build(&self, pipeline: &Pipeline, binding: &Binding) -> Result<Box<dyn Device>, Unsuitable> {
        self.parameters.build(pipeline, Box::new(binding.clone()), None)
    }

    /// The same plan with registers placed for `packets`, if it asks for that, and then by name.
    ///
    /// # Errors
    /// Places that there are not in the pipeline.
    pub fn placed_for(
        &self,
        pipeline: &Pipeline,
        binding: &Binding,
        packets: impl Iterator<Item = Offered>,
    ) -> Result<Self, Failure> {
        let mut placed = self.clone();
        if let Some(known) = self.known_load {
            let loads = accesses_by_index(pipeline, binding, packets);
            if let (Some(sharding), Some(spread)) = (placed.parameters.sharding(), self.parameters.spread()) {
                *sharding = known.sharding(&loads, &spread);
            }
        }
        placed.placed_by_name(pipeline)
    }

    /// The same plan with registers placed by name, if it asks for that and the machine has several pipelines.
    ///
    /// # Errors
    /// Places that there are not in the pipeline.
    pub fn placed_by_name(mut self, pipeline: &Pipeline) -> Result<Self, Failure> {
        if let Some(placement) = &self.placement
            && let (Some(spread), Some(sharding)) = (self.parameters.spread(), self.parameters.sharding())
        {
            *sharding = placement.sharding(pipeline, &spread)?;
        }
        Ok(self)
    }
}

/// How often packets access each index of each access of a pipeline.
fn accesses_by_index(pipeline: &Pipeline, binding: &Binding, packets: impl Iterator<Item = Offered>) -> Vec<Vec<u64>> {
    let mut counts: Vec<Vec<u64>> =
        pipeline.accesses.iter().map(|access| vec![0; pipeline.indices_of(access)]).collect();
    for_each_access(pipeline, binding, packets, |_, access, index| counts[access][index] += 1);
    counts
}

/// Calls `visit` with the arrival of a packet, an access and its index, for every access of every packet, in order.
pub(crate) fn for_each_access(
    pipeline: &Pipeline,
    binding: &Binding,
    packets: impl Iterator<Item = Offered>,
    mut visit: impl FnMut(Instant, usize, usize),
) {
    let mut interpreter = PipelineInterpreter::new(pipeline);
    // One register stands for those that lie with it.
    let mut access_of = vec![None; pipeline.program.registers.len()];
    for (number, access) in pipeline.accesses.iter().enumerate() {
        access_of[access.registers[0].index()] = Some(number);
    }
    let mut values = vec![0; pipeline.program.variables.len()];
    let mut touched = Vec::new();
    for offered in packets {
        if binding.load(&offered.packet, offered.port.0, &mut values) {
            touched.clear();
            interpreter.packet_observed(&mut values, &mut |register, index| touched.push((register, index)));
            // Reading and writing at once is one access.
            touched.dedup();
            for &(register, index) in &touched {
                if let Some(access) = access_of[register.index()] {
                    visit(offered.at, access, index);
                }
            }
        }
    }
}
