//! Inputs and ALUs as expressions.

use ir::{BinaryOperator, Constant, Expression, Program, Type, UnaryOperator};

use super::{Damage, Reader, damage};
use crate::word::{AluOperation, Field, Input, Read, Source};

pub(super) fn constant(ty: Type, value: u64) -> Expression {
    Expression::Constant(Constant { ty, value })
}

/// Returns a value as one of another type.
pub(super) fn converted(program: &Program, value: Expression, ty: Type) -> Expression {
    match value {
        Expression::Cast(_, inner) if ty == Type::Bool && program.type_of(&inner) == Type::Bool => *inner,
        value if program.type_of(&value) == ty => value,
        value => Expression::Cast(ty, Box::new(value)),
    }
}

/// Returns a field of a value of `width` bits as a number of `bits` bits.
pub(super) fn field(value: Expression, width: u32, field: Field, bits: u32) -> Result<Expression, Damage> {
    let Field { offset, width: taken, left, extent } = field;
    let [offset, taken, left, extent] = [offset, taken, left, extent].map(u16::from);
    let ty = Type::Bits(bits as u16);
    if taken == 0 {
        // It is 0, but what it is taken from is evaluated.
        let nothing = constant(Type::Bits(width as u16), 0);
        let nothing = match value {
            Expression::Variable(_) | Expression::Constant(_) => return Ok(constant(ty, 0)),
            value => Expression::Binary(BinaryOperator::And, Box::new(value), Box::new(nothing)),
        };
        return Ok(Expression::Cast(ty, Box::new(nothing)));
    }
    if u32::from(offset + taken) > width || u32::from(extent) > bits {
        return damage("a field has more bits than what it is taken from, or what it is put into");
    }
    if let Expression::Constant(Constant { value, .. }) = value {
        return Ok(constant(ty, field.of(value)));
    }
    // A shift in a number of the same width loses the bits at its top by itself.
    let is_shift = offset == 0 && u32::from(taken + left) == bits && width == bits && left > 0;
    let whole = offset == 0 && u32::from(taken) == width;
    let shifts = u32::from(offset + taken) == width && left == 0 && extent == taken && bits == width && offset > 0;
    let shifted = |operator, value, count: u16| {
        Expression::Binary(operator, Box::new(value), Box::new(constant(Type::Bits(8), count.into())))
    };
    if is_shift {
        return Ok(shifted(BinaryOperator::ShiftLeft, value, left));
    }
    if shifts {
        return Ok(shifted(BinaryOperator::ShiftRight, value, offset));
    }
    let mut part = match whole {
        true => value,
        false => Expression::Slice { value: Box::new(value), high: offset + taken - 1, low: offset },
    };
    if extent > left + taken {
        part = Expression::Cast(Type::Int(taken), Box::new(part));
        part = Expression::Cast(Type::Bits(extent - left), Box::new(part));
    }
    if u32::from(extent - left) != bits {
        part = Expression::Cast(ty, Box::new(part));
    }
    Ok(if left > 0 { shifted(BinaryOperator::ShiftLeft, part, left) } else { part })
}

/// Returns the operation of an ALU on numbers of 32 bits.
pub(super) fn operation(
    operation: AluOperation,
    left: Expression,
    right: impl FnOnce() -> Result<Expression, Damage>,
) -> Result<Expression, Damage> {
    let binary =
        |operator, left: Expression, right: Expression| Expression::Binary(operator, Box::new(left), Box::new(right));
    let signed = |value: Expression| Expression::Cast(Type::Int(32), Box::new(value));
    Ok(match operation {
        AluOperation::Pass => left,
        AluOperation::Complement => Expression::Unary(UnaryOperator::Complement, Box::new(left)),
        AluOperation::Subtract if matches!(left, Expression::Constant(Constant { value: 0, .. })) => {
            Expression::Unary(UnaryOperator::Negate, Box::new(right()?))
        }
        AluOperation::Add => binary(BinaryOperator::Add, left, right()?),
        AluOperation::Subtract => binary(BinaryOperator::Subtract, left, right()?),
        AluOperation::And => binary(BinaryOperator::And, left, right()?),
        AluOperation::Or => binary(BinaryOperator::Or, left, right()?),
        AluOperation::Xor => binary(BinaryOperator::Xor, left, right()?),
        AluOperation::ShiftLeft => binary(BinaryOperator::ShiftLeft, left, right()?),
        AluOperation::ShiftRight => binary(BinaryOperator::ShiftRight, left, right()?),
        AluOperation::ShiftRightSigned => {
            Expression::Cast(Type::Bits(32), Box::new(binary(BinaryOperator::ShiftRight, signed(left), right()?)))
        }
        AluOperation::Equal => binary(BinaryOperator::Equal, left, right()?),
        AluOperation::NotEqual => binary(BinaryOperator::NotEqual, left, right()?),
        AluOperation::Less => binary(BinaryOperator::Less, left, right()?),
        AluOperation::AtMost => binary(BinaryOperator::LessEqual, left, right()?),
        AluOperation::LessSigned => binary(BinaryOperator::Less, signed(left), signed(right()?)),
        AluOperation::AtMostSigned => binary(BinaryOperator::LessEqual, signed(left), signed(right()?)),
        AluOperation::Select => return damage("a condition ALU chooses"),
    })
}

