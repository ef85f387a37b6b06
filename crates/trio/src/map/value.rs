//! How an expression is divided among the ALUs: condition ALUs first, move ALUs behind them.

use ir::{BinaryOperator, Expression, Type, UnaryOperator};

use super::Mapper;
use super::operand::{Core, placed};
use crate::parameters::ALU_BITS;
use crate::word::{AluOperation, Combination, Field, Input, MoveAlu, Source};

impl Mapper<'_> {
    /// Maps `width` bits of a value that is written, from `low` on: up to one operation in the move ALU, whose inputs are operands
    /// or what condition ALUs compute.
    pub(super) fn moved(&mut self, value: &Expression, low: u32, width: u32) -> MoveAlu {
        let (core, field) = placed(self.program, value);
        let field = field.slice(low, width);
        let mut alu = MoveAlu {
            condition: Combination::ALWAYS,
            operation: AluOperation::Pass,
            left: Input::ZERO,
            right: Input::ZERO,
            choice: Combination::ALWAYS,
            result: Field::whole(width),
            write: 0,
            first: 0,
            bits: 0,
        };
        if field.width == 0 && !self.may_be_outside(value) {
            return alu;
        }
        let Core::Computed(computed) = core else {
            alu.left = self.operand(core, field);
            return alu;
        };
        let mut choice = None;
        match computed {
            _ if self.program.type_of(computed) == Type::Bool => {
                alu.left = self.choice(computed, field, &mut choice);
            }
            Expression::Select(condition, if_true, if_false) => {
                choice = Some(self.combination(condition));
                alu.operation = AluOperation::Select;
                let (from, bits) = (field.offset.into(), field.width.into());
                alu.left = self.input(Bits::of(if_true, from, bits), &mut choice);
                alu.right = self.input(Bits::of(if_false, from, bits), &mut choice);
                alu.result = Field { offset: 0, ..field };
            }
            _ => match self.arithmetic(computed, field) {
                Some(it) => {
                    alu.operation = it.operation;
                    alu.left = it.left.map_or(Input::ZERO, |bits| self.input(bits, &mut choice));
                    alu.right = it.right.map_or(Input::ZERO, |bits| self.input(bits, &mut choice));
                    alu.result = it.result;
                }
                None => self.refuse_expression(),
            },
        }
        alu.choice = choice.unwrap_or_default();
        alu
    }

    /// Maps an input of a move ALU, or of what a transaction carries: an operand, or one operation of a condition ALU. `choice` is
    /// the combination of conditions that the move ALU takes as a number.
    pub(super) fn input(&mut self, bits: Bits<'_>, choice: &mut Option<Combination>) -> Input {
        let (core, field) = self.bits(bits);
        if field.width == 0 && !self.may_be_outside(bits.value) {
            return Input::ZERO;
        }
        match core {
            Core::Computed(computed) if self.program.type_of(computed) == Type::Bool => {
                self.choice(computed, field, choice)
            }
            Core::Computed(computed) => self.computed(computed, field),
            _ => self.operand(core, field),
        }
    }

    /// Returns what bits of a value come from.
    fn bits<'e>(&self, bits: Bits<'e>) -> (Core<'e>, Field) {
        let (core, field) = placed(self.program, bits.value);
        let field = if bits.is_signed { field.converted(true, self.width(bits.value), 32) } else { field };
        (core, field.slice(bits.low, bits.width))
    }

    /// Returns whether an expression can read outside of local memory. Fields at constant addresses cannot.
    pub(super) fn may_be_outside(&self, value: &Expression) -> bool {
        let mut may_be = false;
        value.walk(&mut |part| {
            if let Expression::Memory(field) = part {
                may_be |= !matches!(&field.address, Expression::Constant(_));
            }
        });
        may_be
    }

    /// Maps a condition that is taken as a number.
    fn choice(&mut self, condition: &Expression, field: Field, choice: &mut Option<Combination>) -> Input {
        let combination = self.combination(condition);
        if *choice.get_or_insert(combination) != combination {
            self.refuse(
                "two conditions as numbers; a move ALU takes one",
                "compute a part of it in an instruction before",
            );
        }
        Input { source: Source::Choice, field, reach: 0 }
    }

    /// Maps one operation of a condition ALU, of whose result `field` is taken.
    pub(super) fn computed(&mut self, value: &Expression, field: Field) -> Input {
        if matches!(value, Expression::Select(..)) {
            self.refuse_depth();
            return Input::ZERO;
        }
        let Some(it) = self.arithmetic(value, field) else {
            self.refuse_expression();
            return Input::ZERO;
        };
        let [left, right] = [it.left, it.right].map(|side| side.map_or(Input::ZERO, |bits| self.leaf(bits)));
        let number = self.alu(it.operation, left, right);
        Input { source: Source::Result(number), field: it.result, reach: 0 }
    }

    /// Maps an input of a condition ALU, which is an operand.
    pub(super) fn leaf(&mut self, bits: Bits<'_>) -> Input {
        match self.bits(bits) {
            (Core::Computed(_), _) => {
                self.refuse_depth();
                Input::ZERO
            }
            (core, field) => self.operand(core, field),
        }
    }

    /// Takes a field of an operand.
    pub(super) fn operand(&mut self, core: Core<'_>, field: Field) -> Input {
        match core {
            Core::Constant(value) => {
                let value = field.of(value);
                let source = self.constant(value as u32);
                let field = if value == 0 { Field::NONE } else { Field::whole(32) };
                Input { source, field, reach: 0 }
            }
            Core::Register(_) if field.width == 0 => Input::ZERO,
            Core::Register(variable) => {
                let place = super::place(&mut self.word.reads, crate::word::Read::Register(variable));
                Input { source: Source::Read(place), field, reach: 0 }
            }
            Core::Memory(memory) => self.read_memory(memory, field),
            Core::Computed(_) => unreachable!("an operand is not computed"),
        }
    }

    /// Returns what an ALU does for a field of the value of an operation; `None` if no ALU has the operation.
    fn arithmetic<'e>(&mut self, value: &'e Expression, field: Field) -> Option<Arithmetic<'e>> {
        let width = self.width(value);
        // Logic is done for the bits that matter, everything else for all of the number.
        let (from, bits) = (u32::from(field.offset), u32::from(field.width));
        let of_bits = Field { offset: 0, ..field };
        match value {
            Expression::Unary(UnaryOperator::Complement, inner) => Some(Arithmetic {
                operation: AluOperation::Complement,
                left: Some(Bits::of(inner, from, bits)),
                right: None,
                result: of_bits,
            }),
            Expression::Unary(UnaryOperator::Negate, inner) => {
                self.check_width(width);
                let (operation, right) = (AluOperation::Subtract, Some(Bits::of(inner, 0, width.min(32))));
                Some(Arithmetic { operation, left: None, right, result: field })
            }
            Expression::Binary(operator, left, right) => {
                let ty = self.program.type_of(value);
                let operation = match operator {
                    BinaryOperator::Add => AluOperation::Add,
                    BinaryOperator::Subtract => AluOperation::Subtract,
                    BinaryOperator::And => AluOperation::And,
                    BinaryOperator::Or => AluOperation::Or,
                    BinaryOperator::Xor => AluOperation::Xor,
                    BinaryOperator::ShiftLeft => AluOperation::ShiftLeft,
                    BinaryOperator::ShiftRight if ty.is_signed() => AluOperation::ShiftRightSigned,
                    BinaryOperator::ShiftRight => AluOperation::ShiftRight,
                    BinaryOperator::Multiply => return self.refuse_operator("a product, and no ALU multiplies"),
                    BinaryOperator::Divide | BinaryOperator::Remainder => {
                        return self.refuse_operator("a quotient or a remainder, and no ALU divides");
                    }
                    _ => return None,
                };
                if matches!(operation, AluOperation::And | AluOperation::Or | AluOperation::Xor) {
                    let (left, right) = (Some(Bits::of(left, from, bits)), Some(Bits::of(right, from, bits)));
                    return Some(Arithmetic { operation, left, right, result: of_bits });
                }
                self.check_width(width);
                let count = if operator.is_shift() { self.significant(right) } else { width };
                self.check_width(count);
                // A signed number that is shifted to the right is widened with its sign first.
                let left = match operation {
                    AluOperation::ShiftRightSigned => Bits::signed(left),
                    _ => Bits::of(left, 0, width.min(32)),
                };
                Some(Arithmetic {
                    operation,
                    left: Some(left),
                    right: Some(Bits::of(right, 0, count.min(32))),
                    result: field,
                })
            }
            _ => None,
        }
    }

    /// Returns the number of bits of a value of which at least the highest one can be set.
    pub(super) fn significant(&self, value: &Expression) -> u32 {
        match placed(self.program, value) {
            (Core::Constant(value), _) => 64 - value.leading_zeros(),
            (_, field) => field.extent.into(),
        }
        .max(1)
    }

    pub(super) fn check_width(&mut self, width: u32) {
        let bits = ALU_BITS;
        if width > bits {
            self.refuse(
                format!("an operation on {width} bits; an ALU has {bits}"),
                "compute the lower and the upper half in two instructions, or convert to 32 bits before: `(: 32) value`",
            );
        }
    }

    fn refuse_operator<T>(&mut self, what: &str) -> Option<T> {
        self.refuse(what, "multiply by powers of two, which only moves bits, or add several times");
        None
    }

    pub(super) fn refuse_depth(&mut self) {
        self.refuse(
            "more operations one after the other than a word has: two for what is written, one for a condition or a transaction",
            "compute a part of it in an instruction before",
        );
    }

    pub(super) fn refuse_expression(&mut self) {
        if self.misfits.is_empty() {
            self.refuse("an operation that no ALU has", "write it by additions, logic and comparisons");
        }
    }
}

/// One operation of an ALU.
struct Arithmetic<'e> {
    operation: AluOperation,
    left: Option<Bits<'e>>,
    right: Option<Bits<'e>>,
    /// The field of the result.
    result: Field,
}

/// Bits of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bits<'e> {
    value: &'e Expression,
    low: u32,
    width: u32,
    /// Whether the value is widened to 32 bits with its sign before.
    is_signed: bool,
}

impl<'e> Bits<'e> {
    /// Returns `width` bits of a value from `low` on.
    pub fn of(value: &'e Expression, low: u32, width: u32) -> Self {
        Self { value, low, width, is_signed: false }
    }

    /// Returns a number with a sign as 32 bits.
    pub fn signed(value: &'e Expression) -> Self {
        Self { value, low: 0, width: 32, is_signed: true }
    }
}
