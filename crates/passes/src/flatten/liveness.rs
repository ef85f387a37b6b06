//! Drops what nobody reads, and finds out what has to be there at the beginning.
//!
//! Each bit that crosses from the parser to the pipeline, or through it, takes a place in containers; only what is read
//! later crosses.

use std::collections::BTreeSet;

use ir::{Statement, VariableId};

/// Flat code without assignments that nobody reads. `live` is what is read after it, and becomes what is read of what
/// was there before it.
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

/// The variables that flat code assigns.
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
