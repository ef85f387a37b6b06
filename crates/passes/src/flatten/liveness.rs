//! Removes assignments that are never read, and determines which variables must have values at the beginning.
//!
//! Each bit that crosses from the parser to the pipeline, or passes through it, takes space in containers, so only bits
//! that are read later cross.

use std::collections::BTreeSet;

use ir::{Statement, VariableId};

/// Returns flat code without assignments that are never read. `live` holds the variables that are live after the code,
/// and is updated to those that are live before it.
pub(super) fn drop_dead(code: Vec<Statement>, live: &mut BTreeSet<VariableId>) -> Vec<Statement> {
    let mut kept = Vec::with_capacity(code.len());
    for statement in code.into_iter().rev() {
        let statement = match statement {
            Statement::Assign { variable, .. } if !live.remove(&variable) => continue,
            Statement::If { condition, then, otherwise } => {
                let mut also = live.clone();
                let then = drop_dead(then, live);
                let otherwise = drop_dead(otherwise, &mut also);
                live.extend(also);
                if then.is_empty() && otherwise.is_empty() {
                    continue;
                }
                Statement::If { condition, then, otherwise }
            }
            other => other,
        };
        live.extend(statement.expressions().into_iter().flat_map(|expression| expression.variables()));
        kept.push(statement);
    }
    kept.reverse();
    kept
}

/// Returns the variables that flat code assigns.
pub(super) fn assigned(code: &[Statement]) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    for statement in code {
        statement.walk(&mut |statement| {
            if let Statement::Assign { variable, .. } = statement {
                found.insert(*variable);
            }
        });
    }
    found
}
