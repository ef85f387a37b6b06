//! Formatting of expressions as the author of a program would write them.

use ir::{BinaryOperator, Expression, Type, VariableId};

use super::names::TraceNames;

/// The text for a value that is held in a variable made by the front end.
const KEPT: &str = "…";

impl TraceNames<'_> {
    /// Formats an expression with P4's names for what the front end renamed: validity, look-ahead and results of
    /// tables.
    pub(super) fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Constant(constant) => match constant.ty {
                Type::Bool => (constant.value != 0).to_string(),
                Type::Int(_) => constant.ty.number(constant.value).to_string(),
                Type::Bits(_) => constant.value.to_string(),
            },
            Expression::Wide(_, bits) => format!("{bits:#x}"),
            Expression::Variable(variable) => match (self.title(*variable), self.kept_in(*variable)) {
                (Some(title), _) => title,
                (None, Some(value)) => self.expression(value),
                (None, None) => KEPT.into(),
            },
            Expression::Read { register, index, .. } => {
                let index = index.as_ref().map_or_else(|| "0".into(), |index| self.expression(index));
                format!("{}[{index}]", self.program.register(*register).name)
            }
            Expression::Unary(operator, operand) => format!("{}{}", operator.symbol(), self.operand(operand)),
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right),
            Expression::Select(condition, one, other) => {
                format!("{} ? {} : {}", self.operand(condition), self.operand(one), self.operand(other))
            }
            Expression::Cast(ty, operand) => format!("({ty}) {}", self.operand(operand)),
            Expression::Slice { value, high, low } => format!("{}[{high}:{low}]", self.operand(value)),
            Expression::Concatenate(high, low) => format!("{} ++ {}", self.operand(high), self.operand(low)),
            Expression::Element { array, index } => {
                let index = format!("[{}]", self.expression(index));
                let name = self.program.arrays[array.index()].name.replacen("[]", &index, 1);
                name.strip_suffix(".$valid").map_or(name.clone(), |header| format!("{header}.isValid()"))
            }
            // The values that the checksum covers are shown with the condition.
            Expression::Checksum(_) => "checksum(…)".into(),
            Expression::Undefined(_) | Expression::Hash(..) | Expression::Lookup(_) | Expression::Memory(_) => {
                ir::print::expression(self.program, expression).to_string()
            }
        }
    }

    fn binary(&self, operator: BinaryOperator, left: &Expression, right: &Expression) -> String {
        if let (BinaryOperator::Equal, Expression::Variable(variable), Expression::Constant(place)) =
            (operator, left, right)
            && let Some(table) = self.table_that_sets(*variable)
            && let Some(action) = self.program.tables[table.index()].actions.get(place.value as usize)
        {
            let action = &self.program.functions[action.function.index()].name;
            return format!("{} == {action}", self.expression(left));
        }
        let symbol = match operator {
            BinaryOperator::And if self.program.type_of(left) == Type::Bool => "&&",
            BinaryOperator::Or if self.program.type_of(left) == Type::Bool => "||",
            other => other.symbol(),
        };
        let is_logical = matches!(symbol, "&&" | "||");
        if is_logical && left == right {
            // The front end duplicates conditions.
            return self.expression(left);
        }
        let operand = |operand: &Expression| match operand {
            // These operands need no parentheses.
            Expression::Binary(inner, ..) if is_logical && (inner.is_comparison() || *inner == operator) => {
                self.expression(operand)
            }
            _ => self.operand(operand),
        };
        format!("{} {symbol} {}", operand(left), operand(right))
    }

    /// Formats an operand, in parentheses unless it is a single term.
    fn operand(&self, expression: &Expression) -> String {
        if let Expression::Variable(variable) = expression
            && self.title(*variable).is_none()
            && let Some(value) = self.kept_in(*variable)
        {
            return self.operand(value);
        }
        let text = self.expression(expression);
        let is_composed = matches!(
            expression,
            Expression::Binary(..) | Expression::Select(..) | Expression::Concatenate(..) | Expression::Cast(..)
        );
        if is_composed { format!("({text})") } else { text }
    }

    /// Returns the author's name for a variable, or `None` for variables made by the front end that have none.
    pub(super) fn title(&self, variable: VariableId) -> Option<String> {
        if let Some(header) = self.validity_of(variable)
            && !self.is_made(header)
        {
            return Some(format!("{}.isValid()", self.header(header)));
        }
        let name = self.variable(variable);
        if !self.is_hidden(variable) {
            return Some(name);
        }
        if let Some(stack) = name.strip_suffix(".$next") {
            return Some(format!("{stack}.nextIndex"));
        }
        if let Some(table) = self.table_that_sets(variable) {
            let table = &self.program.tables[table.index()].name;
            let is_hit = self.program.variable(variable).ty == Type::Bool;
            return Some(format!("{table}.apply().{}", if is_hit { "hit" } else { "action_run" }));
        }
        let inside = seen_ahead(&name)?;
        Some(if inside.is_empty() { "lookahead".into() } else { format!("lookahead.{inside}") })
    }
}

/// Returns the part of a look-ahead that a variable holds, or an empty text for all of it. The front end calls such
/// variables `$lookahead`, possibly followed by a number, and appends the names of parts.
pub(super) fn seen_ahead(name: &str) -> Option<String> {
    let mut parts = name.split('.').skip_while(|part| !part.starts_with("$lookahead"));
    parts.next()?;
    Some(parts.collect::<Vec<_>>().join("."))
}
