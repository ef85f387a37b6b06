//! The atom templates: the circuits that a stage may offer to hold and update state.

use std::fmt;

/// A stateful circuit whose configuration is chosen by the compiler.
///
/// The templates are those of Domino (Sivaraman et al., "Packet Transactions", SIGCOMM 2016, section 5.2 and table
/// 4). `docs/atoms.md` draws each one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Template {
    /// Replaces the state by an operand or a constant.
    ReadWrite,
    /// Adds an operand or a constant to the state or to zero.
    ReadAddWrite,
    /// Does what `raw` does if a comparison of the state holds; otherwise keeps the state.
    PredicatedReadAddWrite,
    /// Does what one of two `raw`s does, chosen by a comparison of the state.
    IfElseReadAddWrite,
    /// Adds one of two sums or differences of two operands to the state or to zero, chosen by a comparison of the
    /// state.
    Subtract,
    /// Adds one of four such sums or differences, chosen by two levels of comparisons that may add and subtract
    /// operands.
    NestedIfs,
    /// Updates two states by one of four pairs of such sums, or keeps both.
    Pair,
    /// Multiplies the state by an operand or a constant and adds an operand.
    MultiplyAccumulate,
}

impl Template {
    /// All templates.
    pub const ALL: [Self; 8] = [
        Self::ReadWrite,
        Self::ReadAddWrite,
        Self::PredicatedReadAddWrite,
        Self::IfElseReadAddWrite,
        Self::Subtract,
        Self::NestedIfs,
        Self::Pair,
        Self::MultiplyAccumulate,
    ];

    /// The templates that form a chain, in which each can do everything that the one before it can.
    pub const CHAIN: [Self; 7] = [
        Self::ReadWrite,
        Self::ReadAddWrite,
        Self::PredicatedReadAddWrite,
        Self::IfElseReadAddWrite,
        Self::Subtract,
        Self::NestedIfs,
        Self::Pair,
    ];

    /// Returns the name of the template, as machines and messages use it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadWrite => "rw",
            Self::ReadAddWrite => "raw",
            Self::PredicatedReadAddWrite => "pred_raw",
            Self::IfElseReadAddWrite => "if_else_raw",
            Self::Subtract => "sub",
            Self::NestedIfs => "nested_ifs",
            Self::Pair => "pair",
            Self::MultiplyAccumulate => "mul_acc",
        }
    }

    /// Returns the template with the given name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.name() == name)
    }

    /// Returns the number of packet operands that the template takes (`pkt_1` and so on).
    pub const fn operands(self) -> usize {
        match self {
            Self::ReadWrite | Self::ReadAddWrite => 1,
            Self::MultiplyAccumulate => 3,
            _ => 2,
        }
    }

    /// Returns the number of registers that the template holds.
    pub const fn states(self) -> usize {
        match self {
            Self::Pair => 2,
            _ => 1,
        }
    }

    /// Returns true if the update has an adder for two sources beside the state.
    pub(crate) const fn adds_two_sources(self) -> bool {
        matches!(self, Self::Subtract | Self::NestedIfs | Self::Pair)
    }

    /// Returns true if the comparisons have an adder in front.
    pub(crate) const fn compares_sums(self) -> bool {
        matches!(self, Self::NestedIfs | Self::Pair)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The premise of a claim, beyond the access predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Premise {
    /// No premise: the claim holds for all inputs.
    #[default]
    None,
    /// The codelet's own additions, subtractions and multiplications by constants do not overflow signed 32 bits. Those
    /// of definitions that the atom absorbs count as the codelet's own.
    NoOverflow,
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "for all 32-bit inputs",
            Self::NoOverflow => "for all 32-bit inputs for which no sum of the program overflows",
        })
    }
}
