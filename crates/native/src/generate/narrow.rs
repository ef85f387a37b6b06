//! Operators on values of at most 64 bits, with the semantics of [`runtime::arithmetic`].

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use cranelift_frontend::FunctionBuilder;
use ir::{BinaryOperator, Type, UnaryOperator};
use runtime::arithmetic::mask;

/// An emitter of operations on single words.
pub(crate) struct Words<'b, 'f> {
    pub(crate) builder: &'b mut FunctionBuilder<'f>,
}

impl Words<'_, '_> {
    pub(crate) fn constant(&mut self, value: u64) -> Value {
        self.builder.ins().iconst(I64, value as i64)
    }

    /// Masks a word; emits nothing if the mask has all bits set.
    pub(crate) fn and(&mut self, value: Value, mask: u64) -> Value {
        if mask == u64::MAX { value } else { self.builder.ins().band_imm(value, mask as i64) }
    }

    /// Truncates a word to a width.
    pub(crate) fn cut(&mut self, value: Value, width: u32) -> Value {
        self.and(value, mask(width))
    }

    /// Converts a truth value to a word.
    pub(crate) fn truth(&mut self, flag: Value) -> Value {
        if self.builder.func.dfg.value_type(flag) == I64 { flag } else { self.builder.ins().uextend(I64, flag) }
    }

    pub(crate) fn compare(&mut self, condition: IntCC, a: Value, b: Value) -> Value {
        self.builder.ins().icmp(condition, a, b)
    }

    pub(crate) fn compare_constant(&mut self, condition: IntCC, a: Value, b: u64) -> Value {
        self.builder.ins().icmp_imm(condition, a, b as i64)
    }

    /// Applies a unary operator to a value of type `ty`.
    pub(crate) fn unary(&mut self, operator: UnaryOperator, ty: Type, value: Value) -> Value {
        match operator {
            UnaryOperator::Not => self.builder.ins().bxor_imm(value, 1),
            UnaryOperator::Complement => self.builder.ins().bxor_imm(value, mask(ty.width()) as i64),
            UnaryOperator::Negate => {
                let negated = self.builder.ins().ineg(value);
                self.cut(negated, ty.width())
            }
        }
    }

    /// Applies a binary operator that yields a value of type `ty`, which is the type of the left operand.
    pub(crate) fn narrow(&mut self, operator: BinaryOperator, ty: Type, a: Value, b: Value) -> Value {
        let width = ty.width();
        let result = match operator {
            BinaryOperator::Add => self.builder.ins().iadd(a, b),
            BinaryOperator::Subtract => self.builder.ins().isub(a, b),
            BinaryOperator::Multiply => self.builder.ins().imul(a, b),
            BinaryOperator::And => return self.builder.ins().band(a, b),
            BinaryOperator::Or => return self.builder.ins().bor(a, b),
            BinaryOperator::Xor => return self.builder.ins().bxor(a, b),
            BinaryOperator::Divide if ty.is_signed() => self.divide_signed(width, a, b),
            BinaryOperator::Divide => return self.divide(a, b),
            BinaryOperator::Remainder if ty.is_signed() => self.remainder_signed(width, a, b),
            BinaryOperator::Remainder => return self.remainder(a, b),
            BinaryOperator::AddSaturating if ty.is_signed() => self.add_saturating_signed(width, a, b),
            BinaryOperator::AddSaturating => return self.add_saturating(width, a, b),
            BinaryOperator::SubtractSaturating if ty.is_signed() => self.subtract_saturating_signed(width, a, b),
            BinaryOperator::SubtractSaturating => {
                let difference = self.builder.ins().isub(a, b);
                let (below, zero) = (self.compare(IntCC::UnsignedLessThan, a, b), self.constant(0));
                return self.builder.ins().select(below, zero, difference);
            }
            BinaryOperator::ShiftLeft => return self.shift_left(width, a, b),
            BinaryOperator::ShiftRight => return self.shift_right(ty, a, b),
            _ => unreachable!("comparisons give no value of the operands' type"),
        };
        self.cut(result, width)
    }

