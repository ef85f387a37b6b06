//! Dependencies between tables and updates of registers.
//!
//! The names are those of Jose et al., "Compiling Packet Programs to Reconfigurable Switches", NSDI 2015, section 3.2.
//! A reverse dependency (a table matches what a later one changes) never occurs here: in single assignment the
//! values before and after the change are two variables.

use std::collections::BTreeMap;
use std::fmt;

use ir::{Expression, Program, Statement, Type, VariableId};

use super::named;
use crate::units::Unit;

/// A dependency between two tables or updates of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The earlier one: `table` or `register`, followed by its name.
    pub from: String,
    /// The one that depends on it, named in the same way.
    pub to: String,
    /// The kind of dependency.
    pub kind: DependencyKind,
}

/// The way in which a table depends on an earlier one, from weakest to strongest. An update of registers counts as a
/// table that matches on the index and the predicate of its accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// The result of the earlier table (a hit, or which action runs) decides whether the later one has an effect.
    Successor,
    /// The later table's actions change or read what the earlier one's actions change.
    Action,
    /// The later table matches on what the earlier one's actions change.
    Match,
}

impl fmt::Display for DependencyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Successor => "successor",
            Self::Action => "action",
            Self::Match => "match",
        })
    }
}

/// The named units that a value depends on, each with the kind of dependency: on its result only, on values from its
/// actions, or on a comparison of such values.
type Owed = BTreeMap<usize, DependencyKind>;

/// Returns all dependencies between units that have names. The units are in topological order.
pub(super) fn of(program: &Program, units: &[Unit]) -> Vec<Dependency> {
    let names: Vec<Option<String>> = units.iter().map(|unit| named(program, unit)).collect();
    let mut owed: Vec<Owed> = vec![Owed::new(); program.variables.len()];
    let mut found: BTreeMap<(usize, usize), DependencyKind> = BTreeMap::new();
    let mut depends = |from: usize, to: usize, kind: DependencyKind| {
        if from < to {
            let known = found.entry((from, to)).or_insert(kind);
            *known = kind.max(*known);
        }
    };
    for (number, unit) in units.iter().enumerate() {
        if names[number].is_some() {
            for (from, kind) in inputs(program, unit, &owed) {
                depends(from, number, kind);
            }
            for (variable, is_answer) in outputs(program, unit) {
                let kind = if is_answer { DependencyKind::Successor } else { DependencyKind::Action };
                owed[variable.index()] = Owed::from([(number, kind)]);
            }
            continue;
        }
        let Some(Statement::Assign { variable, value }) = unit.body.first() else { continue };
        let own = operation(program, value, &owed);
        // An action of the table `to` computes with values that depend on others.
        for (&to, _) in own.iter().filter(|(_, kind)| **kind <= DependencyKind::Action) {
            own.iter().for_each(|(&from, &kind)| depends(from, to, kind));
        }
        owed[variable.index()] = own;
    }
    let name = |unit: usize| names[unit].clone().expect("units with names only");
    found.into_iter().map(|((from, to), kind)| Dependency { from: name(from), to: name(to), kind }).collect()
}

/// Returns the units that a table or an update of registers depends on.
fn inputs(program: &Program, unit: &Unit, owed: &[Owed]) -> Owed {
    let mut all = Owed::new();
    let mut add = |expression: &Expression, raise: Option<DependencyKind>| {
        for variable in expression.variables() {
            merge(&mut all, &owed[variable.index()], raise);
        }
    };
    for statement in &unit.body {
        match statement {
            Statement::Assign { value: lookup @ Expression::Lookup(_), .. } => add(lookup, Some(DependencyKind::Match)),
            Statement::Assign { value: Expression::Read { index, predicate, .. }, .. } => {
                index.iter().for_each(|index| add(index, Some(DependencyKind::Match)));
                predicate.iter().for_each(|predicate| add(predicate, None));
            }
            Statement::Write { index, value, predicate, .. } => {
                index.iter().for_each(|index| add(index, Some(DependencyKind::Match)));
                predicate.iter().for_each(|predicate| add(predicate, None));
                add(value, None);
            }
            other => other.expressions().into_iter().for_each(|expression| add(expression, None)),
        }
    }
    let own = outputs(program, unit);
    debug_assert!(own.iter().all(|(variable, _)| owed[variable.index()].is_empty()), "single assignment");
    all
}

/// Returns the variables that a unit assigns, and whether each is only a result of a table: a Boolean look-up.
fn outputs(program: &Program, unit: &Unit) -> Vec<(VariableId, bool)> {
    let assigned = unit.body.iter().filter_map(|statement| match statement {
        Statement::Assign { variable, value } => {
            let is_lookup = matches!(value, Expression::Lookup(_));
            Some((*variable, is_lookup && program.variable(*variable).ty == Type::Bool))
        }
        _ => None,
    });
    assigned.collect()
}

/// Returns the units that the result of an operation depends on.
fn operation(program: &Program, value: &Expression, owed: &[Owed]) -> Owed {
    let is_bool = |operand: &Expression| program.type_of(operand) == Type::Bool;
    // Gateways compute comparisons, and count as matching; so do hashes and checksums.
    let compares = match value {
        Expression::Binary(operator, left, _) => operator.is_comparison() && !is_bool(left),
        Expression::Cast(Type::Bool, operand) => !is_bool(operand),
        Expression::Hash(..) | Expression::Checksum(_) => true,
        _ => false,
    };
    let mut all = Owed::new();
    for variable in value.variables() {
        merge(&mut all, &owed[variable.index()], compares.then_some(DependencyKind::Match));
    }
    all
}

/// Adds the dependencies of another value. If `raise` is given, all of them are of that kind.
fn merge(all: &mut Owed, more: &Owed, raise: Option<DependencyKind>) {
    for (&unit, &kind) in more {
        let kind = raise.unwrap_or(kind);
        let known = all.entry(unit).or_insert(kind);
        *known = kind.max(*known);
    }
}
