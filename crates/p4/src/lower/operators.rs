//! Operators (8.5 to 8.10) on values.

use ir::{BinaryOperator, Expression, UnaryOperator};

use super::Output;
use super::tree::{Tree, Value};
use crate::ast;

/// Returns the conjunction of two conditions.
pub(super) fn both(one: Expression, other: Expression) -> Expression {
    match (&one, &other) {
        (Expression::Constant(constant), _) => {
            if constant.value != 0 {
                other
            } else {
                one
            }
        }
        (_, Expression::Constant(constant)) => {
            if constant.value != 0 {
                one
            } else {
                other
            }
        }
        _ => Expression::binary(BinaryOperator::And, one, other),
    }
}

/// Returns the disjunction of two conditions.
pub(super) fn either(one: Expression, other: Expression) -> Expression {
    match (&one, &other) {
        (Expression::Constant(constant), _) => {
            if constant.value != 0 {
                one
            } else {
                other
            }
        }
        (_, Expression::Constant(constant)) => {
            if constant.value != 0 {
                other
            } else {
                one
            }
        }
        _ => Expression::binary(BinaryOperator::Or, one, other),
    }
}

/// Returns the negation of a condition.
pub(super) fn not(condition: Expression) -> Expression {
    match condition {
        Expression::Constant(constant) => Expression::bool(constant.value == 0),
        Expression::Unary(UnaryOperator::Not, inner) => *inner,
        other => Expression::unary(UnaryOperator::Not, other),
    }
}

fn operator(operator: ast::BinaryOperator) -> BinaryOperator {
    use ast::BinaryOperator as Written;
    match operator {
        Written::Or | Written::BitOr => BinaryOperator::Or,
        Written::And | Written::BitAnd => BinaryOperator::And,
        Written::Equal => BinaryOperator::Equal,
        Written::NotEqual => BinaryOperator::NotEqual,
        Written::Less => BinaryOperator::Less,
        Written::LessEqual => BinaryOperator::LessEqual,
        Written::Greater => BinaryOperator::Greater,
        Written::GreaterEqual => BinaryOperator::GreaterEqual,
        Written::BitXor => BinaryOperator::Xor,
        Written::ShiftLeft => BinaryOperator::ShiftLeft,
        Written::ShiftRight => BinaryOperator::ShiftRight,
        Written::Add => BinaryOperator::Add,
        Written::Subtract => BinaryOperator::Subtract,
        Written::AddSaturating => BinaryOperator::AddSaturating,
        Written::SubtractSaturating => BinaryOperator::SubtractSaturating,
        Written::Multiply => BinaryOperator::Multiply,
        Written::Divide => BinaryOperator::Divide,
        Written::Remainder => BinaryOperator::Remainder,
        Written::Concatenate => unreachable!("it is no operator of the IR"),
    }
}

impl Output {
    /// Returns the result of a binary operator.
    pub(super) fn binary(&mut self, written: ast::BinaryOperator, left: Value, right: Value) -> Value {
        use ast::BinaryOperator as Written;
        match written {
            Written::Equal => return Tree::Scalar(self.equality(&left, &right)),
            Written::NotEqual => return Tree::Scalar(self.inequality(&left, &right)),
            _ => {}
        }
        let (Tree::Scalar(left), Tree::Scalar(mut right)) = (left, right) else { return Tree::Nothing };
        Tree::Scalar(match written {
            Written::Concatenate => Expression::Concatenate(Box::new(left), Box::new(right)),
            Written::And => both(left, right),
            Written::Or => either(left, right),
            _ => {
                let operator = operator(written);
                if !operator.is_shift() {
                    let ty = self.program.type_of(&left);
                    right = self.cast(right, ty);
                }
                Expression::binary(operator, left, right)
            }
        })
    }

    fn inequality(&mut self, left: &Value, right: &Value) -> Expression {
        match (left, right) {
            (Tree::Scalar(left), Tree::Scalar(right)) => {
                let right = self.cast(right.clone(), self.program.type_of(left));
                Expression::binary(BinaryOperator::NotEqual, left.clone(), right)
            }
            _ => not(self.equality(left, right)),
        }
    }

    /// Returns whether two values are equal (8.16 to 8.19). Headers are equal if both are invalid, or both are valid
    /// with equal fields.
    pub(super) fn equality(&mut self, left: &Value, right: &Value) -> Expression {
        match (left, right) {
            (Tree::Scalar(left), Tree::Scalar(right)) => {
                let right = self.cast(right.clone(), self.program.type_of(left));
                Expression::binary(BinaryOperator::Equal, left.clone(), right)
            }
            (
                Tree::Varbit { value: left, length: left_length },
                Tree::Varbit { value: right, length: right_length },
            ) => {
                let right = self.cast(right.clone(), self.program.type_of(left));
                both(
                    Expression::binary(BinaryOperator::Equal, left_length.clone(), right_length.clone()),
                    Expression::binary(BinaryOperator::Equal, left.clone(), right),
                )
            }
            (Tree::Header(left), Tree::Header(right)) => {
                let fields = self.all_equal(&left.fields, &right.fields);
                let alike = Expression::binary(BinaryOperator::Equal, left.valid.clone(), right.valid.clone());
                both(alike, either(not(left.valid.clone()), fields))
            }
            // A comparison with `{#}`.
            (Tree::Header(header), Tree::Nothing) | (Tree::Nothing, Tree::Header(header)) => not(header.valid.clone()),
            (Tree::Union(members), Tree::Nothing) | (Tree::Nothing, Tree::Union(members)) => members
                .iter()
                .map(|(_, member)| self.equality(member, &Tree::Nothing))
                .fold(Expression::bool(true), both),
            (Tree::Struct(left), Tree::Struct(right)) | (Tree::Union(left), Tree::Union(right)) => {
                self.all_equal(left, right)
            }
            (Tree::Stack(left), Tree::Stack(right)) => left
                .elements
                .iter()
                .zip(&right.elements)
                .map(|(left, right)| self.equality(left, right))
                .fold(Expression::bool(true), both),
            (Tree::Text(left), Tree::Text(right)) => Expression::bool(left == right),
            _ => Expression::bool(true),
        }
    }

    fn all_equal(&mut self, left: &[(std::rc::Rc<str>, Value)], right: &[(std::rc::Rc<str>, Value)]) -> Expression {
        left.iter()
            .zip(right)
            .map(|((_, left), (_, right))| self.equality(left, right))
            .fold(Expression::bool(true), both)
    }
}

/// Returns the result of a unary operator.
pub(super) fn unary(operator: ast::UnaryOperator, value: Value) -> Value {
    let Tree::Scalar(scalar) = value else { return Tree::Nothing };
    Tree::Scalar(match operator {
        ast::UnaryOperator::Not => not(scalar),
        ast::UnaryOperator::Complement => Expression::unary(UnaryOperator::Complement, scalar),
        ast::UnaryOperator::Negate => Expression::unary(UnaryOperator::Negate, scalar),
        ast::UnaryOperator::Plus => scalar,
    })
}
