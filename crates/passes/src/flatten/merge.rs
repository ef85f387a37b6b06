//! Makes one look-up of several that exclude each other.
//!
//! A program may apply a table on both sides of a branch, with other keys on each. A pipeline has the table in one
//! place, where each packet is looked up once: with keys that are chosen before the branch. That needs keys that are
//! there before it; a program that makes them inside is told so.

use std::collections::{BTreeMap, BTreeSet};

use ir::{Expression, Lookup, LookupResult, Statement, TableId, VariableId};

use super::liveness::assigned;
use super::walk::Walk;
use crate::report::Finding;

/// The keys with which tables are looked up in code. Each application has locals of its own for them, so that other keys
/// are another application.
type Sites = BTreeMap<TableId, BTreeSet<Vec<Expression>>>;

impl Walk<'_> {
    /// Code in which each table is looked up at one place.
    pub(super) fn merged(&mut self, code: Vec<Statement>) -> Vec<Statement> {
        let code = self.merge(code);
        let several = sites(&code).into_iter().filter(|(_, keys)| keys.len() > 1);
        // Those that do not exclude each other were told already.
        for (table, keys) in several.filter(|(table, _)| !self.applied_twice.contains(table)).collect::<Sites>() {
            let name = &self.program.tables[table.index()].name;
            let message = format!("the table `{name}` is applied at {} places with keys of their own", keys.len());
            let note = "a pipeline has it at one: keys that are there before the places part could be chosen there";
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

    /// Looks a packet up before a branch, with the keys of the side that it will take.
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

/// Calls `visit` for every expression that code assigns.
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

/// The keys of the one look-up of code as they are before it; `None` if they are made in it in another way than by
/// expressions.
fn before(code: &[Statement], keys: &BTreeSet<Vec<Expression>>) -> Option<Vec<Expression>> {
    let mut all = keys.iter();
    let (Some(keys), None) = (all.next(), all.next()) else { return None };
    let mut made = BTreeMap::new();
    if !reach(code, keys, &mut made) {
        return None;
    }
    keys.iter().map(|key| substituted(key, &made)).collect()
}

/// Goes to the look-up with these keys, and learns what is made on the way; what cannot be told is `None`. False if it
/// is not there.
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
            // What becomes of the fields of a header that becomes valid is found out later.
            Statement::Packet(_) => return false,
            _ => {}
        }
    }
    false
}

/// An expression of what was there before; `None` if it needs something that was not.
fn substituted(expression: &Expression, made: &BTreeMap<VariableId, Option<Expression>>) -> Option<Expression> {
    let mut is_known = true;
    let mut substituted = expression.clone();
    substituted.rewrite(&mut |inner| match inner {
        Expression::Variable(variable) => match made.get(variable) {
            None => {}
            Some(Some(value)) => *inner = value.clone(),
            Some(None) => is_known = false,
        },
        // A register is read where it is read, and a look-up is no key of another one.
        Expression::Read { .. } | Expression::Lookup(_) => is_known = false,
        _ => {}
    });
    is_known.then_some(substituted)
}
