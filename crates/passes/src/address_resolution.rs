//! Moves the computation of the index and the predicate of every access to the first stages.
//!
//! A machine that steers packets to the state that they access must know in its first stages, before any state is
//! accessed, which packet will access which index. Not everything can be known there:
//!
//! - A predicate that depends on state is known only when the packet reaches that state (`Predicate::Late`).
//! - An array whose index depends on state is not sharded, that is, not divided between pipelines by index. Neither is
//!   a scalar.
//! - In each stage a packet can be in only one pipeline. Units that the same packet may need are therefore placed in
//!   different stages if there are enough; otherwise as few of them as possible share a stage, and the state of that
//!   stage lies in one pipeline (`few_stages`).
//!
//! Units whose predicates exclude each other may share a stage and stay sharded.

mod exclusive;
mod few_stages;

use ir::match_action::Phase;
use ir::pipeline::{Access, Division, Pipeline, Predicate, StageKind};
use ir::{Expression, Program};

use crate::address_resolution::exclusive::Exclusive;
use crate::flow_order::{self, FlowOrder};
use crate::layout::{Reason, Unresolved, assemble};
use crate::report::Finding;
use crate::resolvability::Resolvability;
use crate::schedule::{self, Placed, Problem};
use crate::stage_use::{StageUse, least_use};
use crate::target::Target;
use crate::units::{self, AccessedRegisters, Unit};

/// A program laid out for machines that steer packets.
pub(crate) struct Resolved {
    pub(crate) pipeline: Pipeline,
    pub(crate) placed: Placed,
    /// The units that were placed, including those that keep flows in order.
    pub(crate) units: Vec<Unit>,
    pub(crate) unresolved: Vec<Unresolved>,
}

/// Lays out units for machines that steer packets.
pub(crate) fn run(
    program: &Program,
    units: Vec<Unit>,
    target: &Target,
    flow_order: &[String],
) -> Result<Resolved, Vec<Finding>> {
    let mut program = program.clone();
    let flow_order = flow_order::add(&mut program, flow_order, &target.atom)?;
    let mut units = units;
    let dummy = flow_order.map(|FlowOrder { operations, access }| {
        units.extend(operations);
        access
    });
    let resolution = Resolution::of(program, units);
    let (placed, early_stages) = resolution.place(target, dummy.as_ref())?;
    let (accesses, unresolved) = resolution.accesses(&placed);
    let Resolution { program, mut units, .. } = resolution;
    let (mut placed, mut accesses) = (placed, accesses);
    if let Some(dummy) = dummy {
        // It is alone in the last stage, because every packet accesses it.
        let stage = last_stage(&units, &placed, early_stages);
        let access = dummy.accessed_registers(&program).remove(0);
        accesses.push(Access {
            registers: access.registers,
            stage,
            index: access.index,
            predicate: Predicate::Always,
            division: Division::ByIndex,
        });
        placed.stage_of.push(stage);
        placed.depth = placed.depth.max(stage + 1);
        if target.kind == StageKind::MatchAction {
            placed.phase_of.push(Phase::Action);
            placed.uses.resize(placed.depth as usize, StageUse::default());
            placed.uses[stage as usize].add(&least_use(&program, &dummy));
        }
        units.push(dummy);
    }
    let pipeline = assemble(&program, &units, &placed, early_stages, accesses, target.kind);
    Ok(Resolved { pipeline, placed, units, unresolved })
}

/// The fewest stages in which units fit a target that steers packets, however many it has. `None` if it cannot hold
/// them at all.
pub(crate) fn least_depth(program: &Program, units: Vec<Unit>, target: &Target, flow_order: &[String]) -> Option<u32> {
    let mut program = program.clone();
    let mut units = units;
    let dummy =
        flow_order::add(&mut program, flow_order, &target.atom).ok()?.map(|FlowOrder { operations, access }| {
            units.extend(operations);
            access
        });
    let resolution = Resolution::of(program, units);
    let count = StageCount::new(&resolution, target, dummy.as_ref());
    // The depth is the smaller one of not sharing stages and of sharing them freely.
    let placed = [count.place(&resolution.unsharded()), count.place_together()];
    placed.iter().map(|placed| count.needed(placed)).min().filter(|&depth| depth <= target.depth)
}

/// Returns the number of the stage for the dummy access: the last stage, or the one after it if the last one holds
/// state or resolves addresses.
fn last_stage(units: &[Unit], placed: &Placed, early_stages: u32) -> u32 {
    let stateful = units.iter().zip(&placed.stage_of).filter(|(unit, _)| unit.is_stateful());
    let after_state = stateful.map(|(_, &stage)| stage + 1).max().unwrap_or(0);
    after_state.max(early_stages).max(placed.depth.saturating_sub(1))
}