    /// Returns a truth value for a branch: whether a comparison of values of type `ty` holds.
    pub(crate) fn narrow_comparison(&mut self, operator: BinaryOperator, ty: Type, a: Value, b: Value) -> Value {
        use IntCC::{
            Equal, NotEqual, SignedGreaterThan, SignedGreaterThanOrEqual, SignedLessThan, SignedLessThanOrEqual,
            UnsignedGreaterThan, UnsignedGreaterThanOrEqual, UnsignedLessThan, UnsignedLessThanOrEqual,
        };
        let signed = ty.is_signed();
        let condition = match operator {
            BinaryOperator::Equal => Equal,
            BinaryOperator::NotEqual => NotEqual,
            BinaryOperator::Less => {
                if signed {
                    SignedLessThan
                } else {
                    UnsignedLessThan
                }
            }
            BinaryOperator::LessEqual => {
                if signed {
                    SignedLessThanOrEqual
                } else {
                    UnsignedLessThanOrEqual
                }
            }
            BinaryOperator::Greater => {
                if signed {
                    SignedGreaterThan
                } else {
                    UnsignedGreaterThan
                }
            }
            _ => {
                if signed {
                    SignedGreaterThanOrEqual
                } else {
                    UnsignedGreaterThanOrEqual
                }
            }
        };
        if signed && !matches!(condition, Equal | NotEqual) && ty.width() < 64 {
            // Shifting the sign into the highest bit preserves the order.
            let unused = i64::from(64 - ty.width());
            let (a, b) = (self.builder.ins().ishl_imm(a, unused), self.builder.ins().ishl_imm(b, unused));
            return self.compare(condition, a, b);
        }
        self.compare(condition, a, b)
    }

    /// Sign-extends a value of `width` bits to 64 bits.
    pub(crate) fn sign_extend(&mut self, width: u32, value: Value) -> Value {
        if width == 64 {
            return value;
        }
        let unused = i64::from(64 - width);
        let moved = self.builder.ins().ishl_imm(value, unused);
        self.builder.ins().sshr_imm(moved, unused)
    }

    /// Replaces a divisor of 0, which would fault, by 1. Also returns whether it was 0.
    fn safe(&mut self, divisor: Value) -> (Value, Value) {
        let (is_zero, one) = (self.compare_constant(IntCC::Equal, divisor, 0), self.constant(1));
        (self.builder.ins().select(is_zero, one, divisor), is_zero)
    }

    fn divide(&mut self, a: Value, b: Value) -> Value {
        let (divisor, is_zero) = self.safe(b);
        let quotient = self.builder.ins().udiv(a, divisor);
        let zero = self.constant(0);
        self.builder.ins().select(is_zero, zero, quotient)
    }

    fn remainder(&mut self, a: Value, b: Value) -> Value {
        let (divisor, is_zero) = self.safe(b);
        let remainder = self.builder.ins().urem(a, divisor);
        self.builder.ins().select(is_zero, a, remainder)
    }

    /// Returns the sign-extended dividend, the divisor with 0 and -1, which may fault, replaced by 1, and whether it
    /// was 0 or -1.
    fn safe_signed(&mut self, width: u32, a: Value, b: Value) -> (Value, Value, Value, Value) {
        let (a, b) = (self.sign_extend(width, a), self.sign_extend(width, b));
        let (divisor, is_zero) = self.safe(b);
        let (is_minus_one, one) = (self.compare_constant(IntCC::Equal, b, u64::MAX), self.constant(1));
        (a, self.builder.ins().select(is_minus_one, one, divisor), is_zero, is_minus_one)
    }

    fn divide_signed(&mut self, width: u32, a: Value, b: Value) -> Value {
        let (a, divisor, is_zero, is_minus_one) = self.safe_signed(width, a, b);
        let (quotient, negated) = (self.builder.ins().sdiv(a, divisor), self.builder.ins().ineg(a));
        let zero = self.constant(0);
        let quotient = self.builder.ins().select(is_minus_one, negated, quotient);
        self.builder.ins().select(is_zero, zero, quotient)
    }

