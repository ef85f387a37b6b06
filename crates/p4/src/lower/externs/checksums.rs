//! Checksums of packets.

use ir::{BinaryOperator as Operator, Expression, Statement, Type};
use runtime::checksum::Algorithm;

use super::hashes::checksum;
use crate::ast::{self, ExpressionKind};
use crate::lower::ExternCall;
use crate::lower::operators::both;
use crate::lower::tree::{Tree, Value};

impl<'a> ExternCall<'_, 'a> {
    /// Writes `verify_checksum(condition, data, checksum, algorithm)`, which notes a mismatch in the intrinsic
    /// metadata.
    pub(super) fn verify_checksum(&mut self, with_payload: bool) {
        let Some(algorithm) = self.algorithm_argument(3) else { return };
        let [condition, data, given] = self.argument_values([0, 1, 2]);
        let given = self.number_given(2, given);
        let (Tree::Scalar(condition), Some(given)) = (condition, given) else { return };
        let ty = self.lowering.output.program.type_of(&given);
        // BMv2 does not verify a checksum in an invalid header.
        let present = self.arguments.node(2).and_then(|node| self.header_around(node));
        let condition = present.map_or(condition.clone(), |present| both(condition, present));
        let raw = Type::Bits(ty.width() as u16);
        let computed = self.lowering.output.cast(checksum(algorithm, &data, with_payload, raw), ty);
        let differs = Expression::binary(Operator::NotEqual, computed, given);
        let Some(error) =
            self.lowering.architecture.checksum_error.and_then(|name| self.lowering.switch.intrinsic(name))
        else {
            return;
        };
        let then = self.lowering.block_of(|lowering| {
            let one = Expression::number(lowering.output.leaf_type(&error), 1);
            lowering.writer().assign_leaf(&error, one);
        });
        self.lowering.writer().emit(Statement::If { condition: both(condition, differs), then, otherwise: vec![] });
    }

    /// Returns whether the header of a field is valid, if it belongs to one.
    fn header_around(&mut self, node: &'a ast::Expression) -> Option<Expression> {
        let ExpressionKind::Member(object, _) = &node.kind else { return None };
        match self.lowering.readable_l_value(object) {
            Some(Tree::Header(header)) => Some(header.valid.read()),
            _ => self.header_around(object),
        }
    }

    /// Writes `update_checksum(condition, data, checksum, algorithm)`.
    pub(super) fn update_checksum(&mut self, with_payload: bool) {
        let Some(algorithm) = self.algorithm_argument(3) else { return };
        let target = self.argument_target(2);
        let [condition, data] = self.argument_values([0, 1]);
        let Tree::Scalar(condition) = condition else { return };
        let of = self.arguments.types.get(1).and_then(|&of| self.lowering.shapes().scalar_type(of));
        let Some(of) = of.filter(|&of| of != Type::Bool) else { return self.no_number(2) };
        let raw = Type::Bits(of.width() as u16);
        let computed = self.lowering.output.cast(checksum(algorithm, &data, with_payload, raw), of);
        let then = self.lowering.block_of(|lowering| lowering.writer().give(target, Tree::Scalar(computed)));
        match condition {
            Expression::Constant(constant) if constant.value != 0 => self.lowering.writer().emit_all(then),
            condition => self.lowering.writer().emit(Statement::If { condition, then, otherwise: vec![] }),
        }
    }

    /// Writes `Checksum16.get(data)`, the Internet checksum.
    pub(in crate::lower) fn checksum16_method(&mut self) -> Value {
        let data = self.argument_value(0);
        Tree::Scalar(checksum(Algorithm::Csum16, &data, false, Type::Bits(16)))
    }
}
