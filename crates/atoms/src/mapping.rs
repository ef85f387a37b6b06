//! The results of mapping a codelet: a proven mapping, or the reason why there is none.

use std::fmt;

use ir::{Expression, RegisterId, VariableId};

use crate::{Claim, Configuration, Counterexample, Premise, Template};

/// A configured atom that is proven to compute a codelet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The template of the atom.
    pub template: Template,
    /// The configuration of the atom. It prints as a small program over `state_1`, `pkt_1` and so on.
    pub configuration: Configuration,
    /// The variables that feed `pkt_1` and so on. A Boolean is fed as a number that is not zero if it is true.
    pub operands: Vec<VariableId>,
    /// The new value of each register that the codelet writes, `state_1` first.
    pub updates: Vec<RegisterUpdate>,
    /// The predicate under which the codelet's registers are accessed at all, which the claim assumes to hold: the one
    /// that all its reads share, or all its writes if nothing is read. `None` if every packet accesses them.
    pub access: Option<Expression>,
    /// The further premise of the claim.
    pub premise: Premise,
    /// The claim that was proven.
    pub claim: Claim,
    /// If the premise is [`Premise::NoOverflow`], an input that overflows and for which the atom differs from the
    /// program; `None` if none is known.
    pub differs: Option<Counterexample>,
    /// The number of candidate units that were examined to find the mapping.
    pub examined: u64,
}

/// The new value of one register. It is written whenever the codelet accesses the register at all, even if it equals
/// the old value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterUpdate {
    /// The register.
    pub register: RegisterId,
    /// The index in the array, as in the codelet; `None` for a scalar.
    pub index: Option<Expression>,
    /// The variable into which the codelet reads the old value; `None` if it only writes.
    pub old: Option<VariableId>,
    /// The new value: an expression tree over the variables of the old values and the operands. Where it needs the old
    /// value of a register that the codelet does not read, it contains the read.
    pub value: Expression,
}

/// The reason why a codelet does not map to an atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmappable {
    /// The codelet updates more registers than the template holds.
    States {
        /// The number of registers that the codelet updates together.
        needed: usize,
        /// The template that was tried.
        template: Template,
    },
    /// The codelet applies an operation to its state that no template supports, except perhaps `mul_acc`.
    Operation(&'static str),
    /// A register has a type that atoms cannot hold, or that differs from the type of another register of the codelet.
    Width {
        /// The name of the register.
        register: String,
    },
    /// The codelet needs more packet operands than the template takes.
    Operands {
        /// The names of the operands.
        needed: Vec<String>,
        /// The template that was tried.
        template: Template,
    },
    /// All candidates were refuted.
    NoConfiguration {
        /// The template that was tried.
        template: Template,
        /// The number of candidate units that were examined.
        examined: u64,
    },
    /// The search or a proof reached its bound on steps.
    StepBound {
        /// The template that was tried.
        template: Template,
        /// The number of candidate units that were examined.
        examined: u64,
    },
    /// The statements are not a codelet, which is a bug in the caller.
    Malformed(String),
}

impl fmt::Display for Unmappable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States { needed, template } if template.states() == 1 => {
                write!(f, "updates {needed} registers together; `{template}` holds 1")
            }
            Self::States { needed, .. } => {
                write!(f, "updates {needed} registers together; no atom holds more than 2")
            }
            Self::Operation(what) => write!(f, "{what}"),
            Self::Width { register } => write!(
                f,
                "`{register}` is not a number of at most 64 bits, or differs in type from a register updated with it"
            ),
            Self::Operands { needed, template } => write!(
                f,
                "needs {} packet operands ({}); `{template}` has {}",
                needed.len(),
                needed.join(", "),
                template.operands()
            ),
            Self::NoConfiguration { template, examined } => {
                write!(f, "no configuration of `{template}` computes it ({examined} candidates examined)")
            }
            Self::StepBound { template, examined } => {
                write!(f, "the step bound was reached while looking for a configuration of `{template}` ")?;
                write!(f, "({examined} candidates examined)")
            }
            Self::Malformed(what) => write!(f, "not a codelet: {what}"),
        }
    }
}

impl std::error::Error for Unmappable {}

/// The least templates that compute a codelet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// The mapping to the first template that computes the codelet for all inputs, or the reason why the last one does
    /// not.
    pub exact: Result<Mapping, Unmappable>,
    /// The mapping to a lesser template that computes the codelet if the program's sums do not overflow.
    pub without_overflow: Option<Mapping>,
}

impl Least {
    /// Returns the least mapping under a premise.
    ///
    /// # Errors
    ///
    /// Returns the reason why the last template does not compute the codelet if none does.
    pub fn under(&self, premise: Premise) -> Result<&Mapping, &Unmappable> {
        match (&self.without_overflow, premise) {
            (Some(mapping), Premise::NoOverflow) => Ok(mapping),
            _ => self.exact.as_ref(),
        }
    }
}
