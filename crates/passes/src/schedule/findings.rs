//! Findings that explain why a machine cannot hold the units that are to be placed.

use ir::pipeline::StageKind;
use ir::{BinaryOperator, Constant, Expression, Program, Statement};

use super::{Placed, Problem, place};
use crate::memory::TableShape;
use crate::report::Finding;
use crate::stage_use::{Limit, StageUse, least_use};
use crate::target::{DIVIDE, DIVIDE_BY_CONSTANT, MULTIPLY, SHIFT, Target};
use crate::units::Unit;

/// Returns the reasons why the machine cannot hold the units however they are placed.
pub(crate) fn impossible(program: &Program, units: &[Unit], target: &Target) -> Vec<Finding> {
    let mut findings = Vec::new();
    if target.kind == StageKind::MatchAction {
        findings.extend(units.iter().flat_map(|unit| impossible_unit(program, unit, target)));
    }
    let count = |stateful| units.iter().filter(|unit| unit.is_stateful() == stateful).count();
    for (needed, offered, kind) in
        [(count(false), target.stateless_per_stage, "stateless"), (count(true), target.stateful_per_stage, "stateful")]
    {
        if target.kind == StageKind::Banzai && needed > 0 && offered == 0 {
            findings.push(Finding::new(format!("the program needs {}, the machine has none", atoms(needed, kind))));
        }
    }
    if target.depth == 0 {
        findings.push(Finding::new("the machine has no stages"));
    }
    findings
}

/// The maximum number of stages that a table may span, more than any machine has. Larger tables are refused before
/// anything is placed, so that the time to place a program does not depend on the sizes of its tables.
const MOST_SPANNED: u64 = 1024;

/// Returns the reasons why a unit fits neither an empty stage nor, for a table, any number of stages.
fn impossible_unit(program: &Program, unit: &Unit, target: &Target) -> Vec<Finding> {
    let mut findings = Vec::new();
    let text = |statement| ir::print::statement(program, statement).to_string();
    let name = match ir::match_action::lookups(&unit.body) {
        Some(lookup) => format!("the table `{}`", program.tables[lookup.table.index()].name),
        None if unit.is_stateful() => {
            let registers = unit.accessed_registers(program).into_iter().flat_map(|access| access.registers);
            let names: Vec<String> = registers.map(|id| format!("`{}`", program.register(id).name)).collect();
            format!("the update of {}", names.join(", "))
        }
        None => format!("`{}`", unit.body.first().map(text).unwrap_or_default().trim()),
    };
    for limit in least_use(program, unit).exceeded(target) {
        let needed = least_use(program, unit).of(limit);
        let message = format!("{name} needs {}, a stage has {}", limit.quantity(needed), limit.offered(target));
        findings.push(Finding::new(message));
    }
    if let (true, Some(lookup)) = (findings.is_empty(), ir::match_action::lookups(&unit.body)) {
        let shape = TableShape::of(program, lookup.table);
        let in_stage = shape.entries_in(StageUse::default().blocks_left(target), shape.entries);
        let stages = shape.entries.div_ceil(in_stage.max(1));
        if stages > MOST_SPANNED {
            let message = format!("{name} of {} entries needs {stages} stages by itself", shape.entries);
            findings.push(Finding::new(message).note(format!("the machine has {}", target.depth)));
        }
    }
    if let Err(reason) = ir::match_action::phase(program, &unit.body, &|_| ir::match_action::Phase::Before) {
        let statements = unit.body.iter().map(|statement| text(statement).trim().to_owned());
        findings.push(statements.fold(Finding::new(format!("{name}: {reason}")), Finding::note));
    }
    findings
}

/// Returns findings for operations that the machine's stateless atoms do not support.
pub(crate) fn unsupported(program: &Program, units: &[Unit], target: &Target) -> Vec<Finding> {
    let mut findings = Vec::new();
    for unit in units.iter().filter(|unit| !unit.is_stateful()) {
        for statement in &unit.body {
            if let Statement::Assign { value, .. } = statement
                && let Some(lack) = lacking(program, value, target)
            {
                let text = ir::print::statement(program, statement).to_string();
                let message = format!("the stateless operation `{}` needs {lack}", text.trim());
                findings.push(Finding::new(message).note("no stateless atom of the machine supports this"));
            }
        }
    }
    findings
}

