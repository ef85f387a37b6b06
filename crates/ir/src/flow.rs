//! Statements that choose what comes next: loops, calls, tables.

use crate::{Expression, FunctionId, ParserId, Statement, TableId, VariableId};

/// A statement that chooses what comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// `while condition { body } next { step }`: as long as the condition holds, the body and then the step.
    Loop {
        /// A bool.
        condition: Expression,
        /// What is repeated.
        body: Vec<Statement>,
        /// What follows each turn, also after [`Flow::Continue`].
        step: Vec<Statement>,
    },
    /// Ends the innermost loop.
    Break,
    /// Ends the body of the innermost loop; its step follows.
    Continue,
    /// Ends the function.
    Return,
    /// Ends the entry point: every function on the way up ends, and what is in `after` of each call is still done
    /// (P4_16, 12.5: copy-out also happens on exit).
    Exit,
    /// Runs a function.
    Call {
        /// Which one.
        function: FunctionId,
        /// What follows in any case, also on [`Flow::Exit`]: takes back what comes out of the function.
        after: Vec<Statement>,
    },
    /// Runs a parser from its start, which goes on where the packet is. If it rejects, so does the parser around it.
    Parse {
        /// Which one.
        parser: ParserId,
        /// What follows in any case, also if it rejects: takes back what comes out of the parser, so that headers that
        /// were extracted are there.
        after: Vec<Statement>,
    },
    /// Looks a packet up in a table, and runs the action that is found.
    Apply {
        /// Which table.
        table: TableId,
        /// A bool that becomes true if an entry matched and false if none did, before the action runs.
        hit: Option<VariableId>,
        /// A `bit<32>` that becomes the place of the action in the table's list, before the action runs.
        action: Option<VariableId>,
    },
}

impl Flow {
    /// The expressions directly inside.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Loop { condition, .. } => vec![condition],
            _ => vec![],
        }
    }

    /// The expressions directly inside, to change.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Loop { condition, .. } => vec![condition],
            _ => vec![],
        }
    }

    /// The blocks directly inside, in the order of the text.
    pub fn blocks(&self) -> Vec<&[Statement]> {
        match self {
            Self::Loop { body, step, .. } => vec![body, step],
            Self::Call { after, .. } | Self::Parse { after, .. } => vec![after],
            _ => vec![],
        }
    }
}
