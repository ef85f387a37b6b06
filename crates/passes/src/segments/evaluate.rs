//! Evaluation of expressions on abstract values.

use ir::evaluate::{self, Environment};
use ir::{BinaryOperator, Expression, RegisterId, Type, UnaryOperator, VariableId};
use runtime::Bits;

use super::Analysis;
use super::path::Path;
use super::value::Value;

/// The constants of a path, for evaluating expressions of which all variables are known.
struct Constants<'a>(&'a Path);

impl Environment for Constants<'_> {
    type Value = Bits;

    fn variable(&mut self, id: VariableId) -> Bits {
        match &self.0.values[id.index()] {
            Value::Constant(bits) => bits.clone(),
            value => unreachable!("only asked of constants, not of {value:?}"),
        }
    }

    fn read(&mut self, register: RegisterId, _: usize) -> Bits {
        unreachable!("register {register:?} is no constant")
    }
}

impl Analysis<'_> {
    /// Evaluates an expression on a path.
    pub(super) fn evaluate(&mut self, expression: &Expression, path: &Path) -> Value {
        if is_known(expression, path) {
            return Value::Constant(evaluate::value(self.program, expression, &mut Constants(path)).1);
        }
        let width = self.program.type_of(expression).width();
        match expression {
            Expression::Variable(id) => path.values[id.index()].clone(),
            Expression::Unary(UnaryOperator::Not, operand) => {
                let value = self.evaluate(operand, path);
                match truth(&value) {
                    Some(known) => Value::Constant(Bits::from(!known)),
                    None => self.result(value.varies(1, &self.shape)),
                }
            }
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right, width, path),
            Expression::Select(condition, if_true, if_false) => self.select(condition, if_true, if_false, width, path),
            Expression::Cast(to, operand) => self.cast(*to, operand, path),
            Expression::Slice { value, high, low } => {
                let of = self.program.type_of(value).width();
                match self.evaluate(value, path) {
                    whole if u32::from(*high) + 1 == of && *low == 0 => whole,
                    Value::Input(start) => {
                        Value::input(start + of - 1 - u32::from(*high), u32::from(high - low) + 1, &self.shape)
                    }
                    other => self.result(other.varies(of, &self.shape)),
                }
            }
            Expression::Concatenate(high, low) => {
                let widths = [high, low].map(|part| self.program.type_of(part).width());
                let parts = [self.evaluate(high, path), self.evaluate(low, path)];
                match &parts {
                    [Value::Input(first), Value::Input(second)] if first + widths[0] == *second => {
                        Value::input(*first, width, &self.shape)
                    }
                    [first, second] => {
                        let varies = first.varies(widths[0], &self.shape) || second.varies(widths[1], &self.shape);
                        self.result(varies)
                    }
                }
            }
            Expression::Checksum(checksum) => self.checksum(checksum, path),
            Expression::Element { array, index } => {
                let differs = self.differs(index, path);
                let elements = &self.program.arrays[array.index()].elements;
                let varies = differs || elements.iter().any(|element| self.varies(*element, path));
                self.result(varies)
            }
            Expression::Read { register, .. } => {
                self.read[register.index()] = true;
                let varies = expression.children().into_iter().any(|child| self.differs(child, path));
                self.result(varies)
            }
            _ => {
                let varies = expression.children().into_iter().any(|child| self.differs(child, path));
                self.result(varies)
            }
        }
    }

    /// Whether the value of an expression may differ between segments.
    pub(super) fn differs(&mut self, expression: &Expression, path: &Path) -> bool {
        let width = self.program.type_of(expression).width();
        self.evaluate(expression, path).varies(width, &self.shape)
    }

    /// Returns the result of an operation whose operands say no more than whether they vary.
    fn result(&mut self, varies: bool) -> Value {
        if varies { Value::Varying } else { self.unknown() }
    }

    fn binary(
        &mut self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
        width: u32,
        path: &Path,
    ) -> Value {
        let ty = self.program.type_of(left);
        let values = [self.evaluate(left, path), self.evaluate(right, path)];
        let widths = [left, right].map(|operand| self.program.type_of(operand).width());
        let known = match (operator, &values) {
            // One operand decides, whatever the other one is.
            (BinaryOperator::And, [a, b]) if is_zero(a) || is_zero(b) => Some(Value::Constant(Bits::zero(width))),
            (BinaryOperator::Or, [a, b]) if ty == Type::Bool && (is_true(a) || is_true(b)) => {
                Some(Value::Constant(Bits::from(true)))
            }
            (BinaryOperator::And, [a, b]) if ty == Type::Bool && is_true(a) => Some(b.clone()),
            (BinaryOperator::And, [a, b]) if ty == Type::Bool && is_true(b) => Some(a.clone()),
            (BinaryOperator::Or, [a, b]) if is_zero(a) => Some(b.clone()),
            (BinaryOperator::Or, [a, b]) if is_zero(b) => Some(a.clone()),
            (BinaryOperator::Equal, [a, b]) if self.is_right_checksum(a, b) => Some(Value::Constant(Bits::from(true))),
            (BinaryOperator::NotEqual, [a, b]) if self.is_right_checksum(a, b) => {
                Some(Value::Constant(Bits::from(false)))
            }
            (_, [Value::Length(_), _] | [_, Value::Length(_)]) if !ty.is_signed() => {
                self.of_length(operator, &values[0], &values[1], width)
            }
            _ => None,
        };
        known.unwrap_or_else(|| {
            let varies = values.iter().zip(widths).any(|(value, width)| value.varies(width, &self.shape));
            self.result(varies)
        })
    }

    /// Adds to lengths and compares them, where the result is the same for all packets of the shape.
    fn of_length(&self, operator: BinaryOperator, left: &Value, right: &Value, width: u32) -> Option<Value> {
        let number = |value: &Value| match value {
            Value::Constant(bits) => i64::try_from(bits.to_u64()?).ok().filter(|number| *number < 1 << 32),
            _ => None,
        };
        match (operator, left, right) {
            (BinaryOperator::Add, Value::Length(offset), other)
            | (BinaryOperator::Add, other, Value::Length(offset)) => {
                Some(Value::length(offset + number(other)?, width, &self.shape))
            }
            (BinaryOperator::Subtract, Value::Length(offset), other) => {
                Some(Value::length(offset - number(other)?, width, &self.shape))
            }
            (operator, left, right) if operator.is_comparison() => {
                let bounds = |value: &Value| match value {
                    Value::Length(offset) => Some(Value::bounds(*offset, &self.shape)),
                    other => number(other).map(|number| (number, number)),
                };
                // Two lengths differ by the same number in all packets.
                let (left, right) = match (left, right) {
                    (Value::Length(a), Value::Length(b)) => ((*a, *a), (*b, *b)),
                    (left, right) => (bounds(left)?, bounds(right)?),
                };
                compare(operator, left, right).map(|known| Value::Constant(Bits::from(known)))
            }
            _ => None,
        }
    }

    fn select(
        &mut self,
        condition: &Expression,
        if_true: &Expression,
        if_false: &Expression,
        width: u32,
        path: &Path,
    ) -> Value {
        let chosen = self.evaluate(condition, path);
        match truth(&chosen) {
            Some(true) => self.evaluate(if_true, path),
            Some(false) => self.evaluate(if_false, path),
            None => {
                let values = [self.evaluate(if_true, path), self.evaluate(if_false, path)];
                if values[0] == values[1] && !matches!(values[0], Value::Varying) {
                    return values[0].clone();
                }
                let varies = values.iter().any(|value| value.varies(width, &self.shape));
                self.result(varies || chosen.varies(1, &self.shape))
            }
        }
    }

    fn cast(&mut self, to: Type, operand: &Expression, path: &Path) -> Value {
        let from = self.program.type_of(operand);
        let value = self.evaluate(operand, path);
        if from.width() == to.width() && to != Type::Bool && from != Type::Bool {
            return value;
        }
        match value {
            Value::Length(offset) if !from.is_signed() && to != Type::Bool => {
                Value::length(offset, to.width(), &self.shape)
            }
            Value::Input(start) if to != Type::Bool && to.width() < from.width() => {
                Value::input(start + from.width() - to.width(), to.width(), &self.shape)
            }
            other => self.result(other.varies(from.width(), &self.shape)),
        }
    }
}

