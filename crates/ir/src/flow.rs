//! Control flow: loops, calls, tables.

use crate::{Expression, FunctionId, ParserId, Statement, TableId, VariableId};

/// A control-flow statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Flow {
    /// `while condition { body } next { step }`: runs the body and then the step as long as the condition holds.
    Loop {
        /// The condition, a bool, which is evaluated before each iteration.
        condition: Expression,
        /// The block that is repeated.
        body: Vec<Statement>,
        /// The block that runs after each iteration, also after [`Flow::Continue`].
        step: Vec<Statement>,
    },
    /// Ends the innermost loop.
    Break,
    /// Ends the current iteration of the innermost loop; its step follows.
    Continue,
    /// Returns from the function.
    Return,
    /// Ends the entry point. All calls are unwound, and the `after` block of each still runs (P4_16, 12.5: copy-out
    /// also happens on exit).
    Exit,
    /// Calls a function.
    Call {
        /// The function.
        function: FunctionId,
        /// The block that copies out the results. It runs however the function ends, also on [`Flow::Exit`].
        after: Vec<Statement>,
    },
    /// Calls a parser, which starts in its first state at the current position in the packet. If it rejects, so does
    /// the calling parser.
    Parse {
        /// The parser.
        parser: ParserId,
        /// The block that copies out the results. It runs even if the parser rejects, so that the headers that it
        /// extracted are visible.
        after: Vec<Statement>,
    },
    /// Applies a table: looks up its keys and runs the action that is found.
    Apply {
        /// The table.
        table: TableId,
        /// A bool that is set before the action runs: true if an entry matched, false if none did.
        hit: Option<VariableId>,
        /// A `bit<32>` that is set, before the action runs, to the index of the action in the table's list.
        action: Option<VariableId>,
        /// A `bit<32>` that is set, before the action runs, to the slot of the entry that matched, or to all ones if none
        /// did. Only tables with [`crate::Table::has_slots`] set one.
        entry: Option<VariableId>,
    },
}

impl Flow {
    /// Returns the operands of the statement.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Loop { condition, .. } => vec![condition],
            _ => vec![],
        }
    }

    /// Returns the operands of the statement, for modification.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Loop { condition, .. } => vec![condition],
            _ => vec![],
        }
    }

    /// Returns the nested blocks, in the order of the text.
    pub fn blocks(&self) -> Vec<&[Statement]> {
        match self {
            Self::Loop { body, step, .. } => vec![body, step],
            Self::Call { after, .. } | Self::Parse { after, .. } => vec![after],
            _ => vec![],
        }
    }
}
