//! Assigns each unit to the first stage in which its inputs are available and there is room.
//!
//! This is list scheduling: for each stage in turn, of the units that could be placed, those with the longest chain of
//! dependent units come first. It corresponds to the fitting step of Domino's compiler (Sivaraman et al., "Packet
//! Transactions", SIGCOMM 2016, section 4.3), except that the limits of the machine are obeyed during placement instead
//! of being checked afterwards. Match-action stages hold several dependent units (`match_action`).

mod findings;
mod match_action;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use ir::Program;
use ir::match_action::Phase;
use ir::pipeline::StageKind;

use crate::stage_use::StageUse;
use crate::target::Target;
use crate::units::{Unit, users};

pub(crate) use findings::{critical_path, impossible, lacking_operations, too_deep, unsupported};

/// A scheduling problem: the units to place, and the constraints.
pub(crate) struct Problem<'p> {
    pub(crate) program: &'p Program,
    pub(crate) units: &'p [Unit],
    /// For each unit, those whose values it needs.
    pub(crate) needs: &'p [Vec<usize>],
    pub(crate) target: &'p Target,
    /// The first stage that may hold state.
    pub(crate) first_stateful: u32,
    /// Marks units that are placed before all others.
    pub(crate) urgent: &'p [bool],
    /// Pairs of stateful units that may not share a stage.
    pub(crate) conflict: &'p dyn Fn(usize, usize) -> bool,
    /// Marks stateful units that may not share a stage with any other one: `conflict` holds for every pair with them.
    pub(crate) alone: &'p [bool],
    /// Whether the machine must know before a stage which packets access state there, and at which index.
    pub(crate) known_before: bool,
}

/// A placement: the stage of each unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) stage_of: Vec<u32>,
    /// The number of stages used, which may be more than the machine has.
    pub(crate) depth: u32,
    /// The phase of its stage in which each unit works; empty for Banzai stages.
    pub(crate) phase_of: Vec<Phase>,
    /// The resources used of each stage; empty for Banzai stages.
    pub(crate) uses: Vec<StageUse>,
    /// The parts of tables.
    pub(crate) parts: Vec<TableSlice>,
}

/// A part of a table: the whole table, unless it spans several stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableSlice {
    pub(crate) unit: usize,
    pub(crate) stage: u32,
    pub(crate) entries: u64,
}

/// Places all units. The stages of the machine must be able to hold each unit by itself. A program without operations
/// takes one stage, through which its packets pass.
pub(crate) fn place(problem: &Problem<'_>) -> Placed {
    let mut placed = match problem.target.kind {
        StageKind::Banzai => place_in_banzai(problem),
        StageKind::MatchAction => match_action::place(problem),
    };
    if placed.depth == 0 {
        placed.depth = 1;
        placed.uses.resize(usize::from(problem.target.kind == StageKind::MatchAction), StageUse::default());
    }
    placed
}

fn place_in_banzai(problem: &Problem<'_>) -> Placed {
    let count = problem.units.len();
    let heights = heights(problem.needs, &|_, _| 1);
    let users = users(problem.needs);
    let rank = |unit: usize| (problem.urgent[unit], heights[unit], Reverse(unit));
    let mut missing: Vec<usize> = problem.needs.iter().map(Vec::len).collect();
    let mut ready = Ready::default();
    (0..count).filter(|&unit| missing[unit] == 0).for_each(|unit| ready.push(problem, rank(unit)));
    let mut stage_of = vec![0; count];
    let mut stage = 0;
    let mut left = count;
    while left > 0 {
        let mut placed = ready.stateless(problem.target.stateless_per_stage);
        if stage >= problem.first_stateful {
            placed.extend(ready.stateful(problem));
        }
        left -= placed.len();
        for unit in placed {
            stage_of[unit] = stage;
            for &user in &users[unit] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    ready.push(problem, rank(user));
                }
            }
        }
        stage += 1;
    }
    Placed { stage_of, depth: stage, phase_of: Vec::new(), uses: Vec::new(), parts: Vec::new() }
}

/// The rank of a unit: urgent units first, then those with the greatest height, then those earlier in the program.
type Rank = (bool, u32, Reverse<usize>);

/// The units that wait for no other unit, by what they may share a stage with, so that a stage examines only as many as
/// it can hold.
#[derive(Default)]
struct Ready {
    stateless: BinaryHeap<Rank>,
    stateful: BinaryHeap<Rank>,
    /// Stateful units that may not share a stage with another.
    alone: BinaryHeap<Rank>,
}

impl Ready {
    fn push(&mut self, problem: &Problem<'_>, rank: Rank) {
        let (_, _, Reverse(unit)) = rank;
        match problem.units[unit].is_stateful() {
            true if problem.alone[unit] => self.alone.push(rank),
            true => self.stateful.push(rank),
            false => self.stateless.push(rank),
        }
    }

    /// Takes up to `most` stateless units for a stage.
    fn stateless(&mut self, most: u32) -> Vec<usize> {
        let taken = std::iter::from_fn(|| self.stateless.pop()).take(most as usize);
        taken.map(|(_, _, Reverse(unit))| unit).collect()
    }

    /// Takes the stateful units for a stage.
    fn stateful(&mut self, problem: &Problem<'_>) -> Vec<usize> {
        let most = problem.target.stateful_per_stage as usize;
        if most == 0 {
            return Vec::new();
        }
        if self.alone.peek() > self.stateful.peek() {
            let (_, _, Reverse(unit)) = self.alone.pop().expect("it is greater than nothing");
            return vec![unit];
        }
        let mut placed: Vec<usize> = Vec::new();
        let mut refused = Vec::new();
        while placed.len() < most
            && let Some(rank) = self.stateful.pop()
        {
            let (_, _, Reverse(unit)) = rank;
            if placed.iter().any(|&other| (problem.conflict)(unit.min(other), unit.max(other))) {
                refused.push(rank);
            } else {
                placed.push(unit);
            }
        }
        self.stateful.extend(refused);
        placed
    }
}

/// Returns the height of each unit: the number of stages that the longest chain of dependent units takes after it.
/// `steps(need, user)` is the number of stages by which `user` must follow `need`.
fn heights(needs: &[Vec<usize>], steps: &dyn Fn(usize, usize) -> u32) -> Vec<u32> {
    let mut heights = vec![0; needs.len()];
    // Units are in topological order.
    for unit in (0..needs.len()).rev() {
        for &need in &needs[unit] {
            heights[need] = heights[need].max(heights[unit] + steps(need, unit));
        }
    }
    heights
}
