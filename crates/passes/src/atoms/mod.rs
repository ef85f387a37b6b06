//! Mapping of updates of state to atoms, the stateful circuits that a stage offers.
//!
//! A stage updates state in one clock cycle by a circuit whose shape is fixed (a [`Template`]) and whose multiplexers,
//! operators and constants the compiler chooses (a [`Configuration`]). A codelet maps to an atom if some configuration
//! computes the same new state for all inputs. [`map`] searches for one by means of samples and accepts it only once it
//! is proven; [`smt_lib`] writes the proven claim for other solvers. `docs/atoms.md` describes the templates, what a
//! claim states, and what it assumes.
//!
//! The search guesses a configuration from samples (`search`); the prover proves the guess or refutes it by an input
//! (`prove`); and an input that refutes it becomes a further sample (`matching`). Every part is bounded by steps
//! instead of time, so that the result is a function of the codelet alone.

mod attempts;
mod claim;
mod codelet;
mod configuration;
mod inputs;
mod mapping;
mod matching;
mod obligation;
mod prove;
mod samples;
mod search;
mod smt;
mod template;
#[cfg(test)]
mod tests;
mod word;

use ir::{BinaryOperator, Expression, Program, Statement, VariableId};

pub(crate) use attempts::Attempts;
pub use claim::{Claim, Counterexample};
pub use configuration::{Configuration, Relation, Source, Test, Update};
pub use mapping::{Least, Mapping, RegisterUpdate, Unmappable};
pub use smt::smt_lib;
pub use template::{Premise, Template};

/// Maps a codelet to a template, with a proof.
///
/// `body` is straight-line three-address code in single assignment: at most one read of each of the codelet's registers
/// (`t = @r[i]`, possibly with a predicate), operations, and at most one write of each. `definitions` returns the
/// defining expression of a variable that the body uses but does not assign, if that expression reads no state; the
/// atom may absorb it if it then needs no more operands than it has.
///
/// If all reads share one predicate that is computed outside the body (or nothing is read and all writes share one),
/// that predicate decides whether a packet accesses the registers at all. It is assumed to hold, because other packets
/// never reach the atom, and is returned as [`Mapping::access`].
///
/// # Errors
///
/// Returns an [`Unmappable`] that says why the codelet does not map to the template.
pub fn map(
    program: &Program,
    body: &[Statement],
    definitions: &dyn Fn(VariableId) -> Option<Expression>,
    template: Template,
    premise: Premise,
) -> Result<Mapping, Unmappable> {
    Attempts::default().map((program, body), definitions, template, premise)
}

/// Returns the least template that computes a codelet for all inputs, and a lesser one that does so if sums do not
/// overflow. The arguments are those of [`map`].
///
/// Tries `rw`, `raw`, `pred_raw`, `if_else_raw`, `sub`, `nested_ifs` and `pair`; for a codelet that multiplies, also
/// `mul_acc` after `raw`.
pub fn least(program: &Program, body: &[Statement], definitions: &dyn Fn(VariableId) -> Option<Expression>) -> Least {
    let mut attempts = Attempts::default();
    least_by(body, &mut |template, premise| attempts.map((program, body), definitions, template, premise))
}

/// Does what [`least`] does, with a function that performs each attempt, for callers that remember earlier attempts.
pub(crate) fn least_by(
    body: &[Statement],
    map: &mut dyn FnMut(Template, Premise) -> Result<Mapping, Unmappable>,
) -> Least {
    let order = order(body);
    let mut refused = Err(Unmappable::Malformed("nothing was tried".to_owned()));
    let mut lesser = order.len();
    for (number, &template) in order.iter().enumerate() {
        refused = map(template, Premise::None);
        if refused.is_ok() {
            lesser = number;
            break;
        }
    }
    let under_premise = |&template: &Template| map(template, Premise::NoOverflow).ok();
    Least { exact: refused, without_overflow: order[..lesser].iter().find_map(under_premise) }
}

/// Returns the templates to try for a codelet, in order.
fn order(body: &[Statement]) -> Vec<Template> {
    let mut multiplies = false;
    for expression in body.iter().flat_map(Statement::expressions) {
        expression.walk(&mut |inner| {
            multiplies |= matches!(inner, Expression::Binary(BinaryOperator::Multiply, ..));
        });
    }
    let mut order = Template::CHAIN.to_vec();
    if multiplies {
        order.insert(2, Template::MultiplyAccumulate);
    }
    order
}
