//! Which tables and updates of registers depend on which, and how.
//!
//! The names are those of Jose et al., "Compiling Packet Programs to Reconfigurable Switches", NSDI 2015, section 3.2. A
//! reverse dependency (a table matches what a later one changes) never occurs here: in single assignment the value
//! before the change and the one after it are two.

use std::collections::BTreeMap;
use std::fmt;

use ir::{Expression, Program, Statement, Type, VariableId};

use super::named;
use crate::units::Unit;

/// One depends on another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// What comes first: `table` or `register` with its name.
    pub from: String,
    /// What depends on it.
    pub to: String,
    /// How.
    pub kind: DependencyKind,
}

/// How a table depends on an earlier one; an update of registers counts as a table that matches where and whether it
/// happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependencyKind {
    /// Whether it has an effect is decided by the earlier one's answer.
    Successor,
    /// Its actions change, or read, what the earlier one's actions change.
    Action,
    /// It matches what the earlier one's actions change.
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

/// What a value owes to each unit that has a name: to its answer only, to what its actions give, or to a comparison of
/// that.
type Owed = BTreeMap<usize, DependencyKind>;

/// All dependencies between units that have names, of units in an order in which each comes after what it needs.
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
        // What an action of one table does owes something to others.
        for (&to, _) in own.iter().filter(|(_, kind)| **kind <= DependencyKind::Action) {
            own.iter().for_each(|(&from, &kind)| depends(from, to, kind));
        }
        owed[variable.index()] = own;
    }
    let name = |unit: usize| names[unit].clone().expect("units with names only");
    found.into_iter().map(|((from, to), kind)| Dependency { from: name(from), to: name(to), kind }).collect()
}

/// What a table, or an update of registers, owes to others.
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

/// The variables that a unit assigns, and whether each is only an answer: a bool of a table.
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

/// What the result of an operation owes to units.
fn operation(program: &Program, value: &Expression, owed: &[Owed]) -> Owed {
    let is_bool = |operand: &Expression| program.type_of(operand) == Type::Bool;
    // A comparison is made by a gateway, which matches; and so does whatever hashes.
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

/// Adds what another value owes; where it is compared, all of it is matched.
fn merge(all: &mut Owed, more: &Owed, raise: Option<DependencyKind>) {
    for (&unit, &kind) in more {
        let kind = raise.unwrap_or(kind);
        let known = all.entry(unit).or_insert(kind);
        *known = kind.max(*known);
    }
}
