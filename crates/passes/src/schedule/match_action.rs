//! Scheduling for match-action stages, in which a packet passes several phases.
//!
//! This is list scheduling as for other stages, but a unit may share a stage with those it needs where the phases of
//! the stage allow it ([`ir::match_action`]), and a stage has more limits than its atoms. A match dependency therefore
//! costs a stage, an action dependency costs one unless the actions exclude each other, and a successor dependency
//! costs none (Jose et al., "Compiling Packet Programs to Reconfigurable Switches", NSDI 2015, section 3.2). A table
//! that is too large for what is left of a stage continues in the next ones and gives its result in the last.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ir::match_action::{Phase, lookups, phase};
use ir::{Expression, Statement, VariableId};

use super::{Placed, Problem, Rank, TableSlice, heights, users};
use crate::choice_chains::ChoiceChains;
use crate::memory::TableShape;
use crate::stage_use::StageUse;

/// Places all units. If one of them fits no stage, the depth of the result is [`u32::MAX`].
pub(super) fn place(problem: &Problem<'_>) -> Placed {
    let mut placer = Placer::new(problem);
    let users = users(problem.needs);
    let mut missing: Vec<usize> = problem.needs.iter().map(Vec::len).collect();
    let mut ready = Ready::default();
    (0..problem.units.len()).filter(|&unit| missing[unit] == 0).for_each(|unit| ready.push(&placer, unit));
    let mut left = problem.units.len();
    while left > 0 {
        let before = left;
        let mut done = placer.next_stage();
        let mut refused = Vec::new();
        loop {
            for unit in done.drain(..) {
                left -= 1;
                for &user in &users[unit] {
                    missing[user] -= 1;
                    if missing[user] == 0 {
                        ready.push(&placer, user);
                    }
                }
            }
            let Some(unit) = ready.pop(!placer.stateful_here.is_empty()) else { break };
            match placer.try_unit(unit) {
                Tried::Placed => done.push(unit),
                Tried::Begun => {}
                Tried::Refused => refused.push(unit),
            }
        }
        refused.into_iter().for_each(|unit| ready.push(&placer, unit));
        if left == before && placer.spanning.is_empty() && placer.stage > problem.first_stateful {
            // Nothing fitted an empty stage, so nothing ever will.
            return Placed { depth: u32::MAX, ..placer.placed };
        }
    }
    placer.placed
}

/// The units that wait for no other unit.
#[derive(Default)]
struct Ready {
    units: BinaryHeap<Rank>,
    /// Stateful units that may not share a stage with another; a stage that already has a stateful unit skips them.
    alone: BinaryHeap<Rank>,
}

impl Ready {
    fn push(&mut self, placer: &Placer<'_>, unit: usize) {
        let heap = if placer.is_alone(unit) { &mut self.alone } else { &mut self.units };
        heap.push((placer.problem.urgent[unit], placer.heights[unit], Reverse(unit)));
    }

    /// Takes the unit of highest rank. `has_stateful` says whether the stage already has a stateful unit.
    fn pop(&mut self, has_stateful: bool) -> Option<usize> {
        let is_alone = !has_stateful && self.alone.peek() > self.units.peek();
        let heap = if is_alone { &mut self.alone } else { &mut self.units };
        heap.pop().map(|(_, _, Reverse(unit))| unit)
    }
}

/// The result of an attempt to place a unit in the current stage.
enum Tried {
    /// The unit was placed completely.
    Placed,
    /// A part of a table was placed; the rest follows in later stages.
    Begun,
    /// The unit does not fit this stage.
    Refused,
}

/// A table of which only a part has been placed.
struct Spanning {
    unit: usize,
    left: u64,
}

struct Placer<'p> {
    problem: &'p Problem<'p>,
    heights: Vec<u32>,
    /// For each variable, the unit that assigns it.
    assigned_by: Vec<Option<usize>>,
    shapes: Vec<Option<TableShape>>,
    is_placed: Vec<bool>,
    placed: Placed,
    chains: ChoiceChains,
    spanning: Vec<Spanning>,
    /// The stateful units of the stage that is being filled.
    stateful_here: Vec<usize>,
    /// The number of stages so far, including the one that is being filled.
    stage: u32,
}

impl<'p> Placer<'p> {
    fn new(problem: &'p Problem<'p>) -> Self {
        let (program, units) = (problem.program, problem.units);
        let mut assigned_by = vec![None; program.variables.len()];
        for (number, unit) in units.iter().enumerate() {
            for statement in &unit.body {
                if let Statement::Assign { variable, .. } = statement {
                    assigned_by[variable.index()] = Some(number);
                }
            }
        }
        let alone = |unit: usize| phase(program, &units[unit].body, &|_| Phase::Before).unwrap_or(Phase::Action);
        let least: Vec<Phase> = (0..units.len()).map(alone).collect();
        let steps = |need: usize, user: usize| {
            let made = |variable: VariableId| match assigned_by[variable.index()] {
                Some(unit) if unit == need => least[unit],
                _ => Phase::Before,
            };
            u32::from(phase(program, &units[user].body, &made).is_err())
        };
        let heights = heights(problem.needs, &steps);
        let shape = |unit: &crate::units::Unit| Some(TableShape::of(program, lookups(&unit.body)?.table));
        Self {
            problem,
            heights,
            shapes: units.iter().map(shape).collect(),
            is_placed: vec![false; units.len()],
            placed: Placed {
                stage_of: vec![0; units.len()],
                depth: 0,
                phase_of: vec![Phase::Before; units.len()],
                uses: Vec::new(),
                parts: Vec::new(),
            },
            chains: ChoiceChains::of(&crate::units::as_program(program, units)),
            spanning: Vec::new(),
            stateful_here: Vec::new(),
            stage: 0,
            assigned_by,
        }
    }

