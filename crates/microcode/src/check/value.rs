//! Values of expressions: their types, what is known of them at compile time, and how they are computed.

use ir::{BinaryOperator, Constant, Expression, UnaryOperator};

use crate::limits::{MOST_HEIGHT, MOST_OPERATIONS};
use crate::types::Type;

/// The width to which the operands of arithmetic are extended, as C extends to `int`: what an ALU computes in (section
/// 2.2).
const ALU_BITS: u32 = 32;

/// A value of a scalar type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub ty: Type,
    pub kind: ValueKind,
    /// How large the value is, which bounds what names for values can grow to.
    pub weight: Weight,
}

/// The size of a value: of the tree of operations that compute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight {
    /// The number of operations and operands.
    pub size: u32,
    /// The height of the tree.
    pub height: u32,
}

impl Weight {
    /// One operand.
    pub const ONE: Self = Self { size: 1, height: 1 };

    /// Returns the weight with one operation more.
    pub const fn grown(self) -> Self {
        Self { size: self.size + 1, height: self.height + 1 }
    }

    /// Returns whether no instruction holds so much.
    pub const fn is_too_large(self) -> bool {
        self.size > MOST_OPERATIONS || self.height > MOST_HEIGHT
    }

    /// Returns the weight of an operation on two operands.
    pub const fn with(self, other: Self) -> Self {
        let height = if self.height > other.height { self.height } else { other.height };
        Self { size: self.size + other.size, height }.grown()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ValueKind {
    /// A number known at compile time, within the range of its type.
    Known(i128),
    /// An expression of the type [`Type::in_ir`].
    Computed(Expression),
}

impl Value {
    /// A number known at compile time that has the width it needs.
    pub const fn literal(number: i128) -> Self {
        Self { ty: Type::Literal, kind: ValueKind::Known(number), weight: Weight::ONE }
    }

    pub const fn bool(value: bool) -> Self {
        Self { ty: Type::Bool, kind: ValueKind::Known(value as i128), weight: Weight::ONE }
    }

    /// A value of a type that is known, wrapped around to the type's range.
    pub fn known(ty: Type, number: i128) -> Self {
        let number = if ty == Type::Literal { number } else { wrap(number, ty.in_ir()) };
        Self { ty, kind: ValueKind::Known(number), weight: Weight::ONE }
    }

    /// A value of a type that an expression computes.
    pub const fn computed(ty: Type, expression: Expression, weight: Weight) -> Self {
        Self { ty, kind: ValueKind::Computed(expression), weight }
    }

    /// Returns the number, if it is known at compile time.
    pub const fn number(&self) -> Option<i128> {
        match self.kind {
            ValueKind::Known(number) => Some(number),
            ValueKind::Computed(_) => None,
        }
    }

    /// Returns whether a comparison treats the value as signed. Literals adapt to the other operand.
    pub const fn is_signed(&self) -> bool {
        matches!(self.ty, Type::Number { signed: true, .. })
    }

    /// Returns the number of bits that the value needs as an operand.
    pub fn width(&self) -> u32 {
        match (&self.ty, &self.kind) {
            (Type::Literal, ValueKind::Known(number)) => needed(*number),
            (ty, _) => ty.bits() as u32,
        }
    }

    /// Returns the expression of the value in a type of the IR: truncated, or extended by the sign of its own type.
    pub fn to_ir(&self, ty: ir::Type) -> Expression {
        match &self.kind {
            ValueKind::Known(number) if ty == ir::Type::Bool => Expression::bool(*number != 0),
            ValueKind::Known(number) => Expression::Constant(Constant::number(ty, *number as i64)),
            ValueKind::Computed(expression) if self.ty.in_ir() == ty => expression.clone(),
            ValueKind::Computed(expression) => Expression::Cast(ty, Box::new(expression.clone())),
        }
    }

    /// Returns the value as another type, as C converts by a cast.
    pub fn converted(&self, ty: &Type) -> Self {
        match &self.kind {
            ValueKind::Known(number) if *ty == Type::Bool => Self::bool(*number != 0),
            ValueKind::Known(number) => Self::known(ty.clone(), *number),
            ValueKind::Computed(_) => {
                let weight = if self.ty.in_ir() == ty.in_ir() { self.weight } else { self.weight.grown() };
                Self::computed(ty.clone(), self.to_ir(ty.in_ir()), weight)
            }
        }
    }

    /// Returns whether the value is true: not 0.
    pub fn condition(&self) -> Self {
        self.converted(&Type::Bool)
    }

    /// Applies a unary operator to a number or a bool of one bit.
    pub fn unary(&self, operator: UnaryOperator) -> Self {
        if operator == UnaryOperator::Not {
            let operand = self.condition();
            return match &operand.kind {
                ValueKind::Known(number) => Self::bool(*number == 0),
                ValueKind::Computed(Expression::Unary(UnaryOperator::Not, inner)) => {
                    Self::computed(Type::Bool, (**inner).clone(), operand.weight)
                }
                ValueKind::Computed(expression) => {
                    Self::computed(Type::Bool, Expression::unary(operator, expression.clone()), operand.weight.grown())
                }
            };
        }
        if let (Type::Literal, ValueKind::Known(number)) = (&self.ty, &self.kind) {
            return Self::literal(if operator == UnaryOperator::Negate { -number } else { !number });
        }
        let ty = Type::Number { width: self.width().max(ALU_BITS), signed: self.is_signed() };
        let operand = self.converted(&ty);
        match &operand.kind {
            ValueKind::Known(number) => {
                Self::known(ty.clone(), if operator == UnaryOperator::Negate { -number } else { !number })
            }
            ValueKind::Computed(expression) => {
                let expression = Expression::unary(operator, expression.clone());
                Self::computed(ty, expression, operand.weight.grown())
            }
        }
    }

    /// Applies a binary operator to two numbers or bools, whose types allow it. Returns `None` if both are literals and the
    /// result needs more than 64 bits.
    pub fn binary(operator: BinaryOperator, left: &Self, right: &Self) -> Option<Self> {
        if let (Type::Literal, Type::Literal) = (&left.ty, &right.ty) {
            return literals(operator, left.number()?, right.number()?);
        }
        let (result, operand) = types(operator, left, right);
        Some(Self::binary_in(operator, result, &operand, left, right))
    }

    /// Applies a binary operator to operands that are converted to a type.
    pub fn binary_in(operator: BinaryOperator, result: Type, operand: &Type, left: &Self, right: &Self) -> Self {
        let right_type = if operator.is_shift() { shift_count(right) } else { operand.clone() };
        let (left, right) = (left.converted(operand), right.converted(&right_type));
        if let (Some(a), Some(b)) = (left.number(), right.number()) {
            let (a, b) = (operand.in_ir().value_of(a as i64), right_type.in_ir().value_of(b as i64));
            let value = operator.apply(operand.in_ir(), a, b);
            return Self::known(result.clone(), result.in_ir().number(value));
        }
        let expression = Expression::binary(operator, left.to_ir(operand.in_ir()), right.to_ir(right_type.in_ir()));
        Self::computed(result, expression, left.weight.with(right.weight))
    }

    /// `&&`: both sides are evaluated.
    pub fn and(left: &Self, right: &Self) -> Self {
        match (left.number(), right.number()) {
            (Some(0), _) | (_, Some(0)) => Self::bool(false),
            (Some(_), _) => right.condition(),
            (_, Some(_)) => left.condition(),
            _ => Self::of_bools(BinaryOperator::And, left, right),
        }
    }

    /// `||`: both sides are evaluated.
    pub fn or(left: &Self, right: &Self) -> Self {
        match (left.number(), right.number()) {
            (Some(0), _) => right.condition(),
            (_, Some(0)) => left.condition(),
            (Some(_), _) | (_, Some(_)) => Self::bool(true),
            _ => Self::of_bools(BinaryOperator::Or, left, right),
        }
    }

    fn of_bools(operator: BinaryOperator, left: &Self, right: &Self) -> Self {
        let (left, right) = (left.condition(), right.condition());
        let expression = Expression::binary(operator, left.to_ir(ir::Type::Bool), right.to_ir(ir::Type::Bool));
        Self::computed(Type::Bool, expression, left.weight.with(right.weight))
    }

    /// `condition ? if_true : if_false`, of two values of one kind.
    pub fn select(condition: &Self, if_true: &Self, if_false: &Self) -> Self {
        if let Some(known) = condition.number() {
            return if known != 0 { if_true.clone() } else { if_false.clone() };
        }
        let ty = common(if_true, if_false);
        let (if_true, if_false) = (if_true.converted(&ty), if_false.converted(&ty));
        let expression = Expression::select(
            condition.condition().to_ir(ir::Type::Bool),
            if_true.to_ir(ty.in_ir()),
            if_false.to_ir(ty.in_ir()),
        );
        Self::computed(ty, expression, condition.weight.with(if_true.weight.with(if_false.weight)))
    }
}

/// Returns the number of bits that a number needs: without a sign if it is not negative.
pub(crate) const fn needed(number: i128) -> u32 {
    let bits = if number < 0 { 129 - (!number).leading_zeros() } else { 128 - number.leading_zeros() };
    if bits == 0 { 1 } else { bits }
}

/// Returns whether a number known at compile time is within the range of literals: those of 64 bits, with or without sign.
pub(crate) const fn is_literal(number: i128) -> bool {
    number >= i64::MIN as i128 && number <= u64::MAX as i128
}

fn wrap(number: i128, ty: ir::Type) -> i128 {
    ty.number(ty.value_of(number as i64))
}

/// Computes with two literals.
fn literals(operator: BinaryOperator, a: i128, b: i128) -> Option<Value> {
    let shifted = |b: i128| u32::try_from(b).ok().filter(|&count| count < 64);
    let number = match operator {
        BinaryOperator::Add => a + b,
        BinaryOperator::Subtract => a - b,
        BinaryOperator::Multiply => a.checked_mul(b)?,
        BinaryOperator::Divide => a.checked_div(b)?,
        BinaryOperator::Remainder => a.checked_rem(b)?,
        BinaryOperator::And => a & b,
        BinaryOperator::Or => a | b,
        BinaryOperator::Xor => a ^ b,
        BinaryOperator::ShiftLeft => a << shifted(b)?,
        BinaryOperator::ShiftRight => a >> shifted(b)?,
        BinaryOperator::Equal => return Some(Value::bool(a == b)),
        BinaryOperator::NotEqual => return Some(Value::bool(a != b)),
        BinaryOperator::Less => return Some(Value::bool(a < b)),
        BinaryOperator::LessEqual => return Some(Value::bool(a <= b)),
        BinaryOperator::Greater => return Some(Value::bool(a > b)),
        BinaryOperator::GreaterEqual => return Some(Value::bool(a >= b)),
        BinaryOperator::AddSaturating | BinaryOperator::SubtractSaturating => return None,
    };
    is_literal(number).then_some(Value::literal(number))
}

/// Returns the type of the result of an operator, and that in which its operands are taken.
fn types(operator: BinaryOperator, left: &Value, right: &Value) -> (Type, Type) {
    let is_logical = matches!(operator, BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor);
    if operator.is_comparison() {
        let is_order = !matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
        let ty = common(left, right);
        return (Type::Bool, if is_order && ty == Type::Bool { Type::unsigned(1) } else { ty });
    }
    if is_logical {
        let ty = common(left, right);
        return (ty.clone(), ty);
    }
    let both = if operator.is_shift() { left.clone() } else { Value { ty: common(left, right), ..left.clone() } };
    let signed = both.is_signed();
    let ty = Type::Number { width: both.width().max(ALU_BITS), signed };
    (ty.clone(), ty)
}

/// Returns the type that holds the values of both operands. A number without a type takes the sign of the other one.
fn common(left: &Value, right: &Value) -> Type {
    if left.ty == right.ty && left.ty != Type::Literal {
        return left.ty.clone();
    }
    match (&left.ty, &right.ty) {
        (Type::Pointer(_), _) => return left.ty.clone(),
        (_, Type::Pointer(_)) => return right.ty.clone(),
        _ => {}
    }
    let signed = match (&left.ty, &right.ty) {
        (Type::Literal, Type::Literal) => [left, right].iter().any(|value| value.number().is_some_and(|n| n < 0)),
        (Type::Literal, _) => right.is_signed(),
        (_, Type::Literal) => left.is_signed(),
        _ => left.is_signed() && right.is_signed(),
    };
    // A literal that is not negative needs a bit more among signed numbers.
    let width = |value: &Value| {
        let extra = signed && value.ty == Type::Literal && value.number().is_some_and(|number| number >= 0);
        value.width() + u32::from(extra)
    };
    Type::Number { width: width(left).max(width(right)).min(64), signed }
}

/// Returns the type of the count of a shift.
fn shift_count(count: &Value) -> Type {
    match &count.ty {
        Type::Literal => Type::unsigned(count.width().max(8)),
        Type::Bool => Type::unsigned(1),
        ty => Type::unsigned(ty.bits() as u32),
    }
}
