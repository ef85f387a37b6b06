//! Printing of expressions, with the parentheses that they need and no others.

use super::Printer;
use crate::ast::{Argument, ArgumentValue, Expression, ExpressionKind, SliceKind, UnaryOperator};

/// The precedences of expressions: an operand of lower precedence needs parentheses. Binary operators lie in between.
const CONDITIONAL: u32 = 0;
pub(super) const LOOSEST_BINARY: u32 = 1;
const PREFIX: u32 = 11;
const POSTFIX: u32 = 12;

impl Printer {
    pub(super) fn expression(&mut self, value: &Expression) {
        self.bound(value, CONDITIONAL);
    }

    /// Prints an expression before a `:`, which would otherwise seem to belong to a conditional expression.
    pub(super) fn expression_before_colon(&mut self, value: &Expression) {
        self.bound(value, LOOSEST_BINARY);
    }

    /// Prints an expression, in parentheses if its precedence is lower than `least`.
    fn bound(&mut self, value: &Expression, least: u32) {
        let is_bare = binding(value) >= least;
        if !is_bare {
            self.push("(");
        }
        let start = self.text.len();
        self.bare(value);
        self.note(start, value);
        if !is_bare {
            self.push(")");
        }
    }

    fn bare(&mut self, value: &Expression) {
        match &value.kind {
            ExpressionKind::Integer(number) => self.push(&number.to_string()),
            ExpressionKind::Bool(true) => self.push("true"),
            ExpressionKind::Bool(false) => self.push("false"),
            ExpressionKind::String(text) => {
                self.push("\"");
                self.push(text);
                self.push("\"");
            }
            ExpressionKind::Name(path) => self.path(path),
            ExpressionKind::This => self.push("this"),
            ExpressionKind::Default => self.push("..."),
            ExpressionKind::Invalid => self.push("{#}"),
            ExpressionKind::Error => self.push("error"),
            ExpressionKind::Type(own) => self.type_reference(own),
            ExpressionKind::Member(base, member) => {
                self.bound(base, POSTFIX);
                self.push(".");
                self.push(&member.text);
            }
            ExpressionKind::Index(base, index) => {
                self.bound(base, POSTFIX);
                self.push("[");
                self.expression(index);
                self.push("]");
            }
            ExpressionKind::Slice(slice) => {
                self.bound(&slice.value, POSTFIX);
                self.push("[");
                self.expression_before_colon(&slice.first);
                self.push(match slice.kind {
                    SliceKind::Bounds => ":",
                    SliceKind::Width => " +: ",
                });
                self.expression(&slice.second);
                self.push("]");
            }
            ExpressionKind::Call { callee, type_arguments, arguments } => {
                self.bound(callee, POSTFIX);
                if !type_arguments.is_empty() {
                    self.type_arguments(type_arguments);
                }
                self.arguments(arguments);
            }
            ExpressionKind::Cast(to, operand) => {
                self.push("(");
                self.type_reference(to);
                self.push(")");
                self.bound(operand, PREFIX);
            }
            ExpressionKind::Unary(operator, operand) => {
                self.push(operator.symbol());
                // `++` would be another operator.
                if matches!(operand.kind, ExpressionKind::Unary(UnaryOperator::Plus, _)) {
                    self.push(" ");
                }
                self.bound(operand, PREFIX);
            }
            ExpressionKind::Binary(operator, left, right) => {
                self.bound(left, operator.binding());
                self.push(" ");
                self.push(operator.symbol());
                self.push(" ");
                self.bound(right, operator.binding() + 1);
            }
            ExpressionKind::Conditional(condition, if_true, if_false) => {
                self.bound(condition, LOOSEST_BINARY);
                self.push(" ? ");
                self.expression_before_colon(if_true);
                self.push(" : ");
                self.expression(if_false);
            }
            ExpressionKind::List(values) => {
                self.push("{");
                self.joined(values, ", ", Self::expression);
                self.push("}");
            }
            ExpressionKind::Record { fields, rest } => {
                self.push("{");
                self.joined(fields, ", ", Self::named_expression);
                if rest.is_some() {
                    self.push(", ...");
                }
                self.push("}");
            }
        }
    }

    /// `(argument, argument)`
    pub(super) fn arguments(&mut self, arguments: &[Argument]) {
        self.push("(");
        self.joined(arguments, ", ", |printer, argument| {
            if let Some(name) = &argument.name {
                printer.push(&name.text);
                printer.push(" = ");
            }
            match &argument.value {
                ArgumentValue::Given(value) => printer.expression(value),
                ArgumentValue::Ignored => printer.push("_"),
            }
        });
        self.push(")");
    }
}

fn binding(value: &Expression) -> u32 {
    match &value.kind {
        ExpressionKind::Conditional(..) => CONDITIONAL,
        ExpressionKind::Binary(operator, ..) => operator.binding(),
        ExpressionKind::Unary(..) | ExpressionKind::Cast(..) => PREFIX,
        // With a dot behind them they would be read differently.
        ExpressionKind::Integer(_) | ExpressionKind::Default => PREFIX,
        _ => POSTFIX,
    }
}
