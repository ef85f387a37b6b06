//! Evaluation of constant expressions: lengths of arrays and initial values.

use diagnostics::Diagnostic;
use ir::{BinaryOperator, Type, UnaryOperator};

use crate::syntax::{Expression, ExpressionKind, Operator, Unary};
use preprocessor::Report;

/// Returns the value of a constant expression, computed with the same arithmetic as at run time. Reports operands that
/// are not constant.
pub(crate) fn evaluate(expression: &Expression, report: &mut Report) -> Option<i32> {
    let bits = |value: i32| Type::INT32.value_of(i64::from(value));
    let number = |bits: u64| bits as u32 as i32;
    match &expression.kind {
        ExpressionKind::Invalid => None,
        ExpressionKind::Number(value) => Some(*value as i32),
        ExpressionKind::Unary(operator, operand) => {
            let value = evaluate(operand, report)?;
            Some(match operator {
                Unary::Negate => number(UnaryOperator::Negate.apply(Type::INT32, bits(value))),
                Unary::Complement => !value,
                Unary::Not => i32::from(value == 0),
            })
        }
        ExpressionKind::Binary(operator, left, right) => {
            let (left, right) = (evaluate(left, report), evaluate(right, report));
            let (left, right) = (left?, right?);
            Some(match operator {
                Operator::Both => i32::from(left != 0 && right != 0),
                Operator::Either => i32::from(left != 0 || right != 0),
                Operator::Plain(operator) => {
                    if right == 0 && matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder) {
                        report.push(Diagnostic::warning(expression.span, "this constant divides by zero"));
                    }
                    number(operator.apply(Type::INT32, bits(left), bits(right)))
                }
            })
        }
        ExpressionKind::Conditional(condition, if_true, if_false) => {
            let condition = evaluate(condition, report)?;
            evaluate(if condition != 0 { if_true } else { if_false }, report)
        }
        ExpressionKind::Name(_)
        | ExpressionKind::Field(..)
        | ExpressionKind::Element(..)
        | ExpressionKind::Call(..) => {
            let error = Diagnostic::error(expression.span, "this is not a constant");
            report.push(error.label("known only at run time").hint("name a constant with `#define NAME value`"));
            None
        }
    }
}

/// Returns the value of an expression for which [`evaluate`] returns one, but without wrapping to 32 bits; it saturates
/// at 64 bits. This is the value that the author expects.
pub(crate) fn unwrapped(expression: &Expression) -> i64 {
    match &expression.kind {
        ExpressionKind::Number(value) => *value,
        ExpressionKind::Unary(operator, operand) => {
            let value = unwrapped(operand);
            match operator {
                Unary::Negate => value.saturating_neg(),
                Unary::Complement => !value,
                Unary::Not => i64::from(value == 0),
            }
        }
        ExpressionKind::Binary(operator, left, right) => {
            let (left, right) = (unwrapped(left), unwrapped(right));
            match operator {
                Operator::Both => i64::from(left != 0 && right != 0),
                Operator::Either => i64::from(left != 0 || right != 0),
                Operator::Plain(BinaryOperator::Add) => left.saturating_add(right),
                Operator::Plain(BinaryOperator::Subtract) => left.saturating_sub(right),
                Operator::Plain(BinaryOperator::Multiply) => left.saturating_mul(right),
                Operator::Plain(BinaryOperator::ShiftLeft) if (0..32).contains(&right) => {
                    left.saturating_mul(1 << right)
                }
                Operator::Plain(operator) => {
                    let ty = Type::Int(64);
                    operator.apply(ty, ty.value_of(left), ty.value_of(right)) as i64
                }
            }
        }
        ExpressionKind::Conditional(condition, if_true, if_false) => {
            unwrapped(if unwrapped(condition) != 0 { if_true } else { if_false })
        }
        // `evaluate` has no value for the others.
        _ => 0,
    }
}
