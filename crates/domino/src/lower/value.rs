//! Lowering of expressions. In C, a comparison yields the number 0 or 1, and any number can be a condition; in the IR,
//! numbers and truth values have different types. A value is converted only where it is used as the other type.

use ir::{BinaryOperator, Constant, Expression, RegisterId, Statement, Type, UnaryOperator, VariableId};

use super::Lowering;
use super::inline::Instance;
use crate::resolved::Value;
use crate::syntax::{Operator, Unary};

/// A lowered expression, with its type: a number or a truth value.
pub(super) struct Typed {
    expression: Expression,
    is_bool: bool,
}

impl Typed {
    pub const fn number(expression: Expression) -> Self {
        Self { expression, is_bool: false }
    }

    const fn truth(expression: Expression) -> Self {
        Self { expression, is_bool: true }
    }

    const fn constant(value: i32) -> Self {
        Self::number(Expression::number(Type::INT32, value as i64))
    }

    const fn ty(&self) -> Type {
        if self.is_bool { Type::Bool } else { Type::INT32 }
    }

    /// Returns the value as a number.
    pub fn int(self) -> Expression {
        match self {
            Self { expression, is_bool: false } => expression,
            Self { expression: Expression::Constant(truth), .. } => {
                Expression::Constant(Constant { ty: Type::INT32, ..truth })
            }
            Self { expression, .. } => Expression::Cast(Type::INT32, Box::new(expression)),
        }
    }

    /// Returns the value as a truth value.
    pub fn bool(self) -> Expression {
        match self {
            Self { expression, is_bool: true } => expression,
            Self { expression: Expression::Constant(number), .. } => Expression::bool(number.value != 0),
            Self { expression, .. } => {
                let zero = Expression::number(Type::INT32, 0);
                Expression::binary(BinaryOperator::NotEqual, expression, zero)
            }
        }
    }
}

impl<'r> Lowering<'r> {
    /// Lowers an expression; statements that must run before it are appended to `out`.
    pub(super) fn value(&mut self, instance: &mut Instance<'r>, value: &'r Value, out: &mut Vec<Statement>) -> Typed {
        let lowered = self.inside(|lowering| lowering.value_inside(instance, value, out));
        lowered.unwrap_or(Typed::constant(0))
    }

    fn value_inside(&mut self, instance: &mut Instance<'r>, value: &'r Value, out: &mut Vec<Statement>) -> Typed {
        match value {
            Value::Constant(value) => Typed::constant(*value),
            Value::Field(field) => Typed::number(Expression::Variable(VariableId::from(*field))),
            Value::Local(local) => Typed::number(self.local_value(instance, *local)),
            Value::Register(register, index) => {
                let index = index.as_ref().map(|index| self.value(instance, index, out).int());
                Typed::number(Expression::read(RegisterId::from(*register), index))
            }
            Value::Unary(operator, operand) => {
                let operand = self.value(instance, operand, out);
                match operator {
                    Unary::Not => Typed::truth(Expression::unary(UnaryOperator::Not, operand.bool())),
                    Unary::Negate => Typed::number(Expression::unary(UnaryOperator::Negate, operand.int())),
                    Unary::Complement => Typed::number(Expression::unary(UnaryOperator::Complement, operand.int())),
                }
            }
            Value::Binary(operator, left, right) => {
                let left = self.value(instance, left, out);
                let right = self.value(instance, right, out);
                binary(*operator, left, right)
            }
            Value::Conditional(condition, if_true, if_false) => {
                let condition = self.value(instance, condition, out).bool();
                let (mut before_true, mut before_false) = (Vec::new(), Vec::new());
                let if_true = self.value(instance, if_true, &mut before_true);
                let if_false = self.value(instance, if_false, &mut before_false);
                if before_true.is_empty() && before_false.is_empty() {
                    select(condition, if_true, if_false)
                } else {
                    self.choice(condition, (before_true, if_true), (before_false, if_false), out)
                }
            }
            Value::Hash(function, arguments) => {
                let arguments = arguments.iter().map(|argument| self.value(instance, argument, out).int()).collect();
                Typed::number(Expression::Hash(*function, arguments))
            }
            // A call that was too large to inline has no value; the program is discarded in this case.
            Value::Call(call) => self.inline(instance, call, true, out).unwrap_or(Typed::constant(0)),
        }
    }

    /// Lowers a conditional expression whose operands call functions: as in C, only the calls of the chosen operand may
    /// read state.
    fn choice(
        &mut self,
        condition: Expression,
        (mut then, if_true): (Vec<Statement>, Typed),
        (mut otherwise, if_false): (Vec<Statement>, Typed),
        out: &mut Vec<Statement>,
    ) -> Typed {
        let is_bool = if_true.is_bool && if_false.is_bool;
        let variable = self.local("choice", if is_bool { if_true.ty() } else { Type::INT32 });
        let of_type = |value: Typed| if is_bool { value.bool() } else { value.int() };
        then.push(Statement::Assign { variable, value: of_type(if_true) });
        otherwise.push(Statement::Assign { variable, value: of_type(if_false) });
        out.push(Statement::If { condition, then, otherwise });
        Typed { expression: Expression::Variable(variable), is_bool }
    }
}

fn select(condition: Expression, if_true: Typed, if_false: Typed) -> Typed {
    if if_true.is_bool && if_false.is_bool {
        Typed::truth(Expression::select(condition, if_true.expression, if_false.expression))
    } else {
        Typed::number(Expression::select(condition, if_true.int(), if_false.int()))
    }
}

/// Applies a binary operator to two values.
pub(super) fn binary(operator: Operator, left: Typed, right: Typed) -> Typed {
    let operator = match operator {
        // Expressions have no side effects, so evaluating both operands is equivalent to C's short-circuit evaluation.
        Operator::Both => return Typed::truth(Expression::binary(BinaryOperator::And, left.bool(), right.bool())),
        Operator::Either => return Typed::truth(Expression::binary(BinaryOperator::Or, left.bool(), right.bool())),
        Operator::Plain(operator) => operator,
    };
    // Applied to two truth values, these operators yield a truth value: the same as C's operator on the numbers 0 and
    // 1.
    let keeps_truth = matches!(
        operator,
        BinaryOperator::And
            | BinaryOperator::Or
            | BinaryOperator::Xor
            | BinaryOperator::Equal
            | BinaryOperator::NotEqual
    );
    if keeps_truth && left.is_bool && right.is_bool {
        return Typed::truth(Expression::binary(operator, left.expression, right.expression));
    }
    let expression = Expression::binary(operator, left.int(), right.int());
    Typed { expression, is_bool: operator.is_comparison() }
}
