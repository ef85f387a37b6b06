//! Conditions: comparisons of condition ALUs, and how the sequencing logic combines them.

use ir::{BinaryOperator, Expression, Type, UnaryOperator};

use super::Mapper;
use super::formula::Formula;
use super::operand::{Core, constant, placed};
use super::value::Bits;
use crate::parameters::ALU_BITS;
use crate::word::{AluOperation, Combination, Field, MOST_INPUTS};

impl Mapper<'_> {
    /// Maps a condition.
    pub(super) fn combination(&mut self, condition: &Expression) -> Combination {
        let formula = self.formula(condition);
        formula.combination().unwrap_or_else(|inputs| {
            // If there are not so many ALUs, that is what is wrong.
            if inputs <= self.parameters.condition_alus as usize {
                self.refuse(
                    format!("a condition of {inputs} comparisons; {MOST_INPUTS} are combined"),
                    "combine some of them in an instruction before",
                );
            }
            Combination::ALWAYS
        })
    }

    fn formula(&mut self, condition: &Expression) -> Formula {
        if let Some(value) = constant(self.program, condition) {
            return Formula::Constant(value != 0);
        }
        match condition {
            Expression::Unary(UnaryOperator::Not, inner) => self.formula(inner).not(),
            Expression::Select(condition, if_true, if_false) => {
                let parts = Box::new([condition, if_true, if_false].map(|part| self.formula(part)));
                // A table of truth needs all of its inputs, but the other side of a choice is not evaluated.
                if self.may_be_outside(if_true) || self.may_be_outside(if_false) {
                    self.refuse(
                        "a choice between conditions on local memory behind a pointer",
                        "choose by `goto`: `if (a) { if (b) goto x; } else if (c) goto x;`",
                    );
                }
                Formula::Select(parts)
            }
            Expression::Binary(operator, left, right) if self.program.type_of(left) == Type::Bool => {
                let (left, right) = (self.formula(left), self.formula(right));
                use BinaryOperator::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or, Xor};
                match operator {
                    And | Or | Equal | NotEqual | Xor => left.with(*operator, right),
                    // Of two bools, false is the lesser one.
                    Less => left.not().with(And, right),
                    LessEqual => left.not().with(Or, right),
                    Greater => left.with(And, right.not()),
                    GreaterEqual => left.with(Or, right.not()),
                    _ => {
                        self.refuse_expression();
                        Formula::Constant(false)
                    }
                }
            }
            Expression::Binary(operator, left, right) => self.comparison(*operator, left, right),
            Expression::Cast(_, inner) if self.program.type_of(inner) == Type::Bool => self.formula(inner),
            // A test for 0, of a bit or of a number.
            Expression::Cast(_, inner) => self.equality(false, inner, None),
            Expression::Variable(_) | Expression::Memory(_) | Expression::Slice { .. } => {
                self.equality(false, condition, None)
            }
            _ => {
                self.refuse_expression();
                Formula::Constant(false)
            }
        }
    }

    fn comparison(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) -> Formula {
        use AluOperation::{AtMost, AtMostSigned, Less, LessSigned};
        let is_signed = self.program.type_of(left).is_signed();
        let (operation, left, right) = match operator {
            BinaryOperator::Equal => return self.equality(true, left, Some(right)),
            BinaryOperator::NotEqual => return self.equality(false, left, Some(right)),
            BinaryOperator::Less => (if is_signed { LessSigned } else { Less }, left, right),
            BinaryOperator::LessEqual => (if is_signed { AtMostSigned } else { AtMost }, left, right),
            BinaryOperator::Greater => (if is_signed { LessSigned } else { Less }, right, left),
            BinaryOperator::GreaterEqual => (if is_signed { AtMostSigned } else { AtMost }, right, left),
            _ => {
                self.refuse_expression();
                return Formula::Constant(false);
            }
        };
        let width = self.width(left);
        let bits = [left, right].map(|side| if is_signed { self.signed_bits(side) } else { self.significant(side) });
        if bits.into_iter().any(|bits| bits > ALU_BITS) {
            self.check_width(width);
        }
        let of = |side| match is_signed {
            true if width <= 32 => Bits::signed(side),
            _ => Bits::of(side, 0, 32),
        };
        let (left, right) = (self.leaf(of(left)), self.leaf(of(right)));
        Formula::Condition(self.alu(operation, left, right))
    }

    /// Returns the number of bits that a number with a sign needs.
    fn signed_bits(&self, value: &Expression) -> u32 {
        let width = self.width(value);
        match placed(self.program, value) {
            (Core::Constant(value), _) => {
                let value = runtime::arithmetic::sign_extend(value, width);
                65 - (if value < 0 { !value } else { value }).leading_zeros()
            }
            // Copies of the sign up to the top need no room; below the top there are zeros.
            (_, Field { left, width: bits, extent, .. }) if u32::from(extent) == width => (left + bits).into(),
            (_, field) => u32::from(field.extent) + 1,
        }
    }

    /// Compares numbers, or a number with 0, in parts of 32 bits.
    fn equality(&mut self, is_equal: bool, left: &Expression, right: Option<&Expression>) -> Formula {
        let (operation, operator) = match is_equal {
            true => (AluOperation::Equal, BinaryOperator::And),
            false => (AluOperation::NotEqual, BinaryOperator::Or),
        };
        let significant = self.significant(left).max(right.map_or(1, |right| self.significant(right)));
        let mut whole: Option<Formula> = None;
        for low in (0..significant).step_by(32) {
            let sides = (
                self.leaf(Bits::of(left, low, 32)),
                right.map_or(crate::word::Input::ZERO, |right| self.leaf(Bits::of(right, low, 32))),
            );
            let part = Formula::Condition(self.alu(operation, sides.0, sides.1));
            whole = Some(match whole {
                Some(others) => others.with(operator, part),
                None => part,
            });
        }
        whole.expect("at least one bit is significant")
    }
}
