//! Programs fitted to the stages of a pipelined machine: the result of the passes, and all that such a machine sees.

use crate::{Expression, Program, RegisterId, Statement};

/// A program laid out in stages.
///
/// Invariants, checked by [`Pipeline::verify`]:
///
/// - The bodies are straight-line three-address code in single assignment.
/// - An atom reads only variables that earlier stages, or earlier statements of its own body, assign. In a match-action
///   stage it may also read what [`crate::match_action`] allows of earlier atoms of the same stage.
/// - A register is accessed by one atom only, and belongs to exactly one access, at that atom's stage.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Pipeline {
    /// The variables, registers, tables and exports. Its `packet` block is empty, because the code is in the stages.
    pub program: Program,
    /// The stages, in the order in which a packet passes them.
    pub stages: Vec<Stage>,
    /// The number of stages at the front that hold no state and resolve addresses: they compute the indices and
    /// predicates that are known early. It is 0 for a pipeline in which nothing is known before a packet reaches the
    /// state.
    pub early_stages: u32,
    /// The accesses to state, in order of stage.
    pub accesses: Vec<Access>,
    /// The kind of its stages.
    pub kind: StageKind,
}

/// The kind of a pipeline's stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum StageKind {
    /// One operation deep: no atom reads what another atom of the stage assigns (Banzai: Sivaraman et al., "Packet
    /// Transactions", SIGCOMM 2016, section 2).
    #[default]
    Banzai,
    /// Match, then action: an atom may read what earlier atoms of the same stage make in phases before its own
    /// ([`crate::match_action::Phase`]).
    MatchAction,
}

/// The work on a packet in one cycle: its atoms run side by side, or in phases.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stage {
    /// The atoms. Executing them in this order gives the effect of the stage, whatever its kind.
    pub atoms: Vec<Atom>,
}

/// A circuit of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    /// The smallest template that a stateful atom is an instance of, such as `pred_raw`, which the machine's own atom
    /// subsumes; `None` for a stateless atom.
    pub template: Option<String>,
    /// The statements that the circuit executes.
    pub body: Vec<Statement>,
}

/// A group of registers that are accessed together, and what is known about the access before a packet reaches it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The registers, which one atom accesses at one index. A machine that moves state moves them together.
    pub registers: Vec<RegisterId>,
    /// The stage whose atom accesses them.
    pub stage: u32,
    /// The index, a constant or a variable; `None` for scalars.
    pub index: Option<Expression>,
    /// The condition under which a packet accesses the registers.
    pub predicate: Predicate,
    /// Whether a machine may hold the values in different places.
    pub division: Division,
}

/// The knowledge in advance about whether a packet accesses a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predicate {
    /// Every packet accesses it.
    Always,
    /// The packet accesses it if this bool is true, which is known after the early stages.
    Early(Expression),
    /// The packet accesses it if this bool is true, which is known only later, but before the stage of the access.
    Late(Expression),
}

/// The way in which the values of an access can be divided among places, for machines that hold state in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// Each index can be placed by itself: `index` is known after the early stages.
    ByIndex,
    /// The values must stay together: a scalar, an index that is known only later, or several arrays in one stage.
    Whole,
}

impl Predicate {
    /// Returns the condition; `None` if every packet accesses the register.
    pub fn expression(&self) -> Option<&Expression> {
        match self {
            Self::Always => None,
            Self::Early(expression) | Self::Late(expression) => Some(expression),
        }
    }
}

impl Atom {
    /// Returns true if the atom accesses registers.
    pub fn is_stateful(&self) -> bool {
        self.template.is_some()
    }
}

impl Pipeline {
    /// Returns the number of stages.
    pub fn depth(&self) -> usize {
        self.stages.len()
    }

    /// Returns the number of indices of an access: the greatest length of its registers, or 1 for scalars.
    ///
    /// # Panics
    /// If a register of the access does not exist.
    pub fn indices_of(&self, access: &Access) -> usize {
        access.registers.iter().map(|&register| self.program.register(register).size()).max().unwrap_or(1)
    }
}
