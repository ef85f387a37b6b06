//! Statements about state that packets share, and about communication with what lies outside the program.

use crate::{CounterId, Effect, Expression, MeterId, VariableId};

/// A statement about state that packets share, or about communication with what lies outside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedStatement {
    /// Counts the packet; does nothing if the index is outside of the array.
    Count {
        /// The array of counters.
        counter: CounterId,
        /// The index of the counter, a number.
        index: Expression,
    },
    /// Measures the packet by a colour-blind meter (RFC 2698). The result is green if the index is outside of the
    /// array.
    Measure {
        /// The array of meters.
        meter: MeterId,
        /// The index of the meter, a number.
        index: Expression,
        /// The variable that receives the colour: 0 for green, 1 for yellow, 2 for red.
        color: VariableId,
    },
    /// Draws a random number.
    Random {
        /// The variable that receives the number, a `bit<N>`.
        variable: VariableId,
        /// The least possible number, of the type of the variable.
        low: Expression,
        /// The greatest possible number, of the type of the variable. If it is less than `low`, the result is
        /// undefined.
        high: Expression,
    },
    /// Requests something from the machine.
    Effect(Effect),
    /// Writes a message to the log.
    Log {
        /// The text, with `{}` for each value.
        text: String,
        /// The values, in the order of their placeholders.
        values: Vec<Expression>,
    },
    /// Asserts a condition. If it does not hold, the packet is dropped and the failure is counted.
    Assert {
        /// The condition, a bool.
        condition: Expression,
        /// The message that is logged on failure.
        text: String,
    },
}

impl SharedStatement {
    /// Returns the operands of the statement.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Count { index, .. } | Self::Measure { index, .. } => vec![index],
            Self::Random { low, high, .. } => vec![low, high],
            Self::Effect(effect) => effect.expressions(),
            Self::Log { values, .. } => values.iter().collect(),
            Self::Assert { condition, .. } => vec![condition],
        }
    }

    /// Returns the operands of the statement, for modification.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Count { index, .. } | Self::Measure { index, .. } => vec![index],
            Self::Random { low, high, .. } => vec![low, high],
            Self::Effect(effect) => effect.expressions_mut(),
            Self::Log { values, .. } => values.iter_mut().collect(),
            Self::Assert { condition, .. } => vec![condition],
        }
    }
}
