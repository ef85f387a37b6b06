//! Plans of machines with pipelines, and how machines are built from them.

use basis::{Duration, Instant};
use ir::interpret::PipelineInterpreter;
use ir::pipeline::Pipeline;
use machines::mp5::{self, Departure, Sharding};
use machines::{Device, Unsuitable};
use node::Offered;
use passes::{Layout, Target};
use runtime::binding::Binding;
use traffic::LineRate;

use crate::kinds::{BANZAI, PipelineParameters, Pipelines};
use crate::placement::Placement;
use crate::program::LoadedProgram;
use diagnostics::Failure;

/// The plan of a machine with pipelines.
#[derive(Clone, Debug)]
pub struct MachinePlan {
    /// The name of the machine in plans and on the command line.
    pub name: &'static str,
    /// The name of the machine in text and figures.
    pub title: &'static str,
    /// The parameters of the machine.
    pub parameters: Box<dyn PipelineParameters>,
    /// Places registers for the packets that will be run, which requires a pass over these packets beforehand. Replaces
    /// the machine's sharding.
    pub known_load: Option<KnownLoad>,
    /// The pipelines of some register indices, by name. Other indices keep their initial pipelines, and nothing moves.
    /// Replaces the machine's sharding once the pipeline is known.
    pub placement: Option<Placement>,
    /// The resources of the machine's stages.
    pub target: Target,
    /// The fields that identify a flow, if a machine that steers packets is to keep the order within flows.
    pub flow_order: Vec<String>,
}

/// The way in which registers are placed when the accesses of all packets are known beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownLoad {
    /// Worst case: indices are sorted by load and cut into runs. Nothing moves.
    Sorted,
    /// Good case: indices are packed, busiest first. After that the heuristic moves them.
    Packed,
}

impl KnownLoad {
    /// Returns the sharding for known loads, which are given as one list for each access of the pipeline. The published
    /// simulator uses variants of its own ([`Departure::SortedRuns`], [`Departure::IdealPacking`]).
    pub fn sharding(self, loads: &[Vec<u64>], parameters: &mp5::Mp5Parameters) -> Sharding {
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
    /// Returns the plan of a machine as the papers' evaluations use it.
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

    /// Returns the plan of a machine as the papers' evaluations use it, but with match-action stages if the program
    /// parses packets, because such programs have tables.
    pub fn usual(kind: &Pipelines, program: &LoadedProgram) -> Self {
        let target = if program.has_parser() { Target::match_action() } else { Target::default() };
        Self { target, ..Self::new(kind) }
    }

    /// Returns the name of the machine and its number of pipelines, in words.
    pub fn in_words(&self) -> String {
        match (self.is_parallel(), self.parameters.pipelines()) {
            (_, 1) => format!("{}, one pipeline", self.name),
            (true, count) => format!("{}, {count} pipelines", self.name),
            // A single pipeline that is as fast as `count` parallel ones.
            (false, count) => format!("{}, one pipeline, {count} x as fast", self.name),
        }
    }

    /// Returns all parameters as text, for manifests.
    pub fn described(&self) -> String {
        format!("{:?} {:?}", self.parameters, self.target)
    }

    /// Returns the clock period of the machine, rounded down to a picosecond. That of a single pipeline which is as
    /// fast as n parallel ones is an n-th of theirs.
    pub fn clock(&self) -> Duration {
        let period = self.parameters.period();
        let count = if self.is_parallel() { 1 } else { self.parameters.pipelines().max(1) as u64 };
        Duration::from_picoseconds(period.picoseconds() / count)
    }

    /// Returns true if the machine has parallel pipelines instead of a single, faster one.
    pub fn is_parallel(&self) -> bool {
        self.parameters.spread().is_some()
    }

    /// Returns the line rate of the machine, at which generated packets arrive.
    pub fn line_rate(&self) -> LineRate {
        let pipelines = u16::try_from(self.parameters.pipelines()).unwrap_or(u16::MAX);
        LineRate { ports: self.parameters.ports(), pipelines, period: self.parameters.period() }
    }

    /// Returns the line rate of a machine if it has pipelines, and that of Banzai otherwise.
    pub fn line_rate_of(machine: Option<&Self>) -> LineRate {
        machine.map_or_else(|| Self::new(&BANZAI).line_rate(), Self::line_rate)
    }

    /// Returns the layout in which passes compile a program for the machine.
    pub fn layout(&self) -> Layout {
        self.parameters.layout(&self.flow_order)
    }

    /// Builds a new machine that runs `pipeline`, whose fields `binding` reads from packets and writes to them.
    ///
    /// # Errors
    /// If the machine cannot run the pipeline.
    pub fn build(&self, pipeline: &Pipeline, binding: &Binding) -> Result<Box<dyn Device>, Unsuitable> {
        self.parameters.build(pipeline, Box::new(binding.clone()), None)
    }

    /// Returns the plan with registers placed for `packets`, if it has a known load, and then by name.
    ///
    /// # Errors
    /// If the placement names registers, indices or pipelines that do not exist.
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

    /// Returns the plan with registers placed by name, if it has a placement and the machine has parallel pipelines.
    ///
    /// # Errors
    /// If the placement names registers, indices or pipelines that do not exist.
    pub fn placed_by_name(mut self, pipeline: &Pipeline) -> Result<Self, Failure> {
        if let Some(placement) = &self.placement
            && let (Some(spread), Some(sharding)) = (self.parameters.spread(), self.parameters.sharding())
        {
            *sharding = placement.sharding(pipeline, &spread)?;
        }
        Ok(self)
    }
}

/// Counts how often packets access each index of each access of a pipeline.
fn accesses_by_index(pipeline: &Pipeline, binding: &Binding, packets: impl Iterator<Item = Offered>) -> Vec<Vec<u64>> {
    let mut counts: Vec<Vec<u64>> =
        pipeline.accesses.iter().map(|access| vec![0; pipeline.indices_of(access)]).collect();
    for_each_access(pipeline, binding, packets, |_, access, index| counts[access][index] += 1);
    counts
}

/// Calls `visit` for every access of every packet, in order, with the time at which the packet arrives, the number of
/// the access and the index.
pub(crate) fn for_each_access(
    pipeline: &Pipeline,
    binding: &Binding,
    packets: impl Iterator<Item = Offered>,
    mut visit: impl FnMut(Instant, usize, usize),
) {
    let mut interpreter = PipelineInterpreter::new(pipeline);
    // The first register of an access stands for all registers that lie with it.
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
            // A read followed by a write of the same index is one access.
            touched.dedup();
            for &(register, index) in &touched {
                if let Some(access) = access_of[register.index()] {
                    visit(offered.at, access, index);
                }
            }
        }
    }
}
