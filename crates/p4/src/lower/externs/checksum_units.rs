//! Checksums whose sum travels with the packet: `Checksum` of parsers and deparsers that verify and update step by step.
//!
//! The sum is kept in one's complement (RFC 1071), where adding is adding with end-around carry and subtracting is adding
//! the complement.

use std::mem;

use diagnostics::Diagnostic;
use ir::{BinaryOperator as Operator, Expression, Statement, Type, UnaryOperator, VariableId};
use num_bigint::BigInt;
use runtime::checksum::Algorithm;

use super::hashes::checksum;
use super::no_implementation;
use crate::lower::constants::number;
use crate::lower::frame::Made;
use crate::lower::tree::{Tree, Value};
use crate::lower::{ExternCall, Lowering, Objects};

const SUM: Type = Type::Bits(16);
const WIDE: Type = Type::Bits(32);

impl Objects<'_, '_> {
    pub(super) fn make_checksum_unit(&mut self, name: &str) -> Made {
        Made::ChecksumUnit(self.output.variable(&format!("{name}.$sum"), SUM))
    }
}

impl Lowering<'_> {
    /// Warns of calls of `subtract_all_and_deposit` behind which something may be extracted, because that is not
    /// subtracted.
    pub(in crate::lower) fn warn_of_residues(&mut self) {
        for span in mem::take(&mut self.residues) {
            let message = "what is extracted behind this is not subtracted from the checksum here";
            let hint = "subtract later headers with `subtract`, and call this behind them";
            self.found.report(Diagnostic::warning(span, message).hint(hint));
        }
    }
}

impl<'a> ExternCall<'_, 'a> {
    pub(super) fn checksum_unit_method(&mut self, sum: VariableId) -> Value {
        match &*self.arguments.callable.name {
            "add" => self.add_to_sum(sum, false),
            "subtract" => self.add_to_sum(sum, true),
            // The result is an error flag: every public program drops or marks a packet for which it is true. A correct
            // checksum makes the sum of all words 0xffff, or 0 if nothing was added.
            "verify" => {
                let folded = Expression::Variable(sum);
                let is_not =
                    |value: i64| Expression::binary(Operator::NotEqual, folded.clone(), Expression::number(SUM, value));
                return Tree::Scalar(Expression::binary(Operator::And, is_not(0xFFFF), is_not(0)));
            }
            // What remains is a sum, to which `update` adds further fields before it complements all of it.
            "get" => return Tree::Scalar(Expression::Variable(sum)),
            "subtract_all_and_deposit" => {
                self.lowering.residues.push(self.arguments.span);
                let target = self.argument_target(0);
                let of = self.arguments.types.first().and_then(|&of| self.lowering.shapes().scalar_type(of));
                let ty = of.unwrap_or(SUM);
                let rest = self.lowering.output.cast(Expression::Variable(sum), ty);
                self.lowering.writer().give(target, Tree::Scalar(rest));
            }
            "update" => return self.update(),
            other => no_implementation(&mut self.lowering.found, self.arguments.span, &format!("Checksum.{other}")),
        }
        Tree::Nothing
    }

    fn add_to_sum(&mut self, sum: VariableId, subtracts: bool) {
        let data = self.argument_value(0);
        // The Internet checksum is the complement of the sum, so it is what subtracting adds.
        let checksum = checksum(Algorithm::Csum16, &data, false, SUM);
        let share = if subtracts { checksum } else { complement(checksum) };
        let [own, share] = [Expression::Variable(sum), share].map(|value| self.lowering.output.cast(value, WIDE));
        let total = self.lowering.writer().temporary("$total", WIDE);
        let value = Expression::binary(Operator::Add, own, share);
        self.lowering.writer().emit(Statement::Assign { variable: total, value });
        let part = |high, low| Expression::Slice { value: Box::new(Expression::Variable(total)), high, low };
        let value = Expression::binary(Operator::Add, part(15, 0), part(31, 16));
        self.lowering.writer().emit(Statement::Assign { variable: sum, value });
    }

    /// Writes `update(data, zeros as ones)`, which sums anew.
    fn update(&mut self) -> Value {
        let data = self.argument_value(0);
        let computed = checksum(Algorithm::Csum16, &data, false, SUM);
        let zeros_as_ones = self.arguments.node(1).is_some() && self.known_argument(1) == Some(1);
        if !zeros_as_ones {
            return Tree::Scalar(computed);
        }
        let held = self.lowering.writer().held(computed);
        let is_zero = Expression::binary(Operator::Equal, held.clone(), Expression::number(SUM, 0));
        Tree::Scalar(Expression::select(is_zero, number(SUM, &BigInt::from(0xFFFF)), held))
    }
}

fn complement(value: Expression) -> Expression {
    Expression::unary(UnaryOperator::Complement, value)
}
