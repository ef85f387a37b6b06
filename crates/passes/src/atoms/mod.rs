//! Atoms: whether the code that updates a register fits one of the stateful circuits that a stage offers.
//!
//! A stage updates state in one clock cycle, by a circuit whose shape is fixed (a [`Template`]) and whose
//! multiplexers, operators and constants the compiler chooses (a [`Configuration`]). A codelet maps to an atom if
//! some configuration computes the same new state for all 32-bit inputs. [`map`] looks for one with samples and
//! keeps it only when it is proven; [`smt_lib`] writes the proven claim for other solvers. `docs/atoms.md`
//! describes the templates, what a claim says and what it takes for granted.
//!
//! The search guesses from samples (`search`), the prover refutes a guess by an input or proves it (`prove`), and
//! an input that refutes becomes a sample (`matching`). Every part is bounded by steps and a function of the
//! codelet alone.

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

/// Maps a codelet to a template, proven, or says why not.
///
/// `body` is straight-line three-address code in single assignment: at most one read of each of the codelet's
/// registers (`t = @r[i]`, perhaps with a predicate), operations, at most one write of each. `definitions` gives
/// the defining expression of a variable that the body uses and does not assign, if it is stateless; the atom may
/// absorb it when it then needs no more operands.
///
/// If all reads have one predicate that is known outside of the body (or nothing is read and all writes have one),
/// it says whether a packet accesses the registers at all. It is taken for granted, for other packets never get
/// to the atom, and is given as [`Mapping::access`].
pub fn map(
    program: &Program,
    body: &[Statement],
    definitions: &dyn Fn(VariableId) -> Option<Expression>,
    template: Template,
    premise: Premise,
) -> Result<Mapping, Unmappable> {
    Attempts::default().map((program, body), definitions, template, premise)
}

/// The least template that computes a codelet for all inputs, and a lesser one that does if sums do not overflow.
///
/// Tries `rw`, `raw`, `pred_raw`, `if_else_raw`, `sub`, `nested_ifs`, `pair`, and `mul_acc` after `raw` for a
/// codelet that multiplies.
pub fn least(program: &Program, body: &[Statement], definitions: &dyn Fn(VariableId) -> Option<Expression>) -> Least {
    let mut attempts = Attempts::default();
    least_by(body, &mut |template, premise| attempts.map((program, body), definitions, template, premise))
}

/// The same, where `map` says what comes of each attempt at a codelet, for a caller that remembers.
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

/// The templates to try for a codelet.
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