/// Computes placements of the units, and the number of stages that these take, depending on which units may share one.
struct StageCount<'r> {
    resolution: &'r Resolution,
    target: &'r Target,
    /// Marks the units that compute where state is accessed.
    slice: Vec<bool>,
    /// The number of stages that resolve addresses.
    early_stages: u32,
    /// Whether a dummy access in a last stage of its own keeps flows in order.
    keeps_order: bool,
}

impl<'r> StageCount<'r> {
    fn new(resolution: &'r Resolution, target: &'r Target, dummy: Option<&Unit>) -> Self {
        let Resolution { program, units, accessed, known, .. } = resolution;
        let index = dummy.and_then(|dummy| dummy.accessed_registers(program).remove(0).index);
        let slice = known.slice(units, accessed, index.as_ref());
        let least = u32::from(dummy.is_some() || units.iter().any(Unit::is_stateful));
        let mut count = Self { resolution, target, slice, early_stages: least, keeps_order: dummy.is_some() };
        // The placement of the slice does not depend on what comes after it.
        let placed = count.place(&resolution.unsharded());
        let stages = placed.stage_of.iter().zip(&count.slice).filter(|(_, in_slice)| **in_slice);
        count.early_stages = stages.map(|(&stage, _)| stage + 1).max().unwrap_or(0).max(least);
        count
    }

    /// Places all units. Units that are `pinned` to one pipeline may share stages with each other.
    fn place(&self, pinned: &[bool]) -> Placed {
        let exclusive = &self.resolution.exclusive;
        let may_share = |a: usize, b: usize| (pinned[a] && pinned[b]) || exclusive.exclude(a, b);
        let conflict = |a, b| !may_share(a, b);
        let alone: Vec<bool> = (0..pinned.len()).map(|unit| !pinned[unit] && !exclusive.has_any(unit)).collect();
        self.placed(&conflict, &alone)
    }

    /// Places all units, any of which may share stages.
    fn place_together(&self) -> Placed {
        self.placed(&|_, _| false, &vec![false; self.resolution.units.len()])
    }

    fn placed(&self, conflict: &dyn Fn(usize, usize) -> bool, alone: &[bool]) -> Placed {
        let stages = self.early_stages;
        let problem = self.resolution.problem(self.target, &self.slice, stages, conflict, alone);
        let mut placed = schedule::place(&problem);
        placed.depth = placed.depth.max(stages);
        placed
    }

    /// Returns the number of stages that a placement needs, including that of the access that keeps flows in order.
    fn needed(&self, placed: &Placed) -> u32 {
        match self.keeps_order {
            true => placed.depth.max(last_stage(&self.resolution.units, placed, self.early_stages) + 1),
            false => placed.depth,
        }
    }

    fn holds(&self, placed: &Placed) -> bool {
        self.needed(placed) <= self.target.depth
    }
}

struct Resolution {
    program: Program,
    units: Vec<Unit>,
    needs: Vec<Vec<usize>>,
    /// The registers that each unit accesses.
    accessed: Vec<Vec<AccessedRegisters>>,
    known: Resolvability,
    /// The pairs of units that no packet needs both, as far as is known when addresses are resolved.
    exclusive: Exclusive,
}

impl Resolution {
    fn of(program: Program, units: Vec<Unit>) -> Self {
        let needs = units::needs(&program, &units);
        let known = Resolvability::of(&program, &units, &needs);
        let accessed: Vec<Vec<AccessedRegisters>> =
            units.iter().map(|unit| unit.accessed_registers(&program)).collect();
        let exclusive = Exclusive::of(&program, &units, &known);
        Self { program, units, needs, accessed, known, exclusive }
    }

    /// Places all units other than the dummy access. Returns the placement and the number of stages that resolve
    /// addresses.
    fn place(&self, target: &Target, dummy: Option<&Unit>) -> Result<(Placed, u32), Vec<Finding>> {
        let fitting = StageCount::new(self, target, dummy);
        let first = fitting.place(&self.unsharded());
        if fitting.holds(&first) {
            return Ok((first, fitting.early_stages));
        }
        // There are too few stages, so units have to share them.
        let together = fitting.place_together();
        if fitting.holds(&together) {
            let placed = few_stages::place(self, &fitting, &together).unwrap_or(together);
            return Ok((placed, fitting.early_stages));
        }
        let none = vec![false; self.units.len()];
        let problem = self.problem(target, &fitting.slice, fitting.early_stages, &|_, _| false, &none);
        let depth = fitting.needed(&together);
        let mut findings = schedule::too_deep(&problem, &Placed { depth, ..together.clone() });
        if depth > together.depth {
            findings[0].notes.push("one of them keeps flows in order".to_owned());
        }
        Err(findings)
    }

