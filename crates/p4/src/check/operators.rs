//! Operators (sections 8.5 to 8.10), and their results for known values.

use std::rc::Rc;

use diagnostics::{Diagnostic, Span};
use num_bigint::{BigInt, Sign};

use super::{Expressions, Typed, Typing, constants};
use crate::ast::{self, BinaryOperator, UnaryOperator};
use crate::types::{Sort, Type, TypeForm, Types, Value};

/// The longest string, in bytes, that `++` computes.
const MOST_TEXT: usize = 1 << 16;

impl<'a> Expressions<'_, 'a> {
    pub(super) fn unary(&mut self, span: Span, operator: UnaryOperator, node: &'a ast::Expression) -> Typed {
        let typed = self.value(node);
        if typed.of == Types::UNKNOWN {
            return Typed::unknown();
        }
        if typed.of == Types::DEFAULT {
            return Typed::refuse(
                self.found,
                node.span,
                format!("`...` cannot be an operand of `{}`", operator.symbol()),
            );
        }
        if operator == UnaryOperator::Not {
            let typed = self.typing().convert(node, typed, Types::BOOL, "the operand of `!`");
            let value = match typed.value.as_deref() {
                Some(Value::Bool(flag)) => Some(Rc::new(Value::Bool(!flag))),
                _ => None,
            };
            return Typed { value, known: typed.known, ..Typed::new(Types::BOOL) };
        }
        let of = self.types.underlying(typed.of);
        let fits = self.types.is_numeric(of) && !(operator == UnaryOperator::Complement && of == Types::INTEGER);
        if !fits {
            let shown = self.types.show(typed.of);
            return Typed::refuse(self.found, span, format!("`{}` is not defined for `{shown}`", operator.symbol()));
        }
        match typed.value.as_deref().and_then(Value::integer) {
            Some(number) => {
                let result = match operator {
                    UnaryOperator::Negate => -number,
                    UnaryOperator::Complement => -number - 1,
                    _ => number.clone(),
                };
                constants::number(self.types, result, of)
            }
            None => Typed { known: typed.known, ..Typed::new(of) },
        }
    }

    pub(super) fn binary(
        &mut self,
        span: Span,
        operator: BinaryOperator,
        left: &'a ast::Expression,
        right: &'a ast::Expression,
    ) -> Typed {
        let one = self.value(left);
        let other = self.value(right);
        self.typing().combine(span, operator, (left, one), (right, other))
    }
}

