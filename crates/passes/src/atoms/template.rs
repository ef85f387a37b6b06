//! The atom templates: what circuits a stage may offer to hold and update state.

use std::fmt;

/// A stateful circuit whose configuration is chosen by the compiler.
///
/// The templates are those of Domino (Sivaraman et al., "Packet Transactions", SIGCOMM 2016, section 5.2 and table
/// 4). `docs/atoms.md` draws each one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Template {
    /// Takes an operand or a constant.
    ReadWrite,
    /// Adds an operand or a constant to the state or to zero.
    ReadAddWrite,
    /// Like `raw` if a comparison of the state holds, else keeps the state.
    PredicatedReadAddWrite,
    /// One of two `raw`s, by a comparison of the state.
    IfElseReadAddWrite,
    /// One of two sums or differences of two operands, added to the state or to zero.
    Subtract,
    /// One of four such sums or differences, by two levels of comparisons that may add and subtract operands.
    NestedIfs,
    /// Two states side by side: one of four pairs of such sums, or both keep their values.
    Pair,
    /// The state times an operand or a constant, plus an operand.
    MultiplyAccumulate,
}

impl Template {
    /// Every template.
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

    /// The templates in which the next one can do all that the one before can.
    pub const CHAIN: [Self; 7] = [
        Self::ReadWrite,
        Self::ReadAddWrite,
        Self::PredicatedReadAddWrite,
        Self::IfElseReadAddWrite,
        Self::Subtract,
        Self::NestedIfs,
        Self::Pair,
    ];

    /// The name that machines offer it by.
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

    /// The template of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|template| template.name() == name)
    }

    /// How many values of a packet it takes, `pkt_1` and so on.
    pub const fn operands(self) -> usize {
        match self {
            Self::ReadWrite | Self::ReadAddWrite => 1,
            Self::MultiplyAccumulate => 3,
            _ => 2,
        }
    }

    /// How many registers it holds.
    pub const fn states(self) -> usize {
        match self {
            Self::Pair => 2,
            _ => 1,
        }
    }

    /// True if its update has an adder for two sources beside the state.
    pub(super) const fn adds_two_sources(self) -> bool {
        matches!(self, Self::Subtract | Self::NestedIfs | Self::Pair)
    }

    /// True if its comparisons have an adder in front.
    pub(super) const fn compares_sums(self) -> bool {
        matches!(self, Self::NestedIfs | Self::Pair)
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a claim takes for granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Premise {
    /// Nothing: equal for all 32-bit inputs.
    #[default]
    None,
    /// The codelet's own additions, subtractions and multiplications by constants do not overflow signed 32 bits;
    /// those of definitions that the atom absorbs count as the codelet's.
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
