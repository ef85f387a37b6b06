//! Gives each unit a stage: as soon as what it needs is there and a stage has an atom left.
//!
//! List scheduling: stage by stage, of the units that could be placed those come first that most others wait for.
//! This is the fitting step of Domino's compiler (Sivaraman et al., "Packet Transactions", SIGCOMM 2016, section
//! 4.3), with the limits of the machine obeyed while placing, and not only checked after.

use ir::{BinaryOperator, Constant, Expression, Program, Statement};

use crate::report::Finding;
use crate::target::Target;
use crate::units::{Unit, users};

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
}

/// The stage of each unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) stage_of: Vec<u32>,
    /// How many stages there are, which may be more than the machine has.
    pub(crate) depth: u32,
}

/// Places all units. The machine has at least one atom of each kind that is needed.
pub(crate) fn place(problem: &Problem<'_>) -> Placed {
    let count = problem.units.len();
    let heights = heights(problem.needs);
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
    Placed { stage_of, depth: stage }
}

/// What keeps the machine from holding the units at all, however they are placed.
pub(crate) fn impossible(units: &[Unit], target: &Target) -> Vec<Finding> {
    let mut findings = Vec::new();
    let count = |stateful| units.iter().filter(|unit| unit.is_stateful() == stateful).count();
    for (needed, offered, kind) in
        [(count(false), target.stateless_per_stage, "stateless"), (count(true), target.stateful_per_stage, "stateful")]
    {
        if needed > 0 && offered == 0 {
            findings.push(Finding::new(format!("the program needs {}, the machine has none", atoms(needed, kind))));
        }
    }
    if target.depth == 0 && !units.is_empty() {
        findings.push(Finding::new("the machine has no stages"));
    }
    findings
}

/// The operations that the machine's stateless atoms do not have.
pub(crate) fn unsupported(program: &Program, units: &[Unit], target: &Target) -> Vec<Finding> {
    let mut findings = Vec::new();
    for unit in units.iter().filter(|unit| !unit.is_stateful()) {
        for statement in &unit.body {
            if let Statement::Assign { value, .. } = statement
                && let Some(lack) = lacking(program, value, target)
            {
                let text = ir::print::statement(program, statement).to_string();
                let message = format!("the stateless operation `{}` needs {lack}", text.trim());
                findings.push(Finding::new(message).note("no stateless atom of the machine has that"));
            }
        }
    }
    findings
}

/// What an operation needs that the machine's stateless atoms do not have.
fn lacking(program: &Program, value: &Expression, target: &Target) -> Option<&'static str> {
    let Expression::Binary(operator, left, right) = value else { return None };
    let constant = |operand: &Expression| match operand {
        Expression::Constant(Constant { value, .. }) => Some(*value),
        _ => None,
    };
    let operations = &target.operations;
    match operator {
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if constant(right).is_none() => {
            (!operations.shift).then_some("a shift by a variable")
        }
        BinaryOperator::Multiply => {
            // A power of two is a shift by a constant, which is wires.
            let wires = [left, right].into_iter().any(|operand| constant(operand).is_some_and(u64::is_power_of_two));
            (!operations.multiply && !wires).then_some("a multiplication")
        }
        BinaryOperator::Divide | BinaryOperator::Remainder => match constant(right) {
            Some(divisor) => {
                let wires = divisor.is_power_of_two() && !program.type_of(left).is_signed();
                let held = operations.divide_by_constant || operations.divide;
                (!held && !wires).then_some("a division by a constant")
            }
            None => (!operations.divide).then_some("a division by a variable"),
        },
        _ => None,
    }
}

/// Why a placement that is too deep is so.
pub(crate) fn too_deep(problem: &Problem<'_>, placed: &Placed) -> Vec<Finding> {
    let target = problem.target;
    let message = format!("the program needs {} stages, the machine has {}", placed.depth, target.depth);
    let mut deep = Finding::new(message);
    let unlimited = Target { stateless_per_stage: u32::MAX, stateful_per_stage: u32::MAX, ..target.clone() };
    let free = place(&Problem { target: &unlimited, conflict: &|_, _| false, ..*problem });
    if free.depth > target.depth {
        deep = deep.note("each of these needs the one before it:");
        for unit in critical_path(problem, &free) {
            for statement in &problem.units[unit].body {
                let text = ir::print::statement(problem.program, statement).to_string();
                deep = deep.note(format!("  stage {}: {}", free.stage_of[unit], text.trim()));
            }
        }
    }
    let mut findings = vec![deep];
    for stage in 0..free.depth {
        let here = |stateful: bool| {
            let units = free.stage_of.iter().zip(problem.units);
            units.filter(|(at, unit)| **at == stage && unit.is_stateful() == stateful).count()
        };
        for (needed, offered, kind) in [
            (here(false), target.stateless_per_stage, "stateless"),
            (here(true), target.stateful_per_stage, "stateful"),
        ] {
            if needed > offered as usize {
                let message = format!("stage {stage} needs {}, the machine has {offered}", atoms(needed, kind));
                findings.push(Finding::new(message));
            }
        }
    }
    findings
}

/// Such as "2 stateful atoms".
fn atoms(count: usize, kind: &str) -> String {
    if count == 1 { format!("1 {kind} atom") } else { format!("{count} {kind} atoms") }
}

/// Units of which each needs the one before it, ending in the last stage.
fn critical_path(problem: &Problem<'_>, placed: &Placed) -> Vec<usize> {
    let mut path = Vec::new();
    let mut next = (0..problem.units.len()).rev().max_by_key(|&unit| placed.stage_of[unit]);
    while let Some(unit) = next {
        path.push(unit);
        next = problem.needs[unit].iter().rev().copied().max_by_key(|&need| placed.stage_of[need]);
    }
    path.reverse();
    path
}

/// For each unit, how many others wait for it one after the other.
fn heights(needs: &[Vec<usize>]) -> Vec<u32> {
    let mut heights = vec![0; needs.len()];
    // Units are in an order in which each comes after what it needs.
    for unit in (0..needs.len()).rev() {
        for &need in &needs[unit] {
            heights[need] = heights[need].max(heights[unit] + 1);
        }
    }
    heights
}
