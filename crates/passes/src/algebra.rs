//! Rewriting rules for single operations, from laws of arithmetic that hold for every value, wrapping included.
//!
//! Each rule results in a single operation on operands, and is correct for every input as `runtime::arithmetic` defines
//! the operations.

use ir::{BinaryOperator, Constant, Expression, Program, Type, UnaryOperator, VariableId};

/// The known facts about the operands: their types from the program, and their values from their definitions.
pub(crate) struct OperandFacts<'k> {
    pub(crate) program: &'k Program,
    pub(crate) definitions: &'k [Option<Expression>],
}

impl OperandFacts<'_> {
    fn definition(&self, operand: &Expression) -> Option<&Expression> {
        match operand {
            Expression::Variable(variable) => self.variable(*variable),
            _ => None,
        }
    }

    fn variable(&self, variable: VariableId) -> Option<&Expression> {
        self.definitions.get(variable.index())?.as_ref()
    }
}

/// Applies rules to an expression until none applies.
pub(crate) fn simplify(known: &OperandFacts<'_>, mut expression: Expression) -> Expression {
    // Each rule shortens the expression, moves a constant to the right, or replaces a variable by its definition, of
    // which there are finitely many. The bound is only a safeguard.
    for _ in 0..64 {
        match once(known, &expression) {
            Some(simpler) => expression = simpler,
            None => break,
        }
    }
    expression
}

fn once(known: &OperandFacts<'_>, expression: &Expression) -> Option<Expression> {
    match expression {
        Expression::Constant(_) | Expression::Variable(_) | Expression::Read { .. } => None,
        Expression::Unary(operator, operand) => unary(known, *operator, operand),
        Expression::Binary(operator, left, right) => binary(known, *operator, left, right),
        Expression::Select(condition, if_true, if_false) => select(known, condition, if_true, if_false),
        Expression::Hash(function, words) => {
            let words: Option<Vec<u64>> = words.iter().map(|word| value_of(word).map(|word| word.value)).collect();
            words.map(|words| Expression::Constant(Constant { ty: Type::INT32, value: function.of(&words) }))
        }
        Expression::Cast(to, operand) => cast(known, *to, operand),
        // The rest either do not occur in flat code, which is all that the passes take, or have no rules.
        Expression::Wide(..)
        | Expression::Slice { .. }
        | Expression::Concatenate(..)
        | Expression::Element { .. }
        | Expression::Undefined(_)
        | Expression::Checksum(_)
        | Expression::Lookup(_)
        | Expression::Memory(_) => None,
    }
}

fn value_of(operand: &Expression) -> Option<Constant> {
    match operand {
        Expression::Constant(constant) => Some(*constant),
        _ => None,
    }
}

fn constant(ty: Type, value: u64) -> Expression {
    Expression::Constant(Constant { ty, value })
}

fn unary(known: &OperandFacts<'_>, operator: UnaryOperator, operand: &Expression) -> Option<Expression> {
    let ty = known.program.type_of(operand);
    if let Some(value) = value_of(operand) {
        return Some(constant(ty, operator.apply(ty, value.value)));
    }
    match (ty, operator) {
        (Type::Bool, UnaryOperator::Negate) => return Some(operand.clone()),
        (Type::Bool, UnaryOperator::Complement) => return Some(Expression::unary(UnaryOperator::Not, operand.clone())),
        _ => {}
    }
    match known.definition(operand)? {
        // Applied twice, a unary operator cancels out.
        Expression::Unary(inner, operand) if *inner == operator => Some((**operand).clone()),
        Expression::Binary(inner, left, right) if operator == UnaryOperator::Not && inner.is_comparison() => {
            Some(Expression::Binary(complement(*inner), left.clone(), right.clone()))
        }
        _ => None,
    }
}

