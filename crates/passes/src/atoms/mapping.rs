//! What comes of trying to map a codelet: a proven mapping, or the reason why there is none.

use std::fmt;

use ir::{Expression, RegisterId, VariableId};

use super::{Claim, Configuration, Counterexample, Premise, Template};

/// A codelet as a configured atom, proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The atom.
    pub template: Template,
    /// How it is configured. Prints as a small program over `state_1`, `pkt_1` and so on.
    pub configuration: Configuration,
    /// The variables that feed `pkt_1` and so on. A bool feeds as an int that is true when it is not zero.
    pub operands: Vec<VariableId>,
    /// What becomes of each register that the codelet writes, `state_1` first.
    pub updates: Vec<RegisterUpdate>,
    /// The bool under which the codelet's registers are accessed at all, which the claim takes for granted: the
    /// predicate that all its reads share, or that its only write has if nothing is read. `None` is always.
    pub access: Option<Expression>,
    /// What the claim takes for granted beside.
    pub premise: Premise,
    /// What was proven.
    pub claim: Claim,
    /// If the premise is [`Premise::NoOverflow`], inputs that overflow for which the atom does something else than
    /// the program; `None` if none is known.
    pub differs: Option<Counterexample>,
    /// How many candidate units were examined to find it.
    pub examined: u64,
}

/// The new value of one register. It is written whenever the codelet accesses the register at all, also if it is
/// the old value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterUpdate {
    /// Which register.
    pub register: RegisterId,
    /// Where in the array, as the codelet says; `None` for a scalar.
    pub index: Option<Expression>,
    /// The variable that the codelet reads the old value into; `None` if it only writes.
    pub old: Option<VariableId>,
    /// The new value: an expression tree over the old values' variables and the operands. Where it needs the old
    /// value of a register that the codelet does not read, it has the read inside.
    pub value: Expression,
}

/// Why a codelet does not map to an atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unmappable {
    /// More registers than the template holds.
    States {
        /// How many registers the codelet updates together.
        needed: usize,
        /// The template.
        template: Template,
    },
    /// An operation on the state that no template but perhaps `mul_acc` has.
    Operation(&'static str),
    /// A register that atoms do not hold, or not together with another one.
    Width {
        /// Its name.
        register: String,
    },
    /// More values of the packet than the template takes.
    Operands {
        /// Names of the values.
        needed: Vec<String>,
        /// The template.
        template: Template,
    },
    /// Every candidate was refuted.
    NoConfiguration {
        /// The template.
        template: Template,
        /// How many candidate units were examined.
        examined: u64,
    },
    /// The search or a proof ran into its bound on steps.
    StepBound {
        /// The template.
        template: Template,
        /// How many candidate units were examined.
        examined: u64,
    },
    /// The statements are not a codelet: a fault of the caller.
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
                "`{register}` is no number of at most 64 bits, or of another type than what is updated with it"
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

/// The least atom for a codelet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Least {
    /// The first template that computes it for all inputs, or why the last one does not.
    pub exact: Result<Mapping, Unmappable>,
    /// A lesser template that computes it if the program's sums do not overflow.
    pub without_overflow: Option<Mapping>,
}

impl Least {
    /// The least mapping under a premise.
    pub fn under(&self, premise: Premise) -> Result<&Mapping, &Unmappable> {
        match (&self.without_overflow, premise) {
            (Some(mapping), Premise::NoOverflow) => Ok(mapping),
            _ => self.exact.as_ref(),
        }
    }
}