    /// Marks the units whose state lies in one pipeline wherever they are placed. Stateless units are marked, too.
    fn unsharded(&self) -> Vec<bool> {
        (0..self.units.len()).map(|unit| !self.can_be_sharded(unit)).collect()
    }

    fn problem<'r>(
        &'r self,
        target: &'r Target,
        slice: &'r [bool],
        first_stateful: u32,
        conflict: &'r dyn Fn(usize, usize) -> bool,
        alone: &'r [bool],
    ) -> Problem<'r> {
        Problem {
            program: &self.program,
            units: &self.units,
            needs: &self.needs,
            target,
            first_stateful,
            urgent: slice,
            conflict,
            alone,
            known_before: true,
        }
    }

    /// Returns true if the unit accesses a single array, or several of the same length at the same index, and the index
    /// is known early.
    fn can_be_sharded(&self, unit: usize) -> bool {
        match &self.accessed[unit][..] {
            [AccessedRegisters { index: Some(index), .. }] => self.known.is_known(index),
            _ => false,
        }
    }

    fn accesses(&self, placed: &Placed) -> (Vec<Access>, Vec<Unresolved>) {
        let mut accesses = Vec::new();
        let mut unresolved = Vec::new();
        let mut in_stage: Vec<Vec<usize>> = vec![Vec::new(); placed.depth as usize];
        for (unit, _) in self.units.iter().enumerate().filter(|(_, unit)| unit.is_stateful()) {
            in_stage[placed.stage_of[unit] as usize].push(unit);
        }
        for (unit, accessed) in self.accessed.iter().enumerate() {
            let predicate = match self.units[unit].predicate() {
                None => Predicate::Always,
                Some(predicate) if self.known.is_known(predicate) => Predicate::Early(predicate.clone()),
                Some(predicate) => {
                    let depends_on = self.causes(predicate);
                    let registers = self.names(unit);
                    unresolved.push(Unresolved { registers, reason: Reason::Predicate { depends_on } });
                    Predicate::Late(predicate.clone())
                }
            };
            let stage = placed.stage_of[unit];
            let beside = self.beside(unit, &in_stage[stage as usize]);
            for access in accessed {
                let reason = self.why_pinned(unit, access, stage, &beside);
                let sharded = access.index.is_some() && reason.is_none();
                let registers = self.register_names(access);
                unresolved.extend(reason.map(|reason| Unresolved { registers, reason }));
                accesses.push(Access {
                    registers: access.registers.clone(),
                    stage,
                    index: access.index.clone(),
                    predicate: predicate.clone(),
                    division: if sharded { Division::ByIndex } else { Division::Whole },
                });
            }
        }
        (accesses, unresolved)
    }

    /// Returns the reason why an array is not sharded; `None` if it is, and for scalars, which cannot be.
    fn why_pinned(&self, unit: usize, access: &AccessedRegisters, stage: u32, beside: &[usize]) -> Option<Reason> {
        let index = access.index.as_ref()?;
        if !self.known.is_known(index) {
            return Some(Reason::Index { depends_on: self.causes(index) });
        }
        if self.accessed[unit].len() > 1 {
            let others = self.accessed[unit].iter().filter(|other| *other != access);
            return Some(Reason::SeveralPlaces {
                others: others.flat_map(|other| self.register_names(other)).collect(),
            });
        }
        let others: Vec<String> = beside.iter().flat_map(|&other| self.names(other)).collect();
        (!others.is_empty()).then_some(Reason::SharedStage { stage, others })
    }

    /// Returns the stateful units of a stage that must lie in the same pipeline as `unit`, because a packet may need
    /// both.
    fn beside(&self, unit: usize, in_stage: &[usize]) -> Vec<usize> {
        // A unit that excludes this one may lie elsewhere, even if both must lie together with a third.
        let needed_both = |&other: &usize| other != unit && !self.exclusive.exclude(unit, other);
        in_stage.iter().copied().filter(needed_both).collect()
    }

    fn causes(&self, operand: &Expression) -> Vec<String> {
        let causes = self.known.causes(&self.units, operand);
        causes.into_iter().flat_map(|unit| self.names(unit)).collect()
    }

    fn names(&self, unit: usize) -> Vec<String> {
        self.accessed[unit].iter().flat_map(|access| self.register_names(access)).collect()
    }

    fn register_names(&self, access: &AccessedRegisters) -> Vec<String> {
        access.registers.iter().map(|&register| self.program.register(register).name.clone()).collect()
    }
}
