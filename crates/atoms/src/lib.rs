//! Mapping of updates of state to atoms, the stateful circuits that a stage of a pipeline offers.
//!
//! A stage updates state in one clock cycle by a circuit whose shape is fixed (a [`Template`]) and whose multiplexers,
//! operators and constants the compiler chooses (a [`Configuration`]). A codelet, the statements that update some
//! registers together, maps to an atom if some configuration computes the same new state for all inputs. [`map`]
//! searches for one and accepts it only once it is proven, [`least`] finds the weakest template that suffices, and
//! [`smt_lib`] writes the proven claim for other solvers. [`Attempts`] remembers what was tried for a codelet.
//! `docs/atoms.md` describes the templates, what a claim states, and what it assumes.
//!
//! The search guesses a configuration from samples (`search`); the prover proves the guess or refutes it by an input
//! (`prove`); and an input that refutes it becomes a further sample (`matching`). Every part is bounded by steps
//! instead of time, so that the result is a function of the codelet alone.
//!
//! The crate knows straight-line statements of the IR and the program that declares their variables and registers. It
//! never knows how a program was cut into codelets, how many atoms a machine has and of which template, or what happens
//! when a codelet does not map: the passes decide that, and are its users.
//!
//! ```
//! use atoms::{Premise, Template};
//!
//! let text = "program count
//! field size: int<32>
//! field valid: bool
//! local old: int<32>
//! local new: int<32>
//! register bytes: int<32> = 0
//! packet {
//!   old = @bytes
//!   new = old + size
//!   @bytes = new if valid
//! }";
//! let program = ir::parse::program("count.ir", text).unwrap();
//! // Everything that the codelet uses is a field of the packet, so no variable has a definition outside of it.
//! let definitions = |_| None;
//!
//! // Some packets do not change the register, so an atom that always adds is refused, with the reason.
//! let template = Template::ReadAddWrite;
//! let refusal = atoms::map(&program, &program.packet, &definitions, template, Premise::None).unwrap_err();
//! assert_eq!(refusal.to_string(), "needs 2 packet operands (size, valid); `raw` has 1");
//!
//! let least = atoms::least(&program, &program.packet, &definitions).exact.unwrap();
//! assert_eq!(least.template, Template::PredicatedReadAddWrite);
//! assert_eq!(
//!     least.configuration.to_string(),
//!     "if 0 != pkt_1 {\n  state_1 = state_1 + pkt_2\n} else {\n  state_1 = state_1\n}\n"
//! );
//! // Any solver that reads SMT-LIB answers `unsat`.
//! assert!(atoms::smt_lib(&least).ends_with("(check-sat)\n"));
//! ```

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

use ir::{Expression, Program, Statement, VariableId};

pub use attempts::Attempts;
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
    Attempts::default().map(program, body, definitions, template, premise)
}

/// Returns the least template that computes a codelet for all inputs, and a lesser one that does so if sums do not
/// overflow. The arguments are those of [`map`].
///
/// Tries `rw`, `raw`, `pred_raw`, `if_else_raw`, `sub`, `nested_ifs` and `pair`; for a codelet that multiplies, also
/// `mul_acc` after `raw`.
pub fn least(program: &Program, body: &[Statement], definitions: &dyn Fn(VariableId) -> Option<Expression>) -> Least {
    Attempts::default().least(program, body, definitions)
}
