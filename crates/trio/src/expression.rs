//! How an expression is divided among the ALUs: condition ALUs first, move ALUs behind them.

use ir::{BinaryOperator, Expression, Type, UnaryOperator};

use crate::fit::Fitter;
use crate::operand::{operand, positioned};

impl Fitter<'_> {
    /// Maps a value that is written: up to one operation in the move ALUs, whose inputs are operands or what condition
    /// ALUs compute.
    pub(crate) fn moved(&mut self, value: &Expression) {
        if self.take(value) {
            return;
        }
        if self.program.type_of(value) == Type::Bool {
            return self.condition(value);
        }
        match value {
            Expression::Cast(_, inner) => self.moved(inner),
            Expression::Select(condition, if_true, if_false) => {
                self.condition(condition);
                self.input(if_true);
                self.input(if_false);
            }
            Expression::Unary(_, inner) => {
                self.check_width(value, None);
                self.input(inner);
            }
            Expression::Binary(operator, left, right) => {
                if let Some(inner) = positioned(self.program, value) {
                    return self.moved(inner);
                }
                self.check_operator(*operator);
                self.check_width(value, Some(*operator));
                self.input(left);
                self.input(right);
            }
            _ => self.refuse_expression(),
        }
    }

    /// Maps an input of a move ALU, or what a transaction carries: an operand, or one operation of a condition ALU.
    pub(crate) fn input(&mut self, value: &Expression) {
        if self.take(value) {
            return;
        }
        if self.program.type_of(value) == Type::Bool {
            return self.condition(value);
        }
        match value {
            Expression::Cast(_, inner) => self.input(inner),
            Expression::Unary(_, inner) => {
                self.operation(value, None);
                self.leaf(inner);
            }
            Expression::Binary(operator, left, right) => {
                if let Some(inner) = positioned(self.program, value) {
                    return self.input(inner);
                }
                self.operation(value, Some(*operator));
                self.leaf(left);
                self.leaf(right);
            }
            Expression::Select(..) => self.refuse_depth(),
            _ => self.refuse_expression(),
        }
    }

    /// Maps a condition. Conditions of several ALUs are combined by the sequencing logic (section 2.2: "the combination of
    /// the condition results used is highly flexible").
    pub(crate) fn condition(&mut self, condition: &Expression) {
        match condition {
            Expression::Constant(_) => {}
            Expression::Unary(UnaryOperator::Not, inner) => self.condition(inner),
            Expression::Select(condition, if_true, if_false) => {
                [condition, if_true, if_false].into_iter().for_each(|part| self.condition(part));
            }
            Expression::Binary(_, left, right) if self.program.type_of(left) == Type::Bool => {
                self.condition(left);
                self.condition(right);
            }
            Expression::Binary(operator, left, right) => {
                self.operation(condition, Some(*operator));
                self.leaf(left);
                self.leaf(right);
            }
            // A test for 0, of a bit or of a number.
            Expression::Cast(_, inner) => {
                self.operation(condition, Some(BinaryOperator::NotEqual));
                self.leaf(inner);
            }
            Expression::Variable(_) | Expression::Memory(_) | Expression::Slice { .. } => {
                self.operation(condition, Some(BinaryOperator::NotEqual));
                self.leaf(condition);
            }
            _ => self.refuse_expression(),
        }
    }

    /// Maps an input of a condition ALU, which is an operand.
    fn leaf(&mut self, value: &Expression) {
        if !self.take(value) {
            self.refuse_depth();
        }
    }

    /// Uses a condition ALU for an operation, unless the same one was needed before.
    fn operation(&mut self, value: &Expression, operator: Option<BinaryOperator>) {
        operator.into_iter().for_each(|operator| self.check_operator(operator));
        let width = match value {
            Expression::Binary(operator, left, right) if operator.is_comparison() => {
                self.width(left).max(self.width(right))
            }
            Expression::Cast(Type::Bool, inner) => self.width(inner),
            _ => self.width(value),
        };
        let splits = operator.is_some_and(|operator| {
            use BinaryOperator::{And, Equal, NotEqual, Or, Xor};
            matches!(operator, And | Or | Xor | Equal | NotEqual)
        });
        let alus = if splits { width.div_ceil(self.parameters.alu_bits).max(1) } else { 1 };
        if !splits && width > self.parameters.alu_bits {
            self.refuse_width(width);
        }
        if !self.operations.contains(value) {
            self.operations.push(value.clone());
            self.units.condition_alus += alus;
        }
    }

    /// Returns the number of bits of a value that matter.
    fn width(&self, value: &Expression) -> u32 {
        operand(self.program, value).map_or_else(|| self.program.type_of(value).width(), |(_, bits)| bits)
    }

    /// Refuses an operation of a move ALU that is wider than an ALU, unless it can be done in parts.
    fn check_width(&mut self, value: &Expression, operator: Option<BinaryOperator>) {
        use BinaryOperator::{And, Or, Xor};
        let width = self.program.type_of(value).width();
        let splits = matches!(operator, Some(And | Or | Xor));
        if width > self.parameters.alu_bits && !splits {
            self.refuse_width(width);
        }
    }

    fn check_operator(&mut self, operator: BinaryOperator) {
        use BinaryOperator::{Divide, Multiply, Remainder};
        if matches!(operator, Multiply | Divide | Remainder) {
            let what = if operator == Multiply { "multiplies" } else { "divides" };
            self.refuse(
                format!("no ALU {what}"),
                "multiply by powers of two, which only moves bits, or add several times",
            );
        }
    }

    fn refuse_width(&mut self, width: u32) {
        let bits = self.parameters.alu_bits;
        self.refuse(
            format!("an operation on {width} bits; an ALU has {bits}"),
            "compute the lower and the upper half in two instructions, or convert to 32 bits before: `(: 32) value`",
        );
    }

    fn refuse_depth(&mut self) {
        self.refuse(
            "three operations one after the other; a move ALU follows a condition ALU, and nothing follows a condition",
            "compute a part of it in an instruction before",
        );
    }

    fn refuse_expression(&mut self) {
        self.refuse("an operation that no ALU has", "write it by additions, logic and comparisons");
    }
}
