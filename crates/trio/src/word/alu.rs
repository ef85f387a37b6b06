//! What ALUs compute.

/// An operation of an ALU on two operands of 32 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AluOperation {
    /// The left operand.
    #[default]
    Pass,
    /// The sum, which wraps around.
    Add,
    /// The difference, which wraps around.
    Subtract,
    /// The bits that are set in both.
    And,
    /// The bits that are set in one or both.
    Or,
    /// The bits that are set in one of them.
    Xor,
    /// The bits that are not set in the left operand.
    Complement,
    /// The left operand shifted to the left; 0 if the count is 32 or more.
    ShiftLeft,
    /// The left operand shifted to the right, with zeros at the top; 0 if the count is 32 or more.
    ShiftRight,
    /// The left operand shifted to the right, with copies of its sign at the top.
    ShiftRightSigned,
    /// 1 if the operands are equal, and 0 otherwise, as for all comparisons.
    Equal,
    /// 1 if they are not equal.
    NotEqual,
    /// 1 if the left one is less than the right one, both without a sign.
    Less,
    /// 1 if the left one is at most the right one, both without a sign.
    AtMost,
    /// 1 if the left one is less than the right one, both with a sign.
    LessSigned,
    /// 1 if the left one is at most the right one, both with a sign.
    AtMostSigned,
    /// The left operand if the choice of the move ALU holds, and the right one otherwise. Only move ALUs have it.
    Select,
}

impl AluOperation {
    /// All operations; the place of one is its number in words.
    pub const ALL: [Self; 17] = [
        Self::Pass,
        Self::Add,
        Self::Subtract,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Complement,
        Self::ShiftLeft,
        Self::ShiftRight,
        Self::ShiftRightSigned,
        Self::Equal,
        Self::NotEqual,
        Self::Less,
        Self::AtMost,
        Self::LessSigned,
        Self::AtMostSigned,
        Self::Select,
    ];

    /// Returns whether the result is a condition: 0 or 1.
    pub const fn is_comparison(self) -> bool {
        use AluOperation::{AtMost, AtMostSigned, Equal, Less, LessSigned, NotEqual};
        matches!(self, Equal | NotEqual | Less | AtMost | LessSigned | AtMostSigned)
    }

    /// Returns whether the right operand matters.
    pub const fn is_binary(self) -> bool {
        !matches!(self, Self::Pass | Self::Complement)
    }

    /// Returns the result. [`AluOperation::Select`] has none without a choice; it gives the left operand here.
    #[inline]
    pub const fn of(self, left: u32, right: u32) -> u32 {
        match self {
            Self::Pass | Self::Select => left,
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::Complement => !left,
            Self::ShiftLeft if right >= 32 => 0,
            Self::ShiftLeft => left << right,
            Self::ShiftRight if right >= 32 => 0,
            Self::ShiftRight => left >> right,
            Self::ShiftRightSigned => ((left as i32) >> if right >= 32 { 31 } else { right }) as u32,
            Self::Equal => (left == right) as u32,
            Self::NotEqual => (left != right) as u32,
            Self::Less => (left < right) as u32,
            Self::AtMost => (left <= right) as u32,
            Self::LessSigned => ((left as i32) < right as i32) as u32,
            Self::AtMostSigned => ((left as i32) <= right as i32) as u32,
        }
    }
}
