//! Machines by name: what a plan says of a machine, and the machine that comes of it.

use std::fmt;
use std::sync::Arc;

use basis::Instant;
use ir::interpret::PipelineInterpreter;
use ir::pipeline::Pipeline;
use machines::mp5::{self, Departure, Sharding};
use machines::pipelines::Pipelines;
use machines::{Banzai, Device, Edge, Mp5, Pipelined, Unsuitable, recirculating};
use node::Offered;
use passes::flatten::Flattened;
use passes::{Layout, Target};
use runtime::binding::Binding;

use crate::failure::Failure;
use crate::machine_parameters::MachineParameters;
use crate::placement::Placement;
use crate::program::LoadedProgram;

/// The architectures that a program can be fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    /// One pipeline, k times as fast.
    Banzai,
    /// k functionally equal pipelines.
    Mp5,
    /// Today's switch: k pipelines, ports fixed to them, state reached by recirculation.
    Recirculating,
}

/// A machine as a plan describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachinePlan {
    /// Which machine, and what is set of it.
    pub parameters: MachineParameters,
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

impl Architecture {
    /// Every architecture.
    pub const ALL: [Self; 3] = [Self::Banzai, Self::Mp5, Self::Recirculating];

    /// Its name in plans and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Banzai => "banzai",
            Self::Mp5 => "mp5",
            Self::Recirculating => "recirculating",
        }
    }

    /// The architecture of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|architecture| architecture.name() == name)
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl MachinePlan {
    /// An architecture with everything as the papers' evaluations have it.
    pub fn new(architecture: Architecture) -> Self {
        Self {
            parameters: MachineParameters::new(architecture),
            known_load: None,
            placement: None,
            target: Target::default(),
            flow_order: Vec::new(),
        }
    }

    /// The same for a program: one that parses packets looks them up in tables, and gets stages that match and act.
    pub fn usual(architecture: Architecture, program: &LoadedProgram) -> Self {
        let target = if program.has_parser() { Target::match_action() } else { Target::default() };
        Self { target, ..Self::new(architecture) }
    }

    /// Which architecture it is of.
    pub fn architecture(&self) -> Architecture {
        self.parameters.architecture()
    }

    /// How passes lay a program out for it.
    pub fn layout(&self) -> Layout {
        match self.architecture() {
            Architecture::Banzai => Layout::Single,
            // A recirculating switch must know where a packet's state lies as early as MP5 does.
            Architecture::Mp5 | Architecture::Recirculating => Layout::Steered { flow_order: self.flow_order.clone() },
        }
    }

    /// A fresh machine that runs `pipeline`, whose fields bind to packets.
    ///
    /// # Errors
    /// Everything that keeps the machine from being built.
    pub fn build(&self, pipeline: &Pipeline, binding: &Binding) -> Result<Box<dyn Device>, Unsuitable> {
        self.build_on(pipeline, binding.clone(), None)
    }

    /// A fresh machine that runs `pipeline` between the two ends of `edge`, with the control plane of the packet program
    /// that the pipeline was made of, if it was.
    ///
    /// # Errors
    /// Everything that keeps the machine from being built.
    pub fn build_on(
        &self,
        pipeline: &Pipeline,
        edge: impl Edge + 'static,
        packet_program: Option<(&LoadedProgram, &Flattened)>,
    ) -> Result<Box<dyn Device>, Unsuitable> {
        Ok(match self.parameters.clone() {
            MachineParameters::Banzai { parameters, .. } => {
                controlled(Banzai::new(pipeline, edge, parameters)?, packet_program)
            }
            MachineParameters::Mp5(parameters) => controlled(Mp5::new(pipeline, edge, parameters)?, packet_program),
            MachineParameters::Recirculating(parameters) => {
                controlled(recirculating::build(pipeline, edge, parameters)?, packet_program)
            }
        })
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

/// A machine with the control plane of its packet program, if it has one.
fn controlled<P: Pipelines + 'static>(
    machine: Pipelined<P>,
    packet_program: Option<(&LoadedProgram, &Flattened)>,
) -> Box<dyn Device> {
    Box::new(match packet_program {
        Some((program, flattened)) => machine.of_packet_program(&program.program, Arc::clone(&program.info), flattened),
        None => machine,
    })
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