impl<'a> Typing<'_, 'a> {
    pub(super) fn combine(
        &mut self,
        span: Span,
        operator: BinaryOperator,
        (left, one): (&'a ast::Expression, Typed),
        (right, other): (&'a ast::Expression, Typed),
    ) -> Typed {
        use BinaryOperator as Op;
        let known = one.known && other.known;
        for (side, typed) in [(left, &one), (right, &other)] {
            if typed.of == Types::DEFAULT {
                let message = format!("`...` cannot be an operand of `{}`", operator.symbol());
                self.found.hinted(side.span, message, "it stands for the default value of a type that is known");
                return Typed::unknown();
            }
        }
        if matches!(operator, Op::And | Op::Or) {
            let one = self.convert(left, one, Types::BOOL, "the operand of a logical operator");
            let other = self.convert(right, other, Types::BOOL, "the operand of a logical operator");
            let value = match (one.value.as_deref(), other.value.as_deref()) {
                (Some(Value::Bool(a)), Some(Value::Bool(b))) => {
                    Some(Rc::new(Value::Bool(if operator == Op::And { *a && *b } else { *a || *b })))
                }
                _ => None,
            };
            return Typed { value, known, ..Typed::new(Types::BOOL) };
        }
        if matches!(operator, Op::Equal | Op::NotEqual) {
            return self.equality(span, operator, (left, one), (right, other));
        }
        if one.of == Types::UNKNOWN || other.of == Types::UNKNOWN {
            let of = if matches!(operator, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual) {
                Types::BOOL
            } else if matches!(operator, Op::ShiftLeft | Op::ShiftRight) {
                one.of
            } else {
                Types::UNKNOWN
            };
            return Typed { of, ..Typed::unknown() };
        }
        let (own, theirs) = (self.types.underlying(one.of), self.types.underlying(other.of));
        if operator == Op::Concatenate && own == Types::STRING && theirs == Types::STRING {
            let value = match (one.value.as_deref(), other.value.as_deref()) {
                (Some(Value::String(a)), Some(Value::String(b))) if a.len() + b.len() < MOST_TEXT => {
                    Some(Rc::new(Value::String(format!("{a}{b}").into())))
                }
                _ => None,
            };
            return Typed { value, known, ..Typed::new(Types::STRING) };
        }
        if !self.types.is_numeric(own) || !self.types.is_numeric(theirs) {
            return self.refuse_operands(span, operator, one.of, other.of);
        }
        match operator {
            Op::ShiftLeft | Op::ShiftRight => self.shift(span, operator, own, &one, (right, theirs, &other)),
            Op::Concatenate => self.concatenate(span, own, &one, theirs, &other),
            _ => self.arithmetic(span, operator, (left, one), (right, other)),
        }
    }

    fn refuse_operands(&mut self, span: Span, operator: BinaryOperator, one: Type, other: Type) -> Typed {
        let (left, right) = (self.types.show(one), self.types.show(other));
        let symbol = operator.symbol();
        let mut error = Diagnostic::error(span, format!("`{symbol}` is not defined for `{left}` and `{right}`"));
        if self.types.is_numeric(one) && self.types.is_numeric(other) {
            error = error.hint("both sides must have the same width and sign; a cast is written `(type) value`");
        }
        let joins = match operator {
            BinaryOperator::BitOr => "||",
            BinaryOperator::BitAnd => "&&",
            _ => "",
        };
        if one == Types::BOOL && other == Types::BOOL && !joins.is_empty() {
            error = error.hint(format!("`{joins}` joins conditions"));
        }
        self.found.report(error);
        Typed::unknown()
    }

    fn arithmetic(
        &mut self,
        span: Span,
        operator: BinaryOperator,
        (left, one): (&'a ast::Expression, Typed),
        (right, other): (&'a ast::Expression, Typed),
    ) -> Typed {
        use BinaryOperator as Op;
        let (own, theirs) = (self.types.underlying(one.of), self.types.underlying(other.of));
        let of = if own == Types::INTEGER { theirs } else { own };
        if theirs != of && theirs != Types::INTEGER {
            return self.refuse_operands(span, operator, one.of, other.of);
        }
        self.coerce(left, of);
        self.coerce(right, of);
        let integer = |typed: &Typed| typed.value.as_deref().and_then(Value::integer).cloned();
        // A number without a width may be negative before it gets one.
        let is_negative = [&one, &other].iter().any(|&side| integer(side).is_some_and(|n| n.sign() == Sign::Minus));
        let one = self.conversions.converted(self.types, one, of);
        let other = self.conversions.converted(self.types, other, of);
        let known = one.known && other.known;
        let (a, b) = (integer(&one), integer(&other));
        let is_signed = matches!(self.types.kind(of), TypeForm::Int(_));
        match operator {
            Op::Divide | Op::Remainder => {
                let word = if operator == Op::Divide { "division" } else { "the remainder" };
                if is_signed {
                    return Typed::refuse(self.found, span, format!("{word} is not defined for numbers with a sign"));
                }
                if b.as_ref().is_some_and(|b| b.sign() == Sign::NoSign) {
                    return Typed::refuse(self.found, span, format!("{word} by zero"));
                }
                if is_negative {
                    return Typed::refuse(self.found, span, format!("{word} is not defined for negative numbers"));
                }
            }
            Op::AddSaturating | Op::SubtractSaturating if of == Types::INTEGER => {
                let message = format!("`{}` is not defined for `int`, which has no width", operator.symbol());
                self.found.hinted(span, message, "give a width: `8w1` or `(bit<8>) value`");
                return Typed::unknown();
            }
            _ => {}
        }
        let compares = matches!(operator, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
        let (Some(a), Some(b)) = (a, b) else {
            return Typed { known, ..Typed::new(if compares { Types::BOOL } else { of }) };
        };
        let result = match operator {
            Op::Less => return Typed::known(Types::BOOL, Value::Bool(a < b)),
            Op::LessEqual => return Typed::known(Types::BOOL, Value::Bool(a <= b)),
            Op::Greater => return Typed::known(Types::BOOL, Value::Bool(a > b)),
            Op::GreaterEqual => return Typed::known(Types::BOOL, Value::Bool(a >= b)),
            Op::Add => a + b,
            Op::Subtract => a - b,
            Op::Multiply => a * b,
            Op::Divide => a / b,
            Op::Remainder => a % b,
            Op::BitAnd => a & b,
            Op::BitOr => a | b,
            Op::BitXor => a ^ b,
            Op::AddSaturating => constants::saturated(self.types, a + b, of),
            Op::SubtractSaturating => constants::saturated(self.types, a - b, of),
            _ => return Typed { known, ..Typed::new(of) },
        };
        if of == Types::INTEGER && result.bits() > constants::MOST_BITS {
            return Typed::refuse(self.found, span, format!("numbers have at most {} bits", constants::MOST_BITS));
        }
        constants::number(self.types, result, of)
    }

    /// Checks a shift, whose sides are not coerced to each other's types (section 8.6).
    fn shift(
        &mut self,
        span: Span,
        operator: BinaryOperator,
        of: Type,
        one: &Typed,
        (right, by, other): (&'a ast::Expression, Type, &Typed),
    ) -> Typed {
        let known = one.known && other.known;
        if matches!(self.types.kind(by), TypeForm::Int(_)) && !other.known {
            self.found.hinted(right.span, "a shift is by a number without a sign", "cast it to `bit<N>`");
            return Typed { of, ..Typed::unknown() };
        }
        let count = other.value.as_deref().and_then(Value::integer);
        if count.is_some_and(|count| count.sign() == Sign::Minus) {
            self.found.error(right.span, "a shift is not by a negative number");
            return Typed { of, ..Typed::unknown() };
        }
        if of == Types::INTEGER && !other.known {
            self.found.hinted(
                span,
                "a number without a width is only shifted by what is known when the program is compiled",
                "give it a width: `8w1` or `(bit<8>) value`",
            );
            return Typed { of, ..Typed::unknown() };
        }
        let (Some(number), Some(count)) = (one.value.as_deref().and_then(Value::integer), count) else {
            return Typed { known, ..Typed::new(of) };
        };
        let bound = self.types.bits_of(of).map_or(constants::MOST_BITS, u64::from);
        let places = u64::try_from(count).unwrap_or(u64::MAX).min(bound + 1);
        if operator == BinaryOperator::ShiftRight {
            // Beyond all bits, only the sign is left.
            return constants::number(
                self.types,
                number >> places.max(u64::try_from(count).unwrap_or(u64::MAX).min(number.bits() + 1)),
                of,
            );
        }
        if of == Types::INTEGER && places > constants::MOST_BITS {
            return Typed::refuse(self.found, span, format!("numbers have at most {} bits", constants::MOST_BITS));
        }
        constants::number(self.types, number << places, of)
    }

    fn concatenate(&mut self, span: Span, own: Type, one: &Typed, theirs: Type, other: &Typed) -> Typed {
        let (Some(high), Some(low)) = (self.types.bits_of(own), self.types.bits_of(theirs)) else {
            self.found.hinted(span, "`++` needs two values with widths", "give the number a width: `8w1`");
            return Typed::unknown();
        };
        let width = high.saturating_add(low);
        if width > constants::MOST_WIDTH {
            return Typed::refuse(
                self.found,
                span,
                format!("a value has at most {} bits, this has {width}", constants::MOST_WIDTH),
            );
        }
        let is_signed = matches!(self.types.kind(own), TypeForm::Int(_));
        let of = self.types.make(if is_signed { TypeForm::Int(width) } else { TypeForm::Bit(width) });
        let number = |typed: &Typed| typed.value.as_deref().and_then(Value::integer).cloned();
        match (number(one), number(other)) {
            (Some(a), Some(b)) => {
                let below = b & ((BigInt::from(1) << low) - 1);
                constants::number(self.types, (a << low) + below, of)
            }
            _ => Typed { known: one.known && other.known, ..Typed::new(of) },
        }
    }

    fn equality(
        &mut self,
        span: Span,
        operator: BinaryOperator,
        (left, one): (&'a ast::Expression, Typed),
        (right, other): (&'a ast::Expression, Typed),
    ) -> Typed {
        let known = one.known && other.known;
        let is_record = |typed: &Typed| matches!(self.types.kind(typed.of), TypeForm::Record(..));
        if is_record(&one) && is_record(&other) {
            self.found.hinted(span, "the types of these two are not known", "a cast tells it of one: `(type) { ... }`");
            return Typed { of: Types::BOOL, ..Typed::unknown() };
        }
        let common = if self.conversions.converts(self.types, other.of, one.of) {
            one.of
        } else if self.conversions.converts(self.types, one.of, other.of) {
            other.of
        } else {
            // Enumerations with underlying types are compared as values of those.
            let (own, theirs) = (self.types.underlying(one.of), self.types.underlying(other.of));
            if self.conversions.converts(self.types, theirs, own) {
                own
            } else if self.conversions.converts(self.types, own, theirs) {
                theirs
            } else {
                return Typed { of: Types::BOOL, ..self.refuse_comparison(span, left, one.of, other.of) };
            }
        };
        if !can_be_compared(self.types, common) {
            return Typed { of: Types::BOOL, ..self.refuse_comparison(span, left, one.of, other.of) };
        }
        self.coerce(left, common);
        self.coerce(right, common);
        let (one, other) = (
            self.conversions.converted(self.types, one, common),
            self.conversions.converted(self.types, other, common),
        );
        // Values with parts may double in size with each declaration, so they are compared at run time.
        let value = match (one.value.as_deref(), other.value.as_deref()) {
            (Some(Value::Parts(_) | Value::Fields(_)), _) | (_, Some(Value::Parts(_) | Value::Fields(_))) => None,
            (Some(a), Some(b)) => Some(Rc::new(Value::Bool((a == b) == (operator == BinaryOperator::Equal)))),
            _ => None,
        };
        Typed { value, known, ..Typed::new(Types::BOOL) }
    }

    fn refuse_comparison(&mut self, span: Span, node: &'a ast::Expression, one: Type, other: Type) -> Typed {
        let (left, right) = (self.types.show(one), self.types.show(other));
        let error = Diagnostic::error(span, format!("values of type `{left}` and `{right}` cannot be compared"));
        self.found.report(match compared_before(node).filter(|_| one == Types::BOOL) {
            Some(hint) => error.hint(hint),
            None => error,
        });
        Typed::unknown()
    }
}

fn can_be_compared(types: &Types, of: Type) -> bool {
    match types.kind(of) {
        TypeForm::Applied(_) | TypeForm::ActionRun(_) | TypeForm::Void | TypeForm::Set(_) => false,
        TypeForm::Named(..) => !matches!(
            types.named(of),
            Some((_, _, Sort::Extern(_) | Sort::Machine(_) | Sort::Table(_) | Sort::TypeParameter))
        ),
        _ => true,
    }
}

/// Returns a hint for a comparison that is compared, which is most often a matter of precedence: `a != 1 | b != 1` is
/// `(a != (1 | b)) != 1`.
fn compared_before(node: &ast::Expression) -> Option<String> {
    use BinaryOperator as Op;
    let ast::ExpressionKind::Binary(operator, _, right) = &node.kind else { return None };
    let compares =
        matches!(operator, Op::Equal | Op::NotEqual | Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual);
    let joins = match &right.kind {
        ast::ExpressionKind::Binary(Op::BitOr, ..) => Some(("|", "||")),
        ast::ExpressionKind::Binary(Op::BitAnd, ..) => Some(("&", "&&")),
        _ => None,
    };
    match joins {
        _ if !compares => None,
        Some((bits, joins)) => {
            Some(format!("`{bits}` binds tighter than `{}`; `{joins}` joins conditions", operator.symbol()))
        }
        None => Some("comparisons are joined by `&&`: `a == b && b == c`".to_owned()),
    }
}
