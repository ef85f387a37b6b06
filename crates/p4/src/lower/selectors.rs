//! Fields by whose values a deparser selects mirrors, resubmissions and digests, which are invalid until they are assigned.

use arch::Object;
use ir::{BinaryOperator as Operator, Expression};

use super::Lowering;
use super::l_values::validity_in;
use super::operators::{both, either, not};
use super::tree::{LValue, Tree, Value};
use crate::ast::{self, ExpressionKind};

impl<'a> Lowering<'a> {
    /// Returns the result of a comparison in which a deparser finds invalid fields different from every value. Other results
    /// are returned as they are.
    pub(super) fn among_valid(
        &mut self,
        operator: ast::BinaryOperator,
        sides: [&'a ast::Expression; 2],
        result: Value,
    ) -> Value {
        let is_equality = matches!(operator, ast::BinaryOperator::Equal | ast::BinaryOperator::NotEqual);
        if self.switch.deparser.is_none() || !is_equality {
            return result;
        }
        let Tree::Scalar(result) = result else { return result };
        let flags = sides.into_iter().filter_map(|side| self.validity(side));
        let is_valid = flags.fold(Expression::bool(true), both);
        Tree::Scalar(match operator {
            ast::BinaryOperator::Equal => both(is_valid, result),
            _ => either(not(is_valid), result),
        })
    }

    /// Returns whether a field is valid, if it is invalid until it is assigned.
    fn validity(&mut self, node: &'a ast::Expression) -> Option<Expression> {
        let ExpressionKind::Member(object, name) = &node.kind else { return None };
        let whole: LValue = self.readable_l_value(object)?;
        validity_in(&whole, &name.text).map(|flag| flag.read())
    }

    /// Returns whether the deparser that is written selects the object that belongs to a value of the selector of its kind;
    /// `None` if the deparser has no such selector.
    pub(super) fn is_selected(&mut self, object: Object, value: u64) -> Option<Expression> {
        let name = self.architecture.selector(self.switch.deparser?, object)?;
        let field = self.switch.intrinsic(name)?;
        let flag = self.switch.intrinsic(&super::shapes::validity_of(name))?;
        let value = Expression::Constant(ir::Constant { ty: self.output.leaf_type(&field), value });
        Some(both(flag.read(), Expression::binary(Operator::Equal, field.read(), value)))
    }
}