    fn remainder_signed(&mut self, width: u32, a: Value, b: Value) -> Value {
        let (a, divisor, is_zero, _) = self.safe_signed(width, a, b);
        // Dividing by 1 in place of -1 gives the same remainder, 0.
        let remainder = self.builder.ins().srem(a, divisor);
        self.builder.ins().select(is_zero, a, remainder)
    }

    fn add_saturating(&mut self, width: u32, a: Value, b: Value) -> Value {
        let (sum, most) = (self.builder.ins().iadd(a, b), self.constant(mask(width)));
        if width < 64 {
            return self.builder.ins().umin(sum, most);
        }
        let wrapped = self.compare(IntCC::UnsignedLessThan, sum, a);
        self.builder.ins().select(wrapped, most, sum)
    }

    fn add_saturating_signed(&mut self, width: u32, a: Value, b: Value) -> Value {
        let (a, b) = (self.sign_extend(width, a), self.sign_extend(width, b));
        let sum = self.builder.ins().iadd(a, b);
        if width < 64 {
            return self.clamp(width, sum);
        }
        // The sum overflows if its sign differs from that of both operands.
        let (x, y) = (self.builder.ins().bxor(a, sum), self.builder.ins().bxor(b, sum));
        self.saturate(a, x, y, sum)
    }

    fn subtract_saturating_signed(&mut self, width: u32, a: Value, b: Value) -> Value {
        let (a, b) = (self.sign_extend(width, a), self.sign_extend(width, b));
        let difference = self.builder.ins().isub(a, b);
        if width < 64 {
            return self.clamp(width, difference);
        }
        // The difference overflows if the operands differ in sign and it differs in sign from the first.
        let (x, y) = (self.builder.ins().bxor(a, b), self.builder.ins().bxor(a, difference));
        self.saturate(a, x, y, difference)
    }

    /// Clamps a number to the range of a signed type of less than 64 bits.
    fn clamp(&mut self, width: u32, number: Value) -> Value {
        let greatest = mask(width - 1);
        let (most, least) = (self.constant(greatest), self.constant(!greatest));
        let number = self.builder.ins().smin(number, most);
        self.builder.ins().smax(number, least)
    }

    /// Returns the extreme value with `a`'s sign if both `x` and `y` are negative, otherwise `result`.
    fn saturate(&mut self, a: Value, x: Value, y: Value, result: Value) -> Value {
        let both = self.builder.ins().band(x, y);
        let overflows = self.compare_constant(IntCC::SignedLessThan, both, 0);
        let sign = self.builder.ins().sshr_imm(a, 63);
        let extreme = self.builder.ins().bxor_imm(sign, i64::MAX);
        self.builder.ins().select(overflows, extreme, result)
    }

    fn shift_left(&mut self, width: u32, value: Value, count: Value) -> Value {
        let moved = self.builder.ins().ishl(value, count);
        let moved = self.cut(moved, width);
        self.unless_all(width, count, moved)
    }

    fn shift_right(&mut self, ty: Type, value: Value, count: Value) -> Value {
        let width = ty.width();
        if ty.is_signed() {
            let (value, most) = (self.sign_extend(width, value), self.constant(u64::from(width) - 1));
            let count = self.builder.ins().umin(count, most);
            let moved = self.builder.ins().sshr(value, count);
            return self.cut(moved, width);
        }
        let moved = self.builder.ins().ushr(value, count);
        self.unless_all(width, count, moved)
    }

    /// Returns 0 if a shift moves all bits out, otherwise `moved`. Processors use only the lowest six bits of the
    /// count.
    fn unless_all(&mut self, width: u32, count: Value, moved: Value) -> Value {
        let all = self.compare_constant(IntCC::UnsignedGreaterThanOrEqual, count, width.into());
        let zero = self.constant(0);
        self.builder.ins().select(all, zero, moved)
    }
}
