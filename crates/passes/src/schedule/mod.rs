//! Gives each unit a stage: as soon as what it needs is there and a stage has an atom left.
//!
//! List scheduling: stage by stage, of the units that could be placed those come first that most others wait for.
//! This is the fitting step of Domino's compiler (Sivaraman et al., "Packet Transactions", SIGCOMM 2016, section
//! 4.3), with the limits of the machine obeyed while placing, and not only checked after. Stages that match and act
//! take more of it at once (`match_action`).

mod findings;
mod match_action;

use ir::Program;
use ir::match_action::Phase;
use ir::pipeline::StageKind;

use crate::stage_use::StageUse;
use crate::target::Target;
use crate::units::{Unit, users};

pub(crate) use findings::{critical_path, impossible, lacking_operations, too_deep, unsupported};

/// What is to be placed.
pub(crate) struct Problem<'p> {
    pub(crate) program: &'p Program,
    pub(crate) units: &'p [Unit],
    /// For each unit, those whose values it needs.
    pub(crate) needs: &'p [Vec<usize>],
    pub(crate) target: &'p Target,
    /// The first stage that may hold state.
    pub(crate) first_stateful: u32,
    /// Units that go before all others.
    pub(crate) urgent: &'p [bool],
    /// Pairs of stateful units that may not share a stage.
    pub(crate) conflict: &'p dyn Fn(usize, usize) -> bool,
    /// Whether a machine must know before a stage who accesses state there, and where.
    pub(crate) known_before: bool,
}

/// The stage of each unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) stage_of: Vec<u32>,
    /// How many stages there are, which may be more than the machine has.
    pub(crate) depth: u32,
    /// Where in its stage each unit works; empty for Banzai's stages.
    pub(crate) phase_of: Vec<Phase>,
    /// What is used of each stage; empty for Banzai's stages.
    pub(crate) uses: Vec<StageUse>,
    /// The parts of tables.
    pub(crate) parts: Vec<Part>,
}

/// A part of a table: all of it, unless it spans stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) unit: usize,
    pub(crate) stage: u32,
    pub(crate) entries: u64,
}

/// Places all units. The machine has at least what each of them needs by itself.
pub(crate) fn place(problem: &Problem<'_>) -> Placed {
    match problem.target.kind {
        StageKind::Banzai => place_in_banzai(problem),
        StageKind::MatchAction => match_action::place(problem),
    }
}

fn place_in_banzai(problem: &Problem<'_>) -> Placed {
    let count = problem.units.len();
    let heights = heights(problem.needs, &|_, _| 1);
    let users = users(problem.needs);
    let mut missing: Vec<usize> = problem.needs.iter().map(Vec::len).collect();
    let mut ready: Vec<usize> = (0..count).filter(|&unit| missing[unit] == 0).collect();
    let mut stage_of = vec![0; count];
    let mut stage = 0;
    let mut left = count;
    while left > 0 {
        // Stable, so that of equals the earlier one in the program goes first.
        ready.sort_by_key(|&unit| (!problem.urgent[unit], std::cmp::Reverse(heights[unit]), unit));
        let mut placed: Vec<usize> = Vec::new();
        let (mut stateless, mut stateful) = (0, 0);
        ready.retain(|&unit| {
            let fits = if problem.units[unit].is_stateful() {
                stage >= problem.first_stateful
                    && stateful < problem.target.stateful_per_stage
                    && !placed.iter().any(|&other| {
                        problem.units[other].is_stateful() && (problem.conflict)(unit.min(other), unit.max(other))
                    })
            } else {
                stateless < problem.target.stateless_per_stage
            };
            if fits {
                *(if problem.units[unit].is_stateful() { &mut stateful } else { &mut stateless }) += 1;
                placed.push(unit);
            }
            !fits
        });
        left -= placed.len();
        for unit in placed {
            stage_of[unit] = stage;
            for &user in &users[unit] {
                missing[user] -= 1;
                if missing[user] == 0 {
                    ready.push(user);
                }
            }
        }
        stage += 1;
    }
    Placed { stage_of, depth: stage, phase_of: Vec::new(), uses: Vec::new(), parts: Vec::new() }
}

/// For each unit, how many others wait for it one after the other; `steps` says by how many stages a unit must follow
/// one that it needs.
fn heights(needs: &[Vec<usize>], steps: &dyn Fn(usize, usize) -> u32) -> Vec<u32> {
    let mut heights = vec![0; needs.len()];
    // Units are in an order in which each comes after what it needs.
    for unit in (0..needs.len()).rev() {
        for &need in &needs[unit] {
            heights[need] = heights[need].max(heights[unit] + steps(need, unit));
        }
    }
    heights
}