/// Returns the comparison that holds exactly where this one does not.
fn complement(operator: BinaryOperator) -> BinaryOperator {
    use BinaryOperator::*;
    match operator {
        Equal => NotEqual,
        NotEqual => Equal,
        Less => GreaterEqual,
        LessEqual => Greater,
        Greater => LessEqual,
        GreaterEqual => Less,
        other => other,
    }
}

fn binary(
    known: &OperandFacts<'_>,
    operator: BinaryOperator,
    left: &Expression,
    right: &Expression,
) -> Option<Expression> {
    let ty = known.program.type_of(left);
    if let (Some(a), Some(b)) = (value_of(left), value_of(right)) {
        let result = if operator.is_comparison() { Type::Bool } else { ty };
        return Some(constant(result, operator.apply(ty, a.value, b.value)));
    }
    if value_of(left).is_some() && operator.is_commutative() {
        return Some(Expression::binary(operator, right.clone(), left.clone()));
    }
    if left == right
        && let Some(result) = with_itself(operator, ty, left)
    {
        return Some(result);
    }
    if let Some(b) = value_of(right)
        && let Some(result) = with_constant(known, operator, ty, left, b)
    {
        return Some(result);
    }
    if let Some(a) = value_of(left)
        && a.value == 0
        && matches!(
            operator,
            // `0 / x` and `0 % x` are 0 even for x = 0.
            BinaryOperator::Divide | BinaryOperator::Remainder | BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight
        )
    {
        return Some(constant(ty, 0));
    }
    None
}

/// Simplifies `x operator x`.
fn with_itself(operator: BinaryOperator, ty: Type, x: &Expression) -> Option<Expression> {
    use BinaryOperator::*;
    match operator {
        Subtract | SubtractSaturating | Xor => Some(constant(ty, 0)),
        // `0 % 0` is 0, too.
        Remainder => Some(constant(ty, 0)),
        And | Or => Some(x.clone()),
        Equal | LessEqual | GreaterEqual => Some(Expression::bool(true)),
        NotEqual | Less | Greater => Some(Expression::bool(false)),
        Add | AddSaturating | Multiply | Divide | ShiftLeft | ShiftRight => None,
    }
}

/// Simplifies `x operator b`, where `b` is a constant.
fn with_constant(
    known: &OperandFacts<'_>,
    operator: BinaryOperator,
    ty: Type,
    x: &Expression,
    b: Constant,
) -> Option<Expression> {
    use BinaryOperator::*;
    let all = Type::value_of(ty, -1);
    let one = Type::value_of(ty, 1);
    let same = || Some(x.clone());
    match operator {
        Add | AddSaturating | Subtract | SubtractSaturating | Or | Xor | ShiftLeft | ShiftRight if b.value == 0 => {
            same()
        }
        Multiply | And if b.value == 0 => Some(constant(ty, 0)),
        // In `int<1>` the bit pattern of 1 means -1.
        Multiply | Divide if b.value == one && ty != Type::Int(1) => same(),
        Remainder if b.value == one => Some(constant(ty, 0)),
        // `x / 0` is 0 and `x % 0` is x.
        Divide if b.value == 0 => Some(constant(ty, 0)),
        Remainder if b.value == 0 => same(),
        And if b.value == all => same(),
        Or if b.value == all => Some(constant(ty, all)),
        Xor if b.value == all => {
            let operator = if ty == Type::Bool { UnaryOperator::Not } else { UnaryOperator::Complement };
            Some(Expression::unary(operator, x.clone()))
        }
        Equal if ty == Type::Bool && b.value == 1 => same(),
        NotEqual if ty == Type::Bool && b.value == 0 => same(),
        Equal | NotEqual if ty == Type::Bool => Some(Expression::unary(UnaryOperator::Not, x.clone())),
        Less if !ty.is_signed() && b.value == 0 => Some(Expression::bool(false)),
        GreaterEqual if !ty.is_signed() && b.value == 0 => Some(Expression::bool(true)),
        Equal | NotEqual => {
            // A Boolean cast to a number, compared with a number.
            let Expression::Cast(_, inner) = known.definition(x)? else { return None };
            if known.program.type_of(inner) != Type::Bool {
                return None;
            }
            match b.value {
                0 | 1 if (b.value == 1) == (operator == Equal) => Some((**inner).clone()),
                0 | 1 => Some(Expression::unary(UnaryOperator::Not, (**inner).clone())),
                _ => Some(Expression::bool(operator == NotEqual)),
            }
        }
        _ => None,
    }
}

