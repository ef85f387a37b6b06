//! A program fitted to the stages of a pipelined machine: the result of the passes, and all that a machine sees.

use crate::{Expression, Program, RegisterId, Statement};

/// A program laid out in stages.
///
/// Invariants, checked by [`Pipeline::verify`]: the bodies are straight-line three-address code in single
/// assignment; an atom reads only variables that earlier stages, or earlier statements of its own body, assign, and in
/// a match-action stage what [`crate::match_action`] allows of earlier atoms of the same stage; a register is accessed
/// by one atom only; each register belongs to exactly one access, at that atom's stage.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Pipeline {
    /// Variables, registers and exports; its `packet` is empty, for the code is in the stages.
    pub program: Program,
    /// The stages, in the order in which a packet passes them.
    pub stages: Vec<Stage>,
    /// How many of the first stages hold no state: what is known early of accesses is computed in them. 0 for a pipeline
    /// in which nothing is known before a packet gets to the state.
    pub early_stages: u32,
    /// Who accesses state, in order of stage.
    pub accesses: Vec<Access>,
    /// What its stages are like.
    pub kind: StageKind,
}

/// What the stages of a pipeline are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StageKind {
    /// One operation deep: no atom reads what another one of the stage assigns (Banzai: Sivaraman et al., "Packet
    /// Transactions", SIGCOMM 2016, section 2).
    #[default]
    Banzai,
    /// Match, then action: an atom reads of its stage what is made in phases before its own
    /// ([`crate::match_action::Phase`]), by atoms before it in the list.
    MatchAction,
}

/// What happens to a packet in one cycle: its atoms work side by side, or in phases.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stage {
    /// The atoms. Carried out in this order they mean what the stage does, of whichever kind it is.
    pub atoms: Vec<Atom>,
}

/// A circuit of a stage and what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The least template that a stateful atom is an instance of, such as `pred_raw`, which the machine's own atom
    /// includes; `None` for a stateless one.
    pub template: Option<String>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A group of registers that are accessed together, and what is known of that before a packet gets there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The registers, accessed at one index by one atom. They move together.
    pub registers: Vec<RegisterId>,
    /// The stage whose atom accesses them.
    pub stage: u32,
    /// Where: a constant or a variable; `None` for scalars.
    pub index: Option<Expression>,
    /// Whether.
    pub predicate: Predicate,
    /// How far a machine may hold the values in different places.
    pub division: Division,
}

/// What is known beforehand of whether a packet accesses a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Every packet does.
    Always,
    /// This bool, known after the early stages, says it.
    Early(Expression),
    /// This bool says it, and is known only later, before the access's stage.
    Late(Expression),
}

/// How far the values of an access can be divided among places, for machines that hold state in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Each index by itself: `index` is known after the early stages.
    ByIndex,
    /// Not at all: a scalar, an index that is known only later, or several arrays in one stage.
    Whole,
}

impl Predicate {
    /// The bool that says it; `None` if every packet accesses the register.
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Always => None,
            Self::Early(expression) | Self::Late(expression) => Some(expression),
        }
    }
}

impl Atom {
    /// True if it accesses registers.
    pub fn is_stateful(&self) -> bool {
        self.template.is_some()
    }
}

impl Pipeline {
    /// How many stages a packet passes.
    pub fn depth(&self) -> usize {
        self.stages.len()
    }

    /// How many indices an access has: its registers' length, 1 for scalars.
    pub fn indices_of(&self, access: &Access) -> usize {
        access.registers.iter().map(|&register| self.program.register(register).size()).max().unwrap_or(1)
    }
}