/// Returns the kinds of operations that are used but that the machine's stateless atoms do not support, each once.
pub(crate) fn lacking_operations(program: &Program, units: &[Unit], target: &Target) -> Vec<&'static str> {
    let mut lacking: Vec<&str> = Vec::new();
    for statement in units.iter().filter(|unit| !unit.is_stateful()).flat_map(|unit| &unit.body) {
        if let Statement::Assign { value, .. } = statement
            && let Some(lack) = self::lacking(program, value, target)
            && !lacking.contains(&lack)
        {
            lacking.push(lack);
        }
    }
    lacking
}

/// Returns the kind of an operation if the machine's stateless atoms do not support it.
fn lacking(program: &Program, value: &Expression, target: &Target) -> Option<&'static str> {
    let Expression::Binary(operator, left, right) = value else { return None };
    let constant = |operand: &Expression| match operand {
        Expression::Constant(Constant { value, .. }) => Some(*value),
        _ => None,
    };
    let operations = &target.operations;
    match operator {
        BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight if constant(right).is_none() => {
            (!operations.shift).then_some(SHIFT)
        }
        BinaryOperator::Multiply => {
            // Multiplication by a power of two is a shift by a constant, which needs only wires.
            let wires = [left, right].into_iter().any(|operand| constant(operand).is_some_and(u64::is_power_of_two));
            (!operations.multiply && !wires).then_some(MULTIPLY)
        }
        BinaryOperator::Divide | BinaryOperator::Remainder => match constant(right) {
            Some(divisor) => {
                let wires = divisor.is_power_of_two() && !program.type_of(left).is_signed();
                let held = operations.divide_by_constant || operations.divide;
                (!held && !wires).then_some(DIVIDE_BY_CONSTANT)
            }
            None => (!operations.divide).then_some(DIVIDE),
        },
        _ => None,
    }
}

/// Returns findings that explain why a placement needs more stages than the machine has.
pub(crate) fn too_deep(problem: &Problem<'_>, placed: &Placed) -> Vec<Finding> {
    let target = problem.target;
    let message = format!("the program needs {} stages, the machine has {}", placed.depth, target.depth);
    let mut deep = Finding::new(message);
    let mut unlimited = target.clone();
    Limit::PER_STAGE.into_iter().for_each(|limit| limit.set(&mut unlimited, u32::MAX));
    let none = vec![false; problem.units.len()];
    let free = place(&Problem { target: &unlimited, conflict: &|_, _| false, alone: &none, ..*problem });
    if free.depth > target.depth {
        deep = deep.note("each of these needs the one before it:");
        for unit in critical_path(problem.needs, &free) {
            for statement in &problem.units[unit].body {
                let text = ir::print::statement(problem.program, statement).to_string();
                deep = deep.note(format!("  stage {}: {}", free.stage_of[unit], text.trim()));
            }
        }
    }
    let mut findings = vec![deep];
    for (stage, used) in free.uses.iter().enumerate() {
        findings.extend(used.exceeded(target).map(|limit| too_full(stage, used, limit, target)));
    }
    if target.kind == StageKind::MatchAction {
        return findings;
    }
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

fn too_full(stage: usize, used: &StageUse, limit: Limit, target: &Target) -> Finding {
    let (needed, offered) = (limit.quantity(used.of(limit)), limit.offered(target));
    Finding::new(format!("stage {stage} needs {needed}, the machine has {offered}"))
}

/// Returns a number of atoms in words, such as "2 stateful atoms".
fn atoms(count: usize, kind: &str) -> String {
    if count == 1 { format!("1 {kind} atom") } else { format!("{count} {kind} atoms") }
}

/// Returns a chain of units, each of which needs the one before it, that ends in the last stage.
pub(crate) fn critical_path(needs: &[Vec<usize>], placed: &Placed) -> Vec<usize> {
    let mut path = Vec::new();
    let mut next = (0..needs.len()).rev().max_by_key(|&unit| placed.stage_of[unit]);
    while let Some(unit) = next {
        path.push(unit);
        next = needs[unit].iter().rev().copied().max_by_key(|&need| placed.stage_of[need]);
    }
    path.reverse();
    path
}
