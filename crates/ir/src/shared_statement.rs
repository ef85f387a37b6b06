//! Statements about state that packets share, and about communication with what lies outside the program.

use crate::{CounterId, Effect, Expression, FilterId, MeterId, VariableId, WredId};

/// A statement about state that packets share, or about communication with what lies outside the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedStatement {
    /// Counts the packet; does nothing if the index is outside of the array, or if no entry has the slot.
    Count {
        /// The array of counters, or the direct counter of a table that [`crate::Table::counts_when_called`].
        counter: CounterId,
        /// The index of the counter, or the slot of the table's entry; a number.
        index: Expression,
        /// The number of bytes that are added to the packet's length: an `int<N>` of at most 64 bits. The sum is not less
        /// than 0.
        adjust: Option<Expression>,
    },
    /// Measures the packet by a meter (RFC 2698). The result is green if the index is outside of the array, or if no entry
    /// has the slot.
    Measure {
        /// The array of meters, or the direct meter of a table that [`crate::Table::counts_when_called`].
        meter: MeterId,
        /// The index of the meter, or the slot of the table's entry; a number.
        index: Expression,
        /// The colour that the packet already has, for the colour-aware mode: a number, of which 0 is green, 1 yellow, and
        /// all others red. `None` stands for the colour-blind mode.
        before: Option<Expression>,
        /// The number of bytes that are added to the packet's length for a meter that measures bytes: an `int<N>` of at
        /// most 64 bits. The sum is not less than 0.
        adjust: Option<Expression>,
        /// The variable that receives the colour: 0 for green, 1 for yellow, 2 for red.
        color: VariableId,
    },
    /// Takes a value into a low-pass filter. The result is the value if the index is outside of the array.
    Filter {
        /// The array of filters.
        filter: FilterId,
        /// The index of the filter, a number.
        index: Expression,
        /// The value, a number; one of more than 32 bits counts as the greatest of 32.
        value: Expression,
        /// The variable that receives the output, of at most 32 bits.
        result: VariableId,
    },
    /// Takes a value, such as the depth of a queue, into a random early detector. The packet is not to be dropped if the
    /// index is outside of the array.
    Wred {
        /// The array of detectors.
        wred: WredId,
        /// The index of the detector, a number.
        index: Expression,
        /// The value, a number; one of more than 32 bits counts as the greatest of 32.
        value: Expression,
        /// The bool that receives whether the packet is to be dropped.
        drops: VariableId,
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
            Self::Count { index, adjust, .. } => [index].into_iter().chain(adjust).collect(),
            Self::Measure { index, before, adjust, .. } => [index].into_iter().chain(before).chain(adjust).collect(),
            Self::Filter { index, value, .. } | Self::Wred { index, value, .. } => vec![index, value],
            Self::Random { low, high, .. } => vec![low, high],
            Self::Effect(effect) => effect.expressions(),
            Self::Log { values, .. } => values.iter().collect(),
            Self::Assert { condition, .. } => vec![condition],
        }
    }

    /// Returns the operands of the statement, for modification.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        match self {
            Self::Count { index, adjust, .. } => [index].into_iter().chain(adjust).collect(),
            Self::Measure { index, before, adjust, .. } => [index].into_iter().chain(before).chain(adjust).collect(),
            Self::Filter { index, value, .. } | Self::Wred { index, value, .. } => vec![index, value],
            Self::Random { low, high, .. } => vec![low, high],
            Self::Effect(effect) => effect.expressions_mut(),
            Self::Log { values, .. } => values.iter_mut().collect(),
            Self::Assert { condition, .. } => vec![condition],
        }
    }
}