/// Whether an expression is computed from known values only.
fn is_known(expression: &Expression, path: &Path) -> bool {
    match expression {
        Expression::Variable(id) => matches!(path.values[id.index()], Value::Constant(_)),
        Expression::Read { .. }
        | Expression::Undefined(_)
        | Expression::Lookup(_)
        | Expression::Checksum(_)
        | Expression::Element { .. }
        | Expression::Memory(_) => false,
        _ => expression.children().into_iter().all(|child| is_known(child, path)),
    }
}

/// Returns a known bool.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Constant(bits) => Some(!bits.is_zero()),
        _ => None,
    }
}

fn is_zero(value: &Value) -> bool {
    truth(value) == Some(false)
}

fn is_true(value: &Value) -> bool {
    truth(value) == Some(true)
}

/// Compares two numbers that lie within bounds, both included; `None` if the bounds do not decide.
fn compare(operator: BinaryOperator, left: (i64, i64), right: (i64, i64)) -> Option<bool> {
    let less = if left.1 < right.0 {
        Some(true)
    } else if left.0 >= right.1 {
        Some(false)
    } else {
        None
    };
    let greater = if left.0 > right.1 {
        Some(true)
    } else if left.1 <= right.0 {
        Some(false)
    } else {
        None
    };
    let equal = match (less, greater) {
        (Some(true), _) | (_, Some(true)) => Some(false),
        (Some(false), Some(false)) => Some(true),
        _ => None,
    };
    match operator {
        BinaryOperator::Less => less,
        BinaryOperator::GreaterEqual => less.map(|less| !less),
        BinaryOperator::Greater => greater,
        BinaryOperator::LessEqual => greater.map(|greater| !greater),
        BinaryOperator::Equal => equal,
        BinaryOperator::NotEqual => equal.map(|equal| !equal),
        _ => None,
    }
}