    fn is_alone(&self, unit: usize) -> bool {
        self.problem.units[unit].is_stateful() && self.problem.alone[unit]
    }

    /// Opens a stage and places further parts of tables that span several stages. Returns the tables that end here.
    fn next_stage(&mut self) -> Vec<usize> {
        self.stage += 1;
        self.stateful_here.clear();
        self.placed.uses.push(StageUse::default());
        let mut done = Vec::new();
        for Spanning { unit, left } in std::mem::take(&mut self.spanning) {
            match self.try_table(unit, left) {
                Tried::Placed => done.push(unit),
                Tried::Begun => {}
                Tried::Refused => self.spanning.push(Spanning { unit, left }),
            }
        }
        done
    }

    fn current(&self) -> u32 {
        self.stage - 1
    }

    fn used(&mut self) -> &mut StageUse {
        self.placed.uses.last_mut().expect("a stage is open")
    }

    /// Returns true if the stage has room for `more`.
    fn has_room(&mut self, more: &StageUse) -> bool {
        let mut used = *self.used();
        used.add(more);
        used.exceeded(self.problem.target).next().is_none()
    }

    /// Returns the phase of this stage in which a variable is assigned, or that it is assigned before this stage.
    fn made(&self, variable: VariableId) -> Phase {
        match self.assigned_by[variable.index()] {
            Some(unit) if self.is_placed[unit] && self.placed.stage_of[unit] == self.current() => {
                self.placed.phase_of[unit]
            }
            _ => Phase::Before,
        }
    }

    fn try_unit(&mut self, unit: usize) -> Tried {
        let Problem { program, units, first_stateful, conflict, known_before, .. } = *self.problem;
        let body = &units[unit].body;
        let Ok(phase) = phase(program, body, &|variable| self.made(variable)) else { return Tried::Refused };
        if let Some(shape) = &self.shapes[unit] {
            let entries = shape.entries;
            return self.try_table(unit, entries);
        }
        if units[unit].is_stateful() {
            let clashes = |&other: &usize| conflict(unit.min(other), unit.max(other));
            let late = known_before && !self.is_known_before(unit);
            if self.current() < first_stateful || late || self.stateful_here.iter().any(clashes) {
                return Tried::Refused;
            }
        }
        let mut given = None;
        let mut continues = false;
        if let (Phase::Choice, [Statement::Assign { variable, value }]) = (phase, &body[..]) {
            let chained = |variable: VariableId| self.made(variable) == Phase::Choice;
            let Some(ways) = self.chains.given(value, &chained) else { return Tried::Refused };
            continues = value.variables().into_iter().any(chained);
            given = Some((*variable, ways));
        }
        let needed = StageUse::of_unit(program, &units[unit], phase, continues);
        if !self.has_room(&needed) {
            return Tried::Refused;
        }
        if let Some((variable, ways)) = given {
            self.chains.add(variable, ways);
        }
        self.put(unit, phase, &needed);
        Tried::Placed
    }

    /// Returns true if the predicate and the indices of a unit's accesses are known before this stage.
    fn is_known_before(&self, unit: usize) -> bool {
        let unit = &self.problem.units[unit];
        let accessed = unit.accessed_registers(self.problem.program);
        let operands = accessed.iter().filter_map(|access| access.index.as_ref()).chain(unit.predicate());
        operands.flat_map(Expression::variables).all(|variable| self.made(variable) == Phase::Before)
    }

    /// Places as much of a table in this stage as there is room for.
    fn try_table(&mut self, unit: usize, left: u64) -> Tried {
        let shape = self.shapes[unit].clone().expect("a table");
        let whole = StageUse::of_table(&shape, left, true);
        if self.has_room(&whole) {
            self.placed.parts.push(TableSlice { unit, stage: self.current(), entries: left });
            self.put(unit, Phase::Match, &whole);
            return Tried::Placed;
        }
        let target = self.problem.target;
        let room = self.used().blocks_left(target);
        // The members of an action profile are stored with the last part.
        let entries = shape.entries_in(room, left.saturating_sub(1));
        let part = StageUse::of_table(&shape, entries, false);
        if entries == 0 || !self.has_room(&part) {
            return Tried::Refused;
        }
        self.used().add(&part);
        self.placed.parts.push(TableSlice { unit, stage: self.current(), entries });
        self.spanning.push(Spanning { unit, left: left - entries });
        Tried::Begun
    }

    fn put(&mut self, unit: usize, phase: Phase, needed: &StageUse) {
        self.used().add(needed);
        if self.problem.units[unit].is_stateful() {
            self.stateful_here.push(unit);
        }
        self.is_placed[unit] = true;
        self.placed.stage_of[unit] = self.current();
        self.placed.phase_of[unit] = phase;
        self.placed.depth = self.placed.depth.max(self.stage);
    }
}
