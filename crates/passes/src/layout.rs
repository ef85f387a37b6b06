//! How a pipeline is laid out, and a pipeline put together from placed units.

use std::fmt;

use ir::Program;
use ir::pipeline::{Access, Atom, Division, Pipeline, Predicate, Stage, StageKind};

use crate::report::Finding;
use crate::schedule::{self, Placed, Problem};
use crate::target::Target;
use crate::units::{self, Unit};

/// What kind of machine the pipeline is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One pipeline, in which packets never wait: nothing need be known in advance.
    Single,
    /// Parallel pipelines between which packets are steered to the state that they access: it must be known early what
    /// that is.
    Steered {
        /// The fields that make a flow, whose packets shall stay in order by a dummy access in the last stage; none
        /// for no such access.
        flow_order: Vec<String>,
    },
}

/// Why less than everything is known early of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The registers.
    pub registers: Vec<String>,
    /// What is not as it should be.
    pub reason: Reason,
}

/// What is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Whether a packet accesses them depends on the values of other registers: every packet that may is expected.
    Predicate {
        /// Those registers.
        depends_on: Vec<String>,
    },
    /// Where a packet accesses them depends on the values of other registers: they lie in one pipeline.
    Index {
        /// Those registers.
        depends_on: Vec<String>,
    },
    /// One atom accesses them and others at several places: they lie in one pipeline.
    SeveralPlaces {
        /// The others.
        others: Vec<String>,
    },
    /// There are too few stages for one access at a time: they lie in one pipeline, with others.
    SharedStage {
        /// The stage.
        stage: u32,
        /// The others.
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
                write!(f, "{own} shares stage {stage} with {}, for stages are few: not sharded", list(others))
            }
        }
    }
}

/// A pipeline for a machine in which packets never wait.
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
        unit.places(program).into_iter().map(move |place| Access {
            registers: place.registers,
            stage,
            index: place.index,
            predicate: predicate.clone(),
            division: Division::Whole,
        })
    });
    let pipeline = assemble(program, units, &placed, 0, accesses.collect(), target.kind);
    Ok((pipeline, placed))
}

/// The pipeline of placed units.
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
    // Units are in an order in which each comes after what it needs, and so do phases.
    order.sort_by_key(|&unit| placed.phase_of.get(unit));
    for unit in order {
        let Unit { template, body } = units[unit].clone();
        stages[placed.stage_of[unit] as usize].atoms.push(Atom { template, body });
    }
    accesses.sort_by_key(|access| (access.stage, access.registers[0]));
    let program = Program { packet: Vec::new(), ..program.clone() };
    Pipeline { program, stages, early_stages, accesses, kind }
}
