//! Layouts of pipelines, and the assembly of a pipeline from placed units.

use std::fmt;

use ir::Program;
use ir::pipeline::{Access, Atom, Division, Pipeline, Predicate, Stage, StageKind};

use crate::report::Finding;
use crate::schedule::{self, Placed, Problem};
use crate::target::Target;
use crate::units::{self, Unit};

/// The kind of machine that a pipeline is laid out for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A single pipeline in which packets never wait, so that nothing has to be known in advance.
    Single,
    /// Parallel pipelines between which packets are steered to the state that they access. The first stages must
    /// compute which state that is.
    Steered {
        /// The fields that identify a flow. A dummy access in the last stage keeps the packets of each flow in order;
        /// if the list is empty, there is no such access.
        flow_order: Vec<String>,
    },
}

/// An access whose index or predicate is not fully known early, or whose registers cannot be sharded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The names of the registers accessed.
    pub registers: Vec<String>,
    /// The reason.
    pub reason: Reason,
}

/// The reason why an access is not fully resolved early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Whether a packet accesses the registers depends on the values of other registers. Every packet that may access
    /// them counts as accessing them until this is known.
    Predicate {
        /// The names of those other registers.
        depends_on: Vec<String>,
    },
    /// The index at which a packet accesses the registers depends on the values of other registers, so they lie in one
    /// pipeline.
    Index {
        /// The names of those other registers.
        depends_on: Vec<String>,
    },
    /// A single atom accesses the registers together with others at different indices, so they lie in one pipeline.
    SeveralPlaces {
        /// The names of the other registers.
        others: Vec<String>,
    },
    /// There are too few stages to give each access its own, so the registers share a stage, and hence one pipeline,
    /// with others.
    SharedStage {
        /// The number of the shared stage, counted from 0.
        stage: u32,
        /// The names of the other registers.
        others: Vec<String>,
    },
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let own = list(&self.registers);
        match &self.reason {
            Reason::Predicate { depends_on } => {
                let others = list(depends_on);
                write!(
                    f,
                    "whether a packet accesses {own} depends on {others}: it counts as accessing until that is known"
                )
            }
            Reason::Index { depends_on } => {
                write!(f, "where a packet accesses {own} depends on {}: not sharded", list(depends_on))
            }
            Reason::SeveralPlaces { others } => {
                write!(f, "{own} and {} are updated together, but not at one index: not sharded", list(others))
            }
            Reason::SharedStage { stage, others } => {
                write!(
                    f,
                    "{own} shares stage {stage} with {} because there are too few stages: not sharded",
                    list(others)
                )
            }
        }
    }
}

/// Builds a pipeline for a machine in which packets never wait.
pub(crate) fn single(program: &Program, units: &[Unit], target: &Target) -> Result<(Pipeline, Placed), Vec<Finding>> {
    let needs = units::needs(program, units);
    let none = vec![false; units.len()];
    let problem = Problem {
        program,
        units,
        needs: &needs,
        target,
        first_stateful: 0,
        urgent: &none,
        conflict: &|_, _| false,
        alone: &none,
        known_before: false,
    };
    let placed = schedule::place(&problem);
    if placed.depth > target.depth {
        return Err(schedule::too_deep(&problem, &placed));
    }
    let accesses = units.iter().zip(&placed.stage_of).flat_map(|(unit, &stage)| {
        let predicate = unit.predicate().map_or(Predicate::Always, |p| Predicate::Late(p.clone()));
        unit.accessed_registers(program).into_iter().map(move |access| Access {
            registers: access.registers,
            stage,
            index: access.index,
            predicate: predicate.clone(),
            division: Division::Whole,
        })
    });
    let pipeline = assemble(program, units, &placed, 0, accesses.collect(), target.kind);
    Ok((pipeline, placed))
}

/// Assembles a pipeline from placed units.
pub(crate) fn assemble(
    program: &Program,
    units: &[Unit],
    placed: &Placed,
    early_stages: u32,
    mut accesses: Vec<Access>,
    kind: StageKind,
) -> Pipeline {
    let mut stages = vec![Stage::default(); placed.depth as usize];
    let mut order: Vec<usize> = (0..units.len()).collect();
    // Units are in topological order, and the order of phases agrees with it.
    order.sort_by_key(|&unit| placed.phase_of.get(unit));
    for unit in order {
        let Unit { template, body } = units[unit].clone();
        stages[placed.stage_of[unit] as usize].atoms.push(Atom { template, body });
    }
    accesses.sort_by_key(|access| (access.stage, access.registers[0]));
    let program = Program { packet: Vec::new(), ..program.clone() };
    Pipeline { program, stages, early_stages, accesses, kind }
}
