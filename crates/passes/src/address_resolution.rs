//! Moves the computation of every access's index and predicate to the front: MP5's PVSM-to-PVSM transformer.
//!
//! MP5 keeps the order in which packets access state by sending a placeholder for each access ahead of the packet.
//! For that it must know in its first stages which packet will access which index, before any state is accessed (MP5
//! sections 3.1, D4, and 3.3). What cannot be known there is handled as section 3.3 says:
//!
//! - a predicate that depends on state counts as true until it is known (`Predicate::Conservative`);
//! - an array whose index depends on state is not sharded, and neither is a scalar;
//! - a packet can be in one pipeline only in each stage. Units that one packet may both need are put into stages
//!   after each other if there are enough; else all state of their stage lies in one pipeline.
//!
//! Units whose predicates exclude each other share a stage, as in Figure 3 of the paper.

use std::collections::BTreeSet;

use ir::match_action::Phase;
use ir::pipeline::{Access, Pipeline, Placement, Predicate, StageKind};
use ir::{Expression, Program};

use crate::flow_order::{self, FlowOrder};
use crate::layout::{Reason, Unresolved, assemble};
use crate::predicates::Predicates;
use crate::report::Finding;
use crate::resolvability::Resolvability;
use crate::schedule::{self, Placed, Problem};
use crate::stage_use::{StageUse, least_use};
use crate::target::Target;
use crate::units::{self, Place, Unit};

/// A program laid out for MP5.
pub(crate) struct Resolved {
    pub(crate) pipeline: Pipeline,
    pub(crate) placed: Placed,
    /// The units that were placed, those that keep flows in order included.
    pub(crate) units: Vec<Unit>,
    pub(crate) unresolved: Vec<Unresolved>,
}

