//! Units, which are placed into stages as a whole: one stateless operation, one application of a table, or one codelet.

use std::collections::BinaryHeap;

use ir::{Expression, Program, RegisterId, Statement};

use crate::dependency_graph::access;

/// The statements that one atom executes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// The template of a stateful atom; `None` for a stateless one.
    pub(crate) template: Option<String>,
    pub(crate) body: Vec<Statement>,
}

/// Registers that a unit accesses at the same index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AccessedRegisters {
    pub(crate) registers: Vec<RegisterId>,
    pub(crate) index: Option<Expression>,
}

impl Unit {
    pub(crate) fn is_stateful(&self) -> bool {
        self.template.is_some()
    }

    /// Returns the registers that the unit accesses. Arrays of equal length at the same index go together, and so do
    /// all scalars.
    pub(crate) fn accessed_registers(&self, program: &Program) -> Vec<AccessedRegisters> {
        let mut accessed: Vec<AccessedRegisters> = Vec::new();
        for (register, index, _) in self.body.iter().filter_map(access) {
            let length = program.register(register).length;
            let same = |access: &&mut AccessedRegisters| {
                access.index.as_ref() == index && program.register(access.registers[0]).length == length
            };
            match accessed.iter_mut().find(same) {
                Some(access) if access.registers.contains(&register) => {}
                Some(access) => access.registers.push(register),
                None => accessed.push(AccessedRegisters { registers: vec![register], index: index.cloned() }),
            }
        }
        accessed.iter_mut().for_each(|access| access.registers.sort_unstable());
        accessed
    }

    /// Returns the predicate that all accesses of the unit share; `None` if they happen for every packet.
    pub(crate) fn predicate(&self) -> Option<&Expression> {
        self.body.iter().find_map(access).and_then(|(_, _, predicate)| predicate)
    }
}

/// Returns, for each unit, the other units whose values it needs, sorted and without repetition.
pub(crate) fn needs(program: &Program, units: &[Unit]) -> Vec<Vec<usize>> {
    let mut assigned_by = vec![None; program.variables.len()];
    for (number, unit) in units.iter().enumerate() {
        for statement in &unit.body {
            if let Statement::Assign { variable, .. } = statement {
                assigned_by[variable.index()] = Some(number);
            }
        }
    }
    let inputs = |unit: &Unit| {
        let expressions = unit.body.iter().flat_map(Statement::expressions);
        expressions.flat_map(Expression::variables).filter_map(|variable| assigned_by[variable.index()]).collect()
    };
    units
        .iter()
        .enumerate()
        .map(|(number, unit)| {
            let mut needs: Vec<usize> = inputs(unit);
            needs.sort_unstable();
            needs.dedup();
            needs.retain(|&need| need != number);
            needs
        })
        .collect()
}

/// Sorts units topologically, so that each comes after those it needs; where that allows it, the lowest number comes
/// first.
pub(crate) fn put_in_order(program: &Program, units: &mut Vec<Unit>) {
    let needs = needs(program, units);
    let mut missing: Vec<usize> = needs.iter().map(Vec::len).collect();
    let users = users(&needs);
    let mut ready: BinaryHeap<std::cmp::Reverse<usize>> =
        (0..units.len()).filter(|&unit| missing[unit] == 0).map(std::cmp::Reverse).collect();
    let mut taken: Vec<Option<Unit>> = std::mem::take(units).into_iter().map(Some).collect();
    while let Some(std::cmp::Reverse(unit)) = ready.pop() {
        units.push(taken[unit].take().expect("each once"));
        for &user in &users[unit] {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(std::cmp::Reverse(user));
            }
        }
    }
}

/// Returns, for each unit, the units that need it.
pub(crate) fn users(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut users = vec![Vec::new(); needs.len()];
    for (user, needs) in needs.iter().enumerate() {
        needs.iter().for_each(|&need| users[need].push(user));
    }
    users
}

/// Returns the program with the statements of all units as its code.
pub(crate) fn as_program(program: &Program, units: &[Unit]) -> Program {
    let packet = units.iter().flat_map(|unit| unit.body.iter().cloned()).collect();
    Program { packet, ..program.clone() }
}
