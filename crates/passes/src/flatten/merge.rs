//! Merges look-ups in a table that exclude each other into one.
//!
//! A program may apply a table on both sides of a branch, with different keys on each. A pipeline has the table in one
//! place, where each packet is looked up once, so the keys are chosen before the branch. This is possible only if they
//! can be computed there; other programs are refused.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Expression, Lookup, LookupResult, Statement, TableId, VariableId};

use super::liveness::assigned;
use super::walk::Walk;
use crate::report::Finding;

/// The keys of all look-ups in code, by table. Each application has its own local variables for them, so that different
/// keys mean different applications.
type Sites = BTreeMap<TableId, BTreeSet<Vec<Expression>>>;

impl Walk<'_> {
    /// Returns code in which each table is looked up in one place.
    pub(super) fn merged(&mut self, code: Vec<Statement>) -> Vec<Statement> {
        let code = self.merge(code);
        let several = sites(&code).into_iter().filter(|(_, keys)| keys.len() > 1);
        // Applications that do not exclude each other have already been reported.
        for (table, keys) in several.filter(|(table, _)| !self.applied_twice.contains(table)).collect::<Sites>() {
            let name = &self.program.tables[table.index()].name;
            let message = format!("the table `{name}` is applied at {} places with different keys", keys.len());
            let note = "a pipeline looks a table up in one place: \
                        compute the keys before the branch, so that they can be chosen there";
            self.findings.push(Finding::new(message).note(note));
        }
        code
    }

    fn merge(&mut self, code: Vec<Statement>) -> Vec<Statement> {
        let mut merged = Vec::with_capacity(code.len());
        for statement in code {
            let Statement::If { condition, then, otherwise } = statement else {
                merged.push(statement);
                continue;
            };
            let (mut then, mut otherwise) = (self.merge(then), self.merge(otherwise));
            let (first, second) = (sites(&then), sites(&otherwise));
            let mut condition = condition;
            for (table, keys) in &first {
                let Some(others) = second.get(table) else { continue };
                let sides = [(&then, keys), (&otherwise, others)];
                let [Some(mine), Some(others)] = sides.map(|(code, keys)| before(code, keys)) else { continue };
                if !condition.is_operand() {
                    condition = Expression::Variable(self.kept("$side", condition, &mut merged));
                }
                self.hoist(*table, &condition, (mine, others), [&mut then, &mut otherwise], &mut merged);
            }
            merged.push(Statement::If { condition, then, otherwise });
        }
        merged
    }

    /// Moves the look-ups of both sides of a branch before it, with the keys of the side that the packet will take.
    fn hoist(
        &mut self,
        table: TableId,
        condition: &Expression,
        (mine, others): (Vec<Expression>, Vec<Expression>),
        sides: [&mut Vec<Statement>; 2],
        code: &mut Vec<Statement>,
    ) {
        let name = self.program.tables[table.index()].name.clone();
        let keys = mine.into_iter().zip(others).map(|(mine, other)| {
            let key = if mine == other { mine } else { Expression::select(condition.clone(), mine, other) };
            if key.is_operand() { key } else { Expression::Variable(self.kept(&format!("{name}.$key"), key, code)) }
        });
        let keys: Vec<Expression> = keys.collect();
        let mut found: BTreeMap<LookupResult, VariableId> = BTreeMap::new();
        for side in sides {
            each_lookup(side, &mut |value| {
                let Expression::Lookup(lookup) = value else { return };
                if lookup.table != table {
                    return;
                }
                let result = lookup.result;
                let variable = *found.entry(result).or_insert_with(|| {
                    let asked = Lookup { table, keys: keys.clone(), result };
                    self.kept(&format!("{name}.$found"), Expression::Lookup(Box::new(asked)), code)
                });
                *value = Expression::Variable(variable);
            });
        }
    }
}

/// Calls `visit` for every expression that is assigned in code, including subexpressions.
fn each_lookup(code: &mut [Statement], visit: &mut dyn FnMut(&mut Expression)) {
    for statement in code {
        match statement {
            Statement::Assign { value, .. } => value.rewrite(visit),
            Statement::If { then, otherwise, .. } => {
                each_lookup(then, visit);
                each_lookup(otherwise, visit);
            }
            _ => {}
        }
    }
}

fn sites(code: &[Statement]) -> Sites {
    let mut found = Sites::new();
    for statement in code {
        statement.walk(&mut |statement| {
            for expression in statement.expressions() {
                expression.walk(&mut |inner| {
                    if let Expression::Lookup(lookup) = inner {
                        found.entry(lookup.table).or_default().insert(lookup.keys.clone());
                    }
                });
            }
        });
    }
    found
}

/// Returns the keys of the only look-up in code, expressed by values before the code; `None` if there are several
/// look-ups, or if the keys cannot be expressed in this way.
fn before(code: &[Statement], keys: &BTreeSet<Vec<Expression>>) -> Option<Vec<Expression>> {
    let mut all = keys.iter();
    let (Some(keys), None) = (all.next(), all.next()) else { return None };
    let mut made = BTreeMap::new();
    if !reach(code, keys, &mut made) {
        return None;
    }
    keys.iter().map(|key| substituted(key, &made)).collect()
}

/// Walks to the look-up with the given keys, and records in `made` the values of variables assigned on the way, as
/// `None` where these cannot be expressed. Returns false if the look-up was not reached.
fn reach(code: &[Statement], keys: &[Expression], made: &mut BTreeMap<VariableId, Option<Expression>>) -> bool {
    for statement in code {
        let has = |statement: &Statement| {
            let inside = sites(std::slice::from_ref(statement));
            inside.values().any(|all| all.contains(keys))
        };
        match statement {
            Statement::Assign { .. } if has(statement) => return true,
            Statement::Assign { variable, value } => {
                let value = substituted(value, made);
                made.insert(*variable, value);
            }
            Statement::If { then, otherwise, .. } => {
                if has(statement) {
                    let mut also = made.clone();
                    if reach(then, keys, &mut also) {
                        *made = also;
                        return true;
                    }
                    return reach(otherwise, keys, made);
                }
                made.extend(assigned(then).into_iter().chain(assigned(otherwise)).map(|variable| (variable, None)));
            }
            // The fields of a header that becomes valid are known only later (`validity`).
            Statement::Packet(_) => return false,
            _ => {}
        }
    }
    false
}

/// Returns an expression in terms of values before the code; `None` if that is not possible.
fn substituted(expression: &Expression, made: &BTreeMap<VariableId, Option<Expression>>) -> Option<Expression> {
    let mut is_known = true;
    let mut substituted = expression.clone();
    substituted.rewrite(&mut |inner| match inner {
        Expression::Variable(variable) => match made.get(variable) {
            None => {}
            Some(Some(value)) => *inner = value.clone(),
            Some(None) => is_known = false,
        },
        // Reads of registers must not move, and a look-up cannot be a key of another one.
        Expression::Read { .. } | Expression::Lookup(_) => is_known = false,
        _ => {}
    });
    is_known.then_some(substituted)
}
