//! The rules for the operands of operators, and conversions.

use diagnostics::{Diagnostic, Span};
use ir::{BinaryOperator, UnaryOperator};

use super::Checker;
use super::value::{Value, needed};
use crate::syntax::{Operator, Unary};
use crate::types::{POINTER_BITS, Type};

impl Checker<'_> {
    /// Applies a binary operator.
    pub(super) fn binary_value(
        &mut self,
        operator: BinaryOperator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<Value> {
        let value = match (&left.ty, &right.ty) {
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => return self.with_pointer(operator, left, right, span),
            (Type::Label, _) | (_, Type::Label) => {
                let both = left.ty == right.ty;
                if !both || !matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual) {
                    let error = Diagnostic::error(span, format!("`{}` of a label has no meaning", operator.symbol()));
                    self.error(error.hint("labels are only compared with each other by `==` and `!=`"));
                    return None;
                }
                Value::binary(operator, left, right)
            }
            _ => {
                self.check_signs(operator, left, right, span)?;
                let divides = matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder);
                if divides && right.number() == Some(0) {
                    self.error(Diagnostic::error(span, "this divides by zero"));
                    return None;
                }
                if operator.is_shift() && right.number().is_some_and(|count| !(0..64).contains(&count)) {
                    self.error(Diagnostic::error(span, "the count of a shift is a number from 0 to 63"));
                    return None;
                }
                Value::binary(operator, left, right)
            }
        };
        if value.is_none() {
            self.error(Diagnostic::error(span, "this constant does not fit in 64 bits"));
        }
        self.bounded(value?, span)
    }

    /// Refuses operands of which one is signed and the other not, where that makes a difference. C would take both as
    /// unsigned.
    fn check_signs(&mut self, operator: BinaryOperator, left: &Value, right: &Value, span: Span) -> Option<()> {
        let matters = matches!(
            operator,
            BinaryOperator::Less
                | BinaryOperator::LessEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterEqual
                | BinaryOperator::Divide
                | BinaryOperator::Remainder
        );
        let is_number = |value: &Value| matches!(value.ty, Type::Number { .. });
        if matters && is_number(left) && is_number(right) && left.is_signed() != right.is_signed() {
            let sign = operator.symbol();
            let error = Diagnostic::error(span, format!("`{sign}` of a signed and an unsigned number"));
            self.error(error.hint("convert one of them, as in `(int : 32) value`"));
            return None;
        }
        Some(())
    }

    /// Pointers are compared, and move by bytes.
    fn with_pointer(&mut self, operator: BinaryOperator, left: &Value, right: &Value, span: Span) -> Option<Value> {
        let is_number = |value: &Value| matches!(value.ty, Type::Number { .. } | Type::Literal);
        let is_pointer = |value: &Value| matches!(value.ty, Type::Pointer(_));
        let address = Type::unsigned(POINTER_BITS);
        let moved = |ty: &Type| Value::binary_in(operator, address.clone(), &address, left, right).converted(ty);
        let value = match operator {
            _ if operator.is_comparison() => Value::binary_in(operator, Type::Bool, &address, left, right),
            BinaryOperator::Add if is_number(right) => moved(&left.ty),
            BinaryOperator::Add if is_number(left) => moved(&right.ty),
            BinaryOperator::Subtract if is_number(right) => moved(&left.ty),
            BinaryOperator::Subtract if is_pointer(left) && is_pointer(right) => {
                moved(&Type::Number { width: POINTER_BITS, signed: true })
            }
            _ => {
                let (left, right) = (left.ty.describe(), right.ty.describe());
                let message = format!("`{}` of `{left}` and `{right}` has no meaning", operator.symbol());
                self.error(Diagnostic::error(span, message).hint("a pointer plus a number moves by so many bytes"));
                return None;
            }
        };
        self.bounded(value, span)
    }

    /// Applies an operator of an expression.
    pub(super) fn operator_value(
        &mut self,
        operator: Operator,
        left: &Value,
        right: &Value,
        span: Span,
    ) -> Option<Value> {
        let value = match operator {
            Operator::Plain(operator) => return self.binary_value(operator, left, right, span),
            Operator::Both => Value::and(left, right),
            Operator::Either => Value::or(left, right),
        };
        self.bounded(value, span)
    }

    /// Applies a unary operator.
    pub(super) fn unary_value(&mut self, operator: Unary, operand: &Value, span: Span) -> Option<Value> {
        if operator != Unary::Not && matches!(operand.ty, Type::Pointer(_) | Type::Label) {
            let message = format!("an operation on `{}` that has no meaning", operand.ty.describe());
            self.error(Diagnostic::error(span, message));
            return None;
        }
        let value = match operator {
            Unary::Plus => return Some(operand.clone()),
            Unary::Negate => operand.unary(UnaryOperator::Negate),
            Unary::Complement => operand.unary(UnaryOperator::Complement),
            Unary::Not => operand.unary(UnaryOperator::Not),
        };
        if value.ty == Type::Literal && !value.number().is_some_and(super::value::is_literal) {
            self.error(Diagnostic::error(span, "this constant does not fit in 64 bits"));
            return None;
        }
        self.bounded(value, span)
    }

    /// Counts operations that the program gains without being longer: by values that are named once and used often, and by
    /// conditions that hold for many statements.
    pub(super) fn charge(&mut self, size: u32, span: Span) -> Option<()> {
        let left = self.operations_left.checked_sub(size);
        if left.is_none() && !std::mem::replace(&mut self.is_too_large, true) {
            self.error(Diagnostic::error(span, "the program has too many operations").hint("name fewer large values"));
        }
        self.operations_left = left?;
        Some(())
    }

    /// Refuses a value that takes more operations than any instruction has: names for values can be used several times.
    pub(super) fn bounded(&mut self, value: Value, span: Span) -> Option<Value> {
        if value.weight.is_too_large() {
            self.error(Diagnostic::error(span, "this is too much for one instruction").hint("compute it in several"));
            return None;
        }
        Some(value)
    }

    /// Converts a value to the type of what it is assigned to, as C does.
    pub(super) fn assigned(&mut self, value: &Value, ty: &Type, span: Span) -> Option<Value> {
        let fits = match (ty, &value.ty) {
            (Type::Pointer(_), Type::Pointer(_)) | (Type::Label, Type::Label) => true,
            (Type::Pointer(_), Type::Literal) => value.number() == Some(0),
            (Type::Pointer(_) | Type::Label, _) => false,
            (Type::Bool, _) => true,
            (Type::Number { .. } | Type::Literal, Type::Label | Type::Pointer(_)) => false,
            (Type::Number { .. } | Type::Literal, _) => true,
            (Type::Void | Type::Structure(_) | Type::Array(..), _) => false,
        };
        if !fits {
            let message = format!("`{}` is assigned to `{}`", value.ty.describe(), ty.describe());
            let error = Diagnostic::error(span, message);
            let is_pointer = [ty, &value.ty].into_iter().any(|ty| matches!(ty, Type::Pointer(_)));
            let hint = format!("convert it, as in `({}) value`", ty.describe());
            self.error(if is_pointer { error.hint(hint) } else { error });
            return None;
        }
        self.warn_of_lost_bits(ty, value, span);
        Some(value.converted(ty))
    }

    /// Warns of a constant that does not fit in its target.
    pub(super) fn warn_of_lost_bits(&mut self, ty: &Type, value: &Value, span: Span) {
        let (Type::Number { width, signed }, Some(number)) = (ty, value.number()) else { return };
        let is_pattern = number >= 0 && needed(number) <= *width;
        let is_number = number < 0 && needed(number) <= *width;
        if !is_pattern && !is_number {
            let kept = Value::known(ty.clone(), number).number().unwrap_or(0);
            let sign = if *signed { "signed " } else { "" };
            let message = format!("{number} does not fit in {sign}{width} bits");
            self.report.push(Diagnostic::warning(span, message).label(format!("taken as {kept}")));
        }
    }
}