/// Lays out units for MP5.
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
    let (placed, resolution_stages) = resolution.place(target, dummy.as_ref())?;
    let (accesses, unresolved) = resolution.accesses(&placed);
    let Resolution { program, mut units, .. } = resolution;
    let (mut placed, mut accesses) = (placed, accesses);
    if let Some(dummy) = dummy {
        // Alone in the last stage, for every packet accesses it.
        let stage = last_stage(&units, &placed, resolution_stages);
        let place = dummy.places(&program).remove(0);
        accesses.push(Access {
            registers: place.registers,
            stage,
            index: place.index,
            predicate: Predicate::Always,
            placement: Placement::Sharded,
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
    let pipeline = assemble(&program, &units, &placed, resolution_stages, accesses, target.kind);
    Ok(Resolved { pipeline, placed, units, unresolved })
}

/// The first stage, not before the last one, that holds no state.
fn last_stage(units: &[Unit], placed: &Placed, resolution_stages: u32) -> u32 {
    let stateful = units.iter().zip(&placed.stage_of).filter(|(unit, _)| unit.is_stateful());
    let after_state = stateful.map(|(_, &stage)| stage + 1).max().unwrap_or(0);
    after_state.max(resolution_stages).max(placed.depth.saturating_sub(1))
}

struct Resolution {
    program: Program,
    units: Vec<Unit>,
    needs: Vec<Vec<usize>>,
    /// What each unit accesses.
    places: Vec<Vec<Place>>,
    known: Resolvability,
    /// Pairs of units, the smaller first, that no packet needs both, as is known when addresses are resolved.
    exclusive: BTreeSet<(usize, usize)>,
}

impl Resolution {
    fn of(program: Program, units: Vec<Unit>) -> Self {
        let needs = units::needs(&program, &units);
        let known = Resolvability::of(&program, &units, &needs);
        let places: Vec<Vec<Place>> = units.iter().map(|unit| unit.places(&program)).collect();
        let exclusive = exclusive(&program, &units, &known);
        Self { program, units, needs, places, known, exclusive }
    }

    /// Stages for all units but the dummy one, and how many of them resolve addresses.
    fn place(&self, target: &Target, dummy: Option<&Unit>) -> Result<(Placed, u32), Vec<Finding>> {
        let index = dummy.and_then(|dummy| dummy.places(&self.program).remove(0).index);
        let slice = self.known.slice(&self.units, &self.places, index.as_ref());
        let anything_to_steer = dummy.is_some() || self.units.iter().any(Unit::is_stateful);
        let needed = |placed: &Placed, resolution_stages| match dummy {
            Some(_) => placed.depth.max(last_stage(&self.units, placed, resolution_stages) + 1),
            None => placed.depth,
        };
        let place = |pinned: &[bool], first_stateful| {
            let may_share = |a: usize, b: usize| (pinned[a] && pinned[b]) || self.exclusive.contains(&(a, b));
            let conflict = |a, b| !may_share(a, b);
            let problem = self.problem(target, &slice, first_stateful, &conflict);
            let mut placed = schedule::place(&problem);
            placed.depth = placed.depth.max(first_stateful);
            placed
        };
        let mut pinned: Vec<bool> = (0..self.units.len()).map(|unit| !self.can_be_sharded(unit)).collect();
        // Where the slice is placed does not depend on what comes after it.
        let resolution_stages = {
            let placed = place(&pinned, u32::from(anything_to_steer));
            let stages = placed.stage_of.iter().zip(&slice).filter(|(_, in_slice)| **in_slice);
            stages.map(|(&stage, _)| stage + 1).max().unwrap_or(0).max(u32::from(anything_to_steer))
        };
        let first = place(&pinned, resolution_stages);
        if needed(&first, resolution_stages) <= target.depth {
            return Ok((first, resolution_stages));
        }
        // Too few stages: let units share them, those of the last stages first.
        let together = schedule::place(&self.problem(target, &slice, resolution_stages, &|_, _| false));
        for stage in (0..together.depth).rev() {
            let here: Vec<usize> = (0..self.units.len())
                .filter(|&unit| self.units[unit].is_stateful() && together.stage_of[unit] == stage)
                .collect();
            if here.len() > 1 {
                here.into_iter().for_each(|unit| pinned[unit] = true);
                let placed = place(&pinned, resolution_stages);
                if needed(&placed, resolution_stages) <= target.depth {
                    return Ok((placed, resolution_stages));
                }
            }
        }
        let problem = self.problem(target, &slice, resolution_stages, &|_, _| false);
        let depth = needed(&together, resolution_stages);
        let mut findings = schedule::too_deep(&problem, &Placed { depth, ..together.clone() });
        if depth > together.depth {
            findings[0].notes.push("one of them is for keeping flows in order".to_owned());
        }
        Err(findings)
    }

    fn problem<'r>(
        &'r self,
        target: &'r Target,
        slice: &'r [bool],
        first_stateful: u32,
        conflict: &'r dyn Fn(usize, usize) -> bool,
    ) -> Problem<'r> {
        Problem {
            program: &self.program,
            units: &self.units,
            needs: &self.needs,
            target,
            first_stateful,
            urgent: slice,
            conflict,
            known_before: true,
        }
    }

    /// True if everything that the unit accesses is one array, or several of one length at one index, and where is
    /// known early.
    fn can_be_sharded(&self, unit: usize) -> bool {
        match &self.places[unit][..] {
            [Place { index: Some(index), .. }] => self.known.is_known(index),
            _ => false,
        }
    }

    fn accesses(&self, placed: &Placed) -> (Vec<Access>, Vec<Unresolved>) {
        let mut accesses = Vec::new();
        let mut unresolved = Vec::new();
        for (unit, places) in self.places.iter().enumerate() {
            let predicate = match self.units[unit].predicate() {
                None => Predicate::Always,
                Some(predicate) if self.known.is_known(predicate) => Predicate::Resolved(predicate.clone()),
                Some(predicate) => {
                    let depends_on = self.causes(predicate);
                    let registers = self.names(unit);
                    unresolved.push(Unresolved { registers, reason: Reason::Predicate { depends_on } });
                    Predicate::Conservative(predicate.clone())
                }
            };
            let stage = placed.stage_of[unit];
            let beside = self.beside(unit, placed);
            for place in places {
                let reason = self.why_pinned(unit, place, stage, &beside);
                let sharded = place.index.is_some() && reason.is_none();
                let registers = self.register_names(place);
                unresolved.extend(reason.map(|reason| Unresolved { registers, reason }));
                accesses.push(Access {
                    registers: place.registers.clone(),
                    stage,
                    index: place.index.clone(),
                    predicate: predicate.clone(),
                    placement: if sharded { Placement::Sharded } else { Placement::Pinned },
                });
            }
        }
        (accesses, unresolved)
    }

    /// Why an array is not sharded; nothing for scalars, which cannot be.
    fn why_pinned(&self, unit: usize, place: &Place, stage: u32, beside: &[usize]) -> Option<Reason> {
        let index = place.index.as_ref()?;
        if !self.known.is_known(index) {
            return Some(Reason::Index { depends_on: self.causes(index) });
        }
        if self.places[unit].len() > 1 {
            let others = self.places[unit].iter().filter(|other| *other != place);
            return Some(Reason::SeveralPlaces {
                others: others.flat_map(|other| self.register_names(other)).collect(),
            });
        }
        let others: Vec<String> = beside.iter().flat_map(|&other| self.names(other)).collect();
        (!others.is_empty()).then_some(Reason::SharedStage { stage, others })
    }

    /// The stateful units with which a unit must lie in one pipeline, for one packet may need two of its stage.
    fn beside(&self, unit: usize, placed: &Placed) -> Vec<usize> {
        let here = |&other: &usize| self.units[other].is_stateful() && placed.stage_of[other] == placed.stage_of[unit];
        // What is exclusive with this unit may lie elsewhere, also if it must lie together with a third one.
        let needed_both = |&other: &usize| !self.exclusive.contains(&(unit.min(other), unit.max(other)));
        (0..self.units.len()).filter(|&other| other != unit).filter(here).filter(needed_both).collect()
    }

    fn causes(&self, operand: &Expression) -> Vec<String> {
        let causes = self.known.causes(&self.units, operand);
        causes.into_iter().flat_map(|unit| self.names(unit)).collect()
    }

    fn names(&self, unit: usize) -> Vec<String> {
        self.places[unit].iter().flat_map(|place| self.register_names(place)).collect()
    }

    fn register_names(&self, place: &Place) -> Vec<String> {
        place.registers.iter().map(|&register| self.program.register(register).name.clone()).collect()
    }
}

/// Pairs of stateful units whose predicates are known early and never hold both.
fn exclusive(program: &Program, units: &[Unit], known: &Resolvability) -> BTreeSet<(usize, usize)> {
    let mut predicates = Predicates::of(&units::as_program(program, units));
    let candidates: Vec<(usize, crate::functions::Function)> = units
        .iter()
        .enumerate()
        .filter_map(|(number, unit)| Some((number, unit.predicate().filter(|predicate| known.is_known(predicate))?)))
        .map(|(number, predicate)| (number, predicates.operand(predicate)))
        .collect();
    let mut pairs = BTreeSet::new();
    for (position, &(a, in_a)) in candidates.iter().enumerate() {
        for &(b, in_b) in &candidates[position + 1..] {
            if predicates.exclude(in_a, in_b) {
                pairs.insert((a, b));
            }
        }
    }
    pairs
}