/// Returns what an ALU computes, and its number of bits: no more than those of which the lowest ones are taken, where these depend
/// on as many bits of the operands only.
pub(super) fn narrow(
    operation: AluOperation,
    (left, right): (&Input, &Input),
    taken: Field,
    operand: impl Fn(&Input, u32) -> Result<Expression, Damage>,
) -> Result<(Expression, u32), Damage> {
    use AluOperation::{Add, And, Complement, Or, Subtract, Xor};
    let width = u32::from(taken.width);
    let depends_on_lower = matches!(operation, Add | Subtract | And | Or | Xor | Complement);
    let has_width = |input: &Input| input.field.slice(0, width).width > 0 || input.source == Source::Zero;
    if !depends_on_lower
        || !(1..32).contains(&width)
        || taken != Field::whole(width)
        || !has_width(left)
        || !has_width(right)
    {
        return Ok((self::operation(operation, operand(left, 32)?, || operand(right, 32))?, 32));
    }
    let of = |input: &Input| operand(&Input { field: input.field.slice(0, width), ..*input }, width);
    Ok((self::operation(operation, of(left)?, || of(right))?, width))
}

impl Reader<'_> {
    /// Returns an input as a number of `bits` bits; `choice` is that of a move ALU.
    pub(super) fn input(&self, input: &Input, bits: u32, choice: Option<&Expression>) -> Result<Expression, Damage> {
        let Input { source, field: taken, reach } = *input;
        let missing = || Damage("an input takes something that the word does not have".to_owned());
        if reach != 0 && !matches!(source, Source::Read(_)) {
            return damage("an input reaches behind something other than local memory");
        }
        match source {
            Source::Zero if taken == Field::NONE => Ok(constant(Type::Bits(bits as u16), 0)),
            Source::Zero => damage("an input takes bits from nowhere"),
            Source::Choice => {
                let choice = choice.ok_or_else(|| Damage("only a move ALU has a choice".to_owned()))?;
                field(Expression::Cast(Type::Bits(1), Box::new(choice.clone())), 1, taken, bits)
            }
            Source::Constant(place) => {
                let value = self.word.constants.get(usize::from(place)).ok_or_else(missing)?;
                field(constant(Type::Bits(32), (*value).into()), 32, taken, bits)
            }
            Source::Result(place) => {
                let alu = self.word.conditions.get(usize::from(place)).ok_or_else(missing)?;
                if alu.operation.is_comparison() {
                    return damage("an input takes the result of a comparison");
                }
                let operand = |input: &Input, width| self.operand(input, width);
                let (value, width) = narrow(alu.operation, (&alu.left, &alu.right), taken, operand)?;
                let taken = if width < 32 { Field::whole(width) } else { taken };
                field(value, width, taken, bits)
            }
            Source::Read(place) => match self.word.reads.get(usize::from(place)).ok_or_else(missing)? {
                Read::Register(_) if reach != 0 => damage("an input reaches behind a register"),
                Read::Register(variable) => field(self.variable(*variable)?, self.width(*variable)?, taken, bits),
                Read::Memory(access) => {
                    // The field of local memory whose last bits, or others, these are.
                    let end = 64 - u32::from(taken.offset);
                    let reach = u32::from(reach);
                    if taken.width == 0 {
                        if reach == 0 {
                            return damage("an input takes nothing of local memory");
                        }
                        let one = self.memory(access, reach - 1, 1)?;
                        return field(Expression::Memory(Box::new(one)), 1, Field::NONE, bits);
                    }
                    let first = end - u32::from(taken.width);
                    if reach < end || reach - first > 64 {
                        return damage("an input takes bits that it does not reach");
                    }
                    let whole = self.memory(access, first, reach - first)?;
                    let taken = Field { offset: (reach - end) as u8, ..taken };
                    field(Expression::Memory(Box::new(whole)), reach - first, taken, bits)
                }
            },
        }
    }

    /// Returns what a condition ALU computes: a number of 32 bits, or a bool.
    pub(super) fn alu(&self, place: usize) -> Result<Expression, Damage> {
        let alu = self.word.conditions.get(place).ok_or_else(|| Damage("a condition ALU is missing".to_owned()))?;
        operation(alu.operation, self.operand(&alu.left, 32)?, || self.operand(&alu.right, 32))
    }

    /// Returns an input of a condition ALU.
    fn operand(&self, input: &Input, bits: u32) -> Result<Expression, Damage> {
        match input.source {
            Source::Result(_) | Source::Choice => damage("a condition ALU takes the result of an ALU"),
            _ => self.input(input, bits, None),
        }
    }
}
