//! Statements about what packets share, and about what comes from outside a program or goes there.

use crate::{CounterId, Effect, Expression, MeterId, VariableId};

/// A statement about what packets share, or what comes from outside or goes there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedStatement {
    /// A counter counts the packet; outside of the array nothing happens.
    Count {
        /// Which counters.
        counter: CounterId,
        /// Which of them: a number.
        index: Expression,
    },
    /// A meter measures the packet (RFC 2698, colour-blind); outside of the array it is green.
    Measure {
        /// Which meters.
        meter: MeterId,
        /// Which of them: a number.
        index: Expression,
        /// Takes the colour: 0 is green, 1 yellow, 2 red.
        color: VariableId,
    },
    /// A number is drawn.
    Random {
        /// Takes the number: a `bit<N>`.
        variable: VariableId,
        /// The least, of the type of the variable.
        low: Expression,
        /// The most, of the type of the variable; below the least, the value is undefined.
        high: Expression,
    },
    /// The machine is asked for something.
    Effect(Effect),
    /// A message for people.
    Log {
        /// The text, with `{}` for each value.
        text: String,
        /// The values.
        values: Vec<Expression>,
    },
    /// Something that its author takes to be true. If it is not, the packet is dropped and the failure is counted.
    Assert {
        /// A bool.
        condition: Expression,
        /// What is written, for people.
        text: String,
    },
}

impl SharedStatement {
    /// The expressions directly inside.
    pub fn expressions(&self) -> Vec<&Expression> {
        match self {
            Self::Count { index, .. } | Self::Measure { index, .. } => vec![index],
            Self::Random { low, high, .. } => vec![low, high],
            Self::Effect(effect) => effect.expressions(),
            Self::Log { values, .. } => values.iter().collect(),
            Self::Assert { condition, .. } => vec![condition],
        }
    }

    /// The expressions directly inside, to change.
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