fn select(
    known: &OperandFacts<'_>,
    condition: &Expression,
    if_true: &Expression,
    if_false: &Expression,
) -> Option<Expression> {
    if let Some(condition) = value_of(condition) {
        return Some(if condition.value != 0 { if_true.clone() } else { if_false.clone() });
    }
    if if_true == if_false {
        return Some(if_true.clone());
    }
    if let Some(Expression::Unary(UnaryOperator::Not, inner)) = known.definition(condition) {
        return Some(Expression::select((**inner).clone(), if_false.clone(), if_true.clone()));
    }
    if known.program.type_of(if_true) != Type::Bool {
        return None;
    }
    let [yes, no] = [if_true, if_false].map(|side| value_of(side).map(|side| side.value != 0));
    let binary = |operator, other: &Expression| Some(Expression::binary(operator, condition.clone(), other.clone()));
    match (yes, no) {
        (Some(true), Some(_)) => Some(condition.clone()),
        (Some(false), Some(_)) => Some(Expression::unary(UnaryOperator::Not, condition.clone())),
        (Some(true), None) => binary(BinaryOperator::Or, if_false),
        (None, Some(false)) => binary(BinaryOperator::And, if_true),
        _ => None,
    }
}

fn cast(known: &OperandFacts<'_>, to: Type, operand: &Expression) -> Option<Expression> {
    let from = known.program.type_of(operand);
    if from == to {
        return Some(operand.clone());
    }
    if let Some(value) = value_of(operand) {
        return Some(constant(to, ir::cast(from, to, value.value)));
    }
    if let Some(Expression::Cast(_, inner)) = known.definition(operand) {
        let first = known.program.type_of(inner);
        if skippable(first, from, to) {
            return Some(Expression::Cast(to, inner.clone()));
        }
    }
    // A single form, so that equal Boolean values are recognised as equal.
    (to == Type::Bool).then(|| Expression::binary(BinaryOperator::NotEqual, operand.clone(), constant(from, 0)))
}

/// Returns true if casting every value of type `first` to `between` and then to `to` is the same as casting it to `to`
/// directly.
fn skippable(first: Type, between: Type, to: Type) -> bool {
    let [first_width, between_width, to_width] = [first, between, to].map(Type::width);
    if to == Type::Bool {
        // A nonzero value stays nonzero if no bit is lost.
        return between_width >= first_width;
    }
    if between == Type::Bool {
        return first == Type::Bool;
    }
    if to_width <= between_width {
        // Truncating or extending a value keeps its low bits, which are all that is left.
        return true;
    }
    // The value is extended again, and this time the signedness of the intermediate type decides how.
    match (first.is_signed(), between.is_signed()) {
        (true, true) | (false, false) => first_width <= between_width,
        (false, true) => first_width < between_width,
        (true, false) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skips_a_cast_only_if_no_value_changes() {
        let types = [1, 2, 3, 5].into_iter().flat_map(|width| [Type::Bits(width), Type::Int(width)]);
        let types: Vec<Type> = types.chain([Type::Bool]).collect();
        for &first in &types {
            for &between in &types {
                for &to in &types {
                    let same = (0..1u64 << first.width()).all(|value| {
                        ir::cast(between, to, ir::cast(first, between, value)) == ir::cast(first, to, value)
                    });
                    assert!(same || !skippable(first, between, to), "{first} {between} {to}");
                }
            }
        }
    }
}
